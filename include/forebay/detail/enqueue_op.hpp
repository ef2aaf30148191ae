// SPDX-License-Identifier: MIT
//
// enqueue_op.hpp: one form for all the kinds of operation that a QueueRunner runs.

#ifndef FOREBAY_DETAIL_ENQUEUE_OP_HPP
#define FOREBAY_DETAIL_ENQUEUE_OP_HPP

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// Puts what an op returned into `queue`. Returns whether the op is to be run again. An empty run is the end of the
/// input, unless the op has another way to say so.
template <bool may_be_empty = false, class Queue, class Result>
bool enqueue_result(Queue& queue, Result&& result) {
  using T = typename Queue::value_type;
  using Plain = std::remove_cvref_t<Result>;
  if constexpr (is_optional<Plain> && !std::same_as<Plain, T>) {
    return result.has_value() && enqueue_result<true>(queue, *std::forward<Result>(result));
  } else if constexpr (std::convertible_to<Result, T>) {
    return queue.enqueue(T(std::forward<Result>(result))) == QueueStatus::ok;
  } else {
    static_assert(std::ranges::input_range<Result>, "an op returns nothing, a QueueStatus, an element, or a range");
    const EnqueueManyResult run = queue.enqueue_many(std::forward<Result>(result));
    return run.status == QueueStatus::ok && (may_be_empty || run.count > 0);
  }
}

/// Runs `op` once. Returns whether it is to be run again: not after the end of its input, nor when the queue is
/// closed.
template <class Queue, class Op>
bool run_enqueue_op(Queue& queue, Op& op) {
  using Result = std::invoke_result_t<Op&>;
  if constexpr (std::is_void_v<Result>) {
    std::invoke(op);
    return !queue.is_closed();
  } else if constexpr (std::same_as<Result, QueueStatus>) {
    return std::invoke(op) == QueueStatus::ok;
  } else {
    return enqueue_result(queue, std::invoke(op));
  }
}

/// An op for a Queue, made implicitly from anything that can be called. Copies run the same callable.
template <class Queue>
class EnqueueOp {
 public:
  template <class Callable>
  requires(!std::same_as<std::remove_cvref_t<Callable>, EnqueueOp> && std::invocable<std::decay_t<Callable>&>)
      EnqueueOp(Callable&& callable)
      : run_([shared = std::make_shared<std::decay_t<Callable>>(std::forward<Callable>(callable))](Queue& queue) {
          return run_enqueue_op(queue, *shared);
        }) {}

  [[nodiscard]] bool operator()(Queue& queue) const { return run_(queue); }

 private:
  std::function<bool(Queue&)> run_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_DETAIL_ENQUEUE_OP_HPP
