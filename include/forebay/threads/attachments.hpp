// SPDX-License-Identifier: MIT
//
// attachments.hpp: what a coordinator closes when a stop is requested.

#ifndef FOREBAY_THREADS_ATTACHMENTS_HPP
#define FOREBAY_THREADS_ATTACHMENTS_HPP

#include <algorithm>
#include <cstddef>
#include <exception>
#include <list>
#include <mutex>

#include "forebay/threads/failures.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Guarded by the lock of who has them. Who calls a function that takes a `Lock&` holds that lock; the function lets
/// go of it meanwhile, and code of the user's runs.
///
/// Invariant, under the lock: an attachment stays in the list while it is being closed, which happens without the
/// lock.
template <class Sync>
class Attachments {
 public:
  using Lock = std::unique_lock<typename Sync::mutex>;

  /// Adds `closable`, and closes it if the stop `is_requested`.
  template <class Closable>
  void add(Lock& lock, Closable& closable, bool is_requested, const Failures& failures) {
    attachments_.push_back({&closable, &close_object<Closable>});
    if (is_requested) close(lock, attachments_.back(), failures);
  }

  /// Removes `object`. When this returns, a close of it that was under way has ended.
  void remove(Lock& lock, const void* object) noexcept {
    closed_.wait(lock, [&] {
      return std::none_of(attachments_.begin(), attachments_.end(),
                          [&](const Attachment& each) { return each.object == object && each.closings > 0; });
    });
    std::erase_if(attachments_, [&](const Attachment& each) { return each.object == object; });
  }

  /// Closes each of them, with the failure that is the first one by then.
  void close_all(Lock& lock, const Failures& failures) noexcept {
    for (auto each = attachments_.begin(); each != attachments_.end(); ++each) close(lock, *each, failures);
  }

 private:
  struct Attachment {
    void* object;
    void (*close)(void* object, const std::exception_ptr& cause) noexcept;
    std::size_t closings = 0;  // so many are under way
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

  void close(Lock& lock, Attachment& attachment, const Failures& failures) noexcept {
    ++attachment.closings;
    {
      const std::exception_ptr cause = failures.first();  // destroyed without the lock
      lock.unlock();
      attachment.close(attachment.object, cause);
    }
    lock.lock();
    --attachment.closings;
    closed_.notify_all();
  }

  std::list<Attachment> attachments_;
  typename Sync::condition_variable closed_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_THREADS_ATTACHMENTS_HPP
