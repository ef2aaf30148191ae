// SPDX-License-Identifier: MIT
//
// queue_ranges.hpp: a queue as a range to go through once, element by element (ElementIterator) or batch by batch
// (Batches).

#ifndef FOREBAY_DETAIL_QUEUE_RANGES_HPP
#define FOREBAY_DETAIL_QUEUE_RANGES_HPP

#include <cstddef>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// What becomes of the last elements, fewer than a batch, when batches() comes to the end.
enum class Remainder {
  deliver,  ///< they are the last batch
  drop,     ///< they stay in the queue
};

namespace detail {

/// An input iterator over what a queue delivers.
template <class Queue>
class ElementIterator {
 public:
  using iterator_concept = std::input_iterator_tag;
  using value_type = typename Queue::value_type;
  using difference_type = std::ptrdiff_t;

  explicit ElementIterator(Queue& queue) : queue_(&queue) { ++*this; }

  [[nodiscard]] value_type& operator*() const noexcept { return *element_; }

  ElementIterator& operator++() {
    element_.reset();
    ended_ = queue_->dequeue_into(element_, Queue::Wait::forever) != QueueStatus::ok;
    return *this;
  }
  void operator++(int) { ++*this; }

  [[nodiscard]] bool operator==(std::default_sentinel_t) const noexcept { return ended_; }

 private:
  Queue* queue_;
  mutable std::optional<value_type> element_;
  bool ended_ = false;
};

/// The batches of a queue.
template <class Queue>
class Batches {
 public:
  using Batch = typename Queue::Batch;
  using Wait = typename Queue::Wait;

  class Iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = Batch;
    using difference_type = std::ptrdiff_t;

    explicit Iterator(Batches& batches) : batches_(&batches) { ++*this; }

    [[nodiscard]] Batch& operator*() const noexcept { return batches_->batch_; }

    Iterator& operator++() {
      batches_->take_next();
      return *this;
    }
    void operator++(int) { ++*this; }

    [[nodiscard]] bool operator==(std::default_sentinel_t) const noexcept { return batches_->ended_; }

   private:
    Batches* batches_;
  };

  Batches(Queue& queue, std::size_t count, Remainder remainder, Wait wait)
      : queue_(queue), count_(count), remainder_(remainder), wait_(std::move(wait)), batch_(queue.empty_batch()) {
    if (count == 0) throw std::invalid_argument("forebay: batches(0): a batch needs at least 1 element");
  }

  [[nodiscard]] Iterator begin() { return Iterator(*this); }
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

 private:
  void take_next() {
    const QueueStatus status = remainder_ == Remainder::deliver ? queue_.dequeue_up_to(count_, batch_, wait_)
                                                                : queue_.dequeue_many(count_, batch_, wait_);
    ended_ = status != QueueStatus::ok;
  }

  Queue& queue_;
  const std::size_t count_;
  const Remainder remainder_;
  const Wait wait_;
  Batch batch_;
  bool ended_ = false;
};

}  // namespace detail
}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_DETAIL_QUEUE_RANGES_HPP
