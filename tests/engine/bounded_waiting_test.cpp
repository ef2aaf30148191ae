// SPDX-License-Identifier: MIT
//
// bounded_waiting_test.cpp: no thread waits longer than requested, or longer than others need to move a few elements.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/coordinator.hpp"
#include "forebay/dequeue_any.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/sync.hpp"
#include "forebay/wait.hpp"
#include "tests/support/background.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/iterations.hpp"
#include "tests/support/queue_contract.hpp"
#include "tests/support/queue_factories.hpp"

namespace forebay_test {
namespace {

using forebay::no_wait;
using forebay::QueueStatus;
using namespace std::chrono_literals;

// ---- Waits that are over

/// StdSync that counts the steps of waiting other than parking.
struct CountingSync : forebay::StdSync {
  static void pause() noexcept { ++steps; }
  static void yield() noexcept { ++steps; }

  inline static std::size_t steps = 0;
};

class OverWait : public testing::Test {
 protected:
  using Queue = forebay::FIFOQueue<int, CountingSync>;
  using Wait = typename Queue::Wait;

  void SetUp() override { CountingSync::steps = 0; }

  /// Expects that an enqueue into a full queue and every dequeue from an empty one return without a step of waiting.
  static void expect_no_step(const Wait& wait, QueueStatus expected) {
    Queue empty(2);
    Queue full(1);
    ASSERT_EQ(full.enqueue(0), QueueStatus::ok);
    EXPECT_EQ(empty.dequeue(wait).status(), expected);
    EXPECT_EQ(empty.dequeue_many(2, wait).status(), expected);
    EXPECT_EQ(empty.dequeue_many(3, wait).status(), expected);
    EXPECT_EQ(forebay::dequeue_any(wait, empty, empty).status(), expected);
    EXPECT_EQ(full.enqueue(1, wait), expected);
    EXPECT_EQ(full.enqueue_many(numbers(3), wait).status, expected);
    EXPECT_EQ(CountingSync::steps, 0U);
  }
};

// proves: wait-over
TEST_F(OverWait, OfNoTimeDoesNotSpin) { expect_no_step(0ms, QueueStatus::timed_out); }
TEST_F(OverWait, OfANegativeDurationDoesNotSpin) { expect_no_step(-1h, QueueStatus::timed_out); }
// proves: wait-over
TEST_F(OverWait, OfAStopThatWasRequestedDoesNotSpin) {
  std::stop_source stop;
  stop.request_stop();
  expect_no_step(stop.get_token(), QueueStatus::stopped);
}
TEST_F(OverWait, OfACoordinatorThatStoppedDoesNotSpin) {
  forebay::BasicCoordinator<CountingSync> coordinator;
  coordinator.request_stop();
  expect_no_step(coordinator, QueueStatus::stopped);
}

/// An element whose move, if held up, blocks until the test releases it.
struct HeldUp {
  HeldUp() = default;
  HeldUp(HeldUp&& /*other*/) noexcept {
    if (!held_up) return;
    moves = true;
    moves.notify_all();
    held_up.wait(true);
  }
  HeldUp& operator=(HeldUp&&) = delete;
  HeldUp(const HeldUp&) = delete;
  HeldUp& operator=(const HeldUp&) = delete;
  ~HeldUp() = default;

  inline static std::atomic<bool> held_up = false;
  inline static std::atomic<bool> moves = false;
};

TEST_F(OverWait, DoesNotWaitForAnElementThatIsOnItsWay) {
  forebay::FIFOQueue<HeldUp> queue(1);
  HeldUp element;
  HeldUp::held_up = true;
  std::jthread producer([&] { static_cast<void>(queue.enqueue(std::move(element))); });
  HeldUp::moves.wait(false);  // under the producers' lock
  EXPECT_EQ(queue.dequeue(0ms).status(), QueueStatus::timed_out);
  HeldUp::held_up = false;
  HeldUp::held_up.notify_all();
}

// ---- Half-done batches that other threads help to continue

constexpr int endless = sanitized ? 1'000'000 : 4'000'000;  // more than can be moved in a millisecond

template <class Factory>
class HalfDoneBatch : public QueueContractTest<Factory> {};
TYPED_TEST_SUITE(HalfDoneBatch, AccumulatingQueueFactories, NameOfParameter);

// proves: batch-deadline
TYPED_TEST(HalfDoneBatch, EnqueueManyKeepsItsDeadlineWhileOthersTake) {
  auto queue = this->make(256);
  std::jthread consumer([&] {
    std::vector<int> batch;
    while (queue.dequeue_available(256, batch) == QueueStatus::ok) continue;
  });
  const auto result = queue.enqueue_many(numbers(endless), 1ms);
  EXPECT_EQ(result.status, QueueStatus::timed_out);
  EXPECT_LT(result.count, static_cast<std::size_t>(endless));
  queue.close();
}

// proves: batch-deadline
TYPED_TEST(HalfDoneBatch, DequeueManyKeepsItsDeadlineWhileOthersBring) {
  auto queue = this->make(256);
  std::jthread producer([&] {
    const std::vector<int> batch = numbers(256);
    while (queue.enqueue_many(batch).status == QueueStatus::ok) continue;
  });
  EXPECT_EQ(queue.dequeue_many(endless, 1ms).status(), QueueStatus::timed_out);
  queue.close(forebay::cancel_pending_enqueues);
}

// ---- Batches larger than anything that can arrive

template <class Factory>
class HugeBatch : public QueueContractTest<Factory> {};
TYPED_TEST_SUITE(HugeBatch, AccumulatingQueueFactories, NameOfParameter);

constexpr std::uint64_t huge = std::uint64_t{1} << 42;

// proves: huge-batch
TYPED_TEST(HugeBatch, IsNotThereAndNeedsNoMemory) {
  auto queue = this->make(forebay::unbounded);
  this->fill(queue, 3);
  EXPECT_EQ(queue.dequeue_many(huge, no_wait).status(), QueueStatus::empty);
  EXPECT_EQ(queue.dequeue_up_to(huge, no_wait).status(), QueueStatus::empty);
  EXPECT_EQ(queue.size(), 3U);
}

// proves: huge-batch
TYPED_TEST(HugeBatch, TakesWhatIsLeftAtTheEnd) {
  auto queue = this->make(forebay::unbounded);
  this->fill(queue, 3);
  queue.close();
  this->expect_elements(queue.dequeue_up_to(huge).value(), {0, 1, 2});
}

TYPED_TEST(HugeBatch, TakesWhatIsThere) {
  auto queue = this->make(forebay::unbounded);
  this->fill(queue, 3);
  this->expect_elements(queue.dequeue_available(huge).value(), {0, 1, 2});
}

// ---- Elements that a batch gave back

/// A shared pointer whose move may throw. So the queue copies it if a later step may fail.
struct Holder {
  explicit Holder(std::shared_ptr<int> held) : share(std::move(held)) {}
  Holder(const Holder&) = default;
  Holder(Holder&& other) noexcept(false) : share(std::move(other.share)) {}  // NOLINT: that it may throw is the point
  Holder& operator=(const Holder&) = delete;
  Holder& operator=(Holder&&) = delete;
  ~Holder() = default;

  std::shared_ptr<int> share;
};

TEST(GivenBack, ElementsAreDestroyedAsTheyLeave) {
  const auto held = std::make_shared<int>(7);
  forebay::FIFOQueue<Holder> queue(2);
  std::stop_source stop;
  Background batch([&] { return queue.dequeue_many(100, stop.get_token()).status(); });
  for (int i = 0; i < 6; ++i) EXPECT_EQ(queue.enqueue(Holder(held)), QueueStatus::ok);  // the batch gathers the first
  stop.request_stop();
  EXPECT_EQ(batch.get(), QueueStatus::stopped);
  EXPECT_EQ(queue.size(), 6U);
  while (queue.size() > 1) EXPECT_TRUE(queue.dequeue());
  EXPECT_EQ(held.use_count(), 2) << "this one, and the one in the queue";
}

// ---- Locks that are held long

/// A number that is slow to move.
class Slow {
 public:
  explicit Slow(int number) : number_(number) {}
  Slow(Slow&& other) noexcept : number_(other.number_) {
    const auto end = std::chrono::steady_clock::now() + 100us;
    while (std::chrono::steady_clock::now() < end) continue;
  }
  Slow(const Slow&) = delete;
  Slow& operator=(const Slow&) = delete;
  Slow& operator=(Slow&&) = delete;
  ~Slow() = default;

  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

template <class Factory>
class SlowElement : public QueueContractTest<Factory> {
 protected:
  /// Two producers enqueue without a pause until the queue is closed. `call` runs beside them. Returns how many
  /// elements went in meanwhile.
  template <class Call>
  static std::size_t elements_during(Call call) {
    auto queue = QueueContractTest<Factory>::template make<Slow>(100'000);
    std::atomic<std::size_t> count = 0;
    std::size_t during = 0;
    {
      const auto produce = [&] {
        while (queue.enqueue(Slow(0)) == QueueStatus::ok) ++count;
      };
      std::jthread one(produce);
      std::jthread other(produce);
      while (count < 10) std::this_thread::yield();
      const std::size_t before = count;
      call(queue);
      during = count - before;
      queue.close();
    }
    return during;
  }

  /// Far more than desired, because a thread may lose its core: a second on a busy machine. Without bounded waiting
  /// there are tens of thousands.
  static constexpr std::size_t few = 10'000;
};
TYPED_TEST_SUITE(SlowElement, QueueFactories, NameOfParameter);

// proves: fair-locks
TYPED_TEST(SlowElement, LetsAQueueBeClosed) {
  EXPECT_LT(this->elements_during([](auto& queue) { queue.close(); }), this->few);
}

// proves: fair-locks
TYPED_TEST(SlowElement, LetsTheSizeBeAsked) {
  EXPECT_LT(this->elements_during([](const auto& queue) { static_cast<void>(queue.size()); }), this->few);
}

// proves: fair-locks
TYPED_TEST(SlowElement, LetsADequeueEnd) {
  EXPECT_LT(this->elements_during([](auto& queue) { EXPECT_TRUE(queue.dequeue()); }), this->few);
}

}  // namespace
}  // namespace forebay_test
