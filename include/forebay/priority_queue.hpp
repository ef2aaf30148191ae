// SPDX-License-Identifier: MIT
//
// priority_queue.hpp: PriorityQueue<T>, a bounded blocking queue whose smallest element leaves first; of equal ones,
// the one that arrived first. With it By, which orders elements by a part of them, and Prioritized, a value with a
// priority.
//
// When to use: to do first what is most urgent of what is there. When not: to sort (what arrives later can be smaller
// than what has left); where the order of arrival will do (FIFOQueue, which costs less).
//
// Elements stay in their cells, and one that leaves changes places at most with the one in front. The order is kept
// beside them, in a heap of pointers: that costs 32 to 40 bytes for each element of capacity, and O(log n) comparisons
// for each that leaves. Comparisons are made by consumers, under their lock; they must not call the queue.
//
// The contract, lifetime and thread safety are BlockingQueue's (blocking_queue.hpp).

#ifndef FOREBAY_PRIORITY_QUEUE_HPP
#define FOREBAY_PRIORITY_QUEUE_HPP

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "forebay/blocking_queue.hpp"
#include "forebay/engine/boxed.hpp"
#include "forebay/base/conversion.hpp"
#include "forebay/queue/discipline.hpp"
#include "forebay/queue/stable_heap.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Compares elements by a part of them: `PriorityQueue<Job, By<&Job::due>>` has the job that is due first leave first,
/// `By<&Job::due, std::greater<>>` the one that is due last. `projection` is a member, a member function that can be
/// called on a const element, or whatever else std::invoke takes, such as a lambda without captures.
template <auto projection, class Compare = std::less<>>
struct By {
  /// The part of `element` that counts.
  template <class T>
  [[nodiscard]] static constexpr decltype(auto) key(const T& element) {
    return std::invoke(projection, element);
  }

  template <class T>
  [[nodiscard]] constexpr bool operator()(const T& a, const T& b) const {
    return std::invoke(compare, key(a), key(b));
  }

  [[no_unique_address]] Compare compare{};
};

/// A value that is ordered by its priority alone: the smaller, the sooner it leaves. (TensorFlow: an element of
/// tf.PriorityQueue is a tuple whose first component is a 64-bit priority.)
template <class Value, class Priority = std::int64_t>
struct Prioritized {
  Priority priority;
  Value value;

  [[nodiscard]] friend constexpr bool operator<(const Prioritized& a, const Prioritized& b) {
    return a.priority < b.priority;
  }
  [[nodiscard]] friend constexpr bool operator>(const Prioritized& a, const Prioritized& b) {
    return b.priority < a.priority;
  }
};

namespace detail {

template <class Compare>
inline constexpr bool is_by = false;
template <auto projection, class Compare>
inline constexpr bool is_by<By<projection, Compare>> = true;

/// The types of the two parts of a Prioritized, which a caller may write in braces; of other types nothing is known.
template <class T>
struct Parts {
  static constexpr bool known = false;
  using Priority = void;
  using Value = void;
};
template <class TheValue, class ThePriority>
struct Parts<Prioritized<TheValue, ThePriority>> {
  static constexpr bool known = true;
  using Priority = ThePriority;
  using Value = TheValue;
};

/// Two things that an element can be made from. A fraction is not cut off to become a whole priority.
template <class T, class Priority, class Value>
concept PartsOfPrioritized = Parts<T>::known && std::convertible_to<Priority, typename Parts<T>::Priority> &&
                             std::convertible_to<Value, typename Parts<T>::Value> &&
                             !Mutilates<std::remove_cvref_t<Priority>, typename Parts<T>::Priority> &&
                             !Mutilates<std::remove_cvref_t<Value>, typename Parts<T>::Value>;
template <class T, class Priority, class Value>
concept BracedFrom = requires {
  T{std::declval<Priority>(), std::declval<Value>()};
};
template <class T, class Priority, class Value>
concept PartsOf = PartsOfPrioritized<T, Priority, Value> ||
    (!Parts<T>::known && (std::constructible_from<T, Priority, Value> || BracedFrom<T, Priority, Value>));

/// A value that a T is made from together with a priority; not how long to wait for room for a T.
template <class Value, class Priority, class T, class Wait>
concept ValueFor =
    PartsOf<T, Priority, Value> && !(std::convertible_to<Priority, T> && std::convertible_to<Value, Wait>);

/// What a part is to be, as far as is known.
template <class Part, class Argument>
using PartOr = std::conditional_t<std::is_void_v<Part>, std::decay_t<Argument>, Part>;

/// Whether a part is made of its argument, which stays untouched, before any lock is taken: it may take its time.
template <class Part, class Argument>
inline constexpr bool made_beforehand =
    !copies_like_a_move<Part> && std::constructible_from<Part, std::remove_reference_t<Argument>&> &&
    (std::is_lvalue_reference_v<Argument> || copies_like_a_move<std::remove_cvref_t<Argument>>);

template <class T, class Priority, class Value>
[[nodiscard]] T made_from(Priority&& priority, Value&& value) {
  if constexpr (Parts<T>::known) {
    return T{static_cast<typename Parts<T>::Priority>(std::forward<Priority>(priority)),
             typename Parts<T>::Value(std::forward<Value>(value))};
  } else if constexpr (std::constructible_from<T, Priority, Value>) {
    return T(std::forward<Priority>(priority), std::forward<Value>(value));
  } else {
    return T{std::forward<Priority>(priority), std::forward<Value>(value)};
  }
}

/// What an order by `Compare` looks at in an element, as far as is known.
template <class Compare, class T>
[[nodiscard]] constexpr decltype(auto) priority_of(const T& element) {
  if constexpr (is_by<Compare>) {
    return Compare::key(element);
  } else if constexpr (Parts<T>::known) {
    return (element.priority);
  } else {
    return (element);
  }
}

template <class Compare, class T>
using PriorityOf = std::remove_cvref_t<decltype(priority_of<Compare>(std::declval<const T&>()))>;

template <class Priority>
void require_no_nan(const Priority& priority) {
  if constexpr (std::floating_point<Priority>) {
    if (std::isnan(priority)) throw std::invalid_argument("forebay: NaN cannot be a priority");
  }
}

}  // namespace detail

/// The discipline of a PriorityQueue.
template <class T, class Compare>
class alignas(128) SmallestFirst : public detail::Discipline {  // apart from what producers read
  // Invariant: the heap has an entry for each element that had arrived at the last arrange(); the last of them are for
  // the first elements of the store, backwards. An entry's place is the count of elements before it since the
  // beginning.
  static_assert(std::predicate<Compare&, const T&, const T&>,
                "forebay: the elements of a PriorityQueue need operator<, or a comparator that takes two of them");

 public:
  static constexpr bool reorders = true;
  static constexpr bool examines = std::floating_point<detail::PriorityOf<Compare, T>>;
  static constexpr bool batch_may_exceed_capacity = false;

  SmallestFirst(Capacity capacity, Compare compare)
      : heap_(capacity.is_unbounded() ? 0 : capacity.elements()), compare_(std::move(compare)) {}

  /// Throws std::invalid_argument if the priority is NaN, which has no place in any order.
  static void examine(const T& element) { detail::require_no_nan(detail::priority_of<Compare>(element)); }

  template <class Store>
  void arrange(Store& store, std::size_t count) {
    const std::uint64_t head = store.head().passed();
    update(store, head);
    const auto precedes = [this](const Entry& a, const Entry& b) {
      const T& first = detail::unboxed(*a.element);
      const T& second = detail::unboxed(*b.element);
      if (compare_(first, second)) return true;
      return a.arrival < b.arrival && !compare_(second, first);
    };
    heap_.restore(precedes);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t smallest = heap_.separate_smallest(precedes);
      if (smallest == head + i) continue;
      store.swap(i, static_cast<std::size_t>(smallest - head));
      heap_.exchange(head + i, smallest);
    }
  }

 private:
  using Heap = detail::StableHeap<detail::Stored<T, reorders>>;
  using Entry = typename Heap::Entry;

  /// Forgets what has left, and adds what has arrived.
  template <class Store>
  void update(Store& store, std::uint64_t head) {
    const auto element_at = [&](std::uint64_t place) -> auto& {
      return store[static_cast<std::size_t>(place - head)];
    };
    heap_.remove_last(static_cast<std::size_t>(head - arranged_from_));
    arranged_from_ = head;
    if (ring_capacity_ != store.ring_capacity()) heap_.relocate(element_at);
    ring_capacity_ = store.ring_capacity();
    const std::size_t stored = store.count(std::numeric_limits<std::size_t>::max());
    heap_.reserve(stored);
    for (std::uint64_t place = head + heap_.size(); place < head + stored; ++place)
      heap_.add(element_at(place), place);
  }

  Heap heap_;
  std::uint64_t arranged_from_ = 0;  // how many elements had left before the last arrange()
  std::size_t ring_capacity_ = 0;    // what it was then
  [[no_unique_address]] Compare compare_;
};

/// The smallest element leaves first, of equal ones the first that came. (TensorFlow: tf.PriorityQueue.)
///
/// `Compare` says which of two elements is the smaller one, as for std::sort: std::less<>, std::greater<>,
/// std::ranges::greater, By, a lambda. It may throw: then the elements are still in the queue, and in order the next
/// time.
///
/// dequeue_many(n) takes the n smallest of what is stored, sorted. As more than the capacity can never be stored, a
/// dequeue_many or dequeue_up_to of more throws std::invalid_argument. A priority that is NaN (of a floating-point T,
/// of the part that By looks at, or of Prioritized) makes enqueue throw std::invalid_argument, and is left to the
/// caller.
template <class T, class Compare = std::less<>, class Sync = StdSync>
class PriorityQueue final : public BlockingQueue<T, SmallestFirst<T, Compare>, Sync> {
  using Base = BlockingQueue<T, SmallestFirst<T, Compare>, Sync>;

 public:
  using typename Base::Wait;

  /// Holds at most `capacity` elements: `PriorityQueue<int>(50)`, or `PriorityQueue<int>(forebay::unbounded)`. Throws
  /// std::invalid_argument if the capacity is less than 1 or too large for the address space.
  explicit PriorityQueue(Capacity capacity, Compare compare = Compare())
      : Base(capacity, SmallestFirst<T, Compare>(capacity, std::move(compare))) {}

  using Base::enqueue;

  /// Puts in the element made from a priority and a value: `queue.enqueue(3, picture)` of a
  /// `PriorityQueue<Prioritized<Picture>>`, or of any T that is made from two such things, as a pair is.
  ///
  /// What is given away is moved when there is room for it: if the result is not ok, or the priority is NaN, both
  /// arguments are untouched. For the rest like enqueue. (TensorFlow: QueueBase.enqueue((priority, value)).)
  template <class Priority = typename detail::Parts<T>::Priority,
            detail::ValueFor<Priority, T, Wait> Value = typename detail::Parts<T>::Value>
  QueueStatus enqueue(Priority&& priority, Value&& value, const Wait& wait = Wait::forever) {
    using PriorityPart = detail::PartOr<typename detail::Parts<T>::Priority, Priority>;
    using ValuePart = detail::PartOr<typename detail::Parts<T>::Value, Value>;
    if constexpr (detail::made_beforehand<PriorityPart, Priority>) {
      return enqueue(PriorityPart(priority), std::forward<Value>(value), wait);
    } else if constexpr (detail::made_beforehand<ValuePart, Value>) {
      return enqueue(std::forward<Priority>(priority), ValuePart(value), wait);
    }
    if constexpr (SmallestFirst<T, Compare>::examines) detail::require_no_nan(priority);
    const auto make = [&] {
      return detail::made_from<T>(std::forward<Priority>(priority), std::forward<Value>(value));
    };
    return this->enqueue_made(make, wait);
  }
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_PRIORITY_QUEUE_HPP
