// SPDX-License-Identifier: MIT
//
// enqueueing.hpp: how elements go in.

#ifndef FOREBAY_ENGINE_ENQUEUEING_HPP
#define FOREBAY_ENGINE_ENQUEUEING_HPP

#include <concepts>
#include <cstddef>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/engine/sides.hpp"
#include "forebay/engine/wait_loop.hpp"
#include "forebay/engine/waiter.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"
#include "forebay/waiting/adaptive_spin.hpp"
#include "forebay/waiting/spin_lock.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Puts one element in. Requires the producers' lock, and that there is room.
template <class State, class Argument>
[[gnu::always_inline]] inline void put_one(State& state, Argument&& argument) {
  using T = typename State::T;
  if constexpr (std::is_scalar_v<T> && !std::same_as<std::remove_cvref_t<Argument>, T>) {
    put_one(state, static_cast<T>(argument));  // which keeps its value: no warning is due
  } else if constexpr (!State::Discipline::examines) {
    state.ring.put(state.producers.tail, std::forward<Argument>(argument));
  } else if constexpr (std::same_as<std::remove_cvref_t<Argument>, T>) {
    state.discipline.examine(std::as_const(argument));
    state.ring.put(state.producers.tail, std::forward<Argument>(argument));
  } else {
    put_one(state, T(std::forward<Argument>(argument)));
  }
}

/// Lets the discipline see to what has arrived, if that has become much. Requires both locks.
template <class State>
void take_in(State& state) noexcept {
  if constexpr (State::Discipline::takes_in > 0) {
    if (state.producers.tail.passed() < state.producers.take_in_at) return;
    state.producers.take_in_at = state.producers.tail.passed() + State::Discipline::takes_in;
    state.discipline.take_in(state.consumers.store);
  }
}

/// The same. Requires the producers' lock alone.
template <class State>
[[gnu::always_inline]] inline void lock_and_take_in(State& state) noexcept {
  if constexpr (State::Discipline::takes_in > 0) {
    if (state.producers.tail.passed() < state.producers.take_in_at) [[likely]]
      return;
    const Guard guard(state.consumers.lock);
    take_in(state);
  }
}

/// Puts one element in if there is room and nobody to line up behind: what most enqueues come down to, in as few steps
/// as possible.
template <class State, class Argument>
bool put_now(State& state, Argument&& argument) {
  const typename State::ProducersSection section(state);
  if (state.producers.closed || state.producers.line_up || state.ring.is_full(state.producers.tail, 0)) return false;
  put_one(state, std::forward<Argument>(argument));
  lock_and_take_in(state);
  return true;
}

/// One call, which puts in `count` elements of a supply.
// Final, and made on the stack: nobody destroys it through its base.
template <class State, class Supply>
// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor)
class Enqueueing final : public WaitHook<typename State::Sync> {
  using Sync = typename State::Sync;
  using Spin = typename AdaptiveSpin<Sync>::Spin;
  using Section = typename State::ProducersSection;

 public:
  Enqueueing(State& state, Supply& supply, std::size_t count) noexcept
      : state_(state), supply_(supply), count_(count) {}

  QueueStatus run(const BasicWait<Sync>& wait) {
    const Attempt tried = put_all(nullptr);
    if (tried == Attempt::done) [[likely]]
      return QueueStatus::ok;
    return run_slowly(tried, wait);
  }

  /// What follows an attempt that did not succeed.
  [[gnu::noinline]] QueueStatus run_slowly(Attempt tried, const BasicWait<Sync>& wait) {
    Place<Sync> place{this, &state_.producers, &state_.consumers, true};
    return WaitLoop<Sync>(place, wait, QueueStatus::full).run(tried, count_ > 1);
  }

 private:
  Attempt attempt(Spin* spin) override { return count_ <= state_.capacity ? put_all(spin) : begin(*spin); }

  /// Puts in all of them if there is room for all and nobody to line up behind.
  Attempt put_all(Spin* spin) {
    const Section section(state_);
    if (state_.producers.closed) return Attempt::closed;
    if (state_.producers.line_up) return Attempt::line_up;
    if (!has_room()) return Attempt::not_now;
    if (spin != nullptr) spin->succeeded(state_.may_gather(state_.producers.tail, count_, false));
    put(count_);
    return Attempt::done;
  }

  /// Whether there is room for the first element of a batch for which there is never room at once. It needs the line.
  Attempt begin(Spin& spin) {
    const Section section(state_);
    if (!state_.producers.line_up && state_.ring.is_full(state_.producers.tail, 0)) return Attempt::not_now;
    spin.succeeded(false);
    return Attempt::line_up;
  }

  /// Puts in what there is room for.
  std::optional<QueueStatus> look(Waiter<Sync>& waiter, std::exception_ptr& /*cause*/) override {
    auto& queue = state_.producers.place.queue;
    put(saturating_subtract(state_.level().room, queue.claimed_before(waiter)), true);
    if (supply_.exhausted()) return QueueStatus::ok;
    if (supply_.given() > 0) queue.put_first(waiter);
    return std::nullopt;
  }

  /// All but the last element: when that is out, the queue may be destroyed.
  Progress advance(Waiter<Sync>& waiter) override {
    const auto& producers = state_.producers;
    const Section section(state_);
    if (!waiter.is_in_queue() || !producers.ring_is_all || state_.ring.is_full(producers.tail, 0))
      return Progress::none;
    for (std::size_t left = most_at_once; supply_.given() + 1 < count_; --left) {
      if (left == 0 || state_.ring.is_full(producers.tail, 0)) return Progress::some;
      put(1);
    }
    return Progress::all;
  }

  [[nodiscard]] Level level() const noexcept override { return state_.level(); }
  void give_back() noexcept override {}

  /// Puts at most `count` elements in. Requires the producers' lock, or both, and that there is room for them.
  [[gnu::noinline]] void put(std::size_t count, bool both_locks = false) {
    for (; count > 0 && !supply_.exhausted(); --count) {
      supply_.give([this](auto&& element) { put_one(state_, std::forward<decltype(element)>(element)); });
      both_locks ? take_in(state_) : lock_and_take_in(state_);
    }
  }

  /// Whether there is room for all of them.
  [[nodiscard]] bool has_room() const noexcept {
    return (count_ == 1 || count_ <= state_.ring.capacity()) &&
           !state_.ring.is_full(state_.producers.tail, count_ - 1);
  }

  State& state_;
  Supply& supply_;
  const std::size_t count_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_ENQUEUEING_HPP
