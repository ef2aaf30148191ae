// SPDX-License-Identifier: MIT
//
// toy_queues.hpp: a textbook bounded queue with one mistake at a time, to show that the explorer finds them. The
// mistakes come from the table in the design notes: all of them were made in real queues.

#ifndef FOREBAY_TESTS_MODEL_TOY_QUEUES_HPP
#define FOREBAY_TESTS_MODEL_TOY_QUEUES_HPP

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

#include "tests/model/model_sync.hpp"

namespace forebay_model {

enum class Mistake {
  none,
  one_condition_for_both,   // one condition variable with notify_one where notify_all is needed
  close_forgets_producers,  // close does not notify them
  close_forgets_consumers,
  close_wakes_one,  // notify_one instead of notify_all
  if_instead_of_while,
  many_wakes_one,                 // dequeue_many frees n slots and wakes one producer
  closed_without_the_lock,        // the flag is set without the mutex
  notifies_only_when_empty,       // enqueue notifies only when the queue was empty
  timeout_swallows_notification,  // a waiter that was notified and timed out does not look again
  callback_without_the_lock,      // the stop callback notifies without having locked the mutex
  callback_under_the_lock,        // the stop callback is registered while its mutex is held
  token_without_callback,         // the token is checked, but nothing wakes the waiter
};

/// A queue of ints: a mutex, two condition variables, a deque.
template <Mistake mistake>
class ToyQueue {
  using Lock = std::unique_lock<ModelMutex>;

 public:
  explicit ToyQueue(std::size_t capacity) : capacity_(capacity) {}

  bool enqueue(int value) {
    Lock lock(mutex_);
    sleep_until(lock, for_room(), [this] { return closed() || values_.size() < capacity_; });
    if (closed()) return false;
    const bool was_empty = values_.empty();
    values_.push_back(value);
    check(values_.size() <= capacity_, "the queue is over-full");
    if (mistake != Mistake::notifies_only_when_empty || was_empty) not_empty_.notify_one();
    return true;
  }

  std::optional<int> dequeue() {
    Lock lock(mutex_);
    sleep_until(lock, not_empty_, [this] { return closed() || !values_.empty(); });
    return take();
  }

  std::optional<int> dequeue_for(std::chrono::milliseconds time) {
    Lock lock(mutex_);
    const auto deadline = ModelClock::now() + time;
    while (!closed() && values_.empty()) {
      if (not_empty_.wait_until(lock, deadline) == std::cv_status::no_timeout) continue;
      if (mistake == Mistake::timeout_swallows_notification) return std::nullopt;
      if (values_.empty()) return std::nullopt;
    }
    return take();
  }

  std::optional<int> dequeue(const ModelStopToken& token) {
    const auto wake_up = [this] {
      if (mistake == Mistake::token_without_callback) return;
      if (mistake != Mistake::callback_without_the_lock) Lock(mutex_).unlock();
      not_empty_.notify_all();
    };
    Lock lock(mutex_, std::defer_lock);
    if (mistake == Mistake::callback_under_the_lock) lock.lock();
    const ModelStopCallback<decltype(wake_up)> callback(token, wake_up);
    if (mistake != Mistake::callback_under_the_lock) lock.lock();
    sleep_until(lock, not_empty_, [&] { return closed() || !values_.empty() || token.stop_requested(); });
    const auto value = take();
    lock.unlock();
    return value;
  }

  bool dequeue_many(std::size_t count) {
    Lock lock(mutex_);
    sleep_until(lock, not_empty_, [&] { return closed() || values_.size() >= count; });
    if (values_.size() < count) return false;
    values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::size_t i = 0; i < (mistake == Mistake::many_wakes_one ? 1 : count); ++i) for_room().notify_one();
    return true;
  }

  void close() {
    if (mistake == Mistake::closed_without_the_lock) {
      closed_.store(true);
    } else {
      const Lock lock(mutex_);
      closed_.store(true, std::memory_order_relaxed);
    }
    if (mistake == Mistake::close_wakes_one) {
      not_full_.notify_one();
      not_empty_.notify_one();
      return;
    }
    if (mistake != Mistake::close_forgets_producers) not_full_.notify_all();
    if (mistake != Mistake::close_forgets_consumers) not_empty_.notify_all();
  }

 private:
  [[nodiscard]] bool closed() const {
    return closed_.load(mistake == Mistake::closed_without_the_lock ? std::memory_order_seq_cst
                                                                    : std::memory_order_relaxed);
  }

  ModelConditionVariable& for_room() { return mistake == Mistake::one_condition_for_both ? not_empty_ : not_full_; }

  template <class Predicate>
  static void sleep_until(Lock& lock, ModelConditionVariable& condition, Predicate predicate) {
    if (mistake != Mistake::if_instead_of_while) return condition.wait(lock, predicate);
    if (!predicate()) condition.wait(lock);
  }

  std::optional<int> take() {
    if (values_.empty()) {
      check(mistake != Mistake::if_instead_of_while || closed(), "there is nothing to take");
      return std::nullopt;
    }
    const int value = values_.front();
    values_.pop_front();
    for_room().notify_one();
    return value;
  }

  const std::size_t capacity_;
  std::deque<int> values_;
  ModelAtomic<bool> closed_{false};
  ModelMutex mutex_;
  ModelConditionVariable not_empty_;
  ModelConditionVariable not_full_;
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_TOY_QUEUES_HPP
