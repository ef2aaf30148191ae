// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_TEXTBOOK_QUEUE_HPP
#define FOREBAY_BENCHMARK_TEXTBOOK_QUEUE_HPP

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace forebay_benchmark {

// The bounded queue of every textbook: one mutex, two condition variables, and a std::queue, which is a deque, or a
// std::priority_queue. It is the yardstick: the benchmark also gives each figure as a multiple of this queue's.
template <class T, class Elements = std::queue<T>>
class TextbookQueue {
 public:
  explicit TextbookQueue(std::size_t capacity) : capacity_(capacity) {}

  bool push(T element) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [this] { return closed_ || elements_.size() < capacity_; });
    if (closed_) return false;
    elements_.push(std::move(element));
    // The faster of the two textbook variants: a thread notified under the lock would run into the lock.
    lock.unlock();
    not_empty_.notify_one();
    return true;
  }

  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [this] { return closed_ || !elements_.empty(); });
    if (elements_.empty()) return std::nullopt;
    std::optional<T> element(take());
    lock.unlock();
    not_full_.notify_one();
    return element;
  }

  // Textbooks have no batches, so their readers write a loop around push and pop. That loop is measured.
  bool push_many(std::span<const T> elements) {
    for (const T& element : elements) {
      if (!push(element)) return false;
    }
    return true;
  }

  bool pop_many(std::size_t count, std::vector<T>& batch) {
    batch.clear();
    while (batch.size() < count) {
      std::optional<T> element = pop();
      if (!element) return false;
      batch.push_back(*std::move(element));
    }
    return true;
  }

  // The variant of a more careful reader: one lock and one notification per batch, which goes in and comes out whole.
  bool push_together(std::span<const T> elements) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [&] { return closed_ || elements_.size() + elements.size() <= capacity_; });
    if (closed_) return false;
    for (const T& element : elements) elements_.push(element);
    lock.unlock();
    not_empty_.notify_one();
    return true;
  }

  bool pop_together(std::size_t count, std::vector<T>& batch) {
    batch.clear();
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [&] { return closed_ || elements_.size() >= count; });
    if (elements_.size() < count) return false;
    while (batch.size() < count) batch.push_back(take());
    lock.unlock();
    not_full_.notify_one();
    return true;
  }

  void close() {
    {
      std::lock_guard lock(mutex_);
      closed_ = true;
    }
    not_full_.notify_all();
    not_empty_.notify_all();
  }

 private:
  T take() {
    T element = next();
    elements_.pop();
    return element;
  }

  T next() {
    if constexpr (requires { elements_.top(); }) {
      return elements_.top();
    } else {
      return std::move(elements_.front());
    }
  }

  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable not_full_;
  std::condition_variable not_empty_;
  Elements elements_;
  bool closed_ = false;
};

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_TEXTBOOK_QUEUE_HPP
