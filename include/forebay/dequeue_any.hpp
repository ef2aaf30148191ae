// SPDX-License-Identifier: MIT

/// @file
/// Defines dequeue_any(), which takes an element from whichever of several queues has one.
///
/// @code
/// while (auto job = dequeue_any(urgent, ordinary)) run(job->element);  // both of Job; job->index is 0 or 1
/// auto next = dequeue_any(200ms, images, commands);                    // of different types: a std::variant
/// auto from = dequeue_any(sources, coordinator);                       // a std::vector<QueueRef<Job>>
/// @endcode
///
/// When to use: if one thread serves several queues and should sleep while all are empty. When not: to merge streams
/// permanently; one queue shared by several producers is cheaper and keeps the order of each.
///
/// If several queues have an element, each may be chosen: the search starts at a random queue each time, so a queue
/// that is never empty cannot starve the others. The queues have no priorities. To prefer one queue, call its dequeue()
/// with `no_wait` first.
///
/// Lifetime: the queues must outlive the call. A queue may be listed twice.

#ifndef FOREBAY_DEQUEUE_ANY_HPP
#define FOREBAY_DEQUEUE_ANY_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "forebay/base/reject.hpp"
#include "forebay/handle/any_dequeue.hpp"
#include "forebay/queue_ref.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI {

/// An element and the index of its queue: `auto [index, element] = *dequeue_any(a, b);`
template <class T>
struct ElementFrom {
  /// Creates an element from `source`, taken from the queue at index `from`.
  template <class Source>
  ElementFrom(std::size_t from, Source&& source) : index(from), element(std::forward<Source>(source)) {}

  std::size_t index;  ///< The index of the queue in the list, counted from 0.
  T element;          ///< What was dequeued.
};

namespace detail {

template <class Queue>
using RefTo = decltype(QueueRef(std::declval<Queue>()));

/// A queue, or a reference to one.
template <class Queue>
concept Referable = requires {
  typename RefTo<Queue>;
};

template <class Queue>
using WaitOf = typename RefTo<Queue>::Wait;
template <class Queues>
using WaitOfEach = typename std::ranges::range_value_t<Queues>::Wait;

template <class Sync, class Queues>
Dequeued<typename Queues::Result> dequeue_from(const Queues& queues, const BasicWait<Sync>& wait,
                                               bool first_decides = false) {
  using Result = typename Queues::Result;
  return Dequeued<Result>([&](std::optional<Result>& result) {
    return AnyDequeue<Sync, Queues>(queues, wait, result, first_decides).run();
  });
}

template <std::size_t extent, class T, class Sync>
auto dequeue_from_span(std::span<const QueueRef<T, Sync>, extent> queues, const BasicWait<Sync>& wait,
                       bool first_decides = false) {
  if (queues.empty()) reject({"dequeue_any needs at least 1 queue, not 0"});
  return dequeue_from<Sync>(QueuesOfOneType<ElementFrom<T>, QueueRef<T, Sync>, Sync, extent>(queues), wait,
                            first_decides);
}

/// Dequeues from either queue. Ends when `queue` does, even if elements may still arrive in `other`.
template <class T, class Sync>
auto dequeue_before(const BasicWait<Sync>& wait, const QueueRef<T, Sync>& queue, const QueueRef<T, Sync>& other) {
  const std::array queues{queue, other};
  return dequeue_from_span(std::span(queues), wait, true);
}

template <class Sync, class First, class... Rest>
auto dequeue_from_refs(const BasicWait<Sync>& wait, const QueueRef<First, Sync>& first,
                       const QueueRef<Rest, Sync>&... rest) {
  if constexpr ((std::same_as<First, Rest> && ...)) {
    const std::array queues{first, rest...};
    return dequeue_from_span(std::span(queues), wait);
  } else {
    return dequeue_from<Sync>(
        QueuesOfSeveralTypes<Sync, QueueRef<First, Sync>, QueueRef<Rest, Sync>...>(first, rest...), wait);
  }
}

}  // namespace detail

/// Takes one element from one of the queues `first` and `rest`, which may also be QueueRefs.
///
/// If all queues have the element type T, returns a `Dequeued<ElementFrom<T>>` with the members `index` and `element`.
/// Otherwise returns a `Dequeued<std::variant<...>>` of their element types; its index() is the index of the queue.
///
/// @code
/// while (auto job = dequeue_any(urgent, ordinary)) run(job->element);
/// @endcode
///
/// Blocks while all queues are empty, until one has an element for this call, no more elements can arrive, or the wait
/// ends. Meanwhile the call waits in line at each queue, and counts in its waiting_consumers(). Each queue serves it in
/// order of arrival, with bounded overtaking. It sleeps until a queue has an element for it. Elements that arrive in
/// the other queues go to the calls behind it. It respects min_after_dequeue.
///
/// An available element takes precedence over everything else. Queues that are closed and drained are skipped; when all
/// are, the status is `closed`. Otherwise it is `empty`, `timed_out` or `stopped`, as the wait says.
///
/// If a drained queue was closed with a cause, the call throws the cause as soon as it would have to wait. It does not
/// wait until all queues are closed, so a source that never ends cannot hide a failure. Of several causes, it throws
/// the one of the first queue in the list. If a queue was closed without a cause and is given one later, that does not
/// wake the call. The call throws that cause when it next checks its queues, at the latest when its wait ends.
///
/// If a copy or move throws, the element stays in its queue. Allocates nothing. (TensorFlow has no such operation.)
template <detail::Referable First, detail::Referable... Rest>
[[nodiscard]] auto dequeue_any(First&& first, Rest&&... rest) {
  return detail::dequeue_from_refs(detail::WaitOf<First>::forever, QueueRef(first), QueueRef(rest)...);
}
/// Takes one element from one of the queues, and blocks for at most `wait`: `dequeue_any(200ms, urgent, ordinary)`.
template <detail::Referable First, detail::Referable... Rest>
[[nodiscard]] auto dequeue_any(const detail::WaitOf<First>& wait, First&& first, Rest&&... rest) {
  return detail::dequeue_from_refs(wait, QueueRef(first), QueueRef(rest)...);
}

/// Takes one element from one of the queues in a list made at run time, such as a `std::vector<QueueRef<T>>`.
///
/// Throws std::invalid_argument if the list is empty. Allocates once if it has to wait.
template <detail::RangeOfQueueRefs Queues>
[[nodiscard]] auto dequeue_any(const Queues& queues,
                               const detail::WaitOfEach<Queues>& wait = detail::WaitOfEach<Queues>::forever) {
  using Ref = std::ranges::range_value_t<Queues>;
  return detail::dequeue_from_span(std::span<const Ref>(std::ranges::data(queues), std::ranges::size(queues)), wait);
}

/// Takes one element from one of the queues in a braced list: `dequeue_any<int>({fifo, shuffled}, 200ms)`.
template <class T, class Sync = StdSync>
[[nodiscard]] Dequeued<ElementFrom<T>> dequeue_any(
    std::type_identity_t<std::initializer_list<QueueRef<T, Sync>>> queues,
    const std::type_identity_t<BasicWait<Sync>>& wait = BasicWait<Sync>::forever) {
  return detail::dequeue_from_span(std::span(queues.begin(), queues.size()), wait);
}

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_DEQUEUE_ANY_HPP
