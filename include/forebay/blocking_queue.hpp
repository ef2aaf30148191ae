// SPDX-License-Identifier: MIT

/// @file
/// Defines BlockingQueue, the base class of all queues.
///
/// A bounded queue for any number of producers and consumers. Producers wait while it is full, consumers while it is
/// empty. A closed queue accepts no more elements, still delivers the stored ones, and ends every wait that can no
/// longer succeed. The discipline decides in which order elements leave. Each derived class has its own: FIFOQueue,
/// RandomShuffleQueue, PaddingFIFOQueue and PriorityQueue. The implementation is in engine/engine.hpp.
///
/// @code
/// forebay::FIFOQueue<int> queue(10);
/// std::thread producer([&] {
///   for (int i = 0; i < 100; ++i) queue.enqueue(i);  // waits while 10 elements are stored
///   queue.close();
/// });
/// int sum = 0;
/// for (int i : queue) sum += i;  // ends when the queue is closed and drained
/// producer.join();
/// @endcode
///
/// Lifetime: a queue can be neither copied nor moved. It may be destroyed as soon as the last dequeue has returned,
/// even if the enqueue of that element has not returned yet. Do not destroy it while a call waits in it (asserted).
///
/// Close every queue. The consumers of an open queue wait forever, because the queue cannot know whether a thread will
/// still enqueue. Let the thread that enqueues last close it. If several threads enqueue, give each one of the handles
/// that producers() returns: the queue closes when the last one ends. Several QueueRunners that feed one queue do the
/// same. If the consumers may end first, give each one of the handles that consumers() returns, so that the producers
/// do not wait forever.
///
/// If a program hangs, a debugger shows the threads in dequeue(), and waiting_consumers() counts them. If the queue is
/// destroyed before its threads are joined, a debug build stops there with a message. If the threads are joined first,
/// attach the queue to a Coordinator and join that with a grace period: its exception names the threads.
///
/// Thread safety: any thread may call every member function at any time, except the destructor and set_name().

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
#include <vector>

#include "forebay/base/conversion.hpp"
#include "forebay/base/element_ranges.hpp"
#include "forebay/base/open_hold.hpp"
#include "forebay/consumer.hpp"
#include "forebay/count.hpp"
#include "forebay/engine/demand.hpp"
#include "forebay/engine/elements_read.hpp"
#include "forebay/engine/engine.hpp"
#include "forebay/engine/transfer.hpp"
#include "forebay/overflow.hpp"
#include "forebay/producer.hpp"
#include "forebay/queue/inside.hpp"
#include "forebay/queue/queue_ranges.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/statistics.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI {

/// Tag type for closing a queue whose pending enqueues are to be cancelled, too.
struct CancelPendingEnqueues {
  /// Creates the tag; use the constant `cancel_pending_enqueues` instead.
  explicit constexpr CancelPendingEnqueues() = default;
};
/// Tells BlockingQueue::close() to cancel pending enqueues, too: `queue.close(cancel_pending_enqueues)`.
inline constexpr CancelPendingEnqueues cancel_pending_enqueues{};

/// Tag type for closing a queue whose stored elements are to be destroyed, too.
struct DiscardElements {
  /// Creates the tag; use the constant `discard_elements` instead.
  explicit constexpr DiscardElements() = default;
};
/// Tells BlockingQueue::close() and BlockingQueue::consumers() to destroy the stored elements, too:
/// `queue.close(discard_elements)`.
inline constexpr DiscardElements discard_elements{};

namespace detail {

/// A discipline under which elements leave in the order of their arrival.
template <class Discipline>
concept OrderOfArrival = Discipline::keeps_order_of_arrival;

}  // namespace detail

/// Stores a bounded number of elements, and lets producers and consumers wait for room and for elements.
///
/// The file blocking_queue.hpp has the introduction, an example, lifetime and thread safety. Programs create a derived
/// class, such as FIFOQueue; a function can take any queue as a `BlockingQueue<T, Discipline>&`.
///
/// Requirements on T: an object type that can be moved. It need not be copyable or default-constructible. The
/// following run under one of the queue's locks, and must not call the same queue:
///  - the move constructor of T, and the destructor of a moved-from T;
///  - the copy constructor and the destructor of T, if T has no move constructor or one that may throw;
///  - the constructor of T from an element that is moved out of a container of another type;
///  - what the discipline calls on elements: a PriorityQueue's comparison, the shape check of a PaddingFIFOQueue.
///
/// Requirements on Discipline: see queue/discipline.hpp, which is the simplest one.
///
/// Guarantees:
///  - No element is lost: an accepted element is dequeued once, or is still stored. A dequeue that ends early (timeout,
///    stop, close, exception) leaves the elements in their order. An enqueue that does not return `ok` leaves its
///    argument untouched.
///  - A copy or move that throws leaves the queue unchanged. The exception: if T is move-only and its move throws, the
///    batch in progress loses the elements that it has already moved out.
///  - Everything that a thread did before an enqueue is visible to the thread whose dequeue returns that element.
///  - Waiting calls are served in order of arrival, with bounded overtaking: a new call may take an element before a
///    woken thread gets to it. After this has happened to a call a few times, new calls line up behind it.
///  - A waiting thread is woken when its whole request can be met: once for a dequeue_many(128), not 128 times. It uses
///    no processor time until then.
///  - No lock is held for more than 1,024 moves. A larger batch moves in steps. It keeps its turn meanwhile, so its
///    elements stay together, and a non-blocking call on the same side returns `full` or `empty`.
///  - A bounded queue allocates nothing in enqueue and dequeue, apart from T's own constructors. The exception: if the
///    discipline reorders elements, an element whose move may throw is stored behind a pointer, at one allocation.
///  - An unbounded queue occasionally allocates a block of about 32 kB, before it stores an element. If that fails,
///    enqueue throws std::bad_alloc and changes nothing. Growing moves no element. Memory use: see Unbounded.
template <class T, class Discipline, class Sync = StdSync>
class BlockingQueue {
  static_assert(std::is_object_v<T> && !std::is_array_v<T>,
                "forebay: a queue stores objects: instead of a reference, use a pointer or a std::reference_wrapper; "
                "instead of an array, a std::array");
  static_assert(!std::is_const_v<T> && !std::is_volatile_v<T>,
                "forebay: elements are moved into a queue and out of it, so they cannot be const or volatile");

 public:
  using value_type = T;          ///< The type of the elements.
  using Wait = BasicWait<Sync>;  ///< How long a call may block.
  /// The type that dequeue_many() returns: `std::vector<T>`, unless the discipline defines another one.
  using Batch = typename Discipline::template Batch<T>;

  /// @cond
  BlockingQueue(const BlockingQueue&) = delete;  // forebay: a queue stays where it is; keep it in a std::list or deque
  BlockingQueue& operator=(const BlockingQueue&) = delete;
  /// @endcond

  /// Destroys the stored elements. Requires that no thread waits in the queue.
  ~BlockingQueue() = default;

  /// @name Enqueue
  /// @{

  /// Stores `element`, moved from the argument.
  ///
  /// Blocks while the queue is full, until there is room, the queue is closed with cancel, or `wait` ends. Returns
  /// `ok`; `closed` if the queue was closed before the call began to wait, or with cancel while it waited; `full`,
  /// `timed_out` or `stopped` if `wait` ended it.
  ///
  /// If it does not return `ok`, `element` is untouched. If T's constructor throws, so does this; `element` is then as
  /// that constructor left it. (TensorFlow: `QueueBase.enqueue`, which throws Cancelled where this returns `closed`.)
  ///
  /// @code
  /// if (queue.enqueue(std::move(image), 200ms) == QueueStatus::timed_out) ++delayed;  // image is still intact
  /// @endcode
  ///
  /// An argument of another type is converted to T at the call, with the compiler's usual warnings. Two conversions do
  /// not compile: one that drops the fraction of a number, and one from a pointer to `bool`.
  QueueStatus enqueue(T&& element, const Wait& wait = Wait::forever) {
    return engine_.enqueue(std::true_type(), element, wait);
  }
  /// Stores a copy of `element`, which is made before any lock is taken. In all else like the overload that moves.
  QueueStatus enqueue(const T& element, const Wait& wait = Wait::forever) requires std::is_copy_constructible_v<T> {
    if constexpr (!detail::copies_like_a_move<T>) {
      return enqueue(T(element), wait);
    } else {
      return engine_.enqueue(std::false_type(), element, wait);
    }
  }

  /// Stores `element` if there is room, and drops it otherwise. Never waits.
  ///
  /// Like `enqueue(element, no_wait)`, but counts an element that is not stored in QueueStatistics::dropped. Returns
  /// `ok`; `full` if the queue has no room, or if newcomers have to line up behind waiting calls; `closed` if the queue
  /// is closed. If it does not return `ok`, `element` is untouched. Only a FIFOQueue and a PaddingFIFOQueue have this
  /// overload.
  QueueStatus enqueue(T&& element, DropNewest policy) requires detail::OrderOfArrival<Discipline> {
    return engine_.enqueue(std::true_type(), element, policy);
  }
  /// Stores a copy of `element` if there is room. In all else like the overload that moves.
  QueueStatus enqueue(const T& element, DropNewest policy) requires detail::OrderOfArrival<Discipline> &&
      std::is_copy_constructible_v<T> {
    return enqueue(T(element), policy);
  }

  /// Stores `element`. If the queue is full, removes the oldest element first and destroys it. Never waits.
  ///
  /// Returns `ok`; `closed` if the queue is closed. Returns `full` if no element may be removed, and counts `element`
  /// as dropped: while another call's batch is half done, or while waiting producers have precedence in an empty queue.
  /// Never removes an element that a dequeue_many() has gathered. Waiting producers keep their places. An unbounded
  /// queue drops nothing, except while another call's enqueue_many() of more than 1,024 elements is in progress.
  ///
  /// If it does not return `ok`, `element` is untouched. If a move of T throws, so does this; the oldest element may
  /// then be lost. Each dropped element counts in QueueStatistics::dropped. Only a FIFOQueue and a PaddingFIFOQueue
  /// have this overload.
  ///
  /// @code
  /// queue.enqueue(measure(), drop_oldest);  // the queue always has the latest measurements
  /// @endcode
  QueueStatus enqueue(T&& element, DropOldest policy) requires detail::OrderOfArrival<Discipline> {
    std::optional<T> dropped;
    return enqueue(std::move(element), policy, dropped);
  }
  /// Stores a copy of `element`, and removes the oldest element if the queue is full. The copy is made before any lock
  /// is taken.
  QueueStatus enqueue(const T& element, DropOldest policy) requires detail::OrderOfArrival<Discipline> &&
      std::is_copy_constructible_v<T> {
    return enqueue(T(element), policy);
  }

  /// Stores `element`. If the queue is full, moves the oldest element into `dropped`; otherwise empties `dropped`.
  ///
  /// In all else like the overload without `dropped`. If a move of T throws while `element` is stored, `dropped` has
  /// the element that was removed.
  QueueStatus enqueue(T&& element, DropOldest, std::optional<T>& dropped) requires detail::OrderOfArrival<Discipline> {
    return engine_.enqueue(std::true_type(), element, dropped);
  }
  /// Stores a copy of `element`, and moves the oldest element into `dropped` if the queue is full.
  QueueStatus enqueue(const T& element, DropOldest policy, std::optional<T>& dropped) requires
      detail::OrderOfArrival<Discipline> && std::is_copy_constructible_v<T> {
    return enqueue(T(element), policy, dropped);
  }

  /// @cond
  template <detail::NoElement<T> Argument>
  QueueStatus enqueue(Argument&&, const Wait& = Wait::forever) = delete;  // forebay: convert or move it
  template <detail::NoElement<T> Argument, detail::OverflowPolicy Policy, class... Dropped>
  QueueStatus enqueue(Argument&&, Policy, Dropped&...) = delete;  // forebay: convert or move it
  template <detail::OverflowPolicy Policy, class... Dropped>
  QueueStatus enqueue(const T&, Policy, Dropped&...) = delete;  // forebay: only a FIFO queue knows what to drop
  /// @endcond

  /// Stores the elements of `range` in their order, with no element of another call in between.
  ///
  /// Moves from an rvalue container, copies from every other range. Stores what fits, and waits for room for the rest
  /// like enqueue(). Returns the status and how many elements were stored; the others are untouched. An empty range is
  /// `ok`, even if the queue is closed. If a constructor throws, the elements before that one are stored. (TensorFlow:
  /// `QueueBase.enqueue_many`.)
  ///
  /// @code
  /// const auto [status, count] = queue.enqueue_many(std::move(images), 1s);  // moves out the first `count` images
  /// @endcode
  ///
  /// An rvalue container is read in place, under the producers' lock. So is a container whose elements are as cheap to
  /// copy as to move. Every other range is read to its end before any lock is taken: copies that may be slow or fail,
  /// lazy views, input streams, another queue (until that is closed and drained). If such a range yields its elements
  /// only once, those that the queue does not accept are lost. To forward elements one by one, give a QueueRunner the
  /// op `[&] { return in.dequeue(); }`.
  ///
  /// Does not compile for elements that enqueue() rejects, or that convert to T only explicitly. The same holds for
  /// numbers of a type that has values which T lacks (`double` into `float`, `int` into `std::size_t`). Convert them
  /// first, for example with `range | std::views::transform(...)`.
  template <detail::RangeOfElementsFor<T> Range>
  EnqueueManyResult enqueue_many(Range&& range, const Wait& wait = Wait::forever) {
    return engine_.enqueue_many(std::forward<Range>(range), wait);
  }
  /// Stores copies of `elements`: `queue.enqueue_many({1, 2, 3})`.
  EnqueueManyResult enqueue_many(std::initializer_list<T> elements,
                                 const Wait& wait = Wait::forever) requires std::is_copy_constructible_v<T> {
    return enqueue_many(std::span<const T>(elements.begin(), elements.size()), wait);
  }

  /// @cond
  template <detail::RangeOfNoElementsFor<T> Range>
  EnqueueManyResult enqueue_many(Range&&, const Wait& = Wait::forever) = delete;  // forebay: convert its elements
  /// @endcond

  /// @}
  /// @name Dequeue
  /// All of these prefer an available element to a deadline that has passed and to a requested stop. If the queue was
  /// closed with a cause, they throw the cause where they would return `closed`. At the end, they return `closed` only
  /// when no call ahead can leave them enough elements; until that is certain, they wait. If an allocation throws, the
  /// elements stay in the queue; for a copy or move that throws, see the guarantees. A negative count throws
  /// std::invalid_argument, which names the parameter.
  /// @{

  /// Takes one element out and returns it.
  ///
  /// Blocks while the queue is empty, until it has an element, no more can arrive, or `wait` ends. After close(), first
  /// delivers the stored elements, then returns `closed`. (TensorFlow: `QueueBase.dequeue`, which throws
  /// OutOfRangeError at the end.)
  ///
  /// @code
  /// while (auto image = queue.dequeue()) train(*image);  // ends when the queue is closed and drained
  /// @endcode
  Dequeued<T> dequeue(const Wait& wait = Wait::forever) {
    return Dequeued<T>([&](std::optional<T>& element) { return engine_.dequeue_into(element, wait); });
  }

  /// Takes exactly `count` elements out and returns them.
  ///
  /// Blocks until `count` elements are available, also if `count` exceeds the capacity. If there are fewer and no more
  /// can arrive, returns `closed`; the elements stay for other calls. A count of 0 succeeds at once. (TensorFlow:
  /// `QueueBase.dequeue_many`.)
  ///
  /// @code
  /// while (auto batch = queue.dequeue_many(32)) train(*batch);  // a std::vector of 32 images
  /// @endcode
  Dequeued<Batch> dequeue_many(Count count, const Wait& wait = Wait::forever) {
    return engine_.dequeue_batch(detail::Demand::exactly(count.at_least(0, "dequeue_many: count")), wait);
  }

  /// Takes exactly `count` elements out, and replaces the content of `batch` with them to reuse its storage.
  ///
  /// `batch` is a `std::vector<T>`, or any other batch of T, such as a PaddedBatch. It is empty unless the status is
  /// `ok`. Allocates nothing if the capacity of `batch` suffices and `count` does not exceed the queue's capacity.
  template <detail::BatchOf<T> Into>
  QueueStatus dequeue_many(Count count, Into& batch, const Wait& wait = Wait::forever) {
    return engine_.dequeue_batch_into(batch, detail::Demand::exactly(count.at_least(0, "dequeue_many: count")), wait);
  }

  /// Takes `count` elements out, or the remaining ones if no more can arrive.
  ///
  /// Like dequeue_many(), it waits for all `count` elements while the queue is open. Once no more can arrive, takes up
  /// to `count` of the stored elements; returns `closed` if there are none. (TensorFlow: `QueueBase.dequeue_up_to`.)
  Dequeued<Batch> dequeue_up_to(Count count, const Wait& wait = Wait::forever) {
    return engine_.dequeue_batch(detail::Demand::up_to(count.at_least(0, "dequeue_up_to: count")), wait);
  }
  /// Takes `count` elements out, or the remaining ones, into the reused storage of `batch`.
  template <detail::BatchOf<T> Into>
  QueueStatus dequeue_up_to(Count count, Into& batch, const Wait& wait = Wait::forever) {
    return engine_.dequeue_batch_into(batch, detail::Demand::up_to(count.at_least(0, "dequeue_up_to: count")), wait);
  }

  /// Takes the elements out that are available now: at least one, at most `count`. Blocks only while there is none.
  Dequeued<Batch> dequeue_available(Count count, const Wait& wait = Wait::forever) {
    return engine_.dequeue_batch(detail::Demand::available(count.at_least(0, "dequeue_available: count")), wait);
  }
  /// Takes the elements out that are available now, into the reused storage of `batch`.
  template <detail::BatchOf<T> Into>
  QueueStatus dequeue_available(Count count, Into& batch, const Wait& wait = Wait::forever) {
    return engine_.dequeue_batch_into(batch, detail::Demand::available(count.at_least(0, "dequeue_available: count")),
                                      wait);
  }

  /// @}
  /// @name Await
  /// For coroutines; needs `#include <forebay/async.hpp>`, which explains them. Each call returns a lazy object.
  /// Awaiting it does what the function without `async_` does, and returns or throws the same, but suspends the
  /// coroutine instead of blocking the thread. The options are `stop`, `on(pool)` or `{stop, on(pool)}`.
  ///
  /// The lazy object refers to the queue, and to a `batch`, an rvalue element or a range that it was given. These must
  /// exist until the call is over; in `co_await queue.async_enqueue(make())` they do.
  /// @{

  /// Awaits room, and stores `element`, moved from the argument. If the status is not `ok`, `element` is untouched.
  ///
  /// @code
  /// if (co_await queue.async_enqueue(std::move(image), stop) != QueueStatus::ok) keep(std::move(image));
  /// @endcode
  template <class Policy = Sync>
  [[nodiscard]] auto async_enqueue(T&& element, const detail::AwaitedBy<Policy>& options = {}) {
    return detail::Async<Policy>::enqueue(engine_, std::move(element), options);
  }
  /// Awaits room, and stores a copy of `element`, which the lazy object holds.
  template <class Policy = Sync>
  [[nodiscard]] auto async_enqueue(
      const T& element, const detail::AwaitedBy<Policy>& options = {}) requires std::is_copy_constructible_v<T> {
    return detail::Async<Policy>::enqueue_copy(engine_, element, options);
  }
  /// @cond
  template <detail::NoElement<T> Argument, class Policy = Sync>
  void async_enqueue(Argument&&, const detail::AwaitedBy<Policy>& = {}) = delete;  // forebay: convert or move it
  /// @endcond

  /// Awaits room, and stores the elements of `range` in their order. Returns the status and how many were stored.
  ///
  /// A range that enqueue_many() would not read in place is read to its end when the call is awaited.
  template <detail::RangeOfElementsFor<T> Range, class Policy = Sync>
  [[nodiscard]] auto async_enqueue_many(Range&& range, const detail::AwaitedBy<Policy>& options = {}) {
    return detail::Async<Policy>::template enqueue_many<T, Range>(engine_, range, options);
  }
  /// @cond
  template <detail::RangeOfNoElementsFor<T> Range, class Policy = Sync>
  void async_enqueue_many(Range&&, const detail::AwaitedBy<Policy>& = {}) = delete;  // forebay: convert its elements
  /// @endcond

  /// Awaits one element, and returns it as a `Dequeued<T>`.
  ///
  /// If its move constructor throws while co_await returns it, the element is lost.
  ///
  /// @code
  /// while (auto image = co_await queue.async_dequeue(stop)) train(*image);
  /// @endcode
  template <class Policy = Sync>
  [[nodiscard]] auto async_dequeue(const detail::AwaitedBy<Policy>& options = {}) {
    return detail::Async<Policy>::dequeue(engine_, options);
  }

  /// Awaits exactly `count` elements, and returns them as a `Dequeued<Batch>`. See dequeue_many().
  template <class Policy = Sync>
  [[nodiscard]] auto async_dequeue_many(Count count, const detail::AwaitedBy<Policy>& options = {}) {
    return detail::Async<Policy>::dequeue_batch(
        engine_, detail::Demand::exactly(count.at_least(0, "async_dequeue_many: count")), options);
  }
  /// Awaits exactly `count` elements, and replaces the content of `batch` with them. Returns the status.
  template <detail::BatchOf<T> Into, class Policy = Sync>
  [[nodiscard]] auto async_dequeue_many(Count count, Into& batch, const detail::AwaitedBy<Policy>& options = {}) {
    return detail::Async<Policy>::dequeue_batch_into(
        engine_, batch, detail::Demand::exactly(count.at_least(0, "async_dequeue_many: count")), options);
  }

  /// Awaits `count` elements, or the remaining ones if no more can arrive. See dequeue_up_to().
  template <class Policy = Sync>
  [[nodiscard]] auto async_dequeue_up_to(Count count, const detail::AwaitedBy<Policy>& options = {}) {
    return detail::Async<Policy>::dequeue_batch(
        engine_, detail::Demand::up_to(count.at_least(0, "async_dequeue_up_to: count")), options);
  }
  /// Awaits `count` elements, or the remaining ones, into the reused storage of `batch`.
  template <detail::BatchOf<T> Into, class Policy = Sync>
  [[nodiscard]] auto async_dequeue_up_to(Count count, Into& batch, const detail::AwaitedBy<Policy>& options = {}) {
    return detail::Async<Policy>::dequeue_batch_into(
        engine_, batch, detail::Demand::up_to(count.at_least(0, "async_dequeue_up_to: count")), options);
  }

  /// Awaits one element, and takes all that are available then, at most `count`. See dequeue_available().
  template <class Policy = Sync>
  [[nodiscard]] auto async_dequeue_available(Count count, const detail::AwaitedBy<Policy>& options = {}) {
    return detail::Async<Policy>::dequeue_batch(
        engine_, detail::Demand::available(count.at_least(0, "async_dequeue_available: count")), options);
  }
  /// Awaits one element, and takes all that are available then, into the reused storage of `batch`.
  template <detail::BatchOf<T> Into, class Policy = Sync>
  [[nodiscard]] auto async_dequeue_available(Count count, Into& batch, const detail::AwaitedBy<Policy>& options = {}) {
    return detail::Async<Policy>::dequeue_batch_into(
        engine_, batch, detail::Demand::available(count.at_least(0, "async_dequeue_available: count")), options);
  }

  /// @}
  /// @name Close
  /// @{

  /// Closes the queue for good: it accepts no more elements, and still delivers the stored ones.
  ///
  /// Later enqueues return `closed`; enqueues that are already waiting complete when there is room. Never blocks; may
  /// be called again. Takes locks, so do not call it in a signal handler: see examples/11_interrupt.cpp. (TensorFlow:
  /// `QueueBase.close`, which blocks behind pending enqueues.)
  void close() noexcept { engine_.close(false, nullptr); }

  /// Closes the queue and cancels pending enqueues: they return `closed`. (TensorFlow:
  /// `close(cancel_pending_enqueues=True)`.)
  void close(CancelPendingEnqueues) noexcept { engine_.close(true, nullptr); }

  /// Closes the queue because of a failure, and cancels pending enqueues. Dequeues deliver the stored elements, then
  /// throw `cause` where they would return `closed`. The queue keeps the first cause.
  ///
  /// @code
  /// try { read_all(queue); } catch (...) { queue.close(std::current_exception()); }
  /// @endcode
  void close(std::exception_ptr cause) noexcept { engine_.close(true, std::move(cause)); }

  /// Closes the queue, cancels pending enqueues, and destroys the stored elements, one by one without a lock.
  ///
  /// For elements that must not stay in a queue that nobody reads, such as requests whose senders wait for an answer.
  /// Dequeues that wait end as after close(); until the queue is empty, any dequeue may still receive elements. Each
  /// element is either received or destroyed, and then counts in QueueStatistics::dropped. What a waiting
  /// dequeue_many() has gathered is destroyed, too.
  ///
  /// Returns when the queue is empty. Waits only for a dequeue of more than 1,024 elements (256 in a RandomShuffleQueue
  /// or PriorityQueue) that is taking them out. If a move or a comparison of elements throws, those that are left stay
  /// in the queue.
  ///
  /// @code
  /// struct Request { std::promise<Answer> answer; ... };
  /// requests.close(discard_elements);   // the futures throw std::future_error: broken_promise
  /// @endcode
  void close(DiscardElements) noexcept { engine_.close_and_discard(); }

  /// @}
  /// @name Producers and consumers
  /// @{

  /// A handle for a thread that fills this queue.
  using Producer = forebay::Producer<BlockingQueue>;
  /// A handle for a thread that empties this queue.
  using Consumer = forebay::Consumer<BlockingQueue>;

  /// Returns a handle that enqueues, and keeps the queue open until it ends.
  ///
  /// The queue closes when the last of its producers and QueueRunners has ended. A producer that is created after that
  /// comes too late, so this throws std::logic_error. For several threads, use producers(). If the queue was closed in
  /// another way, the handle's enqueues return `closed`.
  ///
  /// A direct enqueue() stays possible, and keeps nothing open. The queue must outlive the handle (asserted).
  [[nodiscard]] Producer producer() { return Producer(this, engine_.hold_open_for_producer()); }

  /// Returns `count` producers, one for each thread that fills the queue.
  ///
  /// They exist before the first thread starts, so the queue cannot close before the last thread has ended. Move each
  /// handle into its thread. Throws std::invalid_argument if `count` is less than 1, and std::logic_error like
  /// producer().
  ///
  /// @code
  /// for (int i = 0; auto& producer : queue.producers(4)) {
  ///   threads.emplace_back([producer = std::move(producer), i]() mutable {
  ///     producer.run([&] { for (const auto& image : images_of(i)) producer.enqueue(image); });
  ///   });
  ///   ++i;
  /// }
  /// for (auto&& image : queue) train(image);  // ends when the last thread has ended
  /// @endcode
  [[nodiscard]] std::vector<Producer> producers(Count count) {
    return detail::create_handles(count.at_least(1, "producers: count"), [this] { return producer(); });
  }

  /// Returns a handle that dequeues. For several threads, use consumers().
  ///
  /// When the last consumer has ended, the queue closes and cancels pending enqueues: they return `closed`. Elements
  /// that are still stored stay there for direct dequeues. A direct dequeue() stays possible, and keeps nothing open.
  /// The queue must outlive the handle (asserted).
  ///
  /// @code
  /// for (auto&& image : queue.consumer()) {  // a loop that ends early closes the queue for its producers
  ///   if (!train(image)) break;
  /// }
  /// @endcode
  [[nodiscard]] Consumer consumer() noexcept { return Consumer(this, engine_.hold_open_for_consumer()); }

  /// Returns a handle that also destroys the stored elements, like close(discard_elements), if it is the last consumer
  /// to end.
  [[nodiscard]] Consumer consumer(DiscardElements) noexcept {
    return Consumer(this, engine_.hold_open_for_discarding_consumer());
  }

  /// Returns `count` consumers, one for each thread that empties the queue.
  ///
  /// They exist before the first thread starts, so the queue cannot close before the last thread has ended. Throws
  /// std::invalid_argument if `count` is less than 1.
  ///
  /// @code
  /// for (auto& consumer : queue.consumers(4)) {
  ///   threads.emplace_back([consumer = std::move(consumer)]() mutable {
  ///     for (auto&& job : consumer) run(job);
  ///   });
  /// }
  /// @endcode
  [[nodiscard]] std::vector<Consumer> consumers(Count count) {
    return detail::create_handles(count.at_least(1, "consumers: count"), [this] { return consumer(); });
  }
  /// Returns `count` consumers, of which the last one to end also destroys the stored elements.
  [[nodiscard]] std::vector<Consumer> consumers(Count count, DiscardElements discard) {
    return detail::create_handles(count.at_least(1, "consumers: count"),
                                  [this, discard] { return consumer(discard); });
  }

  /// @}
  /// @name Snapshots
  /// Each value was correct when it was taken, and may be out of date when the call returns.
  /// @{

  /// Returns whether close() was called.
  [[nodiscard]] bool is_closed() const noexcept { return engine_.is_closed(); }
  /// @cond
  [[nodiscard]] bool closed() const = delete;  // forebay: is_closed()
  /// @endcond

  /// Returns how many elements are stored. Elements that a waiting dequeue_many() has gathered count until it has all.
  [[nodiscard]] std::size_t size() const noexcept { return engine_.size(); }

  /// Returns how many elements the queue can store; the largest `std::size_t` if it is unbounded.
  [[nodiscard]] std::size_t capacity() const noexcept { return engine_.capacity(); }

  /// Returns how many threads and coroutines wait for room: parked or suspended, or about to be.
  [[nodiscard]] std::size_t waiting_producers() const noexcept { return engine_.waiting_producers(); }
  /// Returns how many threads and coroutines wait for elements: parked or suspended, or about to be.
  [[nodiscard]] std::size_t waiting_consumers() const noexcept { return engine_.waiting_consumers(); }

  /// Returns how many elements have passed through, which side waited, and for how long. Only calls that wait spend
  /// time on these figures.
  [[nodiscard]] QueueStatistics statistics() const noexcept { return engine_.statistics(); }

  /// Returns the name that was set; by default the kind of the queue, such as "FIFOQueue".
  [[nodiscard]] std::string name() const { return engine_.label().shown(); }

  /// Sets the name under which Coordinator::threads() lists the queue for threads that wait in it.
  ///
  /// If `awaited` is given, the list shows it as what such a thread waits for, in place of the name of the function.
  /// Call this before other threads use the queue. (TensorFlow: the argument `name` of the queues.)
  void set_name(std::string_view name, std::string_view awaited = {}) {
    engine_.label().name = name;
    engine_.label().awaited = awaited;
  }

  /// @}
  /// The range that batches() returns.
  using Batches = detail::Batches<BlockingQueue>;

  /// @name Iteration
  /// @{

  /// Returns an iterator that dequeues: `for (auto&& element : queue)` ends when the queue is closed and drained.
  ///
  /// If the queue was closed with a cause, the loop throws it at the end. The loop owns `element` and may move from it.
  ///
  /// The queue is an input range without a size. `std::views::take(3)` takes three elements out of it. (Behind a
  /// `std::views::filter` it takes more, because the filter looks for a fourth element, as it does in every range.)
  [[nodiscard]] auto begin() { return detail::ElementIterator<BlockingQueue>(this); }
  /// Returns the sentinel that an iterator equals once the queue is closed and drained.
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

  /// Returns a range that dequeues batches of `count` elements and reuses their storage.
  ///
  /// Ends when the queue is closed and drained, or when `wait` ends. The last batch may be smaller. Throws
  /// std::invalid_argument if `count` is less than 1.
  ///
  /// @code
  /// for (auto&& batch : queue.batches(32)) train(batch);  // batch is a Batch&: std::vector<T>&, unless padded
  /// @endcode
  [[nodiscard]] Batches batches(Count count, Wait wait = Wait::forever) {
    return Batches(this, count, Remainder::deliver, std::move(wait));
  }
  /// Returns a range of batches. With Remainder::drop, elements that do not fill a batch stay in the queue.
  [[nodiscard]] Batches batches(Count count, Remainder remainder, Wait wait = Wait::forever) {
    return Batches(this, count, remainder, std::move(wait));
  }

  /// @}
  /// @cond
  // ---- For QueueRunner

  /// Holds the queue open. It closes when all holds have been released and at least one of them has finished.
  [[nodiscard]] detail::OpenHold hold_open() noexcept { return engine_.hold_open(); }

  // ---- For tests

  /// Returns whether the invariants of both sides hold.
  [[nodiscard]] bool invariants_hold() const noexcept { return engine_.invariants_hold(); }
  /// @endcond

 protected:
  /// Creates a queue that stores up to `capacity` elements and orders them by `discipline`.
  ///
  /// Throws std::invalid_argument if the capacity is too large for the address space, std::bad_alloc if there is not
  /// enough memory for the cells.
  explicit BlockingQueue(Capacity capacity, Discipline discipline = {}) : engine_(capacity, std::move(discipline)) {
    static_assert(std::is_move_constructible_v<T>,
                  "forebay: elements are moved into a queue and out of it; wrap a type that cannot be moved in a "
                  "std::unique_ptr");
  }

  /// Stores the result of `make()`, which is called under the lock once there is room, and should only move.
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
