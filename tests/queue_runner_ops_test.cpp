// SPDX-License-Identifier: MIT
//
// queue_runner_ops_test.cpp: the forms that an op of a QueueRunner may have, and how a QueueRunner is given its ops.

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <cstddef>
#include <forward_list>
#include <functional>
#include <list>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/fifo_queue.hpp"
#include "forebay/queue_runner.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "tests/support/numbers.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::FIFOQueue;
using forebay::QueueRunner;
using forebay::QueueStatus;
using Ints = std::vector<int>;
using MaybeInt = std::optional<int>;
using Pointer = std::unique_ptr<int>;

/// All that a thread that runs `op` puts into a queue of T.
template <class T, class Op>
std::vector<T> elements_from(Op op) {
  FIFOQueue<T> queue(2);
  QueueRunner runner(queue, 1, std::move(op));
  runner.start();
  std::vector<T> elements = drained(queue);
  runner.join();
  return elements;
}

/// An op that returns each of `results` in turn, then `last` again and again.
template <class Result>
auto in_turn(std::vector<Result> results, Result last) {
  return [results = std::move(results), last = std::move(last), i = std::size_t(0)]() mutable {
    return i < results.size() ? results[i++] : last;
  };
}

Ints values_of(const std::vector<Pointer>& pointers) {
  Ints values;
  for (const Pointer& each : pointers) values.push_back(*each);
  return values;
}

/// The message of the std::invalid_argument that `make` throws.
template <class Make>
std::string rejection(Make make) {
  try {
    make();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "not rejected";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(QueueRunnerOps, OpReturnsTheNextElementOrNone) {
  EXPECT_EQ(elements_from<int>(in_turn<MaybeInt>({1, 2, 3}, std::nullopt)), (Ints{1, 2, 3}));
}

TEST(QueueRunnerOps, OpReturnsTheNextRunAndAnEmptyOneIsTheEnd) {
  EXPECT_EQ(elements_from<int>(in_turn<Ints>({{1}, {2, 3, 4, 5}, {6}}, {})), (Ints{1, 2, 3, 4, 5, 6}));
}

TEST(QueueRunnerOps, OpReturnsARunOfAnyRange) {
  EXPECT_EQ(elements_from<int>(in_turn<std::list<int>>({{1, 2}, {3}}, {})), (Ints{1, 2, 3}));
}

TEST(QueueRunnerOps, OpThatReturnsAnEmptyRunIsNotCalledAgain) {
  int calls = 0;
  EXPECT_EQ(elements_from<int>([&] { return ++calls, Ints(); }), Ints{});
  EXPECT_EQ(calls, 1);
}

TEST(QueueRunnerOps, OpThatReturnsAnEmptyRunOfUnknownLengthIsNotCalledAgain) {
  int calls = 0;
  const auto op = [&] {
    if (++calls > 10) throw Failure("called again and again");
    return std::forward_list<int>();
  };
  EXPECT_EQ(thrown_by([&] { return elements_from<int>(op); }), nullptr);
  EXPECT_EQ(calls, 1);
}

TEST(QueueRunnerOps, OpReturnsTheNextRunOrNoneAndRunsMayBeEmpty) {
  EXPECT_EQ(elements_from<int>(in_turn<std::optional<Ints>>({Ints{}, Ints{1, 2}, Ints{}, Ints{3}}, std::nullopt)),
            (Ints{1, 2, 3}));
}

TEST(QueueRunnerOps, OpReturnsTheNextElementAndThrowsAtTheEnd) {
  Numbers numbers(3);
  EXPECT_EQ(elements_from<int>([&] { return numbers.next_or_throw(); }), (Ints{0, 1, 2}));
}

TEST(QueueRunnerOps, OpEnqueuesByItselfAndReturnsTheStatus) {
  FIFOQueue<int> queue(2);
  Numbers numbers(3);
  QueueRunner runner(queue, 1, [&] {
    const MaybeInt number = numbers.next();
    return number ? queue.enqueue(*number) : QueueStatus::closed;
  });
  runner.start();
  EXPECT_EQ(drained(queue), (Ints{0, 1, 2}));
  runner.join();
}

TEST(QueueRunnerOps, OpEnqueuesByItselfAndReturnsNothing) {
  FIFOQueue<int> queue(2);
  Numbers numbers(3);
  QueueRunner runner(queue, 1, [&] { static_cast<void>(queue.enqueue(numbers.next_or_throw())); });
  runner.start();
  EXPECT_EQ(drained(queue), (Ints{0, 1, 2}));
  runner.join();
}

TEST(QueueRunnerOps, OpThatReturnsNothingIsNotCalledAgainWhenTheQueueIsClosed) {
  FIFOQueue<int> queue(1);
  int calls = 0;
  QueueRunner runner(queue, 1, [&] {
    if (++calls == 3) queue.close();
  });
  runner.start();
  runner.join();
  EXPECT_EQ(calls, 3);
}

TEST(QueueRunnerOps, OpMayReturnStrings) {
  using Strings = std::vector<std::string>;
  using MaybeString = std::optional<std::string>;
  EXPECT_EQ(elements_from<std::string>(in_turn<MaybeString>({"one", "", "two"}, std::nullopt)),
            (Strings{"one", "", "two"}));
  EXPECT_EQ(elements_from<std::string>(in_turn<Strings>({{"one"}, {"", "two"}}, {})), (Strings{"one", "", "two"}));
  Numbers numbers(2);
  EXPECT_EQ(elements_from<std::string>([&] { return std::string(2, numbers.next_or_throw() == 0 ? 'a' : 'b'); }),
            (Strings{"aa", "bb"}))
      << "a string is one element, not a run of characters";
}

TEST(QueueRunnerOps, OpMayReturnElementsThatAreOptionalThemselves) {
  using MaybeInts = std::vector<MaybeInt>;
  const MaybeInts expected = {1, std::nullopt, 2};
  EXPECT_EQ(elements_from<MaybeInt>(in_turn<std::optional<MaybeInt>>({1, MaybeInt(), 2}, std::nullopt)), expected);
  EXPECT_EQ(elements_from<MaybeInt>(in_turn<MaybeInts>({expected}, {})), expected);
  Numbers numbers(3);
  EXPECT_EQ(elements_from<MaybeInt>([&] { return expected.at(static_cast<std::size_t>(numbers.next_or_throw())); }),
            expected)
      << "an optional that is the element itself is no end";
}

TEST(QueueRunnerOps, OpMayReturnElementsThatCannotBeCopied) {
  Numbers numbers(3);
  const auto one = [&]() -> std::optional<Pointer> {
    if (const MaybeInt number = numbers.next()) return std::make_unique<int>(*number);
    return std::nullopt;
  };
  EXPECT_EQ(values_of(elements_from<Pointer>(one)), (Ints{0, 1, 2}));

  Numbers run_numbers(3);
  const auto run = [&] {
    std::vector<Pointer> pointers;
    while (const MaybeInt number = run_numbers.next()) pointers.push_back(std::make_unique<int>(*number));
    return pointers;
  };
  EXPECT_EQ(values_of(elements_from<Pointer>(run)), (Ints{0, 1, 2}));

  Numbers last_numbers(3);
  const auto throwing = [&] { return std::make_unique<int>(last_numbers.next_or_throw()); };
  EXPECT_EQ(values_of(elements_from<Pointer>(throwing)), (Ints{0, 1, 2}));
}

TEST(QueueRunnerOps, OpMayBeACallableThatCannotBeCopied) {
  auto numbers = std::make_unique<Numbers>(3);
  EXPECT_EQ(elements_from<int>([numbers = std::move(numbers)] { return numbers->next(); }), (Ints{0, 1, 2}));
}

TEST(QueueRunnerOps, OpIsRunByAsManyThreadsAsAskedForAtTheSameTime) {
  constexpr int threads = 4;
  FIFOQueue<std::thread::id> queue(threads);
  std::barrier together(threads);
  std::atomic<int> calls = 0;
  QueueRunner runner(queue, threads, [&]() -> std::optional<std::thread::id> {
    if (++calls > threads) return std::nullopt;
    together.arrive_and_wait();
    return std::this_thread::get_id();
  });
  runner.start();
  runner.join();
  const auto ids = drained(queue);
  EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), 4U);
}

TEST(QueueRunnerOps, OpsShareTheWorkOfACountedOp) {
  FIFOQueue<int> queue(3);
  Numbers numbers(1000);
  QueueRunner runner(queue, 4, [&] { return numbers.next(); });
  runner.start();
  Ints expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(sorted(drained(queue)), expected);
  runner.join();
}

TEST(QueueRunnerOps, OpsMayBeListedAndEachHasAThread) {
  FIFOQueue<int> queue(6);
  Numbers numbers(3);
  QueueRunner runner(queue, {in_turn<MaybeInt>({3}, std::nullopt), [&] { return numbers.next_or_throw(); },
                             [&] { return queue.is_closed() ? QueueStatus::closed : QueueStatus::empty; }});
  runner.start();
  runner.join();
  EXPECT_EQ(sorted(drained(queue)), (Ints{0, 1, 2, 3}));
}

TEST(QueueRunnerOps, OpsMayBeARange) {
  FIFOQueue<int> queue(3);
  Numbers numbers(3);
  std::list<std::function<void()>> ops;
  for (int i = 0; i < 3; ++i) ops.emplace_back([&] { static_cast<void>(queue.enqueue(numbers.next_or_throw())); });
  QueueRunner runner(queue, ops);
  runner.start();
  runner.join();
  EXPECT_EQ(sorted(drained(queue)), (Ints{0, 1, 2}));
}

TEST(QueueRunnerOps, OpsMayFeedAQueueOfAnyKind) {
  forebay::RandomShuffleQueue<int> queue({.capacity = 10, .min_after_dequeue = 5, .seed = 1});
  Numbers numbers(100);
  QueueRunner runner(queue, 2, [&] { return numbers.next(); });
  runner.start();
  EXPECT_EQ(drained(queue).size(), 100U);
  runner.join();
}

// ---- Construction

TEST(QueueRunnerOps, RejectsImpossibleCountsNamingThem) {
  FIFOQueue<int> queue(1);
  const auto op = []() -> MaybeInt { return std::nullopt; };
  EXPECT_TRUE(contains(rejection([&] { QueueRunner(queue, 0, op); }), "1 thread, not 0"));
  EXPECT_TRUE(contains(rejection([&] { QueueRunner(queue, -1, op); }), "1 thread, not -1"));
  EXPECT_TRUE(contains(rejection([&] { QueueRunner(queue, 0U, op); }), "1 thread, not 0"));
}

TEST(QueueRunnerOps, RejectsNoOpsAtAll) {
  FIFOQueue<int> queue(1);
  EXPECT_TRUE(contains(rejection([&] { QueueRunner(queue, {}); }), "1 op, not 0"));
  EXPECT_TRUE(contains(rejection([&] { QueueRunner(queue, std::vector<std::function<void()>>()); }), "1 op, not 0"));
}

}  // namespace
}  // namespace forebay_test
