// SPDX-License-Identifier: MIT
//
// queue_table.hpp: QueueTable, the functions through which a QueueRef uses a queue of any kind.

#ifndef FOREBAY_HANDLE_QUEUE_TABLE_HPP
#define FOREBAY_HANDLE_QUEUE_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/open_hold.hpp"
#include "forebay/blocking_queue.hpp"
#include "forebay/handle/any_place.hpp"
#include "forebay/handle/erased_sink.hpp"
#include "forebay/queue/inside.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/statistics.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// One function for each operation of a queue; the first argument is the queue.
template <class T, class Sync>
struct QueueTable {
  using Wait = BasicWait<Sync>;
  using Batch = std::vector<T>;

  QueueStatus (*enqueue)(void*, T&&, const Wait&);
  QueueStatus (*enqueue_copy)(void*, const T&, const Wait&);  // null if T cannot be copied
  EnqueueManyResult (*enqueue_many)(void*, Batch&&, const Wait&);
  EnqueueManyResult (*enqueue_many_copies)(void*, std::span<const T>, const Wait&);  // null if T cannot be copied

  QueueStatus (*dequeue)(void*, std::optional<T>&, const Wait&);
  QueueStatus (*dequeue_many)(void*, std::size_t, Batch&, const Wait&);
  QueueStatus (*dequeue_up_to)(void*, std::size_t, Batch&, const Wait&);
  QueueStatus (*dequeue_available)(void*, std::size_t, Batch&, const Wait&);

  void (*close)(void*) noexcept;
  void (*cancel)(void*) noexcept;
  void (*discard)(void*) noexcept;
  void (*fail)(void*, std::exception_ptr) noexcept;
  OpenHold (*hold_open)(void*) noexcept;
  OpenHold (*hold_open_for_producer)(void*);
  OpenHold (*hold_open_for_consumer)(void*) noexcept;
  OpenHold (*hold_open_for_discarding_consumer)(void*) noexcept;

  bool (*is_closed)(void*) noexcept;
  std::size_t (*size)(void*) noexcept;
  std::size_t (*capacity)(void*) noexcept;
  std::size_t (*waiting_producers)(void*) noexcept;
  std::size_t (*waiting_consumers)(void*) noexcept;
  QueueStatistics (*statistics)(void*) noexcept;

  // For dequeue_any: see any_dequeue.hpp.
  void (*take_place)(void*, ErasedSink<T>&, AnyPlace<Sync>&) noexcept;
  std::uint64_t (*left)(void*) noexcept;
};

template <class Queue>
[[nodiscard]] Queue& as(void* queue) noexcept {
  return *static_cast<Queue*>(queue);
}

template <class T, class Queue>
constexpr auto enqueue_copy_of() {
  using Wait = typename Queue::Wait;
  if constexpr (std::is_copy_constructible_v<T>) {
    return [](void* queue, const T& element, const Wait& wait) { return as<Queue>(queue).enqueue(element, wait); };
  } else {
    return nullptr;
  }
}

template <class T, class Queue>
constexpr auto enqueue_many_copies_of() {
  using Wait = typename Queue::Wait;
  if constexpr (std::is_copy_constructible_v<T>) {
    return [](void* queue, std::span<const T> elements, const Wait& wait) {
      return as<Queue>(queue).enqueue_many(elements, wait);
    };
  } else {
    return nullptr;
  }
}

/// The table of a BlockingQueue<T, Discipline, Sync>.
template <class T, class Discipline, class Sync, class Queue = BlockingQueue<T, Discipline, Sync>,
          class Wait = BasicWait<Sync>, class Batch = std::vector<T>>
inline constexpr QueueTable<T, Sync> queue_table{
    .enqueue = [](void* queue, T&& element,
                  const Wait& wait) { return as<Queue>(queue).enqueue(std::move(element), wait); },
    .enqueue_copy = enqueue_copy_of<T, Queue>(),
    .enqueue_many = [](void* queue, Batch&& elements,
                       const Wait& wait) { return as<Queue>(queue).enqueue_many(std::move(elements), wait); },
    .enqueue_many_copies = enqueue_many_copies_of<T, Queue>(),
    .dequeue = [](void* queue, std::optional<T>& element,
                  const Wait& wait) { return Inside::dequeue_into(as<Queue>(queue), element, wait); },
    .dequeue_many = [](void* queue, std::size_t count, Batch& batch,
                       const Wait& wait) { return as<Queue>(queue).dequeue_many(count, batch, wait); },
    .dequeue_up_to = [](void* queue, std::size_t count, Batch& batch,
                        const Wait& wait) { return as<Queue>(queue).dequeue_up_to(count, batch, wait); },
    .dequeue_available = [](void* queue, std::size_t count, Batch& batch,
                            const Wait& wait) { return as<Queue>(queue).dequeue_available(count, batch, wait); },
    .close = [](void* queue) noexcept { as<Queue>(queue).close(); },
    .cancel = [](void* queue) noexcept { as<Queue>(queue).close(cancel_pending_enqueues); },
    .discard = [](void* queue) noexcept { as<Queue>(queue).close(discard_elements); },
    .fail = [](void* queue, std::exception_ptr cause) noexcept { as<Queue>(queue).close(std::move(cause)); },
    .hold_open = [](void* queue) noexcept { return as<Queue>(queue).hold_open(); },
    .hold_open_for_producer = [](void* queue) { return Inside::engine(as<Queue>(queue)).hold_open_for_producer(); },
    .hold_open_for_consumer =
        [](void* queue) noexcept { return Inside::engine(as<Queue>(queue)).hold_open_for_consumer(); },
    .hold_open_for_discarding_consumer =
        [](void* queue) noexcept { return Inside::engine(as<Queue>(queue)).hold_open_for_discarding_consumer(); },
    .is_closed = [](void* queue) noexcept { return as<Queue>(queue).is_closed(); },
    .size = [](void* queue) noexcept { return as<Queue>(queue).size(); },
    .capacity = [](void* queue) noexcept { return as<Queue>(queue).capacity(); },
    .waiting_producers = [](void* queue) noexcept { return as<Queue>(queue).waiting_producers(); },
    .waiting_consumers = [](void* queue) noexcept { return as<Queue>(queue).waiting_consumers(); },
    .statistics = [](void* queue) noexcept { return as<Queue>(queue).statistics(); },
    .take_place = [](void* queue, ErasedSink<T>& sink,
                     AnyPlace<Sync>& place) noexcept { place.take(Inside::engine(as<Queue>(queue)).state(), sink); },
    .left = [](void* queue) noexcept { return Inside::engine(as<Queue>(queue)).left(); },
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_HANDLE_QUEUE_TABLE_HPP
