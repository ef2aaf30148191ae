// SPDX-License-Identifier: MIT
//
// queue_ranges.hpp: a queue as a single-pass range of elements (ElementIterator) or of batches (Batches).
//
// Both refer to the queue itself: the handle or QueueRef that created them may end or move during the loop. Both are
// for one thread. Several threads may iterate over one queue, each with its own iterators.

#ifndef FOREBAY_QUEUE_QUEUE_RANGES_HPP
#define FOREBAY_QUEUE_QUEUE_RANGES_HPP

#include <cstddef>
#include <iterator>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include "forebay/count.hpp"
#include "forebay/queue/inside.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// An input iterator over the elements of a queue. It dequeues an element only when it is dereferenced or compared with
/// the end. So a loop that stops earlier, such as std::views::take(3) after the third element, leaves the next one in
/// the queue. The iterator owns the element that it has dequeued. It cannot be copied, because then its element could
/// be read twice.
template <class Queue>
class ElementIterator {
 public:
  using iterator_concept = std::input_iterator_tag;
  using value_type = typename Queue::value_type;
  using difference_type = std::ptrdiff_t;

  /// Null: an empty range.
  explicit ElementIterator(QueuePointer<Queue> queue) noexcept : queue_(queue), ended_(!queue) {}

  // NOLINTBEGIN(performance-noexcept-move-constructor)
  ElementIterator(ElementIterator&&) noexcept(std::is_nothrow_move_constructible_v<value_type>) = default;
  ElementIterator& operator=(ElementIterator&& other) noexcept(std::is_nothrow_move_constructible_v<value_type>) {
    // NOLINTEND(performance-noexcept-move-constructor)
    if (this == &other) return *this;
    element_.reset();  // instead of an assignment, which value_type may not have
    if (other.element_) element_.emplace(std::move(*other.element_));
    queue_ = other.queue_;
    ended_ = other.ended_;
    return *this;
  }
  ~ElementIterator() = default;

  /// Throws OutOfRangeError at the end.
  [[nodiscard]] value_type& operator*() const {
    if (at_end()) throw OutOfRangeError("forebay: the iteration over the queue is at its end");
    return *element_;
  }

  ElementIterator& operator++() {
    if (!at_end()) element_.reset();
    return *this;
  }
  void operator++(int) { ++*this; }

  [[nodiscard]] bool operator==(std::default_sentinel_t) const { return at_end(); }

 private:
  /// Dequeues an element, unless one is held already or the queue has ended.
  bool at_end() const {
    if (!element_ && !ended_)
      ended_ = Inside::dequeue_into(*queue_, element_, Queue::Wait::forever) != QueueStatus::ok;
    return ended_;
  }

  QueuePointer<Queue> queue_;
  mutable std::optional<value_type> element_;
  mutable bool ended_;
};

/// A single-pass view of the batches of a queue. Like ElementIterator, it dequeues a batch only when it is dereferenced
/// or compared with the end.
template <class Queue>
class Batches : public std::ranges::view_base {
 public:
  using Batch = typename Queue::Batch;
  using Wait = typename Queue::Wait;

  class Iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = Batch;
    using difference_type = std::ptrdiff_t;

    explicit Iterator(Batches& batches) noexcept : batches_(&batches) {}

    Iterator(Iterator&&) noexcept = default;
    Iterator& operator=(Iterator&&) noexcept = default;
    ~Iterator() = default;

    /// Throws OutOfRangeError at the end.
    [[nodiscard]] Batch& operator*() const { return batches_->show(); }

    Iterator& operator++() {
      batches_->pass();
      return *this;
    }
    void operator++(int) { ++*this; }

    [[nodiscard]] bool operator==(std::default_sentinel_t) const { return batches_->at_end(); }

   private:
    Batches* batches_;
  };

  /// Null: an empty range.
  Batches(QueuePointer<Queue> queue, Count count, Remainder remainder, Wait wait)
      : queue_(queue),
        count_(count.at_least(1, "batches: count")),
        remainder_(remainder),
        wait_(std::move(wait)),
        batch_(queue ? Inside::empty_batch(*queue) : Batch()) {}

  // NOLINTNEXTLINE(performance-noexcept-move-constructor)
  Batches(Batches&&) noexcept(std::is_nothrow_move_constructible_v<Batch>) = default;
  Batches& operator=(Batches&&) noexcept = default;
  ~Batches() = default;

  /// Continues where the last iteration stopped: after the last batch that it returned.
  [[nodiscard]] Iterator begin() {
    if (shown_) pass();
    ended_ = !queue_;
    return Iterator(*this);
  }
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

 private:
  /// Dequeues a batch, unless one is held already or the queue has ended.
  bool at_end() {
    if (held_ || ended_) return ended_;
    const QueueStatus status = remainder_ == Remainder::deliver ? queue_->dequeue_up_to(count_, batch_, wait_)
                                                                : queue_->dequeue_many(count_, batch_, wait_);
    held_ = status == QueueStatus::ok;
    ended_ = !held_;
    return ended_;
  }

  Batch& show() {
    if (at_end()) throw OutOfRangeError("forebay: the iteration over the batches of the queue is at its end");
    shown_ = true;
    return batch_;
  }

  void pass() {
    if (!at_end()) held_ = shown_ = false;
  }

  QueuePointer<Queue> queue_;
  std::size_t count_;
  Remainder remainder_;
  Wait wait_;
  Batch batch_;
  bool held_ = false;
  bool shown_ = false;
  bool ended_ = false;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_QUEUE_QUEUE_RANGES_HPP
