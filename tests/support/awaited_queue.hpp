// SPDX-License-Identifier: MIT
//
// awaited_queue.hpp: AwaitedQueue, a queue whose calls are awaited by coroutines, so that the tests of blocking calls
// also test these.

#ifndef FOREBAY_TESTS_SUPPORT_AWAITED_QUEUE_HPP
#define FOREBAY_TESTS_SUPPORT_AWAITED_QUEUE_HPP

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "forebay/async.hpp"
#include "forebay/count.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/statistics.hpp"
#include "forebay/sync.hpp"
#include "forebay/wait.hpp"
#include "tests/support/coroutines.hpp"

namespace forebay_test {

/// Awaits what `make()` returns in a coroutine, and blocks the calling thread until that has the result.
template <class Sync, class Make>
class SyncWait {
 public:
  using Result = decltype(std::declval<Make&>()().operator co_await().await_resume());

  explicit SyncWait(Make& make) { run(*this, make); }
  SyncWait(const SyncWait&) = delete;
  SyncWait& operator=(const SyncWait&) = delete;

  Result get() {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_over_; });
    }
    if (exception_ != nullptr) std::rethrow_exception(exception_);
    return *std::move(result_);
  }

 private:
  static Detached run(SyncWait& self, Make& make) {
    try {
      self.result_.emplace(co_await make());
    } catch (...) {
      self.exception_ = std::current_exception();
    }
    self.end();
  }

  void end() {
    const std::unique_lock lock(mutex_);
    is_over_ = true;
    changed_.notify_one();
  }

  typename Sync::mutex mutex_;
  typename Sync::condition_variable changed_;
  bool is_over_ = false;
  std::optional<Result> result_;
  std::exception_ptr exception_;
};

template <class Sync, class Make>
auto sync_wait(Make make) {
  return SyncWait<Sync, Make>(make).get();
}

/// A Wait that may also be the options of an awaited call. With a time, or if it must not wait, there are none.
template <class Sync>
struct WaitOrOptions {
  forebay::BasicWait<Sync> wait{};
  std::optional<forebay::BasicAwaitOptions<Sync>> options{};

  WaitOrOptions() : options(std::in_place) {}
  template <forebay::detail::StopsWaits<Sync> Stop>
  WaitOrOptions(const Stop& stop) : wait(stop), options(std::in_place, stop) {}
  template <class Only>
  requires(!forebay::detail::StopsWaits<Only, Sync> && std::constructible_from<forebay::BasicWait<Sync>, const Only&>)
      WaitOrOptions(const Only& only)
      : wait(only) {}
  template <class Time, forebay::detail::StopsWaits<Sync> Stop>
  WaitOrOptions(const Time& time, const Stop& stop) : wait(time, stop) {}
};

/// Each call is awaited, unless its Wait has a time or `no_wait`.
template <class Base, class Sync = forebay::StdSync>
class AwaitedQueue {
 public:
  using T = typename Base::value_type;
  using value_type = T;
  using Wait = WaitOrOptions<Sync>;
  using Batch = typename Base::Batch;

  template <class... Arguments>
  requires std::constructible_from<Base, Arguments...>
  explicit AwaitedQueue(Arguments&&... arguments) : queue_(std::forward<Arguments>(arguments)...) {}

  /// Awaits the calls of the queue that `make()` returns.
  template <std::invocable Make>
  AwaitedQueue(std::in_place_t /*of*/, Make make) : queue_(make()) {}

  [[nodiscard]] Base& blocking() noexcept { return queue_; }

  forebay::QueueStatus enqueue(T&& element, const Wait& wait = {}) {
    if (!wait.options) return queue_.enqueue(std::move(element), wait.wait);
    return sync_wait<Sync>([&] { return queue_.async_enqueue(std::move(element), *wait.options); });
  }
  forebay::QueueStatus enqueue(const T& element, const Wait& wait = {}) requires std::is_copy_constructible_v<T> {
    if (!wait.options) return queue_.enqueue(element, wait.wait);
    return sync_wait<Sync>([&] { return queue_.async_enqueue(element, *wait.options); });
  }
  template <class Range>
  forebay::EnqueueManyResult enqueue_many(Range&& range, const Wait& wait = {}) {
    if (!wait.options) return queue_.enqueue_many(std::forward<Range>(range), wait.wait);
    return sync_wait<Sync>([&] { return queue_.async_enqueue_many(std::forward<Range>(range), *wait.options); });
  }

  forebay::Dequeued<T> dequeue(const Wait& wait = {}) {
    if (!wait.options) return queue_.dequeue(wait.wait);
    return sync_wait<Sync>([&] { return queue_.async_dequeue(*wait.options); });
  }
  auto dequeue_many(forebay::Count count, const Wait& wait = {}) {
    if (!wait.options) return queue_.dequeue_many(count, wait.wait);
    return sync_wait<Sync>([&] { return queue_.async_dequeue_many(count, *wait.options); });
  }
  auto dequeue_up_to(forebay::Count count, const Wait& wait = {}) {
    if (!wait.options) return queue_.dequeue_up_to(count, wait.wait);
    return sync_wait<Sync>([&] { return queue_.async_dequeue_up_to(count, *wait.options); });
  }
  auto dequeue_available(forebay::Count count, const Wait& wait = {}) {
    if (!wait.options) return queue_.dequeue_available(count, wait.wait);
    return sync_wait<Sync>([&] { return queue_.async_dequeue_available(count, *wait.options); });
  }
  template <class Into>
  forebay::QueueStatus dequeue_many(forebay::Count count, Into& batch, const Wait& wait) {
    if (!wait.options) return queue_.dequeue_many(count, batch, wait.wait);
    return sync_wait<Sync>([&] { return queue_.async_dequeue_many(count, batch, *wait.options); });
  }
  template <class Into>
  forebay::QueueStatus dequeue_up_to(forebay::Count count, Into& batch, const Wait& wait) {
    if (!wait.options) return queue_.dequeue_up_to(count, batch, wait.wait);
    return sync_wait<Sync>([&] { return queue_.async_dequeue_up_to(count, batch, *wait.options); });
  }
  template <class Into>
  forebay::QueueStatus dequeue_available(forebay::Count count, Into& batch, const Wait& wait) {
    if (!wait.options) return queue_.dequeue_available(count, batch, wait.wait);
    return sync_wait<Sync>([&] { return queue_.async_dequeue_available(count, batch, *wait.options); });
  }

  template <class... How>
  void close(How... how) noexcept {
    queue_.close(std::move(how)...);
  }
  [[nodiscard]] bool is_closed() const noexcept { return queue_.is_closed(); }
  [[nodiscard]] std::size_t size() const noexcept { return queue_.size(); }
  [[nodiscard]] std::size_t capacity() const noexcept { return queue_.capacity(); }
  [[nodiscard]] std::size_t waiting_producers() const noexcept { return queue_.waiting_producers(); }
  [[nodiscard]] std::size_t waiting_consumers() const noexcept { return queue_.waiting_consumers(); }
  [[nodiscard]] forebay::QueueStatistics statistics() const noexcept { return queue_.statistics(); }
  [[nodiscard]] bool invariants_hold() const noexcept { return queue_.invariants_hold(); }

 private:
  Base queue_;
};

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_AWAITED_QUEUE_HPP
