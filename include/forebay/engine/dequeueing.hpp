// SPDX-License-Identifier: MIT
//
// dequeueing.hpp: the removal of elements from a queue.

#ifndef FOREBAY_ENGINE_DEQUEUEING_HPP
#define FOREBAY_ENGINE_DEQUEUEING_HPP

#include <cstddef>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/engine/boxed.hpp"
#include "forebay/engine/demand.hpp"
#include "forebay/engine/place.hpp"
#include "forebay/engine/sides.hpp"
#include "forebay/engine/transfer.hpp"
#include "forebay/engine/wait_loop.hpp"
#include "forebay/engine/waiter.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"
#include "forebay/waiting/adaptive_spin.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Does everything that can fail before `count` arranged elements are delivered: prepares the sink, and fills it if the
/// move may throw. If this throws, the elements are still stored.
template <class State, class Sink>
[[gnu::always_inline]] inline void prepare(State& state, std::size_t count, Sink& sink) {
  using T = typename State::T;
  auto store = state.store();
  sink.prepare(count, [&store](std::size_t i) -> const T& { return unboxed(store[i]); });
  if constexpr (!std::is_nothrow_move_constructible_v<T>) {
    try {
      for (std::size_t i = 0; i < count; ++i) sink.put(std::move_if_noexcept(unboxed(store[i])));
    } catch (...) {
      sink.undo();
      throw;
    }
  }
}

/// Delivers the next `count` elements, which are prepared, and removes them.
template <class State, class Sink>
[[gnu::always_inline]] inline void hand_over(State& state, std::size_t count, [[maybe_unused]] Sink& sink) noexcept
    FOREBAY_REQUIRES(state.consumers.lock) {
  using Element = typename State::Element;
  state.store().remove(count, [&]([[maybe_unused]] Element& element) {
    if constexpr (std::is_nothrow_move_constructible_v<typename State::T>) sink.put(std::move(unboxed(element)));
  });
  state.discipline.left(count);
}

/// Takes `count` stored elements in the order of the discipline. If this throws, they are still stored.
template <class State, class Sink>
[[gnu::always_inline]] inline void take(State& state, std::size_t count, Sink& sink)
    FOREBAY_REQUIRES(state.consumers.lock) {
  auto store = state.store();
  state.discipline.arrange(store, 0, count);
  prepare(state, count, sink);
  hand_over(state, count, sink);
}

/// Takes one element if there is one and no waiter has precedence: the fast path of most dequeues.
template <class State>
bool take_now(State& state, std::optional<typename State::T>& element) {
  {
    const typename State::ConsumersSection section(state);
    if (state.consumers.line_up) return false;
    if (!state.ring.template is_full<typename State::Element>(state.consumers.store.head)) return false;
    const std::size_t kept = state.consumers.min_after_dequeue;
    if (kept > 0 && !state.consumers.store.ring_holds(1 + kept)) return false;
    if (state.consumers.store.returned > 0) return false;  // known from line_up, but not to the compiler
    ElementSink<typename State::T> sink(element);
    take(state, 1, sink);
  }
  State::note_progress();
  return true;
}

/// One call of a dequeue.
template <class Sync>
class Dequeueing : public WaitHook<Sync> {
  using Spin = typename AdaptiveSpin<Sync>::Spin;
  using Section = typename Sides<Sync>::ConsumersSection;

 public:
  Dequeueing(Sides<Sync>& sides, const Demand& demand) noexcept : sides_(sides), demand_(demand) {}

  [[gnu::noinline]] QueueStatus run(const BasicWait<Sync>& wait) {
    const Attempt tried = take_all(nullptr);
    if (tried == Attempt::done) [[likely]]
      return QueueStatus::ok;
    Place<Sync> place = this->place();
    return WaitLoop<Sync>(place, wait, QueueStatus::empty).run(tried);
  }

  /// Tries the call without waiting. If it has to wait, it needs a place.
  Attempt try_now() { return take_all(nullptr); }
  [[nodiscard]] Place<Sync> place() noexcept {
    return {this, &sides_, false, Waiter<Sync>(demand_, next_need(0), accumulates())};
  }

 protected:
  ~Dequeueing() = default;

 private:
  /// Moves `count` stored elements into the sink. If this throws, they are still stored.
  virtual void take_out(std::size_t count) FOREBAY_REQUIRES(sides_.consumers.lock) = 0;

  /// Takes one step towards removing the allotted elements. Returns whether further steps follow. If it throws, all of
  /// them are still stored. Takes the consumers' lock.
  virtual Progress take_step() = 0;

  /// Sets `count` stored elements aside. Not called for a demand of one element.
  virtual void gather(std::size_t count) FOREBAY_REQUIRES(sides_.consumers.lock) = 0;

  Attempt attempt(Spin* spin) override { return accumulates() ? begin(*spin) : take_all(spin); }

  /// Takes the demanded elements if they are stored and no waiter has precedence.
  [[gnu::noinline]] Attempt take_all(Spin* spin) {
    const Section section(sides_);
    if (sides_.consumers.line_up) return Attempt::line_up;
    if (!sides_.consumers.store.holds(saturating_add(demand_.least, sides_.consumers.min_after_dequeue))) {
      return sides_.consumers.closed ? Attempt::line_up : Attempt::not_now;
    }
    if (spin != nullptr) spin->succeeded(sides_.may_gather(sides_.consumers.store.head, demand_.least, true));
    const std::size_t count = how_many();
    if (count > sides_.most_at_once) return Attempt::line_up;
    take_out(count);
    return Attempt::done;
  }

  /// Returns whether the first elements of a batch larger than the ring are stored. Such a batch has to line up.
  Attempt begin(Spin& spin) {
    const Section section(sides_);
    const bool may_begin = sides_.consumers.store.holds(next_need(0) + sides_.consumers.min_after_dequeue);
    if (!may_begin && !sides_.consumers.line_up && !sides_.consumers.closed) return Attempt::not_now;
    spin.succeeded(false);
    return Attempt::line_up;
  }

  /// Takes the demanded elements, or leaves them to the steps if they are too many for one hold of the lock. If they
  /// are not all stored, sets aside the share of an accumulating batch, or detects that no more can arrive.
  std::optional<QueueStatus> look(Waiter<Sync>& waiter, std::exception_ptr& cause)
      FOREBAY_REQUIRES(sides_.producers.lock, sides_.consumers.lock) override {
    if (this->is_moving()) return QueueStatus::ok;  // the steps have taken all
    const std::optional<QueueStatus> status = allot(waiter, cause);
    if (!this->is_moving() || this->allotted_ > sides_.most_at_once) return status;
    take_out(this->allotted_);
    return QueueStatus::ok;
  }

  /// Allots the demanded elements, if the waiter may have that many.
  std::optional<QueueStatus> allot(Waiter<Sync>& waiter, std::exception_ptr& cause)
      FOREBAY_REQUIRES(sides_.producers.lock, sides_.consumers.lock) {
    auto& queue = sides_.consumers.place.queue;
    const bool ended = sides_.no_more_can_come();
    const std::size_t there = saturating_subtract(sides_.level().stored, sides_.consumers.min_after_dequeue);
    const std::size_t of_others = ended ? queue.shared_out_before(waiter, there) : queue.claimed_before(waiter);
    const std::size_t mine = saturating_subtract(there, of_others);
    const std::size_t gathered = waiter.is_half_done() ? sides_.consumers.store.aside : 0;
    if (mine + gathered >= (ended ? demand_.least_at_end : demand_.least)) {
      sides_.consumers.store.put_back();
      this->allotted_ = smaller(mine + gathered, demand_.most);
      if (this->allotted_ > sides_.most_at_once) {
        queue.put_first(waiter);
        waiter.moves_in_steps = true;
      }
      return std::nullopt;
    }
    if (!ended) {
      if (accumulates()) begin_to_gather(waiter, mine);
      return std::nullopt;
    }
    if (queue.depends_on_those_ahead(waiter, there)) return std::nullopt;
    cause = sides_.cause;
    return QueueStatus::closed;
  }

  Progress advance(Waiter<Sync>& waiter) override {
    if (this->is_moving()) return take_step();
    const Section section(sides_);
    if (!sides_.consumers.store.holds(waiter.need + sides_.consumers.min_after_dequeue)) return Progress::none;
    set_aside(waiter, waiter.need);
    return waiter.need > 0 ? Progress::some : Progress::all;
  }

  /// Returns whether the demand exceeds the ring, so that the elements have to be gathered.
  [[nodiscard]] bool accumulates() const noexcept { return demand_.least > sides_.most_available; }

  /// Returns the number of elements to take. Requires that demand.least are stored.
  [[nodiscard]] std::size_t how_many() const noexcept FOREBAY_REQUIRES(sides_.consumers.lock) {
    if (demand_.least == demand_.most) return demand_.most;
    const std::size_t kept = sides_.consumers.min_after_dequeue;
    return sides_.consumers.store.count(saturating_add(demand_.most, kept)) - kept;
  }

  /// Returns the number of further elements that wakes the waiter, given the number gathered.
  [[nodiscard, gnu::noinline]] std::size_t next_need(std::size_t gathered) const noexcept {
    const std::size_t most = smaller(sides_.most_available, sides_.most_at_once);
    return smaller(demand_.least - gathered, accumulates() ? most : demand_.least);
  }

  /// Sets the stored elements aside for a waiter that takes them in several steps, if it is first in line. Those that
  /// were given back are set aside at once, because that moves none of them.
  void begin_to_gather(Waiter<Sync>& waiter, std::size_t mine)
      FOREBAY_REQUIRES(sides_.producers.lock, sides_.consumers.lock) {
    auto& queue = sides_.consumers.place.queue;
    if (mine < waiter.need || !queue.is_first(waiter)) return;
    queue.put_first(waiter);  // before: if gathering fails, it gives back
    set_aside(waiter, smaller(mine, saturating_add(sides_.consumers.store.returned, sides_.most_at_once)));
  }

  void set_aside(Waiter<Sync>& waiter, std::size_t count) FOREBAY_REQUIRES(sides_.consumers.lock) {
    gather(count);
    waiter.need = next_need(sides_.consumers.store.aside);
  }

  Sides<Sync>& sides_;
  const Demand demand_;
};

/// The same, into a sink.
// Final, and created on the stack, so never destroyed through its base.
template <class State, class Sink>
// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor)
class DequeueingInto final : public Dequeueing<typename State::Sync> {
 public:
  DequeueingInto(State& state, const Demand& demand, Sink& sink) noexcept
      : Dequeueing<typename State::Sync>(state, demand), state_(state), sink_(sink) {}

 private:
  [[gnu::noinline]] void take_out(std::size_t count) FOREBAY_REQUIRES(state_.consumers.lock) override {
    take(state_, count, sink_);
    State::note_progress();
  }

  /// First all elements are arranged. Then they are prepared, without a lock, because no other thread touches them
  /// while a batch is half done. Then they are delivered. Once the first one has left, nothing can fail.
  Progress take_step() override {
    if constexpr (!Sink::takes_one) take_step_of_batch();
    return is_prepared_ && arranged_ == 0 ? Progress::all : Progress::some;
  }

  void take_step_of_batch() {
    const std::size_t most = state_.most_at_once;
    if (is_prepared_) {
      const typename State::ConsumersSection section(state_);
      const std::size_t count = smaller(arranged_, most);
      hand_over(state_, count, sink_);
      arranged_ -= count;
      State::note_progress();
    } else if (arranged_ < this->allotted_) {
      const typename State::ConsumersSection section(state_);
      auto store = state_.store();
      const std::size_t last = smaller(this->allotted_, arranged_ + most);
      state_.discipline.arrange(store, arranged_, last);
      arranged_ = last;
    } else {
      prepare(state_, this->allotted_, sink_);
      is_prepared_ = true;
    }
  }

  void gather([[maybe_unused]] std::size_t count) FOREBAY_REQUIRES(state_.consumers.lock) override {
    if constexpr (!Sink::takes_one) state_.store().set_aside(count);
  }

  State& state_;
  Sink& sink_;
  std::size_t arranged_ = 0;  // how many of those that are allotted have been arranged, and are still there
  bool is_prepared_ = false;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_DEQUEUEING_HPP
