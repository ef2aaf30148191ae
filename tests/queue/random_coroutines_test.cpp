// SPDX-License-Identifier: MIT
//
// random_coroutines_test.cpp: coroutines of one thread that call queues at random. Within one another's calls, they
// continue, enqueue, dequeue, drop elements, request stops, and destroy one another. Every failure is repeatable.

#include <gtest/gtest.h>

#include <algorithm>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "forebay/async.hpp"
#include "forebay/blocking_queue.hpp"
#include "forebay/dequeue_any.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/overflow.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/wait.hpp"
#include "tests/support/coroutines.hpp"
#include "tests/support/dice.hpp"
#include "tests/support/iterations.hpp"
#include "tests/support/small_steps_sync.hpp"

namespace forebay_test {
namespace {

using forebay::no_wait;
using forebay::QueueStatus;

/// On the heap, so that AddressSanitizer finds an element that is never destroyed, or used after its destruction.
using Element = std::unique_ptr<std::uint64_t>;
using Queue = forebay::FIFOQueue<Element, SmallStepsSync>;
using Options = forebay::BasicAwaitOptions<SmallStepsSync>;

/// A coroutine, and where it is.
struct Member {
  /// Returns whether another coroutine may destroy it now: it waits, and the call that it awaits has returned.
  [[nodiscard]] bool may_be_destroyed() const { return waits && calls_that_begin == 0; }

  std::optional<Owned> coroutine;
  std::coroutine_handle<> handle;
  bool waits = false;
  int calls_that_begin = 0;
};

/// Awaits `call` and keeps its member up to date.
template <class Call>
class Observed {
 public:
  Observed(Member& member, Call call) : member_(member), awaiter_(std::move(call).operator co_await()) {}

  bool await_ready() { return awaiter_.await_ready(); }
  bool await_suspend(std::coroutine_handle<> coroutine) {
    Member& member = member_;  // within the call, the coroutine may continue, and this object end
    member.handle = coroutine;
    member.waits = true;
    ++member.calls_that_begin;
    const bool suspends = awaiter_.await_suspend(coroutine);
    --member.calls_that_begin;
    return suspends;
  }
  auto await_resume() {
    member_.waits = false;
    return awaiter_.await_resume();
  }

 private:
  Member& member_;
  decltype(std::declval<Call>().operator co_await()) awaiter_;
};

/// Queues, and the coroutines that call them.
class World {
 public:
  explicit World(int seed) : dice_(seed), only_single_elements_(dice_.up_to(2) == 1) {
    for (std::size_t count = dice_.up_to(3); count > 0; --count) queues_.emplace_back(dice_.up_to(5));
  }

  void step() {
    switch (dice_.up_to(6)) {
      case 1: return start_coroutine();
      case 2: return resume_one_of_pool();
      case 3: return stop_or_destroy();
      default: return call_some();
    }
  }

  void require_invariants() {
    for (const Queue& queue : queues_) {
      ASSERT_TRUE(queue.invariants_hold());
      if (!only_single_elements_ || !pool_.empty()) continue;
      ASSERT_TRUE(queue.size() == 0 || queue.waiting_consumers() == 0) << "a call was not told of an element";
      ASSERT_TRUE(queue.size() == queue.capacity() || queue.waiting_producers() == 0) << "a call was not told of room";
    }
  }

  /// Closes all queues and takes what they hold.
  void end() {
    const bool discards = dice_.up_to(4) == 1;
    for (Queue& queue : queues_) {
      discards ? queue.close(forebay::discard_elements) : queue.close();
      EXPECT_TRUE(!discards || queue.size() == 0);
    }
    while (take_what_is_left() || !pool_.empty()) resume_one_of_pool();
    for (const Queue& queue : queues_) EXPECT_EQ(queue.waiting_consumers() + queue.waiting_producers(), 0U);
    for (const Member& member : members_) EXPECT_TRUE(!member.coroutine || member.coroutine->is_over());
    EXPECT_TRUE(discards || std::ranges::includes(taken_, stored_)) << "an element was lost";
  }

 private:
  // ---- Coroutines

  void start_coroutine() {
    Member& member = members_.emplace_back();
    member.coroutine.emplace(call_repeatedly(member));
  }

  Owned call_repeatedly(Member& self) {
    while (dice_.up_to(8) > 1) {
      Queue& queue = any_queue();
      const std::size_t call = dice_.up_to(only_single_elements_ ? 2 : 6);
      bool goes_on = false;
      if (call == 1) {
        auto element = co_await Observed(self, queue.async_dequeue(any_options()));
        goes_on = element.has_value();
        if (element) take(*std::move(element));
      } else if (call == 2) {
        const std::uint64_t number = dice_.number();
        const auto status =
            co_await Observed(self, queue.async_enqueue(std::make_unique<std::uint64_t>(number), any_options()));
        goes_on = status == QueueStatus::ok;
        if (goes_on) stored_.insert(number);
      } else if (call == 3) {
        const std::vector<std::uint64_t> numbers = dice_.several(dice_.up_to(8));
        const auto result = co_await Observed(self, queue.async_enqueue_many(elements_of(numbers), any_options()));
        goes_on = result.status == QueueStatus::ok;
        stored_.insert(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(result.count));
      } else if (call == 4) {
        std::vector<Element> reused;
        const auto status = co_await Observed(self, queue.async_dequeue_many(dice_.up_to(8), reused, any_options()));
        goes_on = status == QueueStatus::ok;
        take_all(std::move(reused));
      } else if (call == 5) {
        auto batch = co_await Observed(self, queue.async_dequeue_up_to(dice_.up_to(8), any_options()));
        goes_on = batch.has_value();
        if (batch) take_all(*std::move(batch));
      } else {
        auto batch = co_await Observed(self, queue.async_dequeue_available(dice_.up_to(8), any_options()));
        goes_on = batch.has_value();
        if (batch) take_all(*std::move(batch));
      }
      if (!goes_on) co_return;
      call_some();
    }
  }

  Options any_options() {
    switch (dice_.up_to(5)) {
      case 1: return stop_.get_token();
      case 2: return forebay::on(later_);
      case 3: return forebay::on(resume_at_once);
      case 4: return {stop_.get_token(), forebay::on(resume_at_once)};
      default: return {};
    }
  }

  void stop_or_destroy() {
    if (dice_.up_to(3) > 1) return destroy_one();
    std::exchange(stop_, std::stop_source()).request_stop();
  }

  void destroy_one() {
    if (members_.empty()) return;
    Member& member = members_[dice_.up_to(members_.size()) - 1];
    if (!member.may_be_destroyed() || std::ranges::find(pool_, member.handle) != pool_.end()) return;
    member.waits = false;
    member.coroutine.reset();
  }

  void resume_one_of_pool() {
    if (pool_.empty()) return;
    const auto coroutine = pool_.front();
    pool_.pop_front();
    coroutine.resume();
  }

  // ---- Calls that do not block

  void call_some() {
    if (depth_ == 3) return;
    ++depth_;
    for (std::size_t count = dice_.up_to(4) - 1; count > 0; --count) call_one(any_queue());
    --depth_;
  }

  void call_one(Queue& queue) {
    const std::uint64_t number = dice_.number();
    std::optional<Element> dropped;
    switch (dice_.up_to(6)) {
      case 1: return note(queue.enqueue(std::make_unique<std::uint64_t>(number), no_wait), number);
      case 2:
        note(queue.enqueue(std::make_unique<std::uint64_t>(number), forebay::drop_oldest, dropped), number);
        if (dropped) take(*std::move(dropped));
        return;
      case 3:
        if (auto element = queue.dequeue(no_wait)) take(*std::move(element));
        return;
      case 4:
        if (auto from = forebay::dequeue_any(no_wait, queue, queues_.front())) take(std::move(from->element));
        return;
      case 5:
        if (auto batch = queue.dequeue_available(3, no_wait)) take_all(*std::move(batch));
        return;
      default: return destroy_one();
    }
  }

  // ---- Elements

  Queue& any_queue() { return queues_[dice_.up_to(queues_.size()) - 1]; }

  static std::vector<Element> elements_of(const std::vector<std::uint64_t>& numbers) {
    std::vector<Element> elements;
    for (const std::uint64_t number : numbers) elements.push_back(std::make_unique<std::uint64_t>(number));
    return elements;
  }

  void note(QueueStatus status, std::uint64_t number) {
    if (status == QueueStatus::ok) stored_.insert(number);
  }
  void take(Element element) { EXPECT_TRUE(taken_.insert(*element).second) << "an element was taken twice"; }
  void take_all(std::vector<Element> elements) {
    for (Element& element : elements) take(std::move(element));
  }
  /// Returns whether a queue had an element.
  bool take_what_is_left() {
    const std::size_t before = taken_.size();
    for (Queue& queue : queues_) {
      while (auto element = queue.dequeue(no_wait)) take(*std::move(element));
    }
    return taken_.size() != before;
  }

  Dice dice_;
  const bool only_single_elements_;
  std::deque<Queue> queues_;
  std::deque<Member> members_;
  std::stop_source stop_;

  std::deque<std::coroutine_handle<>> pool_;
  struct Later {
    std::deque<std::coroutine_handle<>>* pool;
    void operator()(std::coroutine_handle<> coroutine) const noexcept { pool->push_back(coroutine); }
  } later_{&pool_};

  int depth_ = 0;
  std::set<std::uint64_t> stored_;  // that a call said were stored
  std::set<std::uint64_t> taken_;
};

// proves: awaited-destruction, element-at-end, discard
TEST(RandomCoroutines, LoseNoElementAndNoWaitWithinOneAnothersCalls) {
  for (int seed = 0; seed < iterations(2'000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed);
    for (int i = 0; i < 150; ++i) {
      world.step();
      world.require_invariants();
      if (HasFatalFailure()) return;
    }
    world.end();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace forebay_test
