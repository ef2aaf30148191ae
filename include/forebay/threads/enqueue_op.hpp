// SPDX-License-Identifier: MIT
//
// enqueue_op.hpp: one form for all the kinds of operation that a QueueRunner runs.

#ifndef FOREBAY_THREADS_ENQUEUE_OP_HPP
#define FOREBAY_THREADS_ENQUEUE_OP_HPP

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include "forebay/base/conversion.hpp"
#include "forebay/base/element_ranges.hpp"
#include "forebay/per_thread.hpp"
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
template <class T>
inline constexpr bool is_per_thread = false;
template <class Factory>
inline constexpr bool is_per_thread<PerThread<Factory>> = true;

// ---- What an op may return

/// A number that means something else than how many, unless it is itself what the queue holds.
template <class T>
concept Symbol = Number<T> &&(std::same_as<T, bool> || std::same_as<T, char> || std::same_as<T, wchar_t> ||
                              std::same_as<T, char8_t> || std::same_as<T, char16_t> || std::same_as<T, char32_t>);

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

template <class Result, class T>
inline constexpr bool is_op_result = ElementOf<Result, T> || RunOf<Result, T>;
template <class Result, class T>
requires(is_optional<std::remove_cvref_t<Result>> ||
         is_dequeued<std::remove_cvref_t<Result>>) inline constexpr bool is_op_result<Result, T> =
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

/// Puts what an op returned into `queue`. Returns whether the op is to be run again. An empty run is the end of the
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
  } else if constexpr (std::same_as<Result, EnqueueManyResult>) {
    return std::invoke(op).status == QueueStatus::ok;
  } else {
    return enqueue_result(queue, std::invoke(op));
  }
}

/// An op for a Queue, made implicitly from anything that can be called, or made so. Copies run the same callable.
template <class Queue>
class EnqueueOp {
 public:
  /// Runs the op once. Returns whether it is to be run again.
  using Turn = std::function<bool()>;

  /// For one thread, which may change it.
  template <class Op>
  requires(!std::same_as<std::remove_cvref_t<Op>, EnqueueOp>) EnqueueOp(Op&& op)
      : begin_(beginning<std::decay_t<Op>>(std::forward<Op>(op))) {}

  /// For several threads, which cannot.
  template <class Op>
  [[nodiscard]] static EnqueueOp shared(Op&& op) {
    using Shared = std::decay_t<Op>;
    constexpr bool is_mutable = std::invocable<Shared&> && !std::invocable<const Shared&>;
    static_assert(!is_mutable,
                  "forebay: an op given with a number of threads is shared by them, through a const reference, so it "
                  "cannot be mutable: give one op for each thread, QueueRunner(queue, {op, another}) or a range of "
                  "ops, or per_thread(factory), which makes one in each");
    return EnqueueOp(beginning<std::conditional_t<is_mutable, Shared, const Shared>>(std::forward<Op>(op)), nullptr);
  }

  /// What a thread runs, made in that thread.
  [[nodiscard]] Turn begin(Queue& queue) const { return begin_(queue); }

 private:
  using T = typename Queue::value_type;
  using Beginning = std::function<Turn(Queue&)>;

  EnqueueOp(Beginning begin, std::nullptr_t /*as it is*/) : begin_(std::move(begin)) {}

  template <class Op, class Given>
  static Beginning beginning(Given&& given) {
    constexpr bool can_be_kept = std::constructible_from<std::remove_const_t<Op>, Given>;
    static_assert(can_be_kept,
                  "forebay: an op that cannot be copied has to be given away: std::move it, or the range it is in");
    if constexpr (!can_be_kept) {
      return {};
    } else if constexpr (is_per_thread<std::remove_const_t<Op>>) {
      using Made = typename Op::Callable;
      require_op<Made, T>();
      return [kept = keep<Op>(std::forward<Given>(given))](Queue& queue) {
        return turn(keep<Made>(std::invoke(std::as_const(kept->factory))), queue);
      };
    } else {
      require_op<Op, T>();
      return [kept = keep<Op>(std::forward<Given>(given))](Queue& queue) { return turn(kept, queue); };
    }
  }

  template <class Op, class Given>
  static std::shared_ptr<Op> keep(Given&& given) {
    return std::make_shared<std::remove_const_t<Op>>(std::forward<Given>(given));
  }

  template <class Op>
  static Turn turn(std::shared_ptr<Op> op, Queue& queue) {
    if constexpr (std::invocable<Op&>) {
      return [op = std::move(op), &queue] { return run_enqueue_op(queue, *op); };
    } else {
      return {};  // require_op() has stopped the compiler
    }
  }

  Beginning begin_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_THREADS_ENQUEUE_OP_HPP
