// SPDX-License-Identifier: MIT
//
// blocking_queue.hpp: BlockingQueue, the engine of every queue: the whole contract is written here, once.
//
// A bounded queue for any number of producers and consumers, which wait while it is full or empty. It can be closed:
// then nothing more goes in, what is stored still comes out, and everybody who waits for what cannot come is told. The
// order in which elements leave is a Discipline: FIFOQueue and RandomShuffleQueue are this class with theirs.
//
// Algorithm: a ring of cells, each with a full flag, between two sides, each with a lock of its own. A producer takes
// the producers' lock and fills the cell at their cursor, a consumer takes the consumers' lock and empties the cell at
// theirs; but for the cells the sides share nothing. Everything that is not so simple (joining and leaving the line of
// waiters, waking, closing) happens under both locks, taken producers' first, and ends with settle(), which decides
// who is to be woken and writes down, for either side, how far its cursor may go before somebody has to look again.
//
// Lifetime: neither copyable nor movable. It may be destroyed as soon as the last dequeue has returned, even if the
// enqueue that supplied it has not quite; destroying it while a thread waits in it breaks the contract (asserted).
//
// Thread safety: every member function may be called from any thread at any time, the destructor excepted.

#ifndef FOREBAY_BLOCKING_QUEUE_HPP
#define FOREBAY_BLOCKING_QUEUE_HPP

#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/capacity.hpp"
#include "forebay/detail/arithmetic.hpp"
#include "forebay/detail/boxed.hpp"
#include "forebay/detail/cell_ring.hpp"
#include "forebay/detail/patience.hpp"
#include "forebay/detail/queue_ranges.hpp"
#include "forebay/detail/side_lock.hpp"
#include "forebay/detail/stock.hpp"
#include "forebay/detail/transfer.hpp"
#include "forebay/detail/waiter_line.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/sync.hpp"
#include "forebay/wait.hpp"

namespace forebay {

namespace detail {
template <class Queue>
class QueueAccess;  // detail/queue_access.hpp
}

/// Asks close() to turn away the enqueues that wait, too.
struct CancelPendingEnqueues {
  explicit constexpr CancelPendingEnqueues() = default;
};
inline constexpr CancelPendingEnqueues cancel_pending_enqueues{};

/// Requires of T: an object that can be moved. It need not be copyable or default-constructible. Its constructors and
/// its destructor run under one of the queue's locks and must not call the same queue.
///
/// Requires of Discipline: see detail/discipline.hpp, the simplest one.
///
/// Guarantees:
///  - Nothing is lost: an element that went in is dequeued once, or is still there. A dequeue that ends early, by
///    timeout, stop, close or exception, leaves the elements in their order; an enqueue that does not return ok leaves
///    its argument untouched.
///  - A copy or move that throws leaves the queue as it was. (Of a type that can only be moved, by moves that throw,
///    the elements already moved out by the same batch are lost.)
///  - What X did before an enqueue is visible to Y after the dequeue that returns its element.
///  - Waiting calls are served in order of arrival, up to bounded overtaking: a newcomer may take what is there before
///    a woken thread gets to it, but when that has happened to a call a few times, newcomers line up behind it.
///  - A waiting thread is woken when what it waits for is there (a dequeue_many(128) once, not 128 times), and uses no
///    processor time until then.
///  - enqueue and dequeue allocate nothing while the queue is bounded, except for what T's own constructors do. (Where
///    the order moves elements about, one whose move may throw is kept behind a pointer, and costs an allocation.)
template <class T, class Discipline, class Sync = StdSync>
class BlockingQueue {
  // Invariants, under both locks:
  //  - the cells from head to tail are full, the others empty; tail - head <= capacity of the ring;
  //  - producers_.wake_at and consumers_.wake_at are the counts at which somebody who waits can be served, or later
  //    than never; whoever passes them calls settle();
  //  - line_up holds for a side if and only if newcomers must not go ahead;
  //  - the line of producers has no newcomer after close, and nobody after a cancelling close.
  using Element = detail::Stored<T, Discipline::reorders>;
  using Ring = detail::CellRing<Element, Sync>;
  using Cursor = typename Ring::Cursor;
  using Patience = detail::Patience<Sync>;
  using Spell = typename Patience::Spell;
  using Waiter = detail::Waiter<Sync>;
  using Wakeups = detail::Wakeups<Sync>;
  using Demand = detail::Demand;

 public:
  using value_type = T;
  using Wait = BasicWait<Sync>;
  /// What dequeue_many returns: std::vector<T>, unless the discipline knows better.
  using Batch = typename Discipline::template Batch<T>;

  BlockingQueue(const BlockingQueue&) = delete;
  BlockingQueue& operator=(const BlockingQueue&) = delete;

  /// Destroys what is stored. Requires that nobody waits in the queue.
  ~BlockingQueue() {
    const BothSides both(*this);  // lets a thread in the last instructions of its call leave
    assert(producers_.line.empty() && consumers_.line.empty() &&
           "forebay: a queue is destroyed while threads wait in it");
    ring_.clear(consumers_.stock.head(), producers_.tail);
  }

  // ---- Enqueue ----

  /// Puts `element` in.
  ///
  /// Blocks while the queue is full, until there is room, the queue is closed with cancel, or `wait` ends. Returns ok;
  /// closed if the queue was closed before the call began to wait; full, timed_out or stopped as `wait` says. If it is
  /// not ok, or throws, `element` is untouched (as far as T's own constructor leaves it so). Throws what T's
  /// constructor throws. (TensorFlow: QueueBase.enqueue; it throws Cancelled where this returns closed.)
  QueueStatus enqueue(T&& element, const Wait& wait = Wait::forever) {
    if (put_now(std::move(element))) [[likely]]
      return QueueStatus::ok;
    detail::Supply supply(std::true_type(), &element, &element + 1);
    return produce(supply, 1, wait);
  }
  QueueStatus enqueue(const T& element, const Wait& wait = Wait::forever) requires std::is_copy_constructible_v<T> {
    if (put_now(element)) [[likely]]
      return QueueStatus::ok;
    detail::Supply supply(std::false_type(), &element, &element + 1);
    return produce(supply, 1, wait);
  }

  /// Puts the elements of `range` in, in their order and with no other enqueue's in between.
  ///
  /// Moves from a container given as an rvalue, copies from everything else. Puts in what fits and waits for the rest
  /// like enqueue. Returns how many went in; those that did not are untouched. An empty range is ok, even when the
  /// queue is closed. If a constructor throws, the elements before that one are in the queue. The range is read under
  /// the producers' lock. (TensorFlow: QueueBase.enqueue_many.)
  template <detail::RangeOfElementsFor<T> Range>
  EnqueueManyResult enqueue_many(Range&& range, const Wait& wait = Wait::forever) {
    auto first = std::ranges::begin(range);
    auto last = std::ranges::end(range);
    std::size_t count = unknown;
    if constexpr (std::ranges::sized_range<Range>) count = static_cast<std::size_t>(std::ranges::size(range));
    constexpr std::bool_constant<detail::gives_its_elements<Range>> moves;
    return produce_many(detail::Supply(moves, std::move(first), std::move(last)), count, wait);
  }
  EnqueueManyResult enqueue_many(std::initializer_list<T> elements,
                                 const Wait& wait = Wait::forever) requires std::is_copy_constructible_v<T> {
    return produce_many(detail::Supply(std::false_type(), elements.begin(), elements.end()), elements.size(), wait);
  }

  // ---- Dequeue ----
  //
  // All of them: an element that is there wins over a time that has passed and a stop that was requested. If the
  // queue was closed with a cause, the cause is thrown where `closed` would be returned. If a copy, a move or an
  // allocation throws, the elements are still in the queue.

  /// Takes one element out.
  ///
  /// Blocks while there is none, until there is one, none can come any more, or `wait` ends. After close the elements
  /// left are delivered, then the status is closed. (TensorFlow: QueueBase.dequeue, OutOfRangeError at the end.)
  Dequeued<T> dequeue(const Wait& wait = Wait::forever) {
    return Dequeued<T>([&](std::optional<T>& element) { return dequeue_into(element, wait); });
  }

  /// Takes exactly `count` elements out.
  ///
  /// Blocks until there are so many; `count` may exceed the capacity. When there are fewer and no more can come, the
  /// status is closed and they stay, for other calls to take. 0 elements are there at once. (TensorFlow:
  /// QueueBase.dequeue_many.)
  Dequeued<Batch> dequeue_many(std::size_t count, const Wait& wait = Wait::forever) {
    return dequeue_batch(Demand{count, count, count}, wait);
  }

  /// The same, into storage that is used again: replaces the content of `batch` (a std::vector<T>, or any other kind
  /// of batch of T), which is empty when the status is not ok. Does not allocate when the capacity of `batch` suffices
  /// and `count` does not exceed the queue's.
  template <detail::BatchOf<T> Into>
  QueueStatus dequeue_many(std::size_t count, Into& batch, const Wait& wait = Wait::forever) {
    return dequeue_batch_into(batch, Demand{count, count, count}, wait);
  }

  /// Like dequeue_many, but when no more can come takes what is left, at most `count`; closed if nothing is. While the
  /// queue is open it waits for all of them. (TensorFlow: QueueBase.dequeue_up_to.)
  Dequeued<Batch> dequeue_up_to(std::size_t count, const Wait& wait = Wait::forever) {
    return dequeue_batch(Demand{count, count, 1}, wait);
  }
  template <detail::BatchOf<T> Into>
  QueueStatus dequeue_up_to(std::size_t count, Into& batch, const Wait& wait = Wait::forever) {
    return dequeue_batch_into(batch, Demand{count, count, 1}, wait);
  }

  /// Takes what is there now, at least one element and at most `count`; blocks only while there is none.
  Dequeued<Batch> dequeue_available(std::size_t count, const Wait& wait = Wait::forever) {
    return dequeue_batch(Demand{detail::smaller<std::size_t>(count, 1), count, 1}, wait);
  }
  template <detail::BatchOf<T> Into>
  QueueStatus dequeue_available(std::size_t count, Into& batch, const Wait& wait = Wait::forever) {
    return dequeue_batch_into(batch, Demand{detail::smaller<std::size_t>(count, 1), count, 1}, wait);
  }

  // ---- Close ----

  /// Closes the queue for ever: enqueues that come later return closed, those that wait complete when room appears,
  /// what is stored can be taken out. Never blocks; may be called again. (TensorFlow: QueueBase.close, which blocks
  /// behind waiting enqueues.)
  void close() noexcept { close_now(false, nullptr); }

  /// The same, and the enqueues that wait return closed. (TensorFlow: close(cancel_pending_enqueues=True).)
  void close(CancelPendingEnqueues) noexcept { close_now(true, nullptr); }

  /// The same, because something failed: dequeues throw `cause` where they would return closed. The first cause stays.
  void close(std::exception_ptr cause) noexcept { close_now(true, std::move(cause)); }

  // ---- Snapshots: true when they were taken, perhaps not any more ----

  [[nodiscard]] bool is_closed() const noexcept {
    const detail::Guard guard(consumers_.lock);
    return consumers_.closed;
  }

  /// How many elements are stored. Those that a waiting dequeue_many has gathered count until it has all.
  [[nodiscard]] std::size_t size() const noexcept {
    const BothSides both(*this);
    return stored() + consumers_.stock.aside();
  }

  /// How many elements may be stored; the largest std::size_t if unbounded.
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  /// How many threads wait for room, or for elements: parked, or about to be.
  [[nodiscard]] std::size_t waiting_producers() const noexcept {
    const BothSides both(*this);
    return producers_.line.size();
  }
  [[nodiscard]] std::size_t waiting_consumers() const noexcept {
    const BothSides both(*this);
    return consumers_.line.size();
  }

  // ---- Iteration ----

  using Batches = detail::Batches<BlockingQueue>;

  /// `for (auto&& element : queue)`: dequeues until the queue is closed and drained, then ends, or throws the cause.
  /// `element` is the loop's own: it may be moved from.
  [[nodiscard]] auto begin() { return detail::ElementIterator<BlockingQueue>(*this); }
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

  /// `for (auto&& batch : queue.batches(32))`: a std::vector<T>& of `count` elements each time, its storage used
  /// again. Ends when the queue is closed and drained, or `wait` ends. Throws std::invalid_argument if count is 0.
  [[nodiscard]] Batches batches(std::size_t count, Wait wait = Wait::forever) {
    return Batches(*this, count, Remainder::deliver, std::move(wait));
  }
  [[nodiscard]] Batches batches(std::size_t count, Remainder remainder, Wait wait = Wait::forever) {
    return Batches(*this, count, remainder, std::move(wait));
  }

  // ---- For tests ----

  /// Whether the invariants at the top of this class hold.
  [[nodiscard]] bool invariants_hold() const noexcept;

 protected:
  /// Throws std::invalid_argument if the capacity is too large for the address space, std::bad_alloc if the cells
  /// cannot be had.
  explicit BlockingQueue(Capacity capacity, Discipline discipline = {})
      : capacity_(capacity.elements()),
        discipline_(std::move(discipline)),
        ring_(capacity.is_unbounded() ? first_capacity_of_unbounded : capacity.elements()),
        consumers_(ring_, discipline_.min_after_dequeue()) {}

 private:
  friend detail::ElementIterator<BlockingQueue>;
  friend Batches;
  friend detail::QueueAccess<BlockingQueue>;

  static constexpr std::size_t unknown = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t first_capacity_of_unbounded = 64;
  // Two lines, because processors fetch them in pairs.
  static constexpr std::size_t apart = 128;

  struct alignas(apart) Producers {
    mutable detail::SideLock<Sync> lock;
    bool closed = false;
    bool line_up = false;
    Cursor tail;
    std::uint64_t wake_at = detail::never;
    detail::WaiterLine<Sync> line;
    Patience patience;
  };

  struct alignas(apart) Consumers {
    Consumers(Ring& ring, std::size_t min_after_dequeue) noexcept : reserve(min_after_dequeue), stock(ring) {}

    mutable detail::SideLock<Sync> lock;
    bool closed = false;
    bool line_up = false;
    std::size_t reserve;  // how many elements have to stay while the queue is open
    std::uint64_t wake_at = detail::never;
    detail::Stock<Element, Sync> stock;
    detail::WaiterLine<Sync> line;
    Patience patience;
  };

  /// Both locks.
  class BothSides {
   public:
    explicit BothSides(const BlockingQueue& queue) noexcept : queue_(queue) { lock(); }
    ~BothSides() { unlock(); }
    BothSides(const BothSides&) = delete;
    BothSides& operator=(const BothSides&) = delete;

    void lock() noexcept {
      queue_.producers_.lock.lock();
      queue_.consumers_.lock.lock();
    }
    void unlock() noexcept {
      queue_.consumers_.lock.unlock();
      queue_.producers_.lock.unlock();
    }

   private:
    const BlockingQueue& queue_;
  };

  /// A waiter's stay in a line; whoever leaves lets the others be looked at. Begins and ends under both locks.
  class Stay {
   public:
    Stay(BlockingQueue& queue, detail::WaiterLine<Sync>& line, Waiter& waiter, Wakeups& wakeups) noexcept
        : queue_(queue), line_(line), waiter_(waiter), wakeups_(wakeups) {
      line_.join(waiter_);
    }
    ~Stay() {
      if (waiter_.accumulates && waiter_.half_done) queue_.consumers_.stock.put_back();
      if (waiter_.in_line) line_.leave(waiter_);
      queue_.settle(wakeups_);
    }
    Stay(const Stay&) = delete;
    Stay& operator=(const Stay&) = delete;

    /// Parks until there is a reason to look again.
    void park(const Wait& wait, BothSides& both) {
      line_.stay(waiter_);
      queue_.settle(wakeups_);
      both.unlock();
      wakeups_.deliver();
      // Who joined the line to keep its batch together has not waited yet.
      Spell spell(queue_.batch_patience_);
      while (waiter_.half_done && !waiter_.parker.is_awake() && spell.lasts()) {
      }
      const bool signalled = waiter_.parker.park(wait.deadline());
      both.lock();
      if (waiter_.half_done) spell.succeeded(false);
      if (signalled || !waiter_.chosen) return;
      // Chosen just as it gave up: the signal is on its way and must find the waiter still here.
      both.unlock();
      waiter_.parker.await_signal();
      both.lock();
    }

   private:
    BlockingQueue& queue_;
    detail::WaiterLine<Sync>& line_;
    Waiter& waiter_;
    Wakeups& wakeups_;
  };

  /// What became of an attempt to do without waiting.
  enum class Attempt { done, not_now, line_up, closed };

  /// Tries again for a short while.
  template <class Try>
  static Attempt try_again(Patience& patience, Try try_it) {
    Spell spell(patience);
    Attempt attempt = Attempt::not_now;
    while (attempt == Attempt::not_now && spell.lasts()) attempt = try_it(spell);
    return attempt;
  }

  /// Whether a side that waited for `count` cells could as well have waited for more: the cells from its cursor on are
  /// ready for two such calls, and the other side has half of the ring left to work on.
  [[nodiscard]] bool may_gather(const Cursor& cursor, std::size_t count, bool ready) const noexcept {
    const std::size_t half = ring_.capacity() / 2;
    return count <= half / 2 && ring_.is_full(cursor, 2 * count - 1) == ready && ring_.is_full(cursor, half) != ready;
  }

  // ---- Producers' side ----

  /// The producers' lock. Whoever passes the count at which somebody who waits can be served settles on the way out,
  /// without letting go in between: a consumer may destroy the queue as soon as it has what was enqueued.
  class ProducersSection {
   public:
    explicit ProducersSection(BlockingQueue& queue) noexcept : queue_(queue) { queue_.producers_.lock.lock(); }
    [[gnu::always_inline]] inline ~ProducersSection() {
      if (queue_.producers_.tail.passed() >= queue_.producers_.wake_at) [[unlikely]] {
        queue_.settle_and_unlock_producers();
      } else {
        queue_.producers_.lock.unlock();
      }
    }
    ProducersSection(const ProducersSection&) = delete;
    ProducersSection& operator=(const ProducersSection&) = delete;

   private:
    BlockingQueue& queue_;
  };

  void settle_and_unlock_producers() noexcept {
    Wakeups wakeups;
    consumers_.lock.lock();
    settle(wakeups);
    consumers_.lock.unlock();
    producers_.lock.unlock();
  }

  /// Puts one element in if there is room and nobody to line up behind: what most enqueues come down to, in as few
  /// steps as possible.
  template <class Argument>
  bool put_now(Argument&& element) {
    const ProducersSection section(*this);
    if (producers_.closed || producers_.line_up || ring_.is_full(producers_.tail, 0)) return false;
    put_one(std::forward<Argument>(element));
    return true;
  }

  template <class Argument>
  void put_one(Argument&& argument) {
    if constexpr (!Discipline::examines) {
      ring_.put(producers_.tail, std::forward<Argument>(argument));
    } else if constexpr (std::same_as<std::remove_cvref_t<Argument>, T>) {
      discipline_.examine(std::as_const(argument));
      ring_.put(producers_.tail, std::forward<Argument>(argument));
    } else {
      put_one(T(std::forward<Argument>(argument)));
    }
  }

  template <class Supply>
  EnqueueManyResult produce_many(Supply supply, std::size_t count, const Wait& wait) {
    if (supply.exhausted()) return {QueueStatus::ok, 0};
    const QueueStatus status = produce(supply, count, wait);
    return {status, supply.given()};
  }

  template <class Supply>
  QueueStatus produce(Supply& supply, std::size_t count, const Wait& wait) {
    const Attempt attempt = try_produce(supply, count);
    if (attempt == Attempt::done) [[likely]]
      return QueueStatus::ok;
    return produce_slowly(attempt, supply, count, wait);
  }

  template <class Supply>
  [[gnu::noinline]] QueueStatus produce_slowly(Attempt attempt, Supply& supply, std::size_t count, const Wait& wait) {
    if (attempt == Attempt::not_now && count == 1 && !wait.may_block()) return QueueStatus::full;
    if (attempt == Attempt::not_now && wait.may_block() && count <= capacity_) {
      attempt = try_again(producers_.patience, [&](Spell& spell) { return try_produce(supply, count, &spell); });
    }
    if (attempt == Attempt::done) return QueueStatus::ok;
    if (attempt == Attempt::closed) return QueueStatus::closed;
    return produce_in_line(supply, wait);
  }

  /// Puts `count` elements in if there is room for all of them and nobody to line up behind.
  template <class Supply>
  Attempt try_produce(Supply& supply, std::size_t count, Spell* spell = nullptr) {
    const ProducersSection section(*this);
    if (producers_.closed) return Attempt::closed;
    if (producers_.line_up) return Attempt::line_up;
    if (count == unknown || !make_room(count)) return Attempt::not_now;
    if (spell != nullptr) spell->succeeded(may_gather(producers_.tail, count, false));
    put(supply, count);
    return Attempt::done;
  }

  /// Whether there is room for `count` more elements; an unbounded queue sees to it.
  bool make_room(std::size_t count) {
    if ((count == 1 || count <= ring_.capacity()) && !ring_.is_full(producers_.tail, count - 1)) [[likely]]
      return true;
    if (!is_unbounded()) return false;
    const detail::Guard guard(consumers_.lock);
    while (room() < count) ring_.grow(consumers_.stock.head(), producers_.tail);
    return true;
  }

  /// Puts at most `count` elements in. Requires that there is room for them.
  template <class Supply>
  void put(Supply& supply, std::size_t count) {
    for (; count > 0 && !supply.exhausted(); --count) {
      supply.give([this](auto&& element) { this->put_one(std::forward<decltype(element)>(element)); });
    }
  }

  template <class Supply>
  QueueStatus produce_in_line(Supply& supply, const Wait& wait) {
    Waiter waiter;
    const typename Wait::Interruption interruption(wait, waiter.parker);
    Wakeups wakeups;
    BothSides both(*this);
    if (producers_.closed) return QueueStatus::closed;
    Stay stay(*this, producers_.line, waiter, wakeups);
    while (waiter.in_line) {
      const std::size_t claimed = producers_.line.claimed_before(waiter);
      put(supply, detail::saturating_subtract(room(), claimed));
      if (supply.exhausted()) return QueueStatus::ok;
      if (is_unbounded()) {
        ring_.grow(consumers_.stock.head(), producers_.tail);
        continue;
      }
      if (const auto status = wait.given_up(QueueStatus::full)) return *status;
      if (supply.given() > 0) producers_.line.put_first(waiter);
      if (waiter.chosen) producers_.line.overtaken(waiter);
      stay.park(wait, both);
    }
    return QueueStatus::closed;
  }

  // ---- Consumers' side ----

  Dequeued<Batch> dequeue_batch(const Demand& demand, const Wait& wait) {
    return Dequeued<Batch>([&](std::optional<Batch>& batch) {
      const QueueStatus status = dequeue_batch_into(batch.emplace(empty_batch()), demand, wait);
      if (status != QueueStatus::ok) batch.reset();
      return status;
    });
  }

  [[nodiscard]] Batch empty_batch() const { return discipline_.template empty_batch<T>(); }

  template <class Into>
  QueueStatus dequeue_batch_into(Into& batch, const Demand& demand, const Wait& wait) {
    require_possible(demand);
    detail::SinkInto<Into> sink(batch);
    if (demand.most == 0) return QueueStatus::ok;
    // Outside of the lock, as far as it is known what is needed.
    if (demand.least == demand.most && !accumulates(demand)) sink.reserve(demand.most);
    const QueueStatus status = consume(demand, wait, sink);
    if (status == QueueStatus::ok) sink.finish();
    return status;
  }

  /// Throws std::invalid_argument for a batch that could never be there.
  void require_possible(const Demand& demand) const {
    if (Discipline::batch_may_exceed_capacity || demand.least <= capacity_) return;
    throw std::invalid_argument("forebay: a batch of " + std::to_string(demand.least) +
                                " elements exceeds the capacity of " + std::to_string(capacity_));
  }

  /// Whether so many elements can never be in the ring together, so that they have to be gathered.
  [[nodiscard]] bool accumulates(const Demand& demand) const noexcept {
    return demand.least > capacity_ - discipline_.min_after_dequeue();
  }

  /// The consumers' lock. Whoever passes the count at which somebody who waits can be served settles afterwards.
  class ConsumersSection {
   public:
    explicit ConsumersSection(BlockingQueue& queue) noexcept : queue_(queue) { queue_.consumers_.lock.lock(); }
    [[gnu::always_inline]] inline ~ConsumersSection() {
      const bool serves_somebody = queue_.consumers_.stock.head().passed() >= queue_.consumers_.wake_at;
      queue_.consumers_.lock.unlock();
      if (serves_somebody) [[unlikely]]
        queue_.lock_and_settle();
    }
    ConsumersSection(const ConsumersSection&) = delete;
    ConsumersSection& operator=(const ConsumersSection&) = delete;

   private:
    BlockingQueue& queue_;
  };

  void lock_and_settle() noexcept {
    Wakeups wakeups;
    const BothSides both(*this);
    settle(wakeups);
  }

  /// Takes one element if there is one and nobody to line up behind: what most dequeues come down to.
  bool take_now(std::optional<T>& element) {
    const ConsumersSection section(*this);
    if (consumers_.line_up || !consumers_.stock.ring_holds(1 + consumers_.reserve)) return false;
    detail::ElementSink<T> sink(element);
    take(1, sink);
    return true;
  }

  QueueStatus dequeue_into(std::optional<T>& element, const Wait& wait) {
    if (take_now(element)) [[likely]]
      return QueueStatus::ok;
    detail::ElementSink<T> sink(element);
    return consume(Demand{}, wait, sink);
  }

  template <class Sink>
  QueueStatus consume(const Demand& demand, const Wait& wait, Sink& sink) {
    const Attempt attempt = try_consume(demand, sink);
    if (attempt == Attempt::done) [[likely]]
      return QueueStatus::ok;
    return consume_slowly(attempt, demand, wait, sink);
  }

  template <class Sink>
  [[gnu::noinline]] QueueStatus consume_slowly(Attempt attempt, const Demand& demand, const Wait& wait, Sink& sink) {
    if (attempt == Attempt::not_now && !accumulates(demand)) {
      if (!wait.may_block()) return QueueStatus::empty;
      attempt = try_again(consumers_.patience, [&](Spell& spell) { return try_consume(demand, sink, &spell); });
    }
    if (attempt == Attempt::done) return QueueStatus::ok;
    std::exception_ptr cause;
    const QueueStatus status = consume_in_line(demand, wait, sink, cause);
    if (cause != nullptr) std::rethrow_exception(cause);
    return status;
  }

  /// Takes what is demanded if it is there and there is nobody to line up behind.
  template <class Sink>
  Attempt try_consume(const Demand& demand, Sink& sink, Spell* spell = nullptr) {
    const ConsumersSection section(*this);
    if (consumers_.line_up) return Attempt::line_up;
    if (!consumers_.stock.holds(detail::saturating_add(demand.least, consumers_.reserve))) {
      return consumers_.closed ? Attempt::line_up : Attempt::not_now;
    }
    if (spell != nullptr) spell->succeeded(may_gather(consumers_.stock.head(), demand.least, true));
    take(available_for(demand), sink);
    return Attempt::done;
  }

  /// How many elements to take, at least demand.least being there.
  [[nodiscard]] std::size_t available_for(const Demand& demand) noexcept {
    if (demand.least == demand.most) return demand.most;
    return consumers_.stock.count(detail::saturating_add(demand.most, consumers_.reserve)) - consumers_.reserve;
  }

  template <class Sink>
  QueueStatus consume_in_line(const Demand& demand, const Wait& wait, Sink& sink, std::exception_ptr& cause) {
    Waiter waiter(demand, next_need(demand), accumulates(demand));
    const typename Wait::Interruption interruption(wait, waiter.parker);
    Wakeups wakeups;
    BothSides both(*this);
    Stay stay(*this, consumers_.line, waiter, wakeups);
    while (true) {
      if (const auto status = consume_from_line(waiter, sink, cause)) return *status;
      if (const auto status = wait.given_up(QueueStatus::empty)) return *status;
      if (waiter.accumulates) gather(waiter);
      if (waiter.chosen) consumers_.line.overtaken(waiter);
      stay.park(wait, both);
    }
  }

  /// Takes what a waiter in the line demands, or finds that no more can come for it. None: it has to wait.
  template <class Sink>
  std::optional<QueueStatus> consume_from_line(const Waiter& waiter, Sink& sink, std::exception_ptr& cause) {
    const Demand& demand = waiter.demand;
    const bool ended = no_more_can_come();
    const std::size_t mine = share_of(waiter, ended);
    const std::size_t gathered = waiter.half_done ? consumers_.stock.aside() : 0;
    if (mine + gathered >= (ended ? demand.least_at_end : demand.least)) {
      consumers_.stock.put_back();
      take(detail::smaller(mine + gathered, demand.most), sink);
      return QueueStatus::ok;
    }
    if (!ended || (!waiter.half_done && consumers_.line.has_half_done())) return std::nullopt;
    cause = cause_;
    return QueueStatus::closed;
  }

  /// How many of the elements that are there this waiter may have.
  [[nodiscard]] std::size_t share_of(const Waiter& waiter, bool ended) const noexcept {
    const std::size_t there = available();
    const std::size_t claimed = ended ? consumers_.line.shared_out_before(waiter, there)  //
                                      : consumers_.line.claimed_before(waiter);
    return detail::saturating_subtract(there, claimed);
  }

  /// With how many more elements to wake a demand of which so many were gathered.
  [[nodiscard]] std::size_t next_need(const Demand& demand, std::size_t gathered = 0) const noexcept {
    return detail::smaller(demand.least - gathered, capacity_ - discipline_.min_after_dequeue());
  }

  /// Sets what there is aside for a waiter that takes its elements in several steps, when it is its turn.
  void gather(Waiter& waiter) {
    const std::size_t mine = share_of(waiter, false);
    if (mine < waiter.need || !consumers_.line.is_first(waiter)) return;
    consumers_.stock.set_aside(mine);
    consumers_.line.put_first(waiter);
    waiter.need = next_need(waiter.demand, consumers_.stock.aside());
  }

  /// Takes `count` elements that are there, in the discipline's order. If that throws, they are still there.
  template <class Sink>
  void take(std::size_t count, Sink& sink) {
    auto& stock = consumers_.stock;
    discipline_.arrange(stock, count);
    sink.prepare(count, [&stock](std::size_t i) -> const T& { return detail::unboxed(stock[i]); });
    if constexpr (std::is_nothrow_move_constructible_v<T>) {
      stock.remove(count, [&sink](Element& element) { sink.put(std::move(detail::unboxed(element))); });
    } else {
      try {
        for (std::size_t i = 0; i < count; ++i) sink.put(std::move_if_noexcept(detail::unboxed(stock[i])));
      } catch (...) {
        sink.undo();
        throw;
      }
      stock.remove(count, [](Element&) {});
    }
  }

  // ---- Both sides: everything below requires both locks ----

  [[nodiscard]] bool is_unbounded() const noexcept { return capacity_ == unbounded; }

  [[nodiscard]] std::size_t in_ring() const noexcept {
    return static_cast<std::size_t>(producers_.tail.passed() - consumers_.stock.head().passed());
  }
  [[nodiscard]] std::size_t stored() const noexcept { return consumers_.stock.returned() + in_ring(); }

  /// Less than the ring has while elements that were put back stand in front of it.
  [[nodiscard]] std::size_t room() const noexcept { return detail::saturating_subtract(ring_.capacity(), stored()); }

  /// What may be taken out: while the queue is open, the reserve has to stay.
  [[nodiscard]] std::size_t available() const noexcept {
    return detail::saturating_subtract(stored(), consumers_.reserve);
  }

  /// Closed, and every enqueue that was accepted has arrived.
  [[nodiscard]] bool no_more_can_come() const noexcept { return producers_.closed && producers_.line.empty(); }

  void close_now(bool cancel, std::exception_ptr cause) noexcept {
    Wakeups wakeups;
    const BothSides both(*this);
    producers_.closed = true;
    consumers_.closed = true;
    consumers_.reserve = 0;
    if (cause_ == nullptr) cause_ = std::move(cause);
    if (cancel) producers_.line.dismiss_all(wakeups);
    settle(wakeups);
  }

  /// Chooses everybody whose need is met now, and derives from the lines what the fast paths look at.
  void settle(Wakeups& wakeups) noexcept {
    const bool out_of_order = consumers_.stock.returned() > 0;
    consumers_.wake_at = producers_.line.choose_served(room(), 0, consumers_.stock.head().passed(), wakeups);
    producers_.line_up = producers_.line.turns() > 0 || out_of_order;
    producers_.wake_at = no_more_can_come() ? consumers_.line.choose_all(wakeups)
                                            : consumers_.line.choose_served(stored(), consumers_.reserve,
                                                                            producers_.tail.passed(), wakeups);
    consumers_.line_up = consumers_.line.turns() > 0 || out_of_order;
  }

  const std::size_t capacity_;
  [[no_unique_address]] Discipline discipline_;
  Ring ring_;
  std::exception_ptr cause_;  // guarded by both locks
  Patience batch_patience_;
  Producers producers_;
  Consumers consumers_;
};

template <class T, class Discipline, class Sync>
bool BlockingQueue<T, Discipline, Sync>::invariants_hold() const noexcept {
  const BothSides both(*this);
  if (in_ring() > ring_.capacity()) return false;
  for (std::size_t i = 0; i < ring_.capacity(); ++i) {
    if (ring_.is_full(consumers_.stock.head(), i) != (i < in_ring())) return false;
  }
  if (producers_.tail.passed() >= producers_.wake_at) return false;
  if (producers_.line.turns() > producers_.line.size()) return false;
  if (consumers_.line.turns() > consumers_.line.size()) return false;
  const bool out_of_order = consumers_.stock.returned() > 0;
  if (producers_.line_up != (producers_.line.turns() > 0 || out_of_order)) return false;
  if (consumers_.line_up != (consumers_.line.turns() > 0 || out_of_order)) return false;
  if (consumers_.stock.aside() > 0 && !consumers_.line.has_half_done()) return false;
  return producers_.closed == consumers_.closed;
}

}  // namespace forebay

#endif  // FOREBAY_BLOCKING_QUEUE_HPP
