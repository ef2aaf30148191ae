// SPDX-License-Identifier: MIT
//
// inside.hpp: Inside, through which the library accesses non-public members of a queue or of a reference to one.

#ifndef FOREBAY_QUEUE_INSIDE_HPP
#define FOREBAY_QUEUE_INSIDE_HPP

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The only friend of a queue.
struct Inside {
  template <class Queue>
  [[nodiscard]] static auto& engine(Queue& queue) noexcept {
    return queue.engine_;
  }

  /// Dequeues like dequeue(), without a move of the element.
  template <class Queue, class T>
  static QueueStatus dequeue_into(Queue& queue, std::optional<T>& element, const typename Queue::Wait& wait) {
    return engine(queue).dequeue_into(element, wait);
  }

  template <class Queue>
  [[nodiscard]] static auto empty_batch(Queue& queue) {
    return engine(queue).empty_batch();
  }
};

template <class Sync>
Sync sync_of(const BasicWait<Sync>&);
/// The synchronisation policy of a queue.
template <class Queue>
using SyncOf = decltype(sync_of(std::declval<typename Queue::Wait>()));

template <class Sync>
struct Async;  // forebay: include forebay/async.hpp to await a queue
/// The options of an awaited call. Not deduced, so that they may be braces.
template <class Sync>
using AwaitedBy = std::type_identity_t<BasicAwaitOptions<Sync>>;

/// How a producer, a consumer or a loop refers to its queue: like a pointer, which may be null.
template <class Queue>
struct QueuePointerOf {
  using type = Queue*;
};
template <class Queue>
using QueuePointer = typename QueuePointerOf<Queue>::type;

/// Returns `count` handles that `create()` returns.
template <class Create>
[[nodiscard]] auto create_handles(std::size_t count, const Create& create) {
  std::vector<decltype(create())> handles;
  handles.reserve(count);  // now, because the end of a handle may close the queue
  while (handles.size() < count) handles.push_back(create());
  return handles;
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_QUEUE_INSIDE_HPP
