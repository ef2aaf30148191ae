// SPDX-License-Identifier: MIT
//
// queue_status.hpp: how a queue operation went: QueueStatus, Dequeued<T>, EnqueueManyResult, and the exceptions of the
// exception style.
//
// The end of the input is a value, not an exception. Who prefers exceptions calls Dequeued::value().

#ifndef FOREBAY_QUEUE_STATUS_HPP
#define FOREBAY_QUEUE_STATUS_HPP

#include <concepts>
#include <cstddef>
#include <iosfwd>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// How an operation went.
enum class [[nodiscard]] QueueStatus{
    ok,         ///< done
    closed,     ///< the queue is closed: nothing more goes in, or not enough is left to come out
    full,       ///< no room, and the call was told not to wait
    empty,      ///< not enough elements, and the call was told not to wait
    timed_out,  ///< the time given to the call passed
    stopped,    ///< the stop given to the call was requested
};

/// The name of a status, as it is spelled in the enumeration.
[[nodiscard]] constexpr const char* to_string(QueueStatus status) noexcept {
  switch (status) {
    case QueueStatus::ok: return "ok";
    case QueueStatus::closed: return "closed";
    case QueueStatus::full: return "full";
    case QueueStatus::empty: return "empty";
    case QueueStatus::timed_out: return "timed_out";
    case QueueStatus::stopped: return "stopped";
  }
  return "unknown";
}

/// Writes to_string(status).
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, QueueStatus status) {
  return out << to_string(status);
}

/// The base of what Dequeued::value() throws.
struct QueueError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The queue is closed and has too few elements left: the end of the input (TensorFlow's OutOfRangeError).
struct OutOfRangeError : QueueError {
  OutOfRangeError() : QueueError("forebay: the queue is closed and has insufficient elements") {}
  using QueueError::QueueError;
};

/// The time given to the call passed; a call told not to wait has no time at all (TensorFlow's DeadlineExceededError).
struct DeadlineExceededError : QueueError {
  DeadlineExceededError() : QueueError("forebay: the time given to the call passed before it could be done") {}
  using QueueError::QueueError;
};

/// A stop was requested while the call waited (TensorFlow's CancelledError).
struct CancelledError : QueueError {
  CancelledError() : QueueError("forebay: a stop was requested before the call could be done") {}
  using QueueError::QueueError;
};

/// What a dequeue brings: an element (or a batch), or the reason why there is none. Reads like std::optional<T>.
template <class T>
class [[nodiscard]] Dequeued {
 public:
  using value_type = T;

  /// Holds no element; status() tells why. Requires status != ok.
  explicit Dequeued(QueueStatus status) noexcept : status_(status) {}

  /// Holds what `fill` puts into the std::optional<T>& it is given. It returns the status: ok if and only if it put
  /// something there. The element is made where it stays, so that nothing can fail after it has left the queue.
  template <std::invocable<std::optional<T>&> Fill>
  explicit Dequeued(Fill fill) : status_(fill(element_)) {}

  [[nodiscard]] bool has_value() const noexcept { return element_.has_value(); }
  [[nodiscard]] explicit operator bool() const noexcept { return has_value(); }

  /// ok if and only if there is an element.
  QueueStatus status() const noexcept { return status_; }

  /// The element; moved out of a temporary, so that `for (auto& x : *queue.dequeue_many(2))` has something to refer
  /// to. Requires has_value().
  [[nodiscard]] T& operator*() & noexcept { return *element_; }
  [[nodiscard]] const T& operator*() const& noexcept { return *element_; }
  [[nodiscard]] T operator*() && noexcept(std::is_nothrow_move_constructible_v<T>) { return *std::move(element_); }
  [[nodiscard]] T* operator->() noexcept { return std::addressof(*element_); }
  [[nodiscard]] const T* operator->() const noexcept { return std::addressof(*element_); }

  /// The element, or an exception that says why there is none: OutOfRangeError when the queue was closed,
  /// CancelledError when a stop was requested, DeadlineExceededError when the time passed or there was none.
  [[nodiscard]] T& value() & {
    if (!has_value()) raise();
    return *element_;
  }
  [[nodiscard]] const T& value() const& {
    if (!has_value()) raise();
    return *element_;
  }
  [[nodiscard]] T value() && {
    if (!has_value()) raise();
    return *std::move(element_);
  }

 private:
  [[noreturn]] void raise() const {
    if (status_ == QueueStatus::closed) throw OutOfRangeError();
    if (status_ == QueueStatus::stopped) throw CancelledError();
    throw DeadlineExceededError();
  }

  std::optional<T> element_;
  QueueStatus status_;
};

/// What an enqueue_many did: `count` elements went in, the rest of the range is untouched. status is ok if and only if
/// all of them went in.
struct [[nodiscard]] EnqueueManyResult {
  QueueStatus status;
  std::size_t count;
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_QUEUE_STATUS_HPP
