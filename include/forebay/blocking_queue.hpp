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
// A queue that nobody closes keeps its consumers waiting for ever, without a hint: it cannot know who might still
// enqueue. So who enqueues last closes; a QueueRunner does. In a program that hangs, a debugger shows the threads in
// dequeue(), and their number in waiting_consumers(). Where the queue is destroyed before its threads are joined, a
// debug build stops there with a message; where they are joined before, give the queue to a Coordinator (attach), and
// join it with a grace period, which ends with their names.
//
// Thread safety: every member function may be called from any thread at any time, the destructor excepted.

#ifndef FOREBAY_BLOCKING_QUEUE_HPP
#define FOREBAY_BLOCKING_QUEUE_HPP

#include <cassert>
#include <concepts>
#include <cstddef>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/capacity.hpp"
#include "forebay/count.hpp"
#include "forebay/base/arithmetic.hpp"
#include "forebay/engine/boxed.hpp"
#include "forebay/base/conversion.hpp"
#include "forebay/base/element_ranges.hpp"
#include "forebay/engine/elements_read.hpp"
#include "forebay/engine/made_element.hpp"
#include "forebay/waiting/adaptive_spin.hpp"
#include "forebay/queue/queue_ranges.hpp"
#include "forebay/waiting/spin_lock.hpp"
#include "forebay/engine/sides.hpp"
#include "forebay/engine/transfer.hpp"
#include "forebay/engine/wait_queue.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI {

namespace detail {
template <class Queue>
class QueueAccess;  // handle/queue_access.hpp
}

/// Asks close() to turn away the enqueues that wait, too.
struct CancelPendingEnqueues {
  explicit constexpr CancelPendingEnqueues() = default;
};
inline constexpr CancelPendingEnqueues cancel_pending_enqueues{};

/// Requires of T: an object that can be moved. It need not be copyable or default-constructible. What runs under one
/// of the queue's locks, and must not call the same queue: T's move, and the destructor of what was moved from; its
/// copy, if T has no move, or one that may throw; T's constructor from what is taken out of a container of another
/// type that is given away; a discipline's look at elements (a PriorityQueue's comparison, the shapes of what is
/// padded).
///
/// Requires of Discipline: see queue/discipline.hpp, the simplest one.
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
  static_assert(std::is_object_v<T> && !std::is_array_v<T>,
                "forebay: a queue holds objects: of a reference, a pointer or std::reference_wrapper; of an array, "
                "std::array");
  static_assert(!std::is_const_v<T> && !std::is_volatile_v<T>,
                "forebay: elements are moved into a queue and out of it, so they cannot be const or volatile");

  // Invariants: those of Sides.
  using Element = detail::Stored<T, Discipline::reorders>;
  using Sides = detail::Sides<Element, Sync>;
  using BothSides = typename Sides::Both;
  using ProducersSection = typename Sides::ProducersSection;
  using ConsumersSection = typename Sides::ConsumersSection;
  using Stay = typename Sides::Stay;
  using Progress = detail::Progress;
  using AdaptiveSpin = detail::AdaptiveSpin<Sync>;
  using Spin = typename AdaptiveSpin::Spin;
  using Waiter = detail::Waiter<Sync>;
  using WakeList = detail::WakeList<Sync>;
  using Demand = detail::Demand;

 public:
  using value_type = T;
  using Wait = BasicWait<Sync>;
  /// What dequeue_many returns: std::vector<T>, unless the discipline knows better.
  using Batch = typename Discipline::template Batch<T>;

  BlockingQueue(const BlockingQueue&) = delete;  // forebay: a queue stays where it is; keep it in a std::list or deque
  BlockingQueue& operator=(const BlockingQueue&) = delete;

  /// Destroys what is stored. Requires that nobody waits in the queue.
  ~BlockingQueue() {
    { const BothSides both(sides_); }  // lets a thread in the last instructions of its call leave
    assert(sides_.producers.line.empty() && sides_.consumers.line.empty() &&
           "forebay: a queue is destroyed while threads wait in it");
    sides_.ring.clear(sides_.consumers.store.head(), sides_.producers.tail);
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
    detail::Supply supply(std::true_type(), std::addressof(element), std::addressof(element) + 1);
    return produce(supply, 1, wait);
  }
  /// The copy is made first, before any lock is taken.
  QueueStatus enqueue(const T& element, const Wait& wait = Wait::forever) requires std::is_copy_constructible_v<T> {
    if constexpr (!detail::copies_like_a_move<T>) {
      return enqueue(T(element), wait);
    } else {
      if (put_now(element)) [[likely]]
        return QueueStatus::ok;
      detail::Supply supply(std::false_type(), std::addressof(element), std::addressof(element) + 1);
      return produce(supply, 1, wait);
    }
  }

  /// What else converts to T converts at the call, where the compiler sees constants and warns as it was told to. Two
  /// conversions are refused: a fraction would be cut off to become an integer, a pointer would become true.
  template <detail::Mutilates<T> Argument>
  QueueStatus enqueue(Argument, const Wait& = Wait::forever) = delete;  // forebay: convert it to value_type

  /// Puts the elements of `range` in, in their order and with no other enqueue's in between.
  ///
  /// Moves from a container given as an rvalue, copies from everything else. Puts in what fits and waits for the rest
  /// like enqueue. Returns how many went in; those that did not are untouched. An empty range is ok, even when the
  /// queue is closed. If a constructor throws, the elements before that one are in the queue. (TensorFlow:
  /// QueueBase.enqueue_many.)
  ///
  /// A container that is given away is read in place, under the producers' lock; so is one whose elements are copied
  /// as simply as they are moved. Everything else is read to its end before any lock is taken: copies that may be slow
  /// or fail, a view that computes, an input stream, another queue (until that is closed and drained). What such a
  /// range gave only once and the queue did not take is gone: to hand on one by one, run `[&] { return in.dequeue();
  /// }`.
  template <detail::RangeOfElementsFor<T> Range>
  EnqueueManyResult enqueue_many(Range&& range, const Wait& wait = Wait::forever) {
    if constexpr (detail::read_in_place<Range, T>) {
      constexpr std::bool_constant<detail::gives_its_elements<Range>> moves;
      const auto count = static_cast<std::size_t>(std::ranges::distance(range));
      return produce_many(detail::Supply(moves, std::ranges::begin(range), std::ranges::end(range)), count, wait);
    } else {
      detail::ElementsRead<T> elements(std::forward<Range>(range));
      const EnqueueManyResult result =
          produce_many(detail::Supply(std::true_type(), elements.begin(), elements.end()), elements.size(), wait);
      elements.rethrow_failure();
      return result;
    }
  }
  EnqueueManyResult enqueue_many(std::initializer_list<T> elements,
                                 const Wait& wait = Wait::forever) requires std::is_copy_constructible_v<T> {
    return enqueue_many(std::span<const T>(elements.begin(), elements.size()), wait);
  }

  /// A range whose elements would become something else on the way is refused: those that enqueue refuses; those that
  /// T can be made from only explicitly; and numbers of a type with values that T does not have, as nobody looks at
  /// each of them (double into float, int into std::size_t). Convert them: `range | std::views::transform(...)`.
  template <detail::RangeOfNoElementsFor<T> Range>
  EnqueueManyResult enqueue_many(Range&&, const Wait& = Wait::forever) = delete;  // forebay: convert its elements

  // ---- Dequeue ----
  //
  // All of them: an element that is there wins over a time that has passed and a stop that was requested. If the
  // queue was closed with a cause, the cause is thrown where `closed` would be returned. If a copy, a move or an
  // allocation throws, the elements are still in the queue. A negative count is a std::invalid_argument that names it.

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
  Dequeued<Batch> dequeue_many(Count count, const Wait& wait = Wait::forever) {
    return dequeue_batch(Demand{count, count, count}, wait);
  }

  /// The same, into storage that is used again: replaces the content of `batch` (a std::vector<T>, or any other kind
  /// of batch of T), which is empty when the status is not ok. Does not allocate when the capacity of `batch` suffices
  /// and `count` does not exceed the queue's.
  template <detail::BatchOf<T> Into>
  QueueStatus dequeue_many(Count count, Into& batch, const Wait& wait = Wait::forever) {
    return dequeue_batch_into(batch, Demand{count, count, count}, wait);
  }

  /// Like dequeue_many, but when no more can come takes what is left, at most `count`; closed if nothing is. While the
  /// queue is open it waits for all of them. (TensorFlow: QueueBase.dequeue_up_to.)
  Dequeued<Batch> dequeue_up_to(Count count, const Wait& wait = Wait::forever) {
    return dequeue_batch(Demand{count, count, 1}, wait);
  }
  template <detail::BatchOf<T> Into>
  QueueStatus dequeue_up_to(Count count, Into& batch, const Wait& wait = Wait::forever) {
    return dequeue_batch_into(batch, Demand{count, count, 1}, wait);
  }

  /// Takes what is there now, at least one element and at most `count`; blocks only while there is none.
  Dequeued<Batch> dequeue_available(Count count, const Wait& wait = Wait::forever) {
    return dequeue_batch(Demand{detail::smaller<std::size_t>(count, 1), count, 1}, wait);
  }
  template <detail::BatchOf<T> Into>
  QueueStatus dequeue_available(Count count, Into& batch, const Wait& wait = Wait::forever) {
    return dequeue_batch_into(batch, Demand{detail::smaller<std::size_t>(count, 1), count, 1}, wait);
  }

  // ---- Close ----

  /// Closes the queue for ever: enqueues that come later return closed, those that wait complete when room appears,
  /// what is stored can be taken out. Never blocks; may be called again. (TensorFlow: QueueBase.close, which blocks
  /// behind waiting enqueues.) Not for signal handlers, as it takes locks: see examples/11_interrupt.cpp.
  void close() noexcept { close_now(false, nullptr); }

  /// The same, and the enqueues that wait return closed. (TensorFlow: close(cancel_pending_enqueues=True).)
  void close(CancelPendingEnqueues) noexcept { close_now(true, nullptr); }

  /// The same, because something failed: dequeues throw `cause` where they would return closed. The first cause stays.
  void close(std::exception_ptr cause) noexcept { close_now(true, std::move(cause)); }

  // ---- Snapshots: true when they were taken, perhaps not any more ----

  [[nodiscard]] bool is_closed() const noexcept {
    const detail::Guard guard(sides_.consumers.lock);
    return sides_.consumers.closed;
  }

  /// How many elements are stored. Those that a waiting dequeue_many has gathered count until it has all.
  [[nodiscard]] std::size_t size() const noexcept {
    const BothSides both(sides_);
    return sides_.stored() + sides_.consumers.store.aside();
  }

  /// How many elements may be stored; the largest std::size_t if unbounded.
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  /// How many threads wait for room, or for elements: parked, or about to be.
  [[nodiscard]] std::size_t waiting_producers() const noexcept {
    const BothSides both(sides_);
    return sides_.producers.line.size();
  }
  [[nodiscard]] std::size_t waiting_consumers() const noexcept {
    const BothSides both(sides_);
    return sides_.consumers.line.size();
  }

  // ---- Iteration ----

  using Batches = detail::Batches<BlockingQueue>;

  /// `for (auto&& element : queue)`: dequeues until the queue is closed and drained, then ends, or throws the cause.
  /// `element` is the loop's own: it may be moved from.
  ///
  /// As a range: an input range without a size, of which a std::views::take(3) takes three elements. (One behind a
  /// std::views::filter takes more: the filter looks for a fourth, as it does in every range.)
  [[nodiscard]] auto begin() { return detail::ElementIterator<BlockingQueue>(*this); }
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

  /// `for (auto&& batch : queue.batches(32))`: a std::vector<T>& of `count` elements each time, its storage used
  /// again. Ends when the queue is closed and drained, or `wait` ends. Throws std::invalid_argument if count < 1.
  [[nodiscard]] Batches batches(Count count, Wait wait = Wait::forever) {
    return Batches(*this, count, Remainder::deliver, std::move(wait));
  }
  [[nodiscard]] Batches batches(Count count, Remainder remainder, Wait wait = Wait::forever) {
    return Batches(*this, count, remainder, std::move(wait));
  }

  // ---- For tests ----

  /// Whether the invariants of both sides hold.
  [[nodiscard]] bool invariants_hold() const noexcept {
    const BothSides both(sides_);
    return sides_.invariants_hold();
  }

 protected:
  /// Throws std::invalid_argument if the capacity is too large for the address space, std::bad_alloc if the cells
  /// cannot be had.
  explicit BlockingQueue(Capacity capacity, Discipline discipline = {})
      : capacity_(capacity.elements()),
        discipline_(std::move(discipline)),
        sides_(capacity.is_unbounded() ? first_capacity_of_unbounded : capacity.elements(),
               discipline_.min_after_dequeue()) {
    static_assert(std::is_move_constructible_v<T>,
                  "forebay: elements are moved into a queue and out of it; what cannot be moved is put in as a "
                  "std::unique_ptr");
  }

  /// Puts in what `make()` returns, which is called when there is room, and takes nothing longer than moves.
  template <class Make>
  QueueStatus enqueue_made(const Make& make, const Wait& wait) {
    const detail::MadeElement<T, Make> element(make);
    detail::Supply supply(std::false_type(), element.begin(), element.end());
    return produce(supply, 1, wait);
  }

 private:
  friend detail::ElementIterator<BlockingQueue>;
  friend Batches;
  friend detail::QueueAccess<BlockingQueue>;

  static constexpr std::size_t first_capacity_of_unbounded = 64;
  /// How many elements of a batch that is half done are moved before others get the lock, and time is looked at.
  static constexpr std::size_t most_at_once = 1024;
  /// What became of an attempt to do without waiting.
  enum class Attempt { done, not_now, line_up, closed };

  /// Tries again for a short while.
  template <class Try>
  static Attempt try_again(AdaptiveSpin& adaptive, Try try_it) {
    Spin spin(adaptive);
    Attempt attempt = Attempt::not_now;
    while (attempt == Attempt::not_now && spin.lasts()) attempt = try_it(spin);
    return attempt;
  }

  // ---- Producers' side ----

  /// Puts one element in if there is room and nobody to line up behind: what most enqueues come down to, in as few
  /// steps as possible.
  template <class Argument>
  bool put_now(Argument&& element) {
    const ProducersSection section(sides_);
    if (sides_.producers.closed || sides_.producers.line_up || sides_.ring.is_full(sides_.producers.tail, 0))
      return false;
    put_one(std::forward<Argument>(element));
    return true;
  }

  template <class Argument>
  void put_one(Argument&& argument) {
    if constexpr (std::is_scalar_v<T> && !std::same_as<std::remove_cvref_t<Argument>, T>) {
      put_one(static_cast<T>(argument));  // which keeps its value: no warning is due
    } else if constexpr (!Discipline::examines) {
      sides_.ring.put(sides_.producers.tail, std::forward<Argument>(argument));
    } else if constexpr (std::same_as<std::remove_cvref_t<Argument>, T>) {
      discipline_.examine(std::as_const(argument));
      sides_.ring.put(sides_.producers.tail, std::forward<Argument>(argument));
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
    if (attempt == Attempt::not_now) {
      const auto status = wait.given_up(QueueStatus::full);
      if (status && count == 1) return *status;
      if (!status) {
        attempt = try_again(sides_.producers.spin, [&](Spin& spin) {
          return count <= capacity_ ? try_produce(supply, count, &spin) : try_to_begin_batch(spin);
        });
      }
    }
    if (attempt == Attempt::done) return QueueStatus::ok;
    if (attempt == Attempt::closed) return QueueStatus::closed;
    return produce_in_line(supply, count, wait);
  }

  /// Puts `count` elements in if there is room for all of them and nobody to line up behind.
  template <class Supply>
  Attempt try_produce(Supply& supply, std::size_t count, Spin* spin = nullptr) {
    const ProducersSection section(sides_);
    if (sides_.producers.closed) return Attempt::closed;
    if (sides_.producers.line_up) return Attempt::line_up;
    if (!make_room(count)) return Attempt::not_now;
    if (spin != nullptr) spin->succeeded(sides_.may_gather(sides_.producers.tail, count, false));
    put(supply, count);
    return Attempt::done;
  }

  /// Waits for room for the first element of a batch for which there is never room at once. It needs the line.
  Attempt try_to_begin_batch(Spin& spin) {
    const ProducersSection section(sides_);
    if (!sides_.producers.line_up && sides_.ring.is_full(sides_.producers.tail, 0)) return Attempt::not_now;
    spin.succeeded(false);
    return Attempt::line_up;
  }

  /// Whether there is room for `count` more elements; an unbounded queue sees to it.
  bool make_room(std::size_t count) {
    if ((count == 1 || count <= sides_.ring.capacity()) && !sides_.ring.is_full(sides_.producers.tail, count - 1))
        [[likely]]
      return true;
    if (!is_unbounded()) return false;
    const detail::Guard guard(sides_.consumers.lock);
    while (sides_.room() < count) sides_.ring.grow(sides_.consumers.store.head(), sides_.producers.tail);
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
  QueueStatus produce_in_line(Supply& supply, std::size_t count, const Wait& wait) {
    Waiter waiter;
    const typename Wait::Interruption interruption(wait, waiter.parker);
    WakeList wake_list;
    BothSides both(sides_);
    if (sides_.producers.closed) return QueueStatus::closed;
    Stay stay(sides_, sides_.producers.line, waiter, wake_list);
    while (waiter.in_line) {
      const std::size_t claimed = sides_.producers.line.claimed_before(waiter);
      put(supply, detail::saturating_subtract(sides_.room(), claimed));
      if (supply.exhausted()) return QueueStatus::ok;
      if (is_unbounded()) {
        sides_.ring.grow(sides_.consumers.store.head(), sides_.producers.tail);
        continue;
      }
      if (const auto status = wait.given_up(QueueStatus::full)) return *status;
      if (supply.given() > 0) sides_.producers.line.put_first(waiter);
      if (waiter.chosen) sides_.producers.line.overtaken(waiter);
      stay.park(wait, both, sides_.producers.batch_spin, [&] { return put_alone(waiter, supply, count); });
    }
    return QueueStatus::closed;
  }

  /// Goes on with a batch that is half in, but for its last element: when that is out, the queue may be destroyed.
  template <class Supply>
  Progress put_alone(const Waiter& waiter, Supply& supply, std::size_t count) {
    auto& producers = sides_.producers;
    const ProducersSection section(sides_);
    if (!waiter.in_line || !producers.ring_is_all || sides_.ring.is_full(producers.tail, 0)) return Progress::none;
    for (std::size_t left = most_at_once; supply.given() + 1 < count; --left) {
      if (left == 0 || sides_.ring.is_full(producers.tail, 0)) return Progress::some;
      put(supply, 1);
    }
    return Progress::all;
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
    // Outside of the lock, where it is known what is needed; and no more than can come.
    if (demand.least == demand.most && (demand.most <= most_at_once || demand.most <= size()))
      sink.reserve(demand.most);
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

  /// Takes one element if there is one and nobody to line up behind: what most dequeues come down to.
  bool take_now(std::optional<T>& element) {
    const ConsumersSection section(sides_);
    if (sides_.consumers.line_up || !sides_.consumers.store.ring_holds(1 + sides_.consumers.min_after_dequeue))
      return false;
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
    if (attempt == Attempt::not_now) {
      if (const auto status = wait.given_up(QueueStatus::empty)) return *status;
      attempt = try_again(sides_.consumers.spin, [&](Spin& spin) {
        return accumulates(demand) ? try_to_begin_gathering(demand, spin) : try_consume(demand, sink, &spin);
      });
    }
    if (attempt == Attempt::done) return QueueStatus::ok;
    std::exception_ptr cause;
    const QueueStatus status = consume_in_line(demand, wait, sink, cause);
    if (cause != nullptr) std::rethrow_exception(cause);
    return status;
  }

  /// Takes what is demanded if it is there and there is nobody to line up behind.
  template <class Sink>
  Attempt try_consume(const Demand& demand, Sink& sink, Spin* spin = nullptr) {
    const ConsumersSection section(sides_);
    if (sides_.consumers.line_up) return Attempt::line_up;
    if (!sides_.consumers.store.holds(detail::saturating_add(demand.least, sides_.consumers.min_after_dequeue))) {
      return sides_.consumers.closed ? Attempt::line_up : Attempt::not_now;
    }
    if (spin != nullptr) spin->succeeded(sides_.may_gather(sides_.consumers.store.head(), demand.least, true));
    take(available_for(demand), sink);
    return Attempt::done;
  }

  /// Waits for the first elements of a batch that can never be there at once. It needs the line.
  Attempt try_to_begin_gathering(const Demand& demand, Spin& spin) {
    const ConsumersSection section(sides_);
    const auto& consumers = sides_.consumers;
    const bool may_begin = consumers.store.holds(next_need(demand) + consumers.min_after_dequeue);
    if (!may_begin && !consumers.line_up && !consumers.closed) return Attempt::not_now;
    spin.succeeded(false);
    return Attempt::line_up;
  }

  /// How many elements to take, at least demand.least being there.
  [[nodiscard]] std::size_t available_for(const Demand& demand) noexcept {
    if (demand.least == demand.most) return demand.most;
    return sides_.consumers.store.count(detail::saturating_add(demand.most, sides_.consumers.min_after_dequeue)) -
           sides_.consumers.min_after_dequeue;
  }

  template <class Sink>
  QueueStatus consume_in_line(const Demand& demand, const Wait& wait, Sink& sink, std::exception_ptr& cause) {
    Waiter waiter(demand, next_need(demand), accumulates(demand));
    const typename Wait::Interruption interruption(wait, waiter.parker);
    WakeList wake_list;
    BothSides both(sides_);
    Stay stay(sides_, sides_.consumers.line, waiter, wake_list);
    while (true) {
      if (const auto status = consume_from_line(waiter, sink, cause)) return *status;
      if (const auto status = wait.given_up(QueueStatus::empty)) return *status;
      if (waiter.accumulates) gather(waiter);
      if (waiter.chosen) sides_.consumers.line.overtaken(waiter);
      stay.park(wait, both, sides_.consumers.batch_spin, [&] { return gather_alone(waiter); });
    }
  }

  /// Takes what a waiter in the line demands, or finds that no more can come for it. None: it has to wait.
  template <class Sink>
  std::optional<QueueStatus> consume_from_line(const Waiter& waiter, Sink& sink, std::exception_ptr& cause) {
    const Demand& demand = waiter.demand;
    const bool ended = sides_.no_more_can_come();
    const std::size_t mine = share_of(waiter, ended);
    const std::size_t gathered = waiter.half_done ? sides_.consumers.store.aside() : 0;
    if (mine + gathered >= (ended ? demand.least_at_end : demand.least)) {
      sides_.consumers.store.put_back();
      take(detail::smaller(mine + gathered, demand.most), sink);
      return QueueStatus::ok;
    }
    if (!ended || (!waiter.half_done && sides_.consumers.line.has_half_done())) return std::nullopt;
    cause = cause_;
    return QueueStatus::closed;
  }

  /// How many of the elements that are there this waiter may have.
  [[nodiscard]] std::size_t share_of(const Waiter& waiter, bool ended) const noexcept {
    const std::size_t there = sides_.available();
    const std::size_t claimed = ended ? sides_.consumers.line.shared_out_before(waiter, there)  //
                                      : sides_.consumers.line.claimed_before(waiter);
    return detail::saturating_subtract(there, claimed);
  }

  /// With how many more elements to wake a demand of which so many were gathered.
  [[nodiscard]] std::size_t next_need(const Demand& demand, std::size_t gathered = 0) const noexcept {
    const std::size_t most = detail::smaller(capacity_ - discipline_.min_after_dequeue(), most_at_once);
    return detail::smaller(demand.least - gathered, accumulates(demand) ? most : demand.least);
  }

  /// Sets what there is aside for a waiter that takes its elements in several steps, when it is its turn.
  void gather(Waiter& waiter) {
    const std::size_t mine = share_of(waiter, false);
    if (mine < waiter.need || !sides_.consumers.line.is_first(waiter)) return;
    sides_.consumers.store.set_aside(detail::smaller(mine, most_at_once));
    sides_.consumers.line.put_first(waiter);
    waiter.need = next_need(waiter.demand, sides_.consumers.store.aside());
  }

  /// Goes on with a batch that is half gathered.
  Progress gather_alone(Waiter& waiter) {
    auto& store = sides_.consumers.store;
    const ConsumersSection section(sides_);
    if (!store.holds(waiter.need + sides_.consumers.min_after_dequeue)) return Progress::none;
    store.set_aside(waiter.need);
    waiter.need = next_need(waiter.demand, store.aside());
    return waiter.need > 0 ? Progress::some : Progress::all;
  }

  /// Takes `count` elements that are there, in the discipline's order. If that throws, they are still there.
  template <class Sink>
  void take(std::size_t count, Sink& sink) {
    auto& store = sides_.consumers.store;
    discipline_.arrange(store, count);
    sink.prepare(count, [&store](std::size_t i) -> const T& { return detail::unboxed(store[i]); });
    if constexpr (std::is_nothrow_move_constructible_v<T>) {
      store.remove(count, [&sink](Element& element) { sink.put(std::move(detail::unboxed(element))); });
    } else {
      try {
        for (std::size_t i = 0; i < count; ++i) sink.put(std::move_if_noexcept(detail::unboxed(store[i])));
      } catch (...) {
        sink.undo();
        throw;
      }
      store.remove(count, [](Element&) {});
    }
  }

  // ---- Both sides ----

  [[nodiscard]] bool is_unbounded() const noexcept { return capacity_ == unbounded; }

  void close_now(bool cancel, std::exception_ptr cause) noexcept {
    WakeList wake_list;
    const BothSides both(sides_);
    if (cause_ == nullptr) cause_ = std::move(cause);
    sides_.close(cancel, wake_list);
  }

  const std::size_t capacity_;
  [[no_unique_address]] Discipline discipline_;
  std::exception_ptr cause_;  // guarded by both locks
  Sides sides_;
};

namespace detail {

template <class T, class Discipline, class Sync>
void accept_queue(const BlockingQueue<T, Discipline, Sync>&);

/// A BlockingQueue, or a class derived from one.
template <class Queue>
concept KindOfQueue = requires(const Queue& queue) {
  detail::accept_queue(queue);
};

}  // namespace detail
}  // namespace forebay::FOREBAY_ABI

/// @cond
// size() of a queue is not how many elements an iteration delivers.
template <forebay::detail::KindOfQueue Queue>
inline constexpr bool std::ranges::disable_sized_range<Queue> = true;
/// @endcond

#endif  // FOREBAY_BLOCKING_QUEUE_HPP
