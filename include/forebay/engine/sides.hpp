// SPDX-License-Identifier: MIT
//
// sides.hpp: the two sides of a queue, and guards that hold one side or both. This code does not depend on the type of
// the elements, so it is compiled once.

#ifndef FOREBAY_ENGINE_SIDES_HPP
#define FOREBAY_ENGINE_SIDES_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/mutex.hpp"
#include "forebay/base/open_hold.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/base/time_sum.hpp"
#include "forebay/count.hpp"
#include "forebay/engine/cell.hpp"
#include "forebay/engine/cell_ring.hpp"
#include "forebay/engine/cell_store.hpp"
#include "forebay/engine/wait_queue.hpp"
#include "forebay/engine/waiter.hpp"
#include "forebay/engine/wake_list.hpp"
#include "forebay/statistics.hpp"
#include "forebay/version.hpp"
#include "forebay/waiting/adaptive_spin.hpp"
#include "forebay/waiting/spin_lock.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The maximum number of element moves during one hold of a side's lock. Tests specialise it by their Sync.
template <class Sync>
inline constexpr std::size_t most_moves_under_a_lock = 1024;

/// The data that only threads that wait on a side read.
template <class Sync>
struct WaitingPlace {
  using Time = typename Sync::clock::time_point;

  void begin_wait(Time since) noexcept { waited_.begin(since); }

  /// Records the end of a wait that began at `since`.
  [[gnu::noinline]] void end_wait(Time since) noexcept {
    const Time now = Sync::clock::now();
    ++waits_;
    waited_.end(now);
    longest_wait_ = now - since > longest_wait_ ? now - since : longest_wait_;
  }

  [[nodiscard]] QueueStatistics::Side statistics(std::uint64_t elements) const noexcept {
    return {elements, waits_, waited_.so_far(), std::chrono::duration_cast<std::chrono::nanoseconds>(longest_wait_),
            queue.size()};
  }

  WaitQueue<Sync> queue;
  AdaptiveSpin<Sync> spin;
  AdaptiveSpin<Sync> batch_spin;
  mutable WaitingRoom<Sync> room;

 private:
  std::uint64_t waits_ = 0;
  TimeSum<typename Sync::clock> waited_;
  typename Sync::clock::duration longest_wait_{};
};

/// One side. Together with a cursor, it fills one cache line, so other data is in WaitingPlace. Changing `line_up`,
/// `wake_at` or `closed` requires both locks.
template <class Sync>
struct Side {
  explicit Side(WaitingPlace<Sync>& place) noexcept : lock(place.room) {}

  [[no_unique_address]] mutable SpinLock<Sync> lock;
  bool closed FOREBAY_GUARDED_BY(lock) = false;
  bool line_up FOREBAY_GUARDED_BY(lock) = false;               ///< newcomers must not go ahead
  bool ring_is_all FOREBAY_GUARDED_BY(lock) = true;            ///< for producers: an empty cell means room
  std::uint64_t wake_at FOREBAY_GUARDED_BY(lock) = never;      ///< a thread that reaches this count has to settle
  std::size_t min_after_dequeue FOREBAY_GUARDED_BY(lock) = 0;  ///< for consumers: how many elements must remain
};

/// The number of stored elements and the room, as read under both locks.
struct Level {
  std::size_t room = 0;
  std::size_t stored = 0;
  std::uint64_t entered = 0;  ///< since the beginning
  std::uint64_t left = 0;
  bool out_of_order = false;  ///< returned elements precede the ring
};

/// Names a queue in descriptions of the threads that wait in it. Written before other threads use the queue.
struct QueueLabel {
  const char* kind = "FIFOQueue";
  std::string name{};
  std::string awaited{};  ///< shown in place of the operation

  [[nodiscard]] std::string shown() const { return name.empty() ? std::string(kind) : name; }
};

template <class Sync>
class BothSides;

/// Both sides, and the ring between them.
///
/// Invariants, under both locks:
///  - wake_at of each side is the count at which a waiter on the other side can be served, or `never`; the thread that
///    reaches it calls settle();
///  - line_up of a side is true if and only if newcomers must not overtake its waiters;
///  - both sides are closed, or neither is;
///  - the wait queue of producers has no newcomer after close(), and is empty after a cancelling close();
///  - the cells from head to tail are full, the others empty; tail - head <= capacity of the ring;
///  - elements are set aside only while the first waiting consumer is half done; without min_after_dequeue, no elements
///    that were given back remain stored meanwhile.
template <class Sync>
class Sides {
  // Two lines, because processors fetch them in pairs.
  static constexpr std::size_t apart = 128;

 public:
  using Cursor = typename CellRing<Sync>::Cursor;

  struct alignas(apart) Producers : Side<Sync> {
    explicit Producers(const CellRing<Sync>& ring) noexcept : Side<Sync>(place), tail(ring.tail()) {}

    Cursor tail FOREBAY_GUARDED_BY(this->lock);
    // The count at which the discipline has to process the arrived elements.
    std::uint64_t take_in_at FOREBAY_GUARDED_BY(this->lock) = 0;
    WaitingPlace<Sync> place;
    bool has_seen_full FOREBAY_GUARDED_BY(this->lock) = false;  ///< a call has found no room
  };

  struct alignas(apart) Consumers : Side<Sync> {
    explicit Consumers(CellRing<Sync>& ring) noexcept : Side<Sync>(place), store(ring) {}

    CellStore<Sync> store FOREBAY_GUARDED_BY(this->lock);
    WaitingPlace<Sync> place;
  };

  [[gnu::noinline]] Sides(Capacity most, const CellLayout<Sync>& layout, std::size_t min_after_dequeue,
                          bool waives_it_at_close = true, const char* kind = "FIFOQueue",
                          std::size_t moves_per_element = 1)
      : capacity(most.elements()),
        most_available(capacity - min_after_dequeue),
        most_at_once(larger<std::size_t>(most_moves_under_a_lock<Sync> / moves_per_element, 1)),
        waives_at_close(waives_it_at_close),
        ring(most, layout),
        producers(ring),
        consumers(ring),
        label{kind} {
    consumers.min_after_dequeue = min_after_dequeue;
  }
  [[gnu::noinline]] ~Sides() = default;
  Sides(const Sides&) = delete;
  Sides& operator=(const Sides&) = delete;

  const std::size_t capacity;
  const std::size_t most_available;  // the maximum that one call can receive at once, while the queue is open
  const std::size_t most_at_once;    // the maximum that one hold of a lock moves; a larger batch moves in steps
  const bool waives_at_close;        // min_after_dequeue; otherwise once no more can arrive
  CellRing<Sync> ring;
  Producers producers;
  Consumers consumers;
  QueueLabel label;
  std::exception_ptr cause FOREBAY_GUARDED_BY(producers.lock) FOREBAY_GUARDED_BY(consumers.lock);
  std::size_t high_water FOREBAY_GUARDED_BY(producers.lock) FOREBAY_GUARDED_BY(consumers.lock) = 0;
  // The number of elements that left to make room or were discarded, and of those that did not enter, because they were
  // the newest.
  std::uint64_t dropped_oldest FOREBAY_GUARDED_BY(producers.lock) FOREBAY_GUARDED_BY(consumers.lock) = 0;
  std::uint64_t dropped_newest FOREBAY_GUARDED_BY(producers.lock) = 0;

  /// Counts the producers, or the consumers, that hold the queue open.
  struct Holds {
    std::size_t count = 0;
    bool one_has_finished = false;
    bool last_has_closed = false;  // the queue, which was open
  };
  Holds producer_holds FOREBAY_GUARDED_BY(producers.lock) FOREBAY_GUARDED_BY(consumers.lock);
  Holds consumer_holds FOREBAY_GUARDED_BY(producers.lock) FOREBAY_GUARDED_BY(consumers.lock);

  /// Holds the producers' lock. A thread that reaches the count at which a waiter can be served settles before it
  /// releases the lock, because a consumer may destroy the queue as soon as it has received the element.
  class [[nodiscard]] FOREBAY_GUARD ProducersSection {
   public:
    explicit ProducersSection(Sides& sides) noexcept FOREBAY_ACQUIRES(sides.producers.lock) : sides_(sides) {
      sides_.producers.lock.lock();
    }
    [[gnu::always_inline]] inline ~ProducersSection() FOREBAY_RELEASES() {
      if (sides_.producers.tail.passed() >= sides_.producers.wake_at) [[unlikely]] {
        sides_.settle_and_unlock_producers();
      } else {
        sides_.producers.lock.unlock();
      }
    }
    ProducersSection(const ProducersSection&) = delete;
    ProducersSection& operator=(const ProducersSection&) = delete;

   private:
    Sides& sides_;
  };

  /// Holds the consumers' lock. A thread that reaches the count at which a waiter can be served settles after it has
  /// released the lock.
  class [[nodiscard]] FOREBAY_GUARD ConsumersSection {
   public:
    explicit ConsumersSection(Sides& sides) noexcept FOREBAY_ACQUIRES(sides.consumers.lock) : sides_(sides) {
      sides_.consumers.lock.lock();
    }
    [[gnu::always_inline]] inline ~ConsumersSection() FOREBAY_RELEASES() {
      const bool serves_somebody = sides_.consumers.store.head.passed() >= sides_.consumers.wake_at;
      sides_.consumers.lock.unlock();
      if (serves_somebody) [[unlikely]]
        sides_.lock_and_settle();
    }
    ConsumersSection(const ConsumersSection&) = delete;
    ConsumersSection& operator=(const ConsumersSection&) = delete;

   private:
    Sides& sides_;
  };

  /// Holds both locks; the producers' lock is taken first.
  void lock() const noexcept FOREBAY_ACQUIRES(producers.lock, consumers.lock) {
    producers.lock.lock();
    consumers.lock.lock();
  }
  void lock_ahead() const noexcept FOREBAY_ACQUIRES(producers.lock, consumers.lock) {
    producers.lock.lock_ahead();
    consumers.lock.lock_ahead();
  }
  void unlock() const noexcept FOREBAY_RELEASES(producers.lock, consumers.lock) {
    consumers.lock.unlock();
    producers.lock.unlock();
  }

  /// Returns whether a side that waited for `count` cells could have waited for more: the cells from its cursor on are
  /// ready for two such calls, and half of the ring is left for the other side. Requires the lock of that side.
  [[nodiscard, gnu::noinline]] bool may_gather(const Cursor& cursor, std::size_t count, bool ready) const noexcept {
    const std::size_t half = ring.capacity() / 2;
    return count <= half / 2 && ring.is_full(cursor, 2 * count - 1) == ready && ring.is_full(cursor, half) != ready;
  }

  /// Returns the room, which is smaller than that of the ring while returned elements precede it.
  [[nodiscard, gnu::noinline]] Level level() const noexcept FOREBAY_REQUIRES(producers.lock, consumers.lock) {
    const std::uint64_t entered = producers.tail.passed();
    const std::uint64_t left = consumers.store.head.passed();
    const std::size_t stored = consumers.store.returned + static_cast<std::size_t>(entered - left);
    return {saturating_subtract(ring.capacity(), stored), stored, entered, left, consumers.store.returned > 0};
  }

  /// Returns whether the queue is closed and no pending enqueue can still store elements.
  [[nodiscard]] bool no_more_can_come() const noexcept FOREBAY_REQUIRES(producers.lock, consumers.lock) {
    return producers.closed && producers.place.queue.empty();
  }

  /// Chooses all waiters that can be served now, and derives the data of the fast paths from the wait queues.
  [[gnu::noinline]] void settle(WakeList<Sync>& wake_list) noexcept FOREBAY_REQUIRES(producers.lock, consumers.lock) {
    const Level level = this->level();
    high_water = larger(high_water, level.stored + consumers.store.aside);
    auto& who_produces = producers.place.queue;
    auto& who_consumes = consumers.place.queue;
    consumers.wake_at = who_produces.choose_served(level.room, 0, level.left, wake_list);
    producers.line_up = who_produces.turns() > 0 || level.out_of_order;
    producers.ring_is_all = !level.out_of_order;
    if (no_more_can_come()) consumers.min_after_dequeue = 0;
    producers.wake_at = no_more_can_come() ? who_consumes.choose_at_end(level.stored, wake_list)
                                           : who_consumes.choose_served(level.stored, consumers.min_after_dequeue,
                                                                        level.entered, wake_list);
    consumers.line_up = who_consumes.turns() > 0 || level.out_of_order;
  }

  [[nodiscard]] QueueStatistics statistics() const noexcept FOREBAY_REQUIRES(producers.lock, consumers.lock) {
    const Level level = this->level();
    const std::size_t stored = level.stored + consumers.store.aside;
    const std::uint64_t dequeued = level.entered - stored - dropped_oldest;
    return {producers.place.statistics(level.entered), consumers.place.statistics(dequeued),
            larger(larger(high_water, stored), producers.has_seen_full ? capacity : 0),
            dropped_oldest + dropped_newest};
  }

  /// Returns whether the data that the fast paths read is that which settle() would derive. A half-done consumer takes
  /// elements that were given back with only its own lock. Producers line up until it settles.
  [[nodiscard]] bool waits_are_settled() const noexcept FOREBAY_REQUIRES(producers.lock, consumers.lock) {
    const Level level = this->level();
    const auto& who_produces = producers.place.queue;
    const auto& who_consumes = consumers.place.queue;
    const bool out_of_order = level.out_of_order || (who_consumes.has_half_done() && !producers.ring_is_all);
    return who_produces.invariants_hold() && who_consumes.invariants_hold() && level.entered < producers.wake_at &&
           producers.ring_is_all != out_of_order && producers.line_up == (who_produces.turns() > 0 || out_of_order) &&
           consumers.line_up == (who_consumes.turns() > 0 || level.out_of_order) &&
           producers.closed == consumers.closed;
  }

  [[nodiscard]] bool invariants_hold() const noexcept FOREBAY_REQUIRES(producers.lock, consumers.lock) {
    const std::size_t in_ring = level().stored - consumers.store.returned;
    return ring.holds_exactly(consumers.store.head, in_ring) && gathers_in_order() && waits_are_settled();
  }

  [[gnu::noinline]] void close(bool cancel, std::exception_ptr why) noexcept {
    WakeList<Sync> wake_list;
    const BothSides both(*this, ahead_of_all);
    if (cause == nullptr) cause = std::move(why);
    close_sides(cancel, wake_list);
  }

  /// Keeps the queue open for a producer until the hold is released.
  [[nodiscard, gnu::noinline]] OpenHold hold_open() noexcept {
    const BothSides both(*this, ahead_of_all);
    ++producer_holds.count;
    return OpenHold(this, [](void* queue, bool finished) noexcept {
      Sides& sides = *static_cast<Sides*>(queue);
      WakeList<Sync> wake_list;
      const BothSides section(sides, ahead_of_all);
      if (is_last(sides.producer_holds, finished)) {
        if (!sides.producers.closed) sides.producer_holds.last_has_closed = true;
        sides.close_sides(false, wake_list);
      }
    });
  }

  /// Keeps the queue open for a handle. Rejects one that comes after the last producer has closed the queue.
  [[nodiscard, gnu::noinline]] OpenHold hold_open_for_producer() {
    OpenHold hold = hold_open();  // from now on, no other producer is the last one
    if (last_producer_has_closed()) {
      throw std::logic_error(
          "forebay: producer(): the queue is closed, because the last of its producers has ended; "
          "create all producers before the first one ends, with producers(n)");
    }
    return hold;
  }

  /// Keeps the queue open for a consumer until the hold is released, which calls let_go_of_consumer().
  [[nodiscard, gnu::noinline]] OpenHold hold_open_for_consumer(OpenHold::Release release = release_consumer) noexcept {
    const BothSides both(*this, ahead_of_all);
    ++consumer_holds.count;
    return OpenHold(this, release);
  }

  /// Releases the hold of a consumer. The last one to finish closes the queue and cancels pending enqueues. Returns
  /// whether it did.
  [[gnu::noinline]] bool let_go_of_consumer(bool finished) noexcept {
    WakeList<Sync> wake_list;
    const BothSides both(*this, ahead_of_all);
    if (!is_last(consumer_holds, finished)) return false;
    close_sides(true, wake_list);
    return true;
  }

 private:
  static void release_consumer(void* queue, bool finished) noexcept {
    static_cast<Sides*>(queue)->let_go_of_consumer(finished);
  }

  [[nodiscard]] bool last_producer_has_closed() const noexcept {
    const BothSides both(*this, ahead_of_all);
    return producer_holds.last_has_closed;
  }

  [[nodiscard]] bool gathers_in_order() const noexcept FOREBAY_REQUIRES(producers.lock, consumers.lock) {
    if (consumers.store.aside == 0) return true;
    return consumers.place.queue.has_half_done() && (consumers.store.returned == 0 || most_available < capacity);
  }

  /// Releases a hold. Returns whether this closes the queue.
  [[nodiscard]] static bool is_last(Holds& holds, bool finished) noexcept {
    holds.one_has_finished = holds.one_has_finished || finished;
    return --holds.count == 0 && holds.one_has_finished;
  }

  void close_sides(bool cancel, WakeList<Sync>& wake_list) noexcept FOREBAY_REQUIRES(producers.lock, consumers.lock) {
    producers.closed = true;
    consumers.closed = true;
    if (waives_at_close) consumers.min_after_dequeue = 0;
    if (cancel) producers.place.queue.dismiss_all(wake_list);
    settle(wake_list);
  }

  [[gnu::noinline]] void settle_and_unlock_producers() noexcept FOREBAY_RELEASES(producers.lock) {
    WakeList<Sync> wake_list;
    consumers.lock.lock();
    settle(wake_list);
    consumers.lock.unlock();
    producers.lock.unlock();
  }

  [[gnu::noinline]] void lock_and_settle() noexcept {
    WakeList<Sync> wake_list;
    const BothSides both(*this);
    settle(wake_list);
  }
};

/// Holds both locks.
template <class Sync>
class [[nodiscard]] FOREBAY_GUARD BothSides {
 public:
  explicit BothSides(const Sides<Sync>& sides) noexcept FOREBAY_ACQUIRES(sides.producers.lock, sides.consumers.lock)
      : sides_(sides) {
    sides_.lock();
  }
  BothSides(const Sides<Sync>& sides, Ahead /*ahead*/) noexcept
      FOREBAY_ACQUIRES(sides.producers.lock, sides.consumers.lock)
      : sides_(sides) {
    sides_.lock_ahead();
  }
  ~BothSides() FOREBAY_RELEASES() { sides_.unlock(); }
  BothSides(const BothSides&) = delete;
  BothSides& operator=(const BothSides&) = delete;

 private:
  const Sides<Sync>& sides_;
};

/// Holds both locks, and settles at the end, also if an element throws.
template <class Sync>
class [[nodiscard]] FOREBAY_GUARD SettlingSection {
 public:
  explicit SettlingSection(Sides<Sync>& sides) noexcept FOREBAY_ACQUIRES(sides.producers.lock, sides.consumers.lock)
      : sides_(sides) {
    sides_.lock();
  }
  // Not analysed: the analysis does not follow the reference to the locks.
  [[gnu::noinline]] ~SettlingSection() FOREBAY_RELEASES() FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
    sides_.settle(wake_list_);
    sides_.unlock();
  }
  SettlingSection(const SettlingSection&) = delete;
  SettlingSection& operator=(const SettlingSection&) = delete;

 private:
  Sides<Sync>& sides_;
  WakeList<Sync> wake_list_;  // signals without the locks
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_SIDES_HPP
