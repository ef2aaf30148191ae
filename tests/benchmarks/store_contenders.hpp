// SPDX-License-Identifier: MIT
//
// The stores to compare: forebay's queues, the containers of the standard library, and the queues of the peers. All
// have Element, put(element) and take(), which returns nothing.

#ifndef FOREBAY_BENCHMARK_STORE_CONTENDERS_HPP
#define FOREBAY_BENCHMARK_STORE_CONTENDERS_HPP

#include <cstddef>
#include <deque>
#include <functional>
#include <queue>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/count.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/priority_queue.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "require.hpp"

#ifdef FOREBAY_BENCHMARK_HAS_TBB
#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_queue.h>
#endif
#ifdef FOREBAY_BENCHMARK_HAS_BOOST
#include <boost/thread/concurrent_queues/sync_bounded_queue.hpp>
#include <boost/thread/concurrent_queues/sync_priority_queue.hpp>
#include <boost/thread/concurrent_queues/sync_queue.hpp>
#endif
#ifdef FOREBAY_BENCHMARK_HAS_MOODYCAMEL
#include <concurrentqueue/concurrentqueue.h>
#endif

namespace forebay_benchmark {

template <class Queue>
class ForebayStore {
 public:
  using Element = typename Queue::value_type;

  explicit ForebayStore(forebay::Capacity capacity) : queue_(options(capacity)) {}

  void put(const Element& element) {
    require(queue_.enqueue(element) == forebay::QueueStatus::ok, "forebay refused an element");
  }
  void take() { require(queue_.dequeue().has_value(), "forebay returned no element"); }

 private:
  static auto options(forebay::Capacity capacity) {
    if constexpr (std::is_constructible_v<Queue, forebay::Capacity>) {
      return capacity;
    } else {
      return forebay::RandomShuffleOptions{.capacity = capacity, .seed = 7};
    }
  }

  Queue queue_;
};
template <class T>
using FifoStore = ForebayStore<forebay::FIFOQueue<T>>;
template <class T>
using ShuffleStore = ForebayStore<forebay::RandomShuffleQueue<T>>;
template <class T>
using PriorityStore = ForebayStore<forebay::PriorityQueue<T>>;

template <class T>
class DequeStore {
 public:
  using Element = T;

  void put(const T& element) { elements_.push_back(element); }
  void take() { elements_.pop_front(); }

 private:
  std::deque<T> elements_;
};

template <class T>
class HeapStore {
 public:
  using Element = T;

  void put(const T& element) { elements_.push(element); }
  void take() { elements_.pop(); }

 private:
  std::priority_queue<T, std::vector<T>, std::greater<>> elements_;
};

#ifdef FOREBAY_BENCHMARK_HAS_TBB
template <class T>
class TbbStore {
 public:
  using Element = T;

  TbbStore() = default;
  explicit TbbStore(std::size_t capacity) { queue_.set_capacity(static_cast<std::ptrdiff_t>(capacity)); }
  void put(const T& element) { queue_.push(element); }
  void take() {
    T element;
    require(queue_.try_pop(element), "oneTBB returned no element");
  }

 private:
  tbb::concurrent_bounded_queue<T> queue_;
};

template <class T>
class TbbPriorityStore {
 public:
  using Element = T;

  void put(const T& element) { queue_.push(element); }
  void take() {
    T element;
    require(queue_.try_pop(element), "oneTBB returned no element");
  }

 private:
  tbb::concurrent_priority_queue<T, std::greater<>> queue_;
};
#endif

#ifdef FOREBAY_BENCHMARK_HAS_BOOST
template <class T>
class BoostStore {
 public:
  using Element = T;

  void put(const T& element) { queue_.push(element); }
  void take() { queue_.pull(); }

 private:
  boost::sync_queue<T> queue_;
};

template <class T>
class BoostBoundedStore {
 public:
  using Element = T;

  explicit BoostBoundedStore(std::size_t capacity) : queue_(capacity) {}
  void put(const T& element) { queue_.push_back(element); }
  void take() { queue_.pull_front(); }

 private:
  boost::sync_bounded_queue<T> queue_;
};

template <class T>
class BoostPriorityStore {
 public:
  using Element = T;

  void put(const T& element) { queue_.push(element); }
  void take() { queue_.pull(); }

 private:
  boost::sync_priority_queue<T, boost::csbl::vector<T>, std::greater<T>> queue_;
};
#endif

#ifdef FOREBAY_BENCHMARK_HAS_MOODYCAMEL
template <class T>
class MoodycamelStore {
 public:
  using Element = T;

  MoodycamelStore() = default;
  explicit MoodycamelStore(std::size_t capacity) : queue_(capacity) {}
  void put(const T& element) { queue_.enqueue(element); }
  void take() {
    T element;
    require(queue_.try_dequeue(element), "moodycamel returned no element");
  }

 private:
  moodycamel::ConcurrentQueue<T> queue_;
};
#endif

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_STORE_CONTENDERS_HPP
