// SPDX-License-Identifier: MIT
//
// attachments.hpp: Attachments, the objects that a coordinator closes when a stop is requested, and whose progress it
// reads.

#ifndef FOREBAY_THREADS_ATTACHMENTS_HPP
#define FOREBAY_THREADS_ATTACHMENTS_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <list>

#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/threads/failures.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Returns a number that grows whenever an element moves through `closable`; 0 if it has no such number.
template <class Closable>
[[nodiscard]] std::uint64_t progress_of(const Closable& closable) noexcept {
  if constexpr (requires { closable.statistics().producers.elements; }) {
    const auto statistics = closable.statistics();
    return statistics.producers.elements + statistics.consumers.elements;
  } else if constexpr (requires {
                         { closable.progress() } -> std::same_as<std::uint64_t>;
                       }) {
    return closable.progress();
  } else {
    return 0;
  }
}

/// Guarded by the mutex of the owner. A function that takes the mutex releases it while user code runs.
///
/// Invariant, under that mutex: an attachment stays in the list while it is in use, which happens without the lock.
template <class Sync>
class Attachments {
 public:
  /// Adds `closable`, and closes it if the stop `is_requested`.
  template <class Closable>
  void add(Mutex<Sync>& mutex, Closable& closable, bool is_requested, const Failures& failures)
      FOREBAY_REQUIRES(mutex) {
    attachments_.push_back({&closable, &close_object<Closable>, &progress_of_object<Closable>});
    if (is_requested) close(mutex, attachments_.back(), failures);
  }

  /// Removes `object`. Waits for a use in progress to end.
  void remove(Mutex<Sync>& mutex, const void* object) noexcept FOREBAY_REQUIRES(mutex) {
    mutex.wait(used_, [&] {
      return std::none_of(attachments_.begin(), attachments_.end(),
                          [&](const Attachment& each) { return each.object == object && each.uses > 0; });
    });
    // (remove_if would be more code to compile.)
    for (auto each = attachments_.begin(); each != attachments_.end();) {
      each = each->object == object ? attachments_.erase(each) : std::next(each);
    }
  }

  /// Closes all of them, each with the first failure at that moment.
  void close_all(Mutex<Sync>& mutex, const Failures& failures) noexcept FOREBAY_REQUIRES(mutex) {
    for (auto each = attachments_.begin(); each != attachments_.end(); ++each) close(mutex, *each, failures);
  }

  /// Returns the sum of progress_of() over all of them.
  [[nodiscard]] std::uint64_t progress(Mutex<Sync>& mutex) noexcept FOREBAY_REQUIRES(mutex) {
    std::uint64_t sum = 0;
    for (auto each = attachments_.begin(); each != attachments_.end(); ++each) {
      use(mutex, *each, [&] { sum += each->progress(each->object); });
    }
    return sum;
  }

 private:
  struct Attachment {
    void* object;
    void (*close)(void* object, const std::exception_ptr& cause) noexcept;
    std::uint64_t (*progress)(const void* object) noexcept;
    std::size_t uses = 0;  // uses in progress
  };

  template <class Closable>
  static void close_object(void* object, const std::exception_ptr& cause) noexcept {
    auto& closable = *static_cast<Closable*>(object);
    if constexpr (requires { closable.close(cause); }) {
      closable.close(cause);
    } else {
      closable.close();
    }
  }

  template <class Closable>
  static std::uint64_t progress_of_object(const void* object) noexcept {
    return progress_of(*static_cast<const Closable*>(object));
  }

  void close(Mutex<Sync>& mutex, Attachment& attachment, const Failures& failures) noexcept FOREBAY_REQUIRES(mutex) {
    std::exception_ptr cause = failures.first();
    use(mutex, attachment, [&] {
      attachment.close(attachment.object, cause);
      cause = nullptr;  // destroyed without the lock
    });
  }

  template <class Function>
  void use(Mutex<Sync>& mutex, Attachment& attachment, Function function) noexcept FOREBAY_REQUIRES(mutex) {
    ++attachment.uses;
    {
      const Unlocked unlocked(mutex);
      function();
    }
    --attachment.uses;
    used_.notify_all();
  }

  std::list<Attachment> attachments_;
  typename Sync::condition_variable used_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_THREADS_ATTACHMENTS_HPP
