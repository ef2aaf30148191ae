// SPDX-License-Identifier: MIT
//
// sides.hpp: the two sides of a queue, what stands between them, and how a thread holds one of them or both.
//
// A side is a lock, a place in the ring of cells, and the line of those who wait there. Producers share nothing with
// consumers but the cells. Everything that is not so simple (joining and leaving a line, waking, closing) happens
// under both locks, taken producers' first, and ends with settle(), which decides who is to be woken and writes down,
// for either side, how far its cursor may go before somebody has to look again.

#ifndef FOREBAY_ENGINE_SIDES_HPP
#define FOREBAY_ENGINE_SIDES_HPP

#include <cstddef>
#include <cstdint>
#include <exception>

#include "forebay/base/arithmetic.hpp"
#include "forebay/engine/cell_ring.hpp"
#include "forebay/waiting/adaptive_spin.hpp"
#include "forebay/waiting/spin_lock.hpp"
#include "forebay/engine/store.hpp"
#include "forebay/engine/wait_queue.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// How much of what a call that is half done can do with one lock was done.
enum class Progress { none, some, all };

/// Invariants, under both locks:
///  - the cells from head to tail are full, the others empty; tail - head <= capacity of the ring;
///  - producers.wake_at and consumers.wake_at are the counts at which somebody who waits can be served, or later than
///    never; whoever passes them calls settle();
///  - line_up holds for a side if and only if newcomers must not go ahead;
///  - the line of producers has no newcomer after close, and nobody after a cancelling close.
template <class Element, class Sync>
class Sides {
  // Two lines, because processors fetch them in pairs.
  static constexpr std::size_t apart = 128;

 public:
  using Ring = CellRing<Element, Sync>;
  using Cursor = typename Ring::Cursor;

  struct alignas(apart) Producers {
    [[no_unique_address]] mutable SpinLock<Sync> lock{room};
    bool closed = false;
    bool line_up = false;
    bool ring_is_all = true;  // no elements stand in front of the ring: where a cell is empty, there is room
    Cursor tail;
    std::uint64_t wake_at = never;
    WaitQueue<Sync> line;
    AdaptiveSpin<Sync> spin;
    AdaptiveSpin<Sync> batch_spin;
    mutable WaitingRoom<Sync> room;
  };

  struct alignas(apart) Consumers {
    Consumers(Ring& ring, std::size_t least_left) noexcept : min_after_dequeue(least_left), store(ring) {}

    [[no_unique_address]] mutable SpinLock<Sync> lock{room};
    bool closed = false;
    bool line_up = false;
    std::size_t min_after_dequeue;  // how many elements have to stay while the queue is open
    std::uint64_t wake_at = never;
    Store<Element, Sync> store;
    WaitQueue<Sync> line;
    AdaptiveSpin<Sync> spin;
    AdaptiveSpin<Sync> batch_spin;
    mutable WaitingRoom<Sync> room;
  };

  Sides(std::size_t cells, std::size_t min_after_dequeue) : ring(cells), consumers(ring, min_after_dequeue) {}

  Ring ring;
  Producers producers;
  Consumers consumers;

  /// Both locks.
  class Both {
   public:
    explicit Both(const Sides& sides) noexcept : sides_(sides) { lock(); }
    ~Both() { unlock(); }
    Both(const Both&) = delete;
    Both& operator=(const Both&) = delete;

    void lock() noexcept {
      sides_.producers.lock.lock();
      sides_.consumers.lock.lock();
    }
    void unlock() noexcept {
      sides_.consumers.lock.unlock();
      sides_.producers.lock.unlock();
    }

   private:
    const Sides& sides_;
  };

  /// The producers' lock. Whoever passes the count at which somebody who waits can be served settles on the way out,
  /// without letting go in between: a consumer may destroy the queue as soon as it has what was enqueued.
  class ProducersSection {
   public:
    explicit ProducersSection(Sides& sides) noexcept : sides_(sides) { sides_.producers.lock.lock(); }
    [[gnu::always_inline]] inline ~ProducersSection() {
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

  /// The consumers' lock. Whoever passes the count at which somebody who waits can be served settles afterwards.
  class ConsumersSection {
   public:
    explicit ConsumersSection(Sides& sides) noexcept : sides_(sides) { sides_.consumers.lock.lock(); }
    [[gnu::always_inline]] inline ~ConsumersSection() {
      const bool serves_somebody = sides_.consumers.store.head().passed() >= sides_.consumers.wake_at;
      sides_.consumers.lock.unlock();
      if (serves_somebody) [[unlikely]]
        sides_.lock_and_settle();
    }
    ConsumersSection(const ConsumersSection&) = delete;
    ConsumersSection& operator=(const ConsumersSection&) = delete;

   private:
    Sides& sides_;
  };

  /// A waiter's stay in a line; whoever leaves lets the others be looked at. Begins and ends under both locks.
  class Stay {
   public:
    Stay(Sides& sides, WaitQueue<Sync>& line, Waiter<Sync>& waiter, WakeList<Sync>& wake_list) noexcept
        : sides_(sides), line_(line), waiter_(waiter), wake_list_(wake_list) {
      line_.join(waiter_);
    }
    ~Stay() {
      if (waiter_.accumulates && waiter_.half_done) sides_.consumers.store.put_back();
      if (waiter_.in_line) line_.leave(waiter_);
      sides_.settle(wake_list_);
    }
    Stay(const Stay&) = delete;
    Stay& operator=(const Stay&) = delete;

    /// Waits until there is a reason to look again. A waiter that is half done attends first: it calls `progress` for
    /// a while, with no lock held, to do what it can do with its own side's lock.
    template <class MakeProgress>
    void park(const BasicWait<Sync>& wait, Both& both, AdaptiveSpin<Sync>& adaptive, const MakeProgress& progress) {
      if (waiter_.half_done && attend(wait, both, adaptive, progress)) return;
      let_others_go(both);
      const bool signalled = waiter_.parker.park(wait.deadline());
      both.lock();
      // Chosen just as it gave up: the signal is on its way and must find the waiter still here.
      if (!signalled && waiter_.chosen) receive_signal(both);
    }

   private:
    /// While a waiter attends, the other side need not wake it for each element.
    class Attendance {
     public:
      Attendance(Stay& stay, Both& both) noexcept : stay_(stay), both_(both) {
        stay_.waiter_.attends = true;
        stay_.let_others_go(both_);
      }
      ~Attendance() {
        both_.lock();
        stay_.waiter_.attends = false;
        if (stay_.waiter_.chosen) stay_.receive_signal(both_);
      }
      Attendance(const Attendance&) = delete;
      Attendance& operator=(const Attendance&) = delete;

     private:
      Stay& stay_;
      Both& both_;
    };

    void let_others_go(Both& both) noexcept {
      line_.stay(waiter_);
      sides_.settle(wake_list_);
      both.unlock();
      wake_list_.deliver();
    }

    /// Whether there is a reason to look again.
    template <class MakeProgress>
    bool attend(const BasicWait<Sync>& wait, Both& both, AdaptiveSpin<Sync>& adaptive, const MakeProgress& progress) {
      Progress made = Progress::some;
      {
        const Attendance attendance(*this, both);
        made = attend(wait, adaptive, progress);
      }
      return made != Progress::none || waiter_.chosen;
    }

    /// Ends with some progress only if it must not wait any longer.
    template <class MakeProgress>
    Progress attend(const BasicWait<Sync>& wait, AdaptiveSpin<Sync>& adaptive, const MakeProgress& progress) {
      Progress made = Progress::some;
      while (made == Progress::some && !wait.given_up(QueueStatus::timed_out)) {
        typename AdaptiveSpin<Sync>::Spin spin(adaptive);
        do {
          made = progress();
        } while (made == Progress::none && !waiter_.parker.is_awake() && spin.lasts());
        if (made != Progress::none) spin.succeeded(false);
      }
      return made;
    }

    void receive_signal(Both& both) noexcept {
      both.unlock();
      waiter_.parker.await_signal();
      both.lock();
    }

    Sides& sides_;
    WaitQueue<Sync>& line_;
    Waiter<Sync>& waiter_;
    WakeList<Sync>& wake_list_;
  };

  // ---- With one lock ----

  /// Whether a side that waited for `count` cells could as well have waited for more: the cells from its cursor on are
  /// ready for two such calls, and the other side has half of the ring left to work on.
  [[nodiscard]] bool may_gather(const Cursor& cursor, std::size_t count, bool ready) const noexcept {
    const std::size_t half = ring.capacity() / 2;
    return count <= half / 2 && ring.is_full(cursor, 2 * count - 1) == ready && ring.is_full(cursor, half) != ready;
  }

  // ---- With both locks ----

  [[nodiscard]] std::size_t in_ring() const noexcept {
    return static_cast<std::size_t>(producers.tail.passed() - consumers.store.head().passed());
  }
  [[nodiscard]] std::size_t stored() const noexcept { return consumers.store.returned() + in_ring(); }

  /// Less than the ring has while elements that were put back stand in front of it.
  [[nodiscard]] std::size_t room() const noexcept { return saturating_subtract(ring.capacity(), stored()); }

  /// What may be taken out: while the queue is open, the reserve has to stay.
  [[nodiscard]] std::size_t available() const noexcept {
    return saturating_subtract(stored(), consumers.min_after_dequeue);
  }

  /// Closed, and every enqueue that was accepted has arrived.
  [[nodiscard]] bool no_more_can_come() const noexcept { return producers.closed && producers.line.empty(); }

  void close(bool cancel, WakeList<Sync>& wake_list) noexcept {
    producers.closed = true;
    consumers.closed = true;
    consumers.min_after_dequeue = 0;
    if (cancel) producers.line.dismiss_all(wake_list);
    settle(wake_list);
  }

  /// Chooses everybody whose need is met now, and derives from the lines what the fast paths look at.
  void settle(WakeList<Sync>& wake_list) noexcept {
    const bool out_of_order = consumers.store.returned() > 0;
    consumers.wake_at = producers.line.choose_served(room(), 0, consumers.store.head().passed(), wake_list);
    producers.line_up = producers.line.turns() > 0 || out_of_order;
    producers.ring_is_all = !out_of_order;
    producers.wake_at = no_more_can_come() ? consumers.line.choose_all(wake_list)
                                           : consumers.line.choose_served(stored(), consumers.min_after_dequeue,
                                                                          producers.tail.passed(), wake_list);
    consumers.line_up = consumers.line.turns() > 0 || out_of_order;
  }

  [[nodiscard]] bool invariants_hold() const noexcept {
    if (in_ring() > ring.capacity()) return false;
    for (std::size_t i = 0; i < ring.capacity(); ++i) {
      if (ring.is_full(consumers.store.head(), i) != (i < in_ring())) return false;
    }
    if (producers.tail.passed() >= producers.wake_at) return false;
    if (!producers.line.invariants_hold() || !consumers.line.invariants_hold()) return false;
    const bool out_of_order = consumers.store.returned() > 0;
    if (producers.ring_is_all == out_of_order) return false;
    if (producers.line_up != (producers.line.turns() > 0 || out_of_order)) return false;
    if (consumers.line_up != (consumers.line.turns() > 0 || out_of_order)) return false;
    if (consumers.store.aside() > 0 && (out_of_order || !consumers.line.has_half_done())) return false;
    return producers.closed == consumers.closed;
  }

 private:
  void settle_and_unlock_producers() noexcept {
    WakeList<Sync> wake_list;
    consumers.lock.lock();
    settle(wake_list);
    consumers.lock.unlock();
    producers.lock.unlock();
  }

  void lock_and_settle() noexcept {
    WakeList<Sync> wake_list;
    const Both both(*this);
    settle(wake_list);
  }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_SIDES_HPP
