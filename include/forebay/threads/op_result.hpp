// SPDX-License-Identifier: MIT
//
// op_result.hpp: the results that an op of a QueueRunner may return, and their meaning.

#ifndef FOREBAY_THREADS_OP_RESULT_HPP
#define FOREBAY_THREADS_OP_RESULT_HPP

#include <concepts>
#include <functional>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include "forebay/base/conversion.hpp"
#include "forebay/base/element_ranges.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_dequeued = false;
template <class T>
inline constexpr bool is_dequeued<Dequeued<T>> = true;

// ---- Types of results

/// A bool or a character: it is a result only if the queue stores this type.
template <class T>
concept Symbol = std::same_as<T, bool> || std::same_as<T, char> || std::same_as<T, wchar_t> ||
    std::same_as<T, char8_t> || std::same_as<T, char16_t> || std::same_as<T, char32_t>;

/// A view of a container that is destroyed when the op returns.
template <class Result, class T>
concept Dangles = std::ranges::range<Result> && !std::ranges::borrowed_range<Result> &&
                  std::ranges::borrowed_range<T> && !std::same_as<std::remove_cvref_t<Result>, T>;

template <class Result, class T>
concept ElementOf =
    BecomesElement<Result, T> && !Dangles<Result, T> &&
    (std::same_as<std::remove_cvref_t<Result>, T> || !(Symbol<std::remove_cvref_t<Result>> && Number<T>));

template <class Result, class T>
concept RangeOf =
    RangeOfElementsFor<Result, T> && ElementOf<GivenBy<Result>, T> && ElementOf<std::ranges::range_value_t<Result>, T>;

template <class Result>
concept MayBeNone = is_optional<std::remove_cvref_t<Result>> || is_dequeued<std::remove_cvref_t<Result>>;

template <class Result, class T>
inline constexpr bool is_op_result = ElementOf<Result, T> || RangeOf<Result, T>;
template <MayBeNone Result, class T>
inline constexpr bool is_op_result<Result, T> =
    std::same_as<std::remove_cvref_t<Result>, T> || is_op_result<decltype(*std::declval<Result>()), T>;

template <class Result>
concept SaysItself =
    std::is_void_v<Result> || std::same_as<Result, QueueStatus> || std::same_as<Result, EnqueueManyResult>;

/// Reports at compile time why Op cannot be an op for a queue of T.
template <class Op, class T>
constexpr void require_op() {
  static_assert(std::invocable<Op&>, "forebay: an op must be callable without arguments");
  if constexpr (std::invocable<Op&>) {
    using Result = std::invoke_result_t<Op&>;
    constexpr bool is_bool = std::same_as<std::remove_cvref_t<Result>, bool> && !std::same_as<T, bool>;
    static_assert(
        !is_bool,
        "forebay: an op must not return a bool: return a QueueStatus or a std::optional of an element, or throw "
        "OutOfRangeError at the end");
    static_assert(
        is_bool || SaysItself<Result> || is_op_result<Result, T>,
        "forebay: an op must return nothing, a QueueStatus, an element of its queue, a range of elements, or a "
        "std::optional or Dequeued of either, not another type that converts to an element");
  }
}

// ---- Handling of results

/// Returns whether to call an op again after these elements. An enqueue of no elements does not reveal that the queue
/// is closed, so this asks the queue.
template <class Queue>
[[nodiscard]] bool goes_on_after(const EnqueueManyResult& enqueued, const Queue& queue) {
  return enqueued.status == QueueStatus::ok && (enqueued.count > 0 || !queue.is_closed());
}

/// Enqueues the result of an op, and returns whether to call the op again. A result that converts to an element is one
/// element; any other range is a range of elements, which may be empty.
template <class Queue, class Result>
bool enqueue_result(Queue& queue, Result&& result) {
  using T = typename Queue::value_type;
  using Plain = std::remove_cvref_t<Result>;
  if constexpr (is_optional<Plain> && !std::same_as<Plain, T>) {
    return result.has_value() && enqueue_result(queue, *std::forward<Result>(result));
  } else if constexpr (is_dequeued<Plain> && !std::same_as<Plain, T>) {
    if (result.has_value()) return enqueue_result(queue, *std::forward<Result>(result));
    const bool ended = result.status() == QueueStatus::closed || result.status() == QueueStatus::stopped;
    return !ended && !queue.is_closed();
  } else if constexpr (ElementOf<Result, T>) {
    return queue.enqueue(T(std::forward<Result>(result))) == QueueStatus::ok;
  } else if constexpr (RangeOf<Result, T>) {
    return goes_on_after(queue.enqueue_many(std::forward<Result>(result)), queue);
  } else {
    return false;  // require_op() has reported the error
  }
}

/// Calls `op` once. Returns whether to call it again: false after the end of its input, or if the queue is closed.
template <class Queue, class Op>
bool call_op(Queue& queue, Op& op) {
  using Result = std::invoke_result_t<Op&>;
  if constexpr (std::is_void_v<Result>) {
    std::invoke(op);
    return !queue.is_closed();
  } else if constexpr (std::same_as<Result, QueueStatus>) {
    return std::invoke(op) == QueueStatus::ok;
  } else if constexpr (std::same_as<Result, EnqueueManyResult>) {
    return goes_on_after(std::invoke(op), queue);
  } else {
    return enqueue_result(queue, std::invoke(op));
  }
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_THREADS_OP_RESULT_HPP
