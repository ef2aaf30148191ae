// SPDX-License-Identifier: MIT
//
// enqueueing.hpp: the addition of elements to a queue.

#ifndef FOREBAY_ENGINE_ENQUEUEING_HPP
#define FOREBAY_ENGINE_ENQUEUEING_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/engine/demand.hpp"
#include "forebay/engine/place.hpp"
#include "forebay/engine/sides.hpp"
#include "forebay/engine/wait_loop.hpp"
#include "forebay/engine/waiter.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"
#include "forebay/waiting/adaptive_spin.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Returns what an element is constructed from. The conversion of a number is not lossy, so the cast only avoids a
/// warning.
template <class T, class Argument>
[[nodiscard, gnu::always_inline]] inline decltype(auto) argument_for(Argument&& argument) {
  if constexpr (std::is_scalar_v<T> && !std::same_as<std::remove_cvref_t<Argument>, T>) {
    return static_cast<T>(argument);
  } else {
    return std::forward<Argument>(argument);
  }
}

/// Stores one element. Requires room.
template <class State, class Argument>
[[gnu::always_inline]] inline void put_one(State& state, Argument&& argument) FOREBAY_REQUIRES(state.producers.lock) {
  using T = typename State::T;
  using Element = typename State::Element;
  if constexpr (!State::Discipline::examines) {
    state.ring.template put<Element>(state.producers.tail, argument_for<T>(std::forward<Argument>(argument)));
  } else if constexpr (std::same_as<std::remove_cvref_t<Argument>, T>) {
    state.discipline.examine(std::as_const(argument));
    state.ring.template put<Element>(state.producers.tail, std::forward<Argument>(argument));
  } else {
    put_one(state, T(argument_for<T>(std::forward<Argument>(argument))));
  }
}

/// Lets the discipline process the arrived elements, if there are many; not while a batch is half done, for which it
/// may have arranged some.
template <class State>
void take_in(State& state) noexcept FOREBAY_REQUIRES(state.producers.lock, state.consumers.lock) {
  if constexpr (State::Discipline::takes_in > 0) {
    if (state.producers.tail.passed() < state.producers.take_in_at) return;
    state.producers.take_in_at = state.producers.tail.passed() + State::Discipline::takes_in;
    if (state.consumers.place.queue.has_half_done()) return;
    auto store = state.store();
    state.discipline.take_in(store);
  }
}

/// Does the same, with only the producers' lock held.
template <class State>
[[gnu::always_inline]] inline void lock_and_take_in(State& state) noexcept FOREBAY_REQUIRES(state.producers.lock) {
  if constexpr (State::Discipline::takes_in > 0) {
    if (state.producers.tail.passed() < state.producers.take_in_at) [[likely]]
      return;
    const Guard guard(state.consumers.lock);
    take_in(state);
  }
}

/// Stores one element if there is room and no waiter has precedence: the fast path of most enqueues.
template <class State, class Argument>
bool put_now(State& state, Argument&& argument) {
  {
    const typename State::ProducersSection section(state);
    if (state.producers.closed || state.producers.line_up) return false;
    if (state.ring.template is_full<typename State::Element>(state.producers.tail)) return false;
    put_one(state, std::forward<Argument>(argument));
    lock_and_take_in(state);
  }
  State::note_progress();  // without the lock, so that others get it, and without the queue, which may be destroyed
  return true;
}

/// One call, which enqueues `count` elements.
template <class Sync>
class Enqueueing : public WaitHook<Sync> {
  using Spin = typename AdaptiveSpin<Sync>::Spin;
  using Section = typename Sides<Sync>::ProducersSection;

 public:
  Enqueueing(Sides<Sync>& sides, std::size_t count) noexcept
      : sides_(sides), count_(count), is_in_steps_(count > smaller(sides.ring.capacity(), sides.most_at_once)) {}

  [[gnu::noinline]] QueueStatus run(const BasicWait<Sync>& wait) {
    const Attempt tried = attempt(nullptr);
    if (tried == Attempt::done) [[likely]]
      return QueueStatus::ok;
    Place<Sync> place = this->place();
    return WaitLoop<Sync>(place, wait, QueueStatus::full).run(tried, count_ > 1);
  }

  /// Tries the call without waiting. If it has to wait, it needs a place.
  Attempt try_now() { return attempt(nullptr); }
  [[nodiscard]] Place<Sync> place() noexcept {
    return {this, &sides_, true, Waiter<Sync>(Demand::exactly(count_), 1, false)};
  }

  /// Returns the number of stored elements.
  [[nodiscard]] std::size_t given() const noexcept { return given_; }

 protected:
  ~Enqueueing() = default;

  std::size_t given_ = 0;

 private:
  /// Stores the next `count` elements, and counts them. Requires room for them.
  virtual void put(std::size_t count, bool both_locks) FOREBAY_REQUIRES(sides_.producers.lock) = 0;

  /// Stores all elements if there is room for all and no waiter has precedence. A batch in steps has to line up.
  [[gnu::noinline]] Attempt attempt(Spin* spin) override {
    const Section section(sides_);
    if (sides_.producers.closed) return Attempt::closed;
    if (sides_.producers.line_up) return Attempt::line_up;
    if (!has_room()) return found_no_room();
    if (spin != nullptr) spin->succeeded(!is_in_steps_ && sides_.may_gather(sides_.producers.tail, count_, false));
    if (is_in_steps_) return Attempt::line_up;
    put(count_, false);
    return Attempt::done;
  }

  /// Records that the queue is full, which the fast path of a dequeue does not.
  Attempt found_no_room() noexcept FOREBAY_REQUIRES(sides_.producers.lock) {
    if (sides_.ring.is_full(sides_.producers.tail, 0)) sides_.producers.has_seen_full = true;
    return Attempt::not_now;
  }

  /// Stores as many elements as there is room for.
  std::optional<QueueStatus> look(Waiter<Sync>& waiter, std::exception_ptr& /*cause*/)
      FOREBAY_REQUIRES(sides_.producers.lock, sides_.consumers.lock) override {
    auto& queue = sides_.producers.place.queue;
    if (!this->is_moving()) {
      const std::size_t room = saturating_subtract(sides_.level().room, queue.claimed_before(waiter));
      this->allotted_ = smaller(room, count_ - given_);
    }
    put_step(true);
    if (given_ == count_) return QueueStatus::ok;
    if (given_ > 0) queue.put_first(waiter);
    return std::nullopt;
  }

  /// Processes all but the last element: once that one has left, the queue may be destroyed.
  Progress advance(Waiter<Sync>& waiter) override {
    const Section section(sides_);
    if (!waiter.is_in_queue()) return Progress::none;
    if (this->is_moving()) {
      if (is_last_step()) return Progress::all;
      put_step(false);
      return Progress::some;
    }
    if (!sides_.producers.ring_is_all || sides_.ring.is_full(sides_.producers.tail, 0)) return Progress::none;
    for (std::size_t left = sides_.most_at_once; given_ + 1 < count_; --left) {
      if (left == 0 || sides_.ring.is_full(sides_.producers.tail, 0)) return Progress::some;
      put(1, false);
    }
    return Progress::all;
  }

  /// Stores as many of the allotted elements as one hold of the lock may move.
  void put_step(bool both_locks) FOREBAY_REQUIRES(sides_.producers.lock) {
    const std::size_t count = smaller(this->allotted_, sides_.most_at_once);
    put(count, both_locks);
    this->allotted_ -= count;
  }

  [[nodiscard]] bool is_last_step() const noexcept { return this->allotted_ <= sides_.most_at_once; }

  /// Returns whether there is room for all elements; in steps, for the first one.
  [[nodiscard]] bool has_room() const noexcept FOREBAY_REQUIRES(sides_.producers.lock) {
    return !sides_.ring.is_full(sides_.producers.tail, is_in_steps_ ? 0 : count_ - 1);
  }

  Sides<Sync>& sides_;
  const std::size_t count_;
  const bool is_in_steps_;  // more elements than the capacity, or than one hold of the lock may move
};

/// Enqueues from a supply of at least that many elements.
// Final, and created on the stack, so never destroyed through its base.
template <class State, class Supply>
// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor)
class EnqueueingFrom final : public Enqueueing<typename State::Sync> {
 public:
  EnqueueingFrom(State& state, Supply& supply, std::size_t count) noexcept
      : Enqueueing<typename State::Sync>(state, count), state_(state), supply_(supply) {}

 private:
  using Discipline = typename State::Discipline;

  /// Adds the elements that enter during its life to a count.
  class Counting {
   public:
    Counting(const typename State::Cursor& tail, std::size_t& count) noexcept
        : tail_(tail), count_(count), before_(tail.passed()) {}
    Counting(const Counting&) = delete;
    Counting& operator=(const Counting&) = delete;
    ~Counting() { count_ += static_cast<std::size_t>(tail_.passed() - before_); }

   private:
    const typename State::Cursor& tail_;
    std::size_t& count_;
    const std::uint64_t before_;
  };

  [[gnu::noinline]] void put(std::size_t count, bool both_locks) FOREBAY_REQUIRES(state_.producers.lock) override {
    if (count == 0) return;
    const Counting counting(state_.producers.tail, this->given_);
    if constexpr (!Discipline::examines && Discipline::takes_in == 0) {
      const auto convert = [](auto&& element) -> decltype(auto) {
        return argument_for<typename State::T>(std::forward<decltype(element)>(element));
      };
      state_.ring.template put_many<typename State::Element>(state_.producers.tail, count, supply_, convert);
    } else {
      put_one_by_one(count, both_locks);
    }
    State::note_progress();
  }

  void put_one_by_one(std::size_t count, bool both_locks) FOREBAY_REQUIRES(state_.producers.lock) {
    // Not analysed: a supply does not know the lock, and whether both are held depends on an argument.
    const auto receive = [this, both_locks](auto&& element) FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
      put_one(state_, std::forward<decltype(element)>(element));
      both_locks ? take_in(state_) : lock_and_take_in(state_);
    };
    for (; count > 0; --count) supply_(receive);
  }

  State& state_;
  Supply& supply_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_ENQUEUEING_HPP
