// SPDX-License-Identifier: MIT
//
// sides.hpp: the two sides of a queue, as far as they do not depend on the type of its elements: a lock, what the fast
// paths look at, and the queue of those who wait there.

#ifndef FOREBAY_ENGINE_SIDES_HPP
#define FOREBAY_ENGINE_SIDES_HPP

#include <cstddef>
#include <cstdint>

#include "forebay/engine/wait_queue.hpp"
#include "forebay/engine/waiter.hpp"
#include "forebay/engine/wake_list.hpp"
#include "forebay/version.hpp"
#include "forebay/waiting/adaptive_spin.hpp"
#include "forebay/waiting/spin_lock.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// What only those look at who wait.
template <class Sync>
struct WaitingPlace {
  WaitQueue<Sync> queue;
  AdaptiveSpin<Sync> spin;
  AdaptiveSpin<Sync> batch_spin;
  mutable WaitingRoom<Sync> room;
};

/// One of them: together with a cursor a cache line, which is why the rest stands apart. But for `line_up`, `wake_at`
/// and `closed`, which take both locks to be changed, it is guarded by its lock.
template <class Sync>
struct Side {
  explicit Side(WaitingPlace<Sync>& place) noexcept : lock(place.room), waiting(place) {}

  [[no_unique_address]] mutable SpinLock<Sync> lock;
  bool closed = false;
  bool line_up = false;               ///< newcomers must not go ahead
  bool ring_is_all = true;            ///< of producers: where a cell is empty, there is room
  std::uint64_t wake_at = never;      ///< who passes this count has to settle
  std::size_t min_after_dequeue = 0;  ///< of consumers: how many elements have to stay while the queue is open
  WaitingPlace<Sync>& waiting;
};

/// How much is stored and how much there is room for. Taken under both locks.
struct Level {
  std::size_t room = 0;
  std::size_t stored = 0;
  std::uint64_t entered = 0;  ///< since the beginning
  std::uint64_t left = 0;
  bool out_of_order = false;  ///< elements that were given back stand in front of the ring
};

/// Both of them.
///
/// Invariants, under both locks:
///  - wake_at of each side is the count at which somebody who waits on the other one can be served, or later than
///    never; whoever passes it calls settle();
///  - line_up holds for a side if and only if newcomers must not go ahead;
///  - both sides are closed, or none;
///  - the wait queue of producers has no newcomer after close, and nobody after a cancelling close.
template <class Sync>
struct Sides {
  Side<Sync>& producers;
  Side<Sync>& consumers;

  /// Closed, and every enqueue that was accepted has arrived. Requires both locks, as all that follows.
  [[nodiscard]] bool no_more_can_come() const noexcept { return producers.closed && producers.waiting.queue.empty(); }

  [[gnu::noinline]] void close(bool cancel, WakeList<Sync>& wake_list) const noexcept {
    producers.closed = true;
    consumers.closed = true;
    consumers.min_after_dequeue = 0;
    if (cancel) producers.waiting.queue.dismiss_all(wake_list);
  }

  /// Chooses everybody whose need is met now, and derives from the wait queues what the fast paths look at.
  [[gnu::noinline]] void settle(const Level& level, WakeList<Sync>& wake_list) const noexcept {
    auto& who_produces = producers.waiting.queue;
    auto& who_consumes = consumers.waiting.queue;
    consumers.wake_at = who_produces.choose_served(level.room, 0, level.left, wake_list);
    producers.line_up = who_produces.turns() > 0 || level.out_of_order;
    producers.ring_is_all = !level.out_of_order;
    producers.wake_at = no_more_can_come() ? who_consumes.choose_all(wake_list)
                                           : who_consumes.choose_served(level.stored, consumers.min_after_dequeue,
                                                                        level.entered, wake_list);
    consumers.line_up = who_consumes.turns() > 0 || level.out_of_order;
  }

  [[nodiscard]] bool invariants_hold(const Level& level) const noexcept {
    const auto& who_produces = producers.waiting.queue;
    const auto& who_consumes = consumers.waiting.queue;
    return who_produces.invariants_hold() && who_consumes.invariants_hold() && level.entered < producers.wake_at &&
           producers.ring_is_all != level.out_of_order &&
           producers.line_up == (who_produces.turns() > 0 || level.out_of_order) &&
           consumers.line_up == (who_consumes.turns() > 0 || level.out_of_order) &&
           producers.closed == consumers.closed;
  }
};

/// Both locks, taken producers' first.
template <class Sync>
class [[nodiscard]] BothLocks {
 public:
  explicit BothLocks(const Sides<Sync>& sides) noexcept : sides_(sides) { lock(); }
  BothLocks(const Sides<Sync>& sides, Ahead /*ahead*/) noexcept : sides_(sides) {
    sides_.producers.lock.lock_ahead();
    sides_.consumers.lock.lock_ahead();
  }
  ~BothLocks() { unlock(); }
  BothLocks(const BothLocks&) = delete;
  BothLocks& operator=(const BothLocks&) = delete;

  void lock() noexcept {
    sides_.producers.lock.lock();
    sides_.consumers.lock.lock();
  }
  void unlock() noexcept {
    sides_.consumers.lock.unlock();
    sides_.producers.lock.unlock();
  }

 private:
  const Sides<Sync> sides_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_SIDES_HPP
