// SPDX-License-Identifier: MIT

/// @file
/// Defines the results of queue operations: QueueStatus, Dequeued and EnqueueManyResult.
///
/// The end of the input is a status, not an exception. If you prefer exceptions, call Dequeued::value(), which throws
/// OutOfRangeError, DeadlineExceededError or CancelledError.
///
/// @code
/// auto image = queue.dequeue(200ms);
/// if (image) {
///   train(*image);
/// } else if (image.status() == QueueStatus::timed_out) {
///   ++delayed;
/// }
/// train(queue.dequeue().value());  // throws OutOfRangeError at the end of the input
/// @endcode

#ifndef FOREBAY_QUEUE_STATUS_HPP
#define FOREBAY_QUEUE_STATUS_HPP

#include <cassert>
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

/// The outcome of a queue operation.
enum class [[nodiscard]] QueueStatus{
    ok,         ///< The operation succeeded.
    closed,     ///< The queue is closed: it accepts no more elements, or has too few left.
    full,       ///< The queue has no room, and the call may not wait (`no_wait`).
    empty,      ///< The queue has too few elements, and the call may not wait (`no_wait`).
    timed_out,  ///< The duration or deadline given to the call has passed.
    stopped,    ///< A stop was requested of the coordinator or stop token given to the call.
};

/// Returns the name of `status`, as spelled in the enumeration.
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

/// Writes the name of `status`, as to_string() returns it.
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, QueueStatus status) {
  return out << to_string(status);
}

/// The base class of the exceptions that Dequeued::value() throws.
struct QueueError : std::runtime_error {
  /// @cond
  using std::runtime_error::runtime_error;
  /// @endcond
};

/// Thrown at the end of the input: the queue or the pipeline is closed and has too few elements left.
///
/// An op or a thread may throw it, too: a Coordinator treats it as a stop without failure. (TensorFlow:
/// `OutOfRangeError`.)
struct OutOfRangeError : QueueError {
  /// Creates the exception with the default message; other constructors take a message of yours.
  OutOfRangeError() : QueueError("forebay: the input has ended: it is closed and has insufficient elements") {}
  /// @cond
  using QueueError::QueueError;
  /// @endcond
};

/// Thrown if the call timed out, or could not succeed at once and may not wait. (TensorFlow: `DeadlineExceededError`.)
struct DeadlineExceededError : QueueError {
  /// Creates the exception with the default message; other constructors take a message of yours.
  DeadlineExceededError() : QueueError("forebay: the call timed out before it could complete") {}
  /// @cond
  using QueueError::QueueError;
  /// @endcond
};

/// Thrown if a stop was requested while the call waited. (TensorFlow: `CancelledError`.)
struct CancelledError : QueueError {
  /// Creates the exception with the default message; other constructors take a message of yours.
  CancelledError() : QueueError("forebay: a stop was requested before the call could complete") {}
  /// @cond
  using QueueError::QueueError;
  /// @endcond
};

/// The result of a dequeue: an element (or a batch), or the reason why there is none. Reads like a `std::optional<T>`.
///
/// If you read a missing element without NDEBUG, an assertion ends the program; value() always throws instead.
///
/// @code
/// while (auto image = queue.dequeue()) train(*image);
/// @endcode
template <class T>
class [[nodiscard]] Dequeued {
 public:
  using value_type = T;  ///< The type of the element, or of the batch.

  /// Creates a result without an element. Requires that `status` is not `ok`.
  explicit Dequeued(QueueStatus status) noexcept : status_(status) {}

  /// Creates a result that `fill(std::optional<T>&)` fills in place.
  ///
  /// `fill` returns the status: `ok` if and only if it has set the optional. Because the element is constructed in its
  /// final place, nothing can fail after it has left the queue.
  template <std::invocable<std::optional<T>&> Fill>
  explicit Dequeued(Fill fill) : status_(fill(element_)) {}

  /// Returns whether there is an element.
  [[nodiscard]] bool has_value() const noexcept { return element_.has_value(); }
  /// Returns whether there is an element.
  [[nodiscard]] explicit operator bool() const noexcept { return has_value(); }

  /// @cond
  operator std::optional<T>() const = delete;  // forebay: write auto, whose status() says why there is no element
  /// @endcond

  /// Returns the outcome: `ok` if and only if there is an element.
  QueueStatus status() const noexcept { return status_; }

  /// Returns the element. Requires has_value().
  [[nodiscard]] T& operator*() & noexcept {
    require_element();
    return *element_;
  }
  /// Returns the element, const. Requires has_value().
  [[nodiscard]] const T& operator*() const& noexcept {
    require_element();
    return *element_;
  }
  /// Moves the element out of a temporary, so that `for (auto& x : *queue.dequeue_many(2))` is safe. Requires
  /// has_value().
  [[nodiscard]] T operator*() && noexcept(std::is_nothrow_move_constructible_v<T>) {
    require_element();
    return *std::move(element_);
  }
  /// Accesses a member of the element. Requires has_value().
  [[nodiscard]] T* operator->() noexcept { return std::addressof(**this); }
  /// Accesses a member of the element, const. Requires has_value().
  [[nodiscard]] const T* operator->() const noexcept { return std::addressof(**this); }

  /// Returns the element, or throws the reason why there is none.
  ///
  /// Throws OutOfRangeError for `closed`, CancelledError for `stopped`, DeadlineExceededError for `timed_out` and, if
  /// the call could not wait, for `empty`.
  [[nodiscard]] T& value() & {
    if (!has_value()) raise();
    return *element_;
  }
  /// Returns the element, const, or throws the reason why there is none.
  [[nodiscard]] const T& value() const& {
    if (!has_value()) raise();
    return *element_;
  }
  /// Moves the element out of a temporary, or throws the reason why there is none.
  [[nodiscard]] T value() && {
    if (!has_value()) raise();
    return *std::move(element_);
  }

 private:
  void require_element() const noexcept {
    assert(has_value() && "forebay: the result has no element: check it first, or call value(), which throws");
  }

  [[noreturn]] void raise() const {
    if (status_ == QueueStatus::closed) throw OutOfRangeError();
    if (status_ == QueueStatus::stopped) throw CancelledError();
    throw DeadlineExceededError();
  }

  std::optional<T> element_;
  QueueStatus status_;
};

/// The result of an enqueue_many: the first `count` elements were stored, the rest of the range is untouched.
struct [[nodiscard]] EnqueueManyResult {
  QueueStatus status;  ///< The outcome: `ok` if and only if all elements were stored.
  std::size_t count;   ///< The number of elements stored.
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_QUEUE_STATUS_HPP
