// SPDX-License-Identifier: MIT
//
// enqueue_op.hpp: an op for a queue, made from anything that can be called.

#ifndef FOREBAY_THREADS_ENQUEUE_OP_HPP
#define FOREBAY_THREADS_ENQUEUE_OP_HPP

#include <concepts>
#include <functional>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/element_ranges.hpp"
#include "forebay/factories.hpp"
#include "forebay/threads/op.hpp"
#include "forebay/threads/op_result.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class T>
inline constexpr bool is_per_thread = false;
template <class Factory>
inline constexpr bool is_per_thread<PerThread<Factory>> = true;

template <class Given, class T>
concept OtherThan = !std::same_as<std::remove_cvref_t<Given>, T>;

/// An op of one runner, which has a Queue. Made implicitly, or made so. Copies run the same callable.
template <class Queue>
class EnqueueOp {
 public:
  /// For one thread, which may change it.
  template <OtherThan<EnqueueOp> Callable>
  EnqueueOp(Callable&& callable) : op_(made<std::decay_t<Callable>>(std::forward<Callable>(callable))) {}

  /// For several threads, which cannot.
  template <class Callable>
  [[nodiscard]] static EnqueueOp shared(Callable&& callable) {
    using Shared = std::decay_t<Callable>;
    constexpr bool is_mutable = std::invocable<Shared&> && !std::invocable<const Shared&>;
    static_assert(!is_mutable,
                  "forebay: an op given with a number of threads is shared by them, through a const reference, so it "
                  "cannot be mutable: give one op for each thread, QueueRunner(queue, {op, another}) or a range of "
                  "ops, or per_thread(factory), which makes one in each");
    return EnqueueOp(made<std::conditional_t<is_mutable, Shared, const Shared>>(std::forward<Callable>(callable)));
  }

  /// What a thread runs. Copies of an EnqueueOp are for the same queue.
  [[nodiscard]] std::shared_ptr<Op> bound_to(Queue& queue) const {
    op_->queue = &queue;
    return op_;
  }

 private:
  using T = typename Queue::value_type;

  struct OpWithQueue : Op {
    template <class Callable>
    void call_again_and_again(Callable& callable, const GoesOn& goes_on) const {
      while (goes_on() && call_op(*queue, callable)) {
      }
    }

    Queue* queue = nullptr;
  };

  template <class Callable>
  struct Kept final : OpWithQueue {
    template <class Given>
    explicit Kept(Given&& given) : callable(std::forward<Given>(given)) {}

    void run(const Op::GoesOn& goes_on) override { this->call_again_and_again(callable, goes_on); }

    Callable callable;
  };

  template <class Maker>
  struct MadeInEachThread final : OpWithQueue {
    template <class Given>
    explicit MadeInEachThread(Given&& given) : maker(std::forward<Given>(given)) {}

    void run(const Op::GoesOn& goes_on) override {
      typename Maker::Callable callable(std::invoke(maker.factory));
      this->call_again_and_again(callable, goes_on);
    }

    const Maker maker;  // several threads may call it
  };

  explicit EnqueueOp(std::shared_ptr<OpWithQueue> op) : op_(std::move(op)) {}

  template <class Callable, class Given>
  static std::shared_ptr<OpWithQueue> made(Given&& given) {
    using Plain = std::remove_const_t<Callable>;
    constexpr bool can_be_kept = std::constructible_from<Plain, Given>;
    static_assert(can_be_kept,
                  "forebay: an op that cannot be copied has to be given away: std::move it, or the range it is in");
    if constexpr (!can_be_kept) {
      return nullptr;
    } else if constexpr (is_per_thread<Plain>) {
      return make_if_called<MadeInEachThread<Plain>, typename Plain::Callable>(std::forward<Given>(given));
    } else {
      return make_if_called<Kept<Callable>, Callable>(std::forward<Given>(given));
    }
  }

  template <class Made, class Callable, class Given>
  static std::shared_ptr<OpWithQueue> make_if_called(Given&& given) {
    require_op<Callable, T>();
    if constexpr (std::invocable<Callable&>) {
      return std::make_shared<Made>(std::forward<Given>(given));
    } else {
      return nullptr;  // require_op() has stopped the compiler
    }
  }

  std::shared_ptr<OpWithQueue> op_;
};

/// `{op, op}`, where the queue says which ops these are.
template <class Queue>
using ListOfOps = std::initializer_list<std::type_identity_t<EnqueueOp<Queue>>>;

/// One op for each of `callables`, for `queue`. Those of a container that is given away are moved out.
template <class Queue, class Callables>
[[nodiscard]] std::vector<std::shared_ptr<Op>> ops_for(Queue& queue, Callables&& callables) {
  std::vector<std::shared_ptr<Op>> ops;
  // How many there are is not known of every range.
  // NOLINTNEXTLINE(performance-inefficient-vector-operation)
  for (auto&& each : callables) ops.push_back(EnqueueOp<Queue>(static_cast<GivenBy<Callables>>(each)).bound_to(queue));
  return ops;
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_THREADS_ENQUEUE_OP_HPP
