// SPDX-License-Identifier: MIT
//
// The adapters of queues that deliver the smallest element first.

#ifndef FOREBAY_BENCHMARK_PRIORITY_CONTENDERS_HPP
#define FOREBAY_BENCHMARK_PRIORITY_CONTENDERS_HPP

#include <array>
#include <cstddef>
#include <functional>
#include <queue>
#include <span>
#include <string_view>
#include <vector>

#include "contenders.hpp"
#include "forebay/priority_queue.hpp"
#include "require.hpp"
#include "textbook_queue.hpp"

namespace forebay_benchmark {

// The numbers that a cell sends through a queue are ascending, which would save a heap work. So each number is
// multiplied on its way in, which scatters them, and multiplied by the inverse on its way out.
template <class Adapter>
class Scattered {
 public:
  explicit Scattered(std::size_t capacity) : adapter_(capacity) {}

  void push(Element value) { adapter_.push(value * factor); }
  Element pop() { return adapter_.pop() * inverse; }
  void push_many(std::span<const Element> values) {
    std::array<Element, batch_size> scattered;
    for (std::size_t i = 0; i < values.size(); ++i) scattered[i] = values[i] * factor;
    adapter_.push_many(std::span(scattered).first(values.size()));
  }
  void pop_many(std::size_t count, std::vector<Element>& batch) {
    adapter_.pop_many(count, batch);
    for (Element& value : batch) value *= inverse;
  }

 private:
  static constexpr Element factor = 0x9e3779b97f4a7c15;
  static constexpr Element inverse = 0xf1de83e19937733d;
  static_assert(factor * inverse == 1);

  Adapter adapter_;
};

using TextbookPriorityQueue =
    TextbookQueue<Element, std::priority_queue<Element, std::vector<Element>, std::greater<>>>;

class TextbookPriorityAdapter : public Scattered<BasicTextbookAdapter<TextbookPriorityQueue>> {
 public:
  static constexpr std::string_view name = "textbook";
  using Scattered::Scattered;
};

class PriorityAdapter : public Scattered<ForebayAdapter<forebay::PriorityQueue<Element>>> {
 public:
  static constexpr std::string_view name = "forebay priority";
  using Scattered::Scattered;
};

// The textbook queue with one lock per batch.
class BatchingPriorityQueue {
 public:
  explicit BatchingPriorityQueue(std::size_t capacity) : queue_(capacity) {}

  void push(Element value) { require(queue_.push(value), "the batching queue refused an element"); }
  Element pop() { return queue_.pop().value(); }
  void push_many(std::span<const Element> values) {
    require(queue_.push_together(values), "the batching queue refused a batch");
  }
  void pop_many(std::size_t count, std::vector<Element>& batch) {
    require(queue_.pop_together(count, batch), "the batching queue returned a short batch");
  }

 private:
  TextbookPriorityQueue queue_;
};

class BatchingPriorityAdapter : public Scattered<BatchingPriorityQueue> {
 public:
  static constexpr std::string_view name = "one lock a batch";
  using Scattered::Scattered;
};

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_PRIORITY_CONTENDERS_HPP
