// SPDX-License-Identifier: MIT
//
// One adapter per queue, all with the same five members, so that every measurement is written only once:
//   Adapter(capacity), push(value), pop(), push_many(values), pop_many(count, batch).
// pop_many replaces the content of a vector that the caller reuses. The vector then has exactly `count` elements.

#ifndef FOREBAY_BENCHMARK_CONTENDERS_HPP
#define FOREBAY_BENCHMARK_CONTENDERS_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "forebay/fifo_queue.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "require.hpp"
#include "textbook_queue.hpp"

#ifdef FOREBAY_BENCHMARK_HAS_TBB
#include <tbb/concurrent_queue.h>
#endif
#ifdef FOREBAY_BENCHMARK_HAS_BOOST
#include <boost/thread/concurrent_queues/sync_bounded_queue.hpp>
#endif
#ifdef FOREBAY_BENCHMARK_HAS_MOODYCAMEL
#include <concurrentqueue/blockingconcurrentqueue.h>
#endif

namespace forebay_benchmark {

using Element = std::uint64_t;

template <class Queue>
class BasicTextbookAdapter {
 public:
  explicit BasicTextbookAdapter(std::size_t capacity) : queue_(capacity) {}

  void push(Element value) { require(queue_.push(value), "the textbook queue refused an element"); }
  Element pop() { return queue_.pop().value(); }
  void push_many(std::span<const Element> values) {
    require(queue_.push_many(values), "the textbook queue refused a batch");
  }
  void pop_many(std::size_t count, std::vector<Element>& batch) {
    require(queue_.pop_many(count, batch), "the textbook queue returned a short batch");
  }

 private:
  Queue queue_;
};

class TextbookAdapter : public BasicTextbookAdapter<TextbookQueue<Element>> {
 public:
  static constexpr std::string_view name = "textbook";
  using BasicTextbookAdapter::BasicTextbookAdapter;
};

template <class Queue>
class ForebayAdapter {
 public:
  template <class Setting>
  explicit ForebayAdapter(Setting setting) : queue_(setting) {}

  void push(Element value) {
    require(queue_.enqueue(value) == forebay::QueueStatus::ok, "forebay refused an element");
  }
  Element pop() {
    auto element = queue_.dequeue();
    require(static_cast<bool>(element), "forebay returned no element");
    return *element;
  }
  void push_many(std::span<const Element> values) {
    require(queue_.enqueue_many(values).status == forebay::QueueStatus::ok, "forebay refused a batch");
  }
  void pop_many(std::size_t count, std::vector<Element>& batch) {
    require(queue_.dequeue_many(count, batch) == forebay::QueueStatus::ok, "forebay returned no batch");
  }

 private:
  Queue queue_;
};

class FifoAdapter : public ForebayAdapter<forebay::FIFOQueue<Element>> {
 public:
  static constexpr std::string_view name = "forebay FIFO";

  explicit FifoAdapter(std::size_t capacity) : ForebayAdapter(capacity) {}
};

class ShuffleAdapter : public ForebayAdapter<forebay::RandomShuffleQueue<Element>> {
 public:
  static constexpr std::string_view name = "forebay shuffle";

  explicit ShuffleAdapter(std::size_t capacity)
      : ForebayAdapter(forebay::RandomShuffleOptions{.capacity = capacity, .min_after_dequeue = 0, .seed = 7}) {}
};

// For peers without batches: the loop that a caller would write.
template <class Adapter>
void push_one_by_one(Adapter& adapter, std::span<const Element> values) {
  for (Element value : values) adapter.push(value);
}

template <class Adapter>
void pop_one_by_one(Adapter& adapter, std::size_t count, std::vector<Element>& batch) {
  batch.clear();
  while (batch.size() < count) batch.push_back(adapter.pop());
}

#ifdef FOREBAY_BENCHMARK_HAS_TBB
class TbbAdapter {
 public:
  static constexpr std::string_view name = "oneTBB";

  explicit TbbAdapter(std::size_t capacity) { queue_.set_capacity(static_cast<std::ptrdiff_t>(capacity)); }

  void push(Element value) { queue_.push(value); }
  Element pop() {
    Element value;
    queue_.pop(value);
    return value;
  }
  void push_many(std::span<const Element> values) { push_one_by_one(*this, values); }
  void pop_many(std::size_t count, std::vector<Element>& batch) { pop_one_by_one(*this, count, batch); }

 private:
  tbb::concurrent_bounded_queue<Element> queue_;
};
#endif

#ifdef FOREBAY_BENCHMARK_HAS_BOOST
class BoostAdapter {
 public:
  static constexpr std::string_view name = "Boost";

  explicit BoostAdapter(std::size_t capacity) : queue_(capacity) {}

  void push(Element value) { queue_.push_back(value); }
  Element pop() { return queue_.pull_front(); }
  void push_many(std::span<const Element> values) { push_one_by_one(*this, values); }
  void pop_many(std::size_t count, std::vector<Element>& batch) { pop_one_by_one(*this, count, batch); }

 private:
  boost::sync_bounded_queue<Element> queue_;
};
#endif

#ifdef FOREBAY_BENCHMARK_HAS_MOODYCAMEL
// The queue itself has no bound, so a semaphore of free slots bounds it, as its author recommends.
class MoodycamelAdapter {
 public:
  static constexpr std::string_view name = "moodycamel";

  explicit MoodycamelAdapter(std::size_t capacity)
      : slots_(static_cast<moodycamel::LightweightSemaphore::ssize_t>(capacity)), queue_(capacity) {}

  void push(Element value) {
    slots_.wait();
    queue_.enqueue(value);
  }
  Element pop() {
    Element value;
    queue_.wait_dequeue(value);
    slots_.signal();
    return value;
  }
  // Uses slots as it obtains them: two producers that each wait for a whole batch could starve each other.
  void push_many(std::span<const Element> values) {
    while (!values.empty()) {
      const auto granted = slots_.waitMany(static_cast<moodycamel::LightweightSemaphore::ssize_t>(values.size()));
      const auto count = static_cast<std::size_t>(granted);
      queue_.enqueue_bulk(values.data(), count);
      values = values.subspan(count);
    }
  }
  void pop_many(std::size_t count, std::vector<Element>& batch) {
    batch.resize(count);
    std::size_t taken = 0;
    while (taken < count) {
      const std::size_t arrived = queue_.wait_dequeue_bulk(batch.data() + taken, count - taken);
      slots_.signal(static_cast<moodycamel::LightweightSemaphore::ssize_t>(arrived));
      taken += arrived;
    }
  }

 private:
  moodycamel::LightweightSemaphore slots_;
  moodycamel::BlockingConcurrentQueue<Element> queue_;
};
#endif

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_CONTENDERS_HPP
