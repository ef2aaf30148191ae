// SPDX-License-Identifier: MIT
//
// bounded_queue.hpp: std::bounded_queue as the proposal P0260R20 describes it, over a FIFOQueue. What its asynchronous
// operations return is forebay's: a QueueStatus in place of a bool, a Dequeued in place of a std::optional.

#ifndef FOREBAY_TESTS_SUPPORT_BOUNDED_QUEUE_HPP
#define FOREBAY_TESTS_SUPPORT_BOUNDED_QUEUE_HPP

#include <cstddef>
#include <optional>
#include <utility>

#include "forebay/async.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/wait.hpp"

namespace p0260 {

enum class conqueue_status { success, empty, full, closed, busy, busy_async };

[[nodiscard]] constexpr conqueue_status as_conqueue_status(forebay::QueueStatus status) noexcept {
  if (status == forebay::QueueStatus::ok) return conqueue_status::success;
  if (status == forebay::QueueStatus::closed) return conqueue_status::closed;
  return status == forebay::QueueStatus::full ? conqueue_status::full : conqueue_status::empty;
}

/// The part of std::expected<T, conqueue_status> (C++23) that the examples use.
template <class T>
class expected {
 public:
  explicit expected(forebay::Dequeued<T> taken) : taken_(std::move(taken)) {}
  [[nodiscard]] explicit operator bool() const noexcept { return taken_.has_value(); }
  [[nodiscard]] T& operator*() noexcept { return *taken_; }
  [[nodiscard]] conqueue_status error() const noexcept { return as_conqueue_status(taken_.status()); }

 private:
  forebay::Dequeued<T> taken_;
};

template <class T>
class bounded_queue {
 public:
  using value_type = T;
  explicit bounded_queue(std::size_t max_elems) : queue_(max_elems) {}

  [[nodiscard]] bool is_closed() const noexcept { return queue_.is_closed(); }
  void close() noexcept { queue_.close(forebay::cancel_pending_enqueues); }
  bool push(const T& x) { return emplace(x); }
  bool push(T&& x) { return queue_.enqueue(std::move(x)) == forebay::QueueStatus::ok; }
  template <class... Args>
  bool emplace(Args&&... as) {
    return push(T(std::forward<Args>(as)...));
  }
  conqueue_status try_push(const T& x) { return try_emplace(x); }
  conqueue_status try_push(T&& x) { return as_conqueue_status(queue_.enqueue(std::move(x), forebay::no_wait)); }
  template <class... Args>
  conqueue_status try_emplace(Args&&... as) {
    return try_push(T(std::forward<Args>(as)...));
  }
  std::optional<T> pop() {
    auto taken = queue_.dequeue();
    return taken ? std::optional<T>(*std::move(taken)) : std::nullopt;
  }
  expected<T> try_pop() { return expected<T>(queue_.dequeue(forebay::no_wait)); }
  [[nodiscard]] auto async_push(const T& x) { return queue_.async_enqueue(x); }
  [[nodiscard]] auto async_push(T&& x) { return queue_.async_enqueue(std::move(x)); }
  [[nodiscard]] auto async_pop() { return queue_.async_dequeue(); }

 private:
  forebay::FIFOQueue<T> queue_;
};

}  // namespace p0260

#endif  // FOREBAY_TESTS_SUPPORT_BOUNDED_QUEUE_HPP
