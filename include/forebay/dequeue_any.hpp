// SPDX-License-Identifier: MIT
//
// dequeue_any.hpp: dequeue_any, which takes an element from the first of several queues that has one.
//
//   while (auto job = dequeue_any(urgent, ordinary)) run(job->element);        // both of Job; job->index is 0 or 1
//   auto next = dequeue_any(200ms, images, commands);                          // of different types: a std::variant
//   auto from = dequeue_any(sources, coordinator);                             // a std::vector<QueueRef<Job>>
//
// When to use: where one thread serves several queues and must sleep while all of them are empty. When not: to merge
// streams for good; a queue that several producers share is cheaper and keeps their order.
//
// Which queue: one that has an element, and if several have, any of them: the search begins at a position drawn anew
// for each element, so that a queue which is never empty does not starve the others. There is no priority among the
// queues; for that, ask the important one first, with no_wait.
//
// Lifetime: each of the queues has to outlive the call. A queue may be listed twice.

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

/// An element, and which queue of the list it came from: `auto [index, element] = *dequeue_any(a, b);`
template <class T>
struct ElementFrom {
  template <class Source>
  ElementFrom(std::size_t from, Source&& source) : index(from), element(std::forward<Source>(source)) {}

  std::size_t index;  ///< counted from 0
  T element;
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

/// dequeue_any of both, which ends when `queue` does, though something may come to `other` yet.
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

/// Takes one element from one of the queues, `first` and `rest`, which may be QueueRefs, too.
///
/// Returns a Dequeued<ElementFrom<T>> (`->index`, `->element`) if all have the element type T, a
/// Dequeued<std::variant<...>> of their element types, whose index() is that of the queue, if not.
///
/// Blocks while all of them are empty, until one has an element for this call, none can have one any more, or `wait`
/// ends. The call stands in the line of each queue meanwhile, and counts in its waiting_consumers(). It is served
/// there in order of arrival, up to bounded overtaking, and sleeps until one of the queues has an element for it; what
/// comes to the others goes to those behind it. What a queue keeps back (min_after_dequeue), this call leaves there,
/// too.
///
/// An element that is there wins over everything else. The status is closed when all queues are closed and drained;
/// those that are, are passed over before. If a queue that is drained was closed with a cause, the cause is thrown as
/// soon as the call would have to wait, not only when all are closed: a failure must not stay hidden behind a source
/// that never ends. Of several causes, that of the queue which is listed first. (A queue that was closed without a
/// cause and gets one later does not wake the call; it tells that cause when it looks again, at its end at the
/// latest.) Otherwise empty, timed_out or stopped, as `wait` says.
///
/// If a copy or move throws, the element is still in its queue. Allocates nothing. (TensorFlow has no such operation.)
template <detail::Referable First, detail::Referable... Rest>
[[nodiscard]] auto dequeue_any(First&& first, Rest&&... rest) {
  return detail::dequeue_from_refs(detail::WaitOf<First>::forever, QueueRef(first), QueueRef(rest)...);
}
template <detail::Referable First, detail::Referable... Rest>
[[nodiscard]] auto dequeue_any(const detail::WaitOf<First>& wait, First&& first, Rest&&... rest) {
  return detail::dequeue_from_refs(wait, QueueRef(first), QueueRef(rest)...);
}

/// The same for a list that is made at run time, such as a std::vector<QueueRef<T>>.
///
/// Throws std::invalid_argument if the list is empty. Allocates once if it has to wait.
template <detail::RangeOfQueueRefs Queues>
[[nodiscard]] auto dequeue_any(const Queues& queues,
                               const detail::WaitOfEach<Queues>& wait = detail::WaitOfEach<Queues>::forever) {
  using Ref = std::ranges::range_value_t<Queues>;
  return detail::dequeue_from_span(std::span<const Ref>(std::ranges::data(queues), std::ranges::size(queues)), wait);
}

/// The same for a list in braces: `dequeue_any<int>({fifo, shuffled}, 200ms)`.
template <class T, class Sync = StdSync>
[[nodiscard]] Dequeued<ElementFrom<T>> dequeue_any(
    std::type_identity_t<std::initializer_list<QueueRef<T, Sync>>> queues,
    const std::type_identity_t<BasicWait<Sync>>& wait = BasicWait<Sync>::forever) {
  return detail::dequeue_from_span(std::span(queues.begin(), queues.size()), wait);
}

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_DEQUEUE_ANY_HPP
