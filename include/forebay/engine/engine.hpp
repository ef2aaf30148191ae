// SPDX-License-Identifier: MIT
//
// engine.hpp: Engine, the implementation of BlockingQueue.
//
// Terms:
//   side        the producers' or the consumers' half of a queue: a lock, a cursor and a wait queue
//   ring        the cells that store the elements; the only data that the sides share
//   store       the stored elements in the consumers' order: returned elements, then those in the ring
//   waiter      a call that waits, in a wait queue
//   barging     a newcomer takes an element or room that a waiter waits for; after some bargings, the waiter has the
//               turn
//   half done   describes a batch that has moved some of its elements. It precedes all other calls, and attends: for a
//               while, it polls the queue instead of being woken
//   settle      to choose the waiters to wake, and to update the data that the fast paths read. Each section that holds
//               both locks ends with it
//   hook        the interface through which a call is performed while it waits; Enqueueing and Dequeueing implement it
//
// A ring of cells, each with a full flag, connects the two sides. A producer takes the producers' lock and fills the
// cell at the producers' cursor. A consumer takes the consumers' lock and empties the cell at the consumers' cursor.
// The sides share only the cells. A call that has to wait does so in the wait loop, or suspended, if a coroutine awaits
// it. Both wait by visits to the queue.
//
// Only classes that touch elements depend on their type: State, Store, EnqueueingFrom, DequeueingInto. The rest is
// compiled once for all queues, and slow paths once for all callers (noinline).
//
// The functions that a dequeue_many passes through, the last five only if it has to wait:
//   blocking_queue.hpp      dequeue_many             the public interface
//   engine/engine.hpp       dequeue_batch_into       prepares the batch without the lock
//   engine/dequeueing.hpp   run, take_all            locks the consumers' side; takes a complete batch (take_out)
//   engine/store.hpp        remove
//   engine/cell_ring.hpp    remove                   empties the cells
//   engine/wait_loop.hpp    run, spin                retries for a short time (hook: attempt)
//   engine/wait_loop.hpp    wait_in_line             visits until the call is over
//   engine/visit.hpp        look                     with both locks: joins, looks (hook: look), settles
//   engine/wait_queue.hpp   join, choose_served      queues the waiter, chooses the next one to serve
//   waiting/parker.hpp      park                     sleeps until the waiter is chosen

#ifndef FOREBAY_ENGINE_ENGINE_HPP
#define FOREBAY_ENGINE_ENGINE_HPP

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include "forebay/base/element_ranges.hpp"
#include "forebay/base/mutex.hpp"
#include "forebay/base/open_hold.hpp"
#include "forebay/base/reject.hpp"
#include "forebay/count.hpp"
#include "forebay/engine/demand.hpp"
#include "forebay/engine/dequeueing.hpp"
#include "forebay/engine/discard.hpp"
#include "forebay/engine/drop_oldest.hpp"
#include "forebay/engine/elements_read.hpp"
#include "forebay/engine/enqueueing.hpp"
#include "forebay/engine/sides.hpp"
#include "forebay/engine/state.hpp"
#include "forebay/engine/transfer.hpp"
#include "forebay/overflow.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/statistics.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Each member function implements the one of BlockingQueue.
template <class T, class Discipline, class Sync>
class Engine {
  using State = detail::State<T, Discipline, Sync>;

 public:
  using Wait = BasicWait<Sync>;
  using Batch = typename Discipline::template Batch<T>;

  Engine(Capacity capacity, Discipline&& discipline) : state_(capacity, std::move(discipline)) {}
  ~Engine() {
    { const BothSides both(state_, ahead_of_all); }  // waits for threads that are about to leave
    assert(state_.producers.place.queue.empty() && state_.consumers.place.queue.empty() &&
           "forebay: a queue is destroyed while threads wait in it");
    assert(state_.producer_holds.count == 0 && state_.consumer_holds.count == 0 &&
           "forebay: a queue is destroyed before its producers, consumers and runners");
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // ---- Enqueue

  template <bool moves, class Element>
  QueueStatus enqueue(std::bool_constant<moves> /*gives*/, Element& element, const Wait& wait) {
    using Given = std::conditional_t<moves, Element&&, Element&>;
    if (put_now(state_, static_cast<Given>(element))) [[likely]]
      return QueueStatus::ok;
    return enqueue_all(supply_from<moves>(std::addressof(element)), 1, wait).status;
  }

  template <bool moves, class Element>
  QueueStatus enqueue(std::bool_constant<moves> gives, Element& element, DropNewest /*policy*/) {
    const QueueStatus status = enqueue(gives, element, Wait(no_wait));
    if (status == QueueStatus::full) {
      const Guard guard(state_.producers.lock);
      ++state_.dropped_newest;
    }
    return status;
  }

  template <bool moves, class Element>
  QueueStatus enqueue(std::bool_constant<moves> /*gives*/, Element& element, std::optional<T>& dropped) {
    using Given = std::conditional_t<moves, Element&&, Element&>;
    dropped.reset();  // without a lock
    if (put_now(state_, static_cast<Given>(element))) [[likely]]
      return QueueStatus::ok;
    return put_and_drop_oldest(state_, static_cast<Given>(element), dropped);
  }

  template <class Make>
  QueueStatus enqueue_made(const Make& make, const Wait& wait) {
    return enqueue_all([&make](auto receive) { receive(make()); }, 1, wait).status;
  }

  template <class Range>
  EnqueueManyResult enqueue_many(Range&& range, const Wait& wait) {
    if constexpr (read_in_place<Range, T>) {
      const auto count = static_cast<std::size_t>(std::ranges::distance(range));
      return enqueue_all(supply_from<gives_its_elements<Range>>(std::ranges::begin(range)), count, wait);
    } else {
      ElementsRead<T> elements(std::forward<Range>(range));
      const EnqueueManyResult result = enqueue_all(supply_from<true>(elements.begin()), elements.size(), wait);
      elements.rethrow_failure();
      return result;
    }
  }

  // ---- Dequeue

  QueueStatus dequeue_into(std::optional<T>& element, const Wait& wait) {
    if (take_now(state_, element)) [[likely]]
      return QueueStatus::ok;
    ElementSink<T> sink(element);
    return DequeueingInto<State, ElementSink<T>>(state_, Demand(), sink).run(wait);
  }

  Dequeued<Batch> dequeue_batch(const Demand& demand, const Wait& wait) {
    return Dequeued<Batch>([&](std::optional<Batch>& batch) {
      const QueueStatus status = dequeue_batch_into(batch.emplace(empty_batch()), demand, wait);
      if (status != QueueStatus::ok) batch.reset();
      return status;
    });
  }

  template <class Into>
  QueueStatus dequeue_batch_into(Into& batch, const Demand& demand, const Wait& wait) {
    require_possible(demand);
    using Sink = SinkInto<Into>;
    Sink sink(batch);
    if (demand.most == 0) return QueueStatus::ok;
    reserve(sink, demand);
    const QueueStatus status = DequeueingInto<State, Sink>(state_, demand, sink).run(wait);
    if (status == QueueStatus::ok) sink.finish();
    return status;
  }

  /// Reserves memory without the lock, if the size is known and that many elements can arrive.
  template <class Sink>
  void reserve(Sink& sink, const Demand& demand) const {
    if (demand.least == demand.most && (demand.most <= state_.most_at_once || demand.most <= size()))
      sink.reserve(demand.most);
  }

  /// Rejects a batch that can never be complete.
  void require_possible(const Demand& demand) const {
    if (Discipline::batch_may_exceed_capacity || demand.least <= state_.capacity) return;
    reject({"a batch of ", demand.least, " elements exceeds the capacity of ", state_.capacity});
  }

  [[nodiscard]] Batch empty_batch() const { return state_.discipline.template empty_batch<T>(); }

  // ---- Close and snapshots

  void close(bool cancel, std::exception_ptr cause) noexcept { state_.close(cancel, std::move(cause)); }
  void close_and_discard() noexcept {
    state_.close(true, nullptr);
    discard_stored(state_);
  }

  [[nodiscard]] OpenHold hold_open() noexcept { return state_.hold_open(); }
  [[nodiscard]] OpenHold hold_open_for_producer() { return state_.hold_open_for_producer(); }
  [[nodiscard]] OpenHold hold_open_for_consumer() noexcept { return state_.hold_open_for_consumer(); }
  [[nodiscard]] OpenHold hold_open_for_discarding_consumer() noexcept {
    return state_.hold_open_for_consumer([](void* queue, bool finished) noexcept {
      auto& sides = *static_cast<Sides<Sync>*>(queue);
      if (sides.let_go_of_consumer(finished)) discard_stored(static_cast<State&>(sides));
    });
  }

  [[nodiscard]] bool is_closed() const noexcept {
    const Guard guard(state_.consumers.lock, ahead_of_all);
    return state_.consumers.closed;
  }
  [[nodiscard]] std::size_t size() const noexcept {
    const BothSides both(state_, ahead_of_all);
    return state_.level().stored + state_.consumers.store.aside;
  }
  [[nodiscard]] std::size_t capacity() const noexcept { return state_.capacity; }
  [[nodiscard]] std::size_t waiting_producers() const noexcept {
    const BothSides both(state_, ahead_of_all);
    return state_.producers.place.queue.size();
  }
  [[nodiscard]] std::size_t waiting_consumers() const noexcept {
    const BothSides both(state_, ahead_of_all);
    return state_.consumers.place.queue.size();
  }
  [[nodiscard]] QueueStatistics statistics() const noexcept {
    const BothSides both(state_, ahead_of_all);
    return state_.statistics();
  }
  [[nodiscard]] QueueLabel& label() noexcept { return state_.label; }
  [[nodiscard]] const QueueLabel& label() const noexcept { return state_.label; }

  [[nodiscard]] bool invariants_hold() const noexcept {
    const BothSides both(state_, ahead_of_all);
    return state_.invariants_hold();
  }

  // ---- For calls that wait in several queues, and for coroutines

  [[nodiscard]] State& state() noexcept { return state_; }

  /// Returns the number of elements that have left.
  [[nodiscard]] std::uint64_t left() const noexcept {
    const Guard guard(state_.consumers.lock);
    return state_.consumers.store.head.passed();
  }

 private:
  template <class Supply>
  EnqueueManyResult enqueue_all(Supply supply, std::size_t count, const Wait& wait) {
    if (count == 0) return {QueueStatus::ok, 0};
    EnqueueingFrom<State, Supply> enqueueing(state_, supply, count);
    const QueueStatus status = enqueueing.run(wait);
    return {status, enqueueing.given()};
  }

  State state_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_ENGINE_HPP
