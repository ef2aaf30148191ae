// SPDX-License-Identifier: MIT
//
// Stores that deliver elements in a particular order: forebay's, and a mutex around a container. All have
// Store(stored), put(number), take(), and close(), after which no elements are put in.

#ifndef FOREBAY_BENCHMARK_ORDER_CONTENDERS_HPP
#define FOREBAY_BENCHMARK_ORDER_CONTENDERS_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <queue>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "forebay/priority_queue.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "require.hpp"

namespace forebay_benchmark {

using Number = std::int64_t;

// An element whose copy needs an allocation.
struct Text {
  Text(Number n) : number(n), text("a word that is long") {}  // NOLINT
  operator Number() const { return number; }                  // NOLINT
  friend bool operator<(const Text& a, const Text& b) { return a.number < b.number; }
  friend bool operator>(const Text& a, const Text& b) { return a.number > b.number; }
  friend bool operator==(const Text& a, const Text& b) { return a.number == b.number; }
  Number number;
  std::string text;
};

// Delivers equal elements in order of arrival.
template <class T>
class BasicLockedHeap {
 public:
  static constexpr const char* name = "textbook";

  explicit BasicLockedHeap(std::size_t /*stored*/) {}

  void put(Number number) {
    const std::lock_guard lock(mutex_);
    elements_.push({number, arrivals_++});
  }
  Number take() {
    const std::lock_guard lock(mutex_);
    require(!elements_.empty(), "the textbook's heap is empty");
    T first = std::move(const_cast<Entry&>(elements_.top()).element);
    elements_.pop();
    return first;
  }
  void close() {}

 private:
  struct Entry {
    T element;
    std::uint64_t arrival;
    friend bool operator>(const Entry& a, const Entry& b) {
      if (b.element < a.element) return true;
      return !(a.element < b.element) && a.arrival > b.arrival;
    }
  };

  std::mutex mutex_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> elements_;
  std::uint64_t arrivals_ = 0;
};
using LockedHeap = BasicLockedHeap<Number>;
using LockedHeapOfStrings = BasicLockedHeap<Text>;

// Swaps the element to remove with the last one, and removes it there.
class LockedVector {
 public:
  static constexpr const char* name = "textbook";

  explicit LockedVector(std::size_t /*stored*/) {}

  void put(Number number) {
    const std::lock_guard lock(mutex_);
    elements_.push_back(number);
  }
  Number take() {
    const std::lock_guard lock(mutex_);
    require(!elements_.empty(), "the textbook's vector is empty");
    std::uniform_int_distribution<std::size_t> place(0, elements_.size() - 1);
    std::swap(elements_[place(random_)], elements_.back());
    const Number last = elements_.back();
    elements_.pop_back();
    return last;
  }
  void close() {}

 private:
  std::mutex mutex_;
  std::vector<Number> elements_;
  std::mt19937_64 random_{7};
};

template <class Queue>
class QueueOrder {
 public:
  template <class Options>
  explicit QueueOrder(const Options& options) : queue_(options) {}

  void put(Number number) {
    require(queue_.enqueue(number) == forebay::QueueStatus::ok, "forebay refused an element");
  }
  Number take() { return *queue_.dequeue(); }
  void close() { queue_.close(); }

 private:
  Queue queue_;
};

class PriorityOrder : public QueueOrder<forebay::PriorityQueue<Number>> {
 public:
  static constexpr const char* name = "forebay priority";
  explicit PriorityOrder(std::size_t stored) : QueueOrder(stored + 8) {}
};

class PriorityOrderOfStrings : public QueueOrder<forebay::PriorityQueue<Text>> {
 public:
  static constexpr const char* name = "forebay priority";
  explicit PriorityOrderOfStrings(std::size_t stored) : QueueOrder(stored + 8) {}
};

class ShuffleOrder : public QueueOrder<forebay::RandomShuffleQueue<Number>> {
 public:
  static constexpr const char* name = "forebay shuffle";
  explicit ShuffleOrder(std::size_t stored)
      : QueueOrder(forebay::RandomShuffleOptions{.capacity = stored + 8, .seed = 7}) {}
};

// Draws from a window as large as the number of stored elements.
class WindowOrder : public QueueOrder<forebay::RandomShuffleQueue<Number>> {
 public:
  static constexpr const char* name = "with a window";
  explicit WindowOrder(std::size_t stored)
      : QueueOrder(forebay::RandomShuffleOptions{.capacity = stored + 8, .seed = 7, .window = stored}) {}
};

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_ORDER_CONTENDERS_HPP
