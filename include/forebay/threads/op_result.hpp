// SPDX-License-Identifier: MIT
//
// op_result.hpp: what an op of a QueueRunner may return, and what becomes of it.

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

// ---- What an op may return

/// A number that means something else than how many, unless it is itself what the queue holds.
template <class T>
concept Symbol = std::same_as<T, bool> || std::same_as<T, char> || std::same_as<T, wchar_t> ||
    std::same_as<T, char8_t> || std::same_as<T, char16_t> || std::same_as<T, char32_t>;

/// A view of a container that is gone when the op has returned.
template <class Result, class T>
concept Dangles = std::ranges::range<Result> && !std::ranges::borrowed_range<Result> &&
                  std::ranges::borrowed_range<T> && !std::same_as<std::remove_cvref_t<Result>, T>;

template <class Result, class T>
concept ElementOf =
    BecomesElement<Result, T> && !Dangles<Result, T> &&
    (std::same_as<std::remove_cvref_t<Result>, T> || !(Symbol<std::remove_cvref_t<Result>> && Number<T>));

template <class Result, class T>
concept RunOf =
    RangeOfElementsFor<Result, T> && ElementOf<GivenBy<Result>, T> && ElementOf<std::ranges::range_value_t<Result>, T>;

template <class Result>
concept MayBeNone = is_optional<std::remove_cvref_t<Result>> || is_dequeued<std::remove_cvref_t<Result>>;

template <class Result, class T>
inline constexpr bool is_op_result = ElementOf<Result, T> || RunOf<Result, T>;
template <MayBeNone Result, class T>
inline constexpr bool is_op_result<Result, T> =
    std::same_as<std::remove_cvref_t<Result>, T> || is_op_result<decltype(*std::declval<Result>()), T>;

template <class Result>
concept SaysItself =
    std::is_void_v<Result> || std::same_as<Result, QueueStatus> || std::same_as<Result, EnqueueManyResult>;

/// Stops the compiler at what cannot be an op for a queue of T, and says why.
template <class Op, class T>
constexpr void require_op() {
  static_assert(std::invocable<Op&>, "forebay: an op is something that can be called without arguments");
  if constexpr (std::invocable<Op&>) {
    using Result = std::invoke_result_t<Op&>;
    constexpr bool is_bool = std::same_as<std::remove_cvref_t<Result>, bool> && !std::same_as<T, bool>;
    static_assert(!is_bool,
                  "forebay: an op does not say with a bool whether to go on: it returns a QueueStatus, or an "
                  "std::optional of an element, or throws OutOfRangeError at the end");
    static_assert(is_bool || SaysItself<Result> || is_op_result<Result, T>,
                  "forebay: an op returns nothing, a QueueStatus, an element of its queue, a range of elements, or a "
                  "std::optional or Dequeued of either, and not what happens to convert to an element");
  }
}

// ---- What becomes of it

/// Puts what an op returned into `queue`. Returns whether the op is to be called again. An empty run is the end of the
/// input, unless the op has another way to say so.
template <bool may_be_empty = false, class Queue, class Result>
bool enqueue_result(Queue& queue, Result&& result) {
  using T = typename Queue::value_type;
  using Plain = std::remove_cvref_t<Result>;
  if constexpr (is_optional<Plain> && !std::same_as<Plain, T>) {
    return result.has_value() && enqueue_result<true>(queue, *std::forward<Result>(result));
  } else if constexpr (is_dequeued<Plain> && !std::same_as<Plain, T>) {
    if (result.has_value()) return enqueue_result<true>(queue, *std::forward<Result>(result));
    return result.status() != QueueStatus::closed && result.status() != QueueStatus::stopped;
  } else if constexpr (ElementOf<Result, T>) {
    return queue.enqueue(T(std::forward<Result>(result))) == QueueStatus::ok;
  } else if constexpr (RunOf<Result, T>) {
    const EnqueueManyResult run = queue.enqueue_many(std::forward<Result>(result));
    return run.status == QueueStatus::ok && (may_be_empty || run.count > 0);
  } else {
    return false;  // require_op() has stopped the compiler
  }
}

/// Calls `op` once. Returns whether it is to be called again: not after the end of its input, nor when the queue is
/// closed.
template <class Queue, class Op>
bool call_op(Queue& queue, Op& op) {
  using Result = std::invoke_result_t<Op&>;
  if constexpr (std::is_void_v<Result>) {
    std::invoke(op);
    return !queue.is_closed();
  } else if constexpr (std::same_as<Result, QueueStatus>) {
    return std::invoke(op) == QueueStatus::ok;
  } else if constexpr (std::same_as<Result, EnqueueManyResult>) {
    return std::invoke(op).status == QueueStatus::ok;
  } else {
    return enqueue_result(queue, std::invoke(op));
  }
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_THREADS_OP_RESULT_HPP
