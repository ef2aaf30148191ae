// SPDX-License-Identifier: MIT
//
// blocking_queue.hpp: BlockingQueue, the contract of every queue, written once. How it is kept: engine/engine.hpp.
//
// A bounded queue for any number of producers and consumers, which wait while it is full or empty. It can be closed:
// then nothing more goes in, what is stored still comes out, and everybody who waits for what cannot come is told. The
// order in which elements leave is a Discipline: FIFOQueue and RandomShuffleQueue are this class with theirs.
//
// Lifetime: neither copyable nor movable. It may be destroyed as soon as the last dequeue has returned, even if the
// enqueue that supplied it has not quite; destroying it while a thread waits in it breaks the contract (asserted).
//
// A queue that nobody closes keeps its consumers waiting for ever, without a hint: it cannot know which threads might
// still enqueue. So the thread that enqueues last closes the queue. Of several QueueRunners that feed one queue, the
// last one to finish does. In a program that hangs, a debugger shows the threads in dequeue(), and their number in
// waiting_consumers(). Where the queue is destroyed before its threads are joined, a debug build stops there with a
// message; where they are joined before, give the queue to a Coordinator (attach), and join it with a grace period,
// which ends with their names.
//
// Thread safety: every member function may be called from any thread at any time, the destructor excepted.

#ifndef FOREBAY_BLOCKING_QUEUE_HPP
#define FOREBAY_BLOCKING_QUEUE_HPP

#include <cstddef>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "forebay/base/conversion.hpp"
#include "forebay/base/element_ranges.hpp"
#include "forebay/base/open_hold.hpp"
#include "forebay/count.hpp"
#include "forebay/engine/demand.hpp"
#include "forebay/engine/elements_read.hpp"
#include "forebay/engine/engine.hpp"
#include "forebay/engine/transfer.hpp"
#include "forebay/queue/inside.hpp"
#include "forebay/queue/queue_ranges.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/statistics.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI {

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
///  - No lock is held for more than 1,024 moves. A larger batch moves in steps. It keeps its turn meanwhile, so that no
///    element of another thread comes in between: a call on the same side that does not wait returns full or empty.
///  - enqueue and dequeue allocate nothing while the queue is bounded, except for what T's own constructors do. (Where
///    the order moves elements about, one whose move may throw is kept behind a pointer, and costs an allocation.) An
///    unbounded queue allocates a block of some 32 kB now and then, before it puts an element in: if that fails,
///    enqueue throws std::bad_alloc, and nothing has changed. Growing moves no element. Memory: see Unbounded.
template <class T, class Discipline, class Sync = StdSync>
class BlockingQueue {
  static_assert(std::is_object_v<T> && !std::is_array_v<T>,
                "forebay: a queue holds objects: of a reference, a pointer or std::reference_wrapper; of an array, "
                "std::array");
  static_assert(!std::is_const_v<T> && !std::is_volatile_v<T>,
                "forebay: elements are moved into a queue and out of it, so they cannot be const or volatile");

 public:
  using value_type = T;
  using Wait = BasicWait<Sync>;
  /// What dequeue_many returns: std::vector<T>, unless the discipline knows better.
  using Batch = typename Discipline::template Batch<T>;

  BlockingQueue(const BlockingQueue&) = delete;  // forebay: a queue stays where it is; keep it in a std::list or deque
  BlockingQueue& operator=(const BlockingQueue&) = delete;

  /// Destroys what is stored. Requires that nobody waits in the queue.
  ~BlockingQueue() = default;

  // ---- Enqueue ----

  /// Puts `element` in.
  ///
  /// Blocks while the queue is full, until there is room, the queue is closed with cancel, or `wait` ends. Returns ok;
  /// closed if the queue was closed before the call began to wait; full, timed_out or stopped as `wait` says. If it is
  /// not ok, or throws, `element` is untouched (as far as T's own constructor leaves it so). Throws what T's
  /// constructor throws. (TensorFlow: QueueBase.enqueue; it throws Cancelled where this returns closed.)
  QueueStatus enqueue(T&& element, const Wait& wait = Wait::forever) {
    return engine_.enqueue(std::true_type(), element, wait);
  }
  /// The copy is made first, before any lock is taken.
  QueueStatus enqueue(const T& element, const Wait& wait = Wait::forever) requires std::is_copy_constructible_v<T> {
    if constexpr (!detail::copies_like_a_move<T>) {
      return enqueue(T(element), wait);
    } else {
      return engine_.enqueue(std::false_type(), element, wait);
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
    return engine_.enqueue_many(std::forward<Range>(range), wait);
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
    return Dequeued<T>([&](std::optional<T>& element) { return engine_.dequeue_into(element, wait); });
  }

  /// Takes exactly `count` elements out.
  ///
  /// Blocks until there are so many; `count` may exceed the capacity. When there are fewer and no more can come, the
  /// status is closed and they stay, for other calls to take. 0 elements are there at once. (TensorFlow:
  /// QueueBase.dequeue_many.)
  Dequeued<Batch> dequeue_many(Count count, const Wait& wait = Wait::forever) {
    return engine_.dequeue_batch(detail::Demand::exactly(count.at_least(0, "dequeue_many: count")), wait);
  }

  /// The same, into storage that is used again: replaces the content of `batch` (a std::vector<T>, or any other kind
  /// of batch of T), which is empty when the status is not ok. Does not allocate when the capacity of `batch` suffices
  /// and `count` does not exceed the queue's.
  template <detail::BatchOf<T> Into>
  QueueStatus dequeue_many(Count count, Into& batch, const Wait& wait = Wait::forever) {
    return engine_.dequeue_batch_into(batch, detail::Demand::exactly(count.at_least(0, "dequeue_many: count")), wait);
  }

  /// Like dequeue_many, but when no more can come takes what is left, at most `count`; closed if nothing is. While the
  /// queue is open it waits for all of them. (TensorFlow: QueueBase.dequeue_up_to.)
  Dequeued<Batch> dequeue_up_to(Count count, const Wait& wait = Wait::forever) {
    return engine_.dequeue_batch(detail::Demand::up_to(count.at_least(0, "dequeue_up_to: count")), wait);
  }
  template <detail::BatchOf<T> Into>
  QueueStatus dequeue_up_to(Count count, Into& batch, const Wait& wait = Wait::forever) {
    return engine_.dequeue_batch_into(batch, detail::Demand::up_to(count.at_least(0, "dequeue_up_to: count")), wait);
  }

  /// Takes what is there now, at least one element and at most `count`; blocks only while there is none.
  Dequeued<Batch> dequeue_available(Count count, const Wait& wait = Wait::forever) {
    return engine_.dequeue_batch(detail::Demand::available(count.at_least(0, "dequeue_available: count")), wait);
  }
  template <detail::BatchOf<T> Into>
  QueueStatus dequeue_available(Count count, Into& batch, const Wait& wait = Wait::forever) {
    return engine_.dequeue_batch_into(batch, detail::Demand::available(count.at_least(0, "dequeue_available: count")),
                                      wait);
  }

  // ---- Close ----

  /// Closes the queue for ever: enqueues that come later return closed, those that wait complete when room appears,
  /// what is stored can be taken out. Never blocks; may be called again. (TensorFlow: QueueBase.close, which blocks
  /// behind waiting enqueues.) Not for signal handlers, as it takes locks: see examples/11_interrupt.cpp.
  void close() noexcept { engine_.close(false, nullptr); }

  /// The same, and the enqueues that wait return closed. (TensorFlow: close(cancel_pending_enqueues=True).)
  void close(CancelPendingEnqueues) noexcept { engine_.close(true, nullptr); }

  /// The same, because something failed: dequeues throw `cause` where they would return closed. The first cause stays.
  void close(std::exception_ptr cause) noexcept { engine_.close(true, std::move(cause)); }

  // ---- Snapshots: true when they were taken, perhaps not any more ----

  [[nodiscard]] bool is_closed() const noexcept { return engine_.is_closed(); }

  /// How many elements are stored. Those that a waiting dequeue_many has gathered count until it has all.
  [[nodiscard]] std::size_t size() const noexcept { return engine_.size(); }

  /// How many elements may be stored; the largest std::size_t if unbounded.
  [[nodiscard]] std::size_t capacity() const noexcept { return engine_.capacity(); }

  /// How many threads wait for room, or for elements: parked, or about to be.
  [[nodiscard]] std::size_t waiting_producers() const noexcept { return engine_.waiting_producers(); }
  [[nodiscard]] std::size_t waiting_consumers() const noexcept { return engine_.waiting_consumers(); }

  /// How much went through it so far, who waited and how long. Costs who does not wait nothing.
  [[nodiscard]] QueueStatistics statistics() const noexcept { return engine_.statistics(); }

  /// The name that was set; or the kind: "FIFOQueue".
  [[nodiscard]] std::string name() const { return engine_.label().shown(); }

  /// Calls it `name` where a list of threads tells who waits in it (Coordinator::threads). A wait in it is told as one
  /// for `awaited`, if that is given, in place of the function that waits. Before other threads use the queue.
  /// (TensorFlow: the queues' argument name.)
  void set_name(std::string_view name, std::string_view awaited = {}) {
    engine_.label().name = name;
    engine_.label().awaited = awaited;
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

  // ---- For forebay's own QueueRunner ----

  /// Holds the queue open. It closes when all holds have been released and at least one of them has finished.
  [[nodiscard]] detail::OpenHold hold_open() noexcept { return engine_.hold_open(); }

  // ---- For tests ----

  /// Whether the invariants of both sides hold.
  [[nodiscard]] bool invariants_hold() const noexcept { return engine_.invariants_hold(); }

 protected:
  /// Throws std::invalid_argument if the capacity is too large for the address space, std::bad_alloc if the cells
  /// cannot be had.
  explicit BlockingQueue(Capacity capacity, Discipline discipline = {}) : engine_(capacity, std::move(discipline)) {
    static_assert(std::is_move_constructible_v<T>,
                  "forebay: elements are moved into a queue and out of it; what cannot be moved is put in as a "
                  "std::unique_ptr");
  }

  /// Puts in what `make()` returns, which is called when there is room, and takes nothing longer than moves.
  template <class Make>
  QueueStatus enqueue_made(const Make& make, const Wait& wait) {
    return engine_.enqueue_made(make, wait);
  }

 private:
  friend detail::Inside;

  detail::Engine<T, Discipline, Sync> engine_;
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
