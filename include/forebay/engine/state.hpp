// SPDX-License-Identifier: MIT
//
// state.hpp: all that a queue consists of, and how a thread holds one of its sides, or both.

#ifndef FOREBAY_ENGINE_STATE_HPP
#define FOREBAY_ENGINE_STATE_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/capacity.hpp"
#include "forebay/engine/cell_ring.hpp"
#include "forebay/engine/sides.hpp"
#include "forebay/engine/store.hpp"
#include "forebay/engine/wait_loop.hpp"
#include "forebay/engine/wake_list.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Invariants, under both locks, beside those of Sides:
///  - the cells from head to tail are full, the others empty; tail - head <= capacity of the ring;
///  - elements are set aside only while the first consumer that waits is half done, and then none stands in front of
///    the ring.
template <class TheT, class TheDiscipline, class TheSync>
class State {
  // Two lines, because processors fetch them in pairs.
  static constexpr std::size_t apart = 128;

 public:
  using T = TheT;
  using Discipline = TheDiscipline;
  using Sync = TheSync;
  using Element = typename Discipline::template Stored<T>;
  using Ring = CellRing<Element, Sync>;
  using Cursor = typename Ring::Cursor;

  struct alignas(apart) Producers : Side<Sync> {
    explicit Producers(const Ring& ring) noexcept : Side<Sync>(place), tail(ring.tail()) {}

    Cursor tail;
    std::uint64_t take_in_at = 0;  // the count at which the discipline is to see to what has arrived
    WaitingPlace<Sync> place;
  };

  struct alignas(apart) Consumers : Side<Sync> {
    explicit Consumers(Ring& ring) noexcept : Side<Sync>(place), store(ring) {}

    Store<Element, Sync> store;
    WaitingPlace<Sync> place;
  };

  State(Capacity most, Discipline&& order)
      : capacity(most.elements()), discipline(std::move(order)), ring(most), producers(ring), consumers(ring) {
    consumers.min_after_dequeue = discipline.min_after_dequeue();
  }
  ~State() { ring.clear(consumers.store.head(), producers.tail); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const std::size_t capacity;
  [[no_unique_address]] Discipline discipline;
  std::exception_ptr cause;  // guarded by both locks
  Ring ring;
  Producers producers;
  Consumers consumers;

  /// The producers' lock. Whoever passes the count at which somebody who waits can be served settles on the way out,
  /// without letting go in between: a consumer may destroy the queue as soon as it has what was enqueued.
  class [[nodiscard]] ProducersSection {
   public:
    explicit ProducersSection(State& state) noexcept : state_(state) { state_.producers.lock.lock(); }
    [[gnu::always_inline]] inline ~ProducersSection() {
      if (state_.producers.tail.passed() >= state_.producers.wake_at) [[unlikely]] {
        state_.settle_and_unlock_producers();
      } else {
        state_.producers.lock.unlock();
      }
    }
    ProducersSection(const ProducersSection&) = delete;
    ProducersSection& operator=(const ProducersSection&) = delete;

   private:
    State& state_;
  };

  /// The consumers' lock. Whoever passes the count at which somebody who waits can be served settles afterwards.
  class [[nodiscard]] ConsumersSection {
   public:
    explicit ConsumersSection(State& state) noexcept : state_(state) { state_.consumers.lock.lock(); }
    [[gnu::always_inline]] inline ~ConsumersSection() {
      const bool serves_somebody = state_.consumers.store.head().passed() >= state_.consumers.wake_at;
      state_.consumers.lock.unlock();
      if (serves_somebody) [[unlikely]]
        state_.lock_and_settle();
    }
    ConsumersSection(const ConsumersSection&) = delete;
    ConsumersSection& operator=(const ConsumersSection&) = delete;

   private:
    State& state_;
  };

  [[nodiscard]] Sides<Sync> sides() const noexcept {
    return {const_cast<Producers&>(producers), const_cast<Consumers&>(consumers)};
  }

  /// How many elements can be had at once, while the queue is open.
  [[nodiscard]] std::size_t most_available() const noexcept { return capacity - discipline.min_after_dequeue(); }

  // ---- With the lock of the cursor's side

  /// Whether a side that waited for `count` cells could as well have waited for more: the cells from its cursor on are
  /// ready for two such calls, and the other side has half of the ring left to work on.
  [[nodiscard]] bool may_gather(const Cursor& cursor, std::size_t count, bool ready) const noexcept {
    const std::size_t half = ring.capacity() / 2;
    return count <= half / 2 && ring.is_full(cursor, 2 * count - 1) == ready && ring.is_full(cursor, half) != ready;
  }

  // ---- With both locks

  /// Less room than the ring has while elements that were put back stand in front of it.
  [[nodiscard]] Level level() const noexcept {
    const std::uint64_t entered = producers.tail.passed();
    const std::uint64_t left = consumers.store.head().passed();
    const std::size_t stored = consumers.store.returned() + static_cast<std::size_t>(entered - left);
    return {saturating_subtract(ring.capacity(), stored), stored, entered, left, consumers.store.returned() > 0};
  }

  [[gnu::noinline]] void close(bool cancel, std::exception_ptr why) noexcept {
    WakeList<Sync> wake_list;
    const BothLocks<Sync> locks(sides(), ahead_of_all);
    if (cause == nullptr) cause = std::move(why);
    sides().close(cancel, wake_list);
    sides().settle(level(), wake_list);
  }

  [[nodiscard]] bool invariants_hold() const noexcept {
    const Level now = level();
    const std::size_t in_ring = now.stored - consumers.store.returned();
    if (!ring.holds_exactly(consumers.store.head(), in_ring)) return false;
    if (consumers.store.aside() > 0 && (now.out_of_order || !consumers.place.queue.has_half_done())) return false;
    return sides().invariants_hold(now);
  }

 private:
  [[gnu::noinline]] void settle_and_unlock_producers() noexcept {
    WakeList<Sync> wake_list;
    consumers.lock.lock();
    sides().settle(level(), wake_list);
    consumers.lock.unlock();
    producers.lock.unlock();
  }

  [[gnu::noinline]] void lock_and_settle() noexcept {
    WakeList<Sync> wake_list;
    const BothLocks<Sync> locks(sides());
    sides().settle(level(), wake_list);
  }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_STATE_HPP
