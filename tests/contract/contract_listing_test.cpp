// SPDX-License-Identifier: MIT
//
// contract_listing_test.cpp: the first listing of forebay's documents, line by line. It has to compile, and its
// comments have to be true. The expectations and the lines marked "test:" are not part of the listing.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <compare>
#include <cstddef>
#include <exception>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <forebay/queues.hpp>

#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/scaled_time.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using namespace std::chrono_literals;
using Ints = std::vector<int>;

struct Image {
  int number;
};

struct Job {
  int number;
  auto operator<=>(const Job&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 sees a 0 here
};

/// Functions and types that the listing uses without defining them.
class ContractListing : public testing::Test {
 protected:
  static constexpr int image_count = 4000;

  std::optional<Image> read_next() {
    const int number = next_image_++;
    return number < image_count ? std::optional(Image{number}) : std::nullopt;
  }

  void use(int x) { used_.push_back(x); }
  void train(const Ints& batch) { trained_.push_back(batch); }
  void evaluate() {
    ++evaluations_;
    std::this_thread::yield();
  }

  void step(const std::vector<Image>& batch) {
    EXPECT_EQ(batch.size(), 32U);
    for (const Image& image : batch) stepped_.insert(image.number);
  }

  template <class Queue>
  void produce_even(Queue& queue) {
    produce(queue, next_even_);
  }
  template <class Queue>
  void produce_odd(Queue& queue) {
    produce(queue, next_odd_);
  }

  std::atomic<int> next_image_ = 0;
  std::atomic<int> evaluations_ = 0;
  std::set<int> stepped_;
  Ints used_;
  std::vector<Ints> trained_;

 private:
  template <class Queue>
  static void produce(Queue& queue, int& next) {
    if (next >= 20) throw forebay::OutOfRangeError();
    static_cast<void>(queue.enqueue(next));
    next += 2;
  }

  int next_even_ = 0;
  int next_odd_ = 1;
};

TEST_F(ContractListing, ElementsGoInAndOut) {
  forebay::FIFOQueue<int> fifo(50);  // capacity
  forebay::FIFOQueue<int> endless(forebay::unbounded);
  EXPECT_EQ(endless.capacity(), static_cast<std::size_t>(-1));  // test:

  if (fifo.enqueue(1) != forebay::QueueStatus::ok) FAIL();  // closed
  auto many = fifo.enqueue_many(std::vector{1, 2, 3});      // many.status, many.count
  auto one = fifo.dequeue(200ms);                           // bool(one), *one, one.status(), one.value()
  auto none = fifo.dequeue(forebay::no_wait);

  EXPECT_EQ(many.status, forebay::QueueStatus::ok);
  EXPECT_EQ(many.count, 3U);
  EXPECT_TRUE(bool(one));
  EXPECT_EQ(*one, 1);
  EXPECT_EQ(one.status(), forebay::QueueStatus::ok);
  EXPECT_EQ(one.value(), 1);
  EXPECT_EQ(none.value(), 1);

  Ints numbers(30);                                                        // test:
  std::iota(numbers.begin(), numbers.end(), 4);                            // test:
  ASSERT_EQ(fifo.enqueue_many(numbers).status, forebay::QueueStatus::ok);  // test: 32 are stored
  std::vector<int> reused;
  forebay::QueueStatus s = fifo.dequeue_many(32, reused);  // replaces the content, keeps the storage
  EXPECT_EQ(s, forebay::QueueStatus::ok);
  EXPECT_EQ(reused.size(), 32U);
  EXPECT_EQ(reused.front(), 2);
  EXPECT_EQ(reused.back(), 33);
}

TEST_F(ContractListing, SmallestOrLargestJobComesFirst) {
  forebay::PriorityQueue<Job> jobs(100);  // operator<, smallest first
  forebay::PriorityQueue<Job, std::ranges::greater> urgent(100);

  ASSERT_EQ(jobs.enqueue_many({Job{3}, Job{1}, Job{2}}).count, 3U);    // test:
  ASSERT_EQ(urgent.enqueue_many({Job{3}, Job{1}, Job{2}}).count, 3U);  // test:
  EXPECT_EQ(jobs.dequeue()->number, 1);
  EXPECT_EQ(urgent.dequeue()->number, 3);
}

TEST_F(ContractListing, SequencesArePadded) {
  forebay::PaddingFIFOQueue<std::vector<float>> sequences(
      100, {.pad_value = -1.0f});                              // NOLINT(readability-uppercase-literal-suffix)
  ASSERT_EQ(sequences.enqueue_many({{1, 2}, {3}}).count, 2U);  // test:
  const auto batch = sequences.dequeue_many(2).value();        // test:
  EXPECT_EQ(batch.length(1), 1U);
  EXPECT_EQ(batch(1, 0), 3.0F);
  EXPECT_EQ(batch(1, 1), -1.0F);
}

TEST_F(ContractListing, QueuesAreIterated) {
  forebay::FIFOQueue<int> fifo(50);
  ASSERT_EQ(fifo.enqueue_many(std::vector{1, 2, 3}).count, 3U);  // test:
  fifo.close();                                                  // test:
  for (int x : fifo) use(x);
  EXPECT_EQ(used_, (Ints{1, 2, 3}));
}

TEST_F(ContractListing, QueuesAreIteratedInBatches) {
  forebay::FIFOQueue<int> fifo(50);
  ASSERT_EQ(fifo.enqueue_many(Ints(40, 7)).count, 40U);  // test:
  fifo.close();                                          // test:
  for (auto&& batch : fifo.batches(32)) train(batch);
  EXPECT_EQ(trained_, (std::vector{Ints(32, 7), Ints(8, 7)}));
}

TEST_F(ContractListing, QueuesAreClosedInThreeWays) {
  forebay::FIFOQueue<int> fifo(1);
  ASSERT_EQ(fifo.enqueue(1), forebay::QueueStatus::ok);  // test:
  Background waiting([&] { return fifo.enqueue(2); });   // test:
  await_waiting_producers(fifo, 1);                      // test:
  fifo.close();
  EXPECT_EQ(fifo.waiting_producers(), 1U);
  fifo.close(forebay::cancel_pending_enqueues);
  EXPECT_EQ(waiting.get(), forebay::QueueStatus::closed);
  try {
    throw Failure("what failed");
  } catch (...) {
    fifo.close(std::current_exception());
  }
  EXPECT_EQ(*fifo.dequeue(), 1);
  EXPECT_THROW(static_cast<void>(fifo.dequeue()), Failure);
}

TEST_F(ContractListing, PipelineRunsToItsEnd) {
  forebay::FIFOQueue<int> fifo(50);
  forebay::RandomShuffleQueue<Image> shuffled({.capacity = 2000, .min_after_dequeue = 1000, .seed = 7});

  forebay::Coordinator coordinator;
  forebay::QueueRunner runner(shuffled, 4, [&]() -> std::optional<Image> { return read_next(); });  // four threads
  forebay::QueueRunner pair(fifo, {[&] { produce_even(fifo); }, [&] { produce_odd(fifo); }});  // one thread per op
  pair.start(coordinator);                                                                     // test:
  runner.start(coordinator);  // enqueue threads and the closer, registered with the coordinator
  coordinator.launch("evaluator", [&] {
    while (!coordinator.should_stop()) evaluate();
  });
  try {
    while (auto batch = shuffled.dequeue_many(32, coordinator)) step(*batch);
  } catch (...) {
    coordinator.request_stop(std::current_exception());
  }
  await([&] { return fifo.is_closed() && evaluations_ > 0; });  // test:
  coordinator.request_stop();
  coordinator.join();  // rethrows the first failure; join(10s) gives a grace period

  EXPECT_EQ(stepped_.size(), 4000U) << "every image once, and 4000 is a multiple of 32";
  for (int x : fifo) use(x);
  std::ranges::sort(used_);
  EXPECT_EQ(used_.size(), 20U);
  EXPECT_EQ(used_.back(), 19);
}

TEST_F(ContractListing, PipelineReportsWhatFails) {
  forebay::RandomShuffleQueue<Image> shuffled({.capacity = 2000, .min_after_dequeue = 1000, .seed = 7});
  forebay::Coordinator coordinator;
  forebay::QueueRunner runner(shuffled, 4, [&]() -> std::optional<Image> {
    if (next_image_ >= 2000) throw Failure("the disk");  // test:
    return read_next();
  });
  runner.start(coordinator);
  coordinator.launch("evaluator", [&] {
    while (!coordinator.should_stop()) evaluate();
  });
  try {
    while (auto batch = shuffled.dequeue_many(32, coordinator)) step(*batch);
  } catch (...) {
    coordinator.request_stop(std::current_exception());
  }
  coordinator.request_stop();
  EXPECT_THROW(coordinator.join(long_time()), Failure);
}

TEST_F(ContractListing, ThreadsOfTheUserJoinTheSameWay) {
  forebay::Coordinator coordinator;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      while (!coordinator.should_stop()) evaluate();
    });
  std::vector<std::jthread> more;
  for (int i = 0; i < 2; ++i)
    more.emplace_back([&] {
      while (!coordinator.should_stop()) evaluate();
    });
  coordinator.request_stop();
  coordinator.join(threads);
  coordinator.join(more);
  EXPECT_TRUE(coordinator.joined());
}

}  // namespace
}  // namespace forebay_test
