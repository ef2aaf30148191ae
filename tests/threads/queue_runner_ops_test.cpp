// SPDX-License-Identifier: MIT
//
// queue_runner_ops_test.cpp: the forms that an op of a QueueRunner may have, and how a QueueRunner is given its ops.

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <cstddef>
#include <exception>
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

#include "forebay/coordinator.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/per_thread.hpp"
#include "forebay/queue_runner.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "forebay/wait.hpp"
#include "tests/support/await.hpp"
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
  QueueRunner runner(queue, {std::move(op)});
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
  return "nothing was thrown";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(QueueRunnerOps, OpReturnsTheNextElementOrNone) {
  EXPECT_EQ(elements_from<int>(in_turn<MaybeInt>({1, 2, 3}, std::nullopt)), (Ints{1, 2, 3}));
}

/// An op that returns each of `results` in turn, and then throws OutOfRangeError.
template <class Result>
auto in_turn_and_throws(std::vector<Result> results) {
  return [results = std::move(results), i = std::size_t(0)]() mutable {
    if (i == results.size()) throw forebay::OutOfRangeError();
    return results[i++];
  };
}

TEST(QueueRunnerOps, OpReturnsTheNextRangeAndThrowsAtTheEnd) {
  EXPECT_EQ(elements_from<int>(in_turn_and_throws<Ints>({{1}, {2, 3, 4, 5}, {6}})), (Ints{1, 2, 3, 4, 5, 6}));
}

TEST(QueueRunnerOps, OpReturnsTheNextRangeOrNone) {
  EXPECT_EQ(elements_from<int>(in_turn<std::optional<Ints>>({Ints{1}, Ints{2, 3, 4, 5}}, std::nullopt)),
            (Ints{1, 2, 3, 4, 5}));
}

TEST(QueueRunnerOps, OpReturnsARangeOfAnyKind) {
  EXPECT_EQ(elements_from<int>(in_turn_and_throws<std::list<int>>({{1, 2}, {3}})), (Ints{1, 2, 3}));
}

TEST(QueueRunnerOps, EmptyRangeIsNoElementAndNotTheEnd) {
  EXPECT_EQ(elements_from<int>(in_turn_and_throws<Ints>({{}, {1, 2}, {}, {}, {3}, {}})), (Ints{1, 2, 3}));
  EXPECT_EQ(elements_from<int>(in_turn<std::optional<Ints>>({Ints{}, Ints{1, 2}, Ints{}, Ints{3}}, std::nullopt)),
            (Ints{1, 2, 3}));
}

TEST(QueueRunnerOps, EmptyRangeOfUnknownLengthIsNoElementAndNotTheEnd) {
  EXPECT_EQ(elements_from<int>(in_turn_and_throws<std::forward_list<int>>({{}, {1, 2}, {}, {3}})), (Ints{1, 2, 3}));
}

/// How often an op is called that returns `result()` and closes its queue in the third call.
template <class Result>
int calls_of_op_that_closes(FIFOQueue<int>& queue, Result result) {
  int calls = 0;
  QueueRunner runner(queue, 1, [&] {
    if (++calls > 3) throw Failure("called again and again");
    if (calls == 3) queue.close();
    return result();
  });
  runner.start();
  EXPECT_NO_THROW(runner.join());
  return calls;
}

TEST(QueueRunnerOps, OpOfNoElementsIsNotCalledAgainWhenTheQueueIsClosed) {
  FIFOQueue<int> in(1);
  FIFOQueue<int> queue(1);
  EXPECT_EQ(calls_of_op_that_closes(queue, [] { return Ints(); }), 3);
  FIFOQueue<int> other_queue(1);
  EXPECT_EQ(calls_of_op_that_closes(other_queue, [&] { return in.dequeue(forebay::no_wait); }), 3);
  FIFOQueue<int> third_queue(1);
  EXPECT_EQ(calls_of_op_that_closes(third_queue, [&] { return third_queue.enqueue_many(Ints()); }), 3);
}

TEST(QueueRunnerOps, OpMayReturnElementsThatAreRangesThemselves) {
  const std::vector<Ints> expected = {{1}, {}, {2, 3}};
  EXPECT_EQ(elements_from<Ints>(in_turn_and_throws<Ints>(expected)), expected) << "an empty element is an element";
  EXPECT_EQ(elements_from<Ints>(in_turn<std::optional<Ints>>({Ints{1}, Ints{}, Ints{2, 3}}, std::nullopt)), expected);
  EXPECT_EQ(elements_from<Ints>(in_turn_and_throws<std::vector<Ints>>({{{1}, {}}, {}, {{2, 3}}})), expected);
}

/// What a range of numbers converts to.
struct Sum {
  Sum(const Ints& numbers) : value(std::accumulate(numbers.begin(), numbers.end(), 0)) {}

  int value;
};

TEST(QueueRunnerOps, RangeThatConvertsToAnElementIsOneElement) {
  const std::vector<Sum> sums = elements_from<Sum>(in_turn_and_throws<Ints>({{1, 2}, {}, {3}}));
  Ints values;
  for (const Sum& each : sums) values.push_back(each.value);
  EXPECT_EQ(values, (Ints{3, 0, 3}));
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

TEST(QueueRunnerOps, OpEnqueuesManyByItselfAndReturnsHowThatWent) {
  FIFOQueue<int> queue(2);
  Numbers numbers(3);
  QueueRunner runner(queue, 1, [&] {
    const int first = numbers.next_or_throw();
    return queue.enqueue_many({first, 10 * first});
  });
  runner.start();
  EXPECT_EQ(drained(queue), (Ints{0, 0, 1, 10, 2, 20}));
  runner.join();
}

// ---- Elements that another queue gave

TEST(QueueRunnerOps, OpMovesTheElementsOfAnotherQueueOnUntilThatIsClosed) {
  FIFOQueue<Pointer> in(4);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(in.enqueue(std::make_unique<int>(i)), QueueStatus::ok);
  in.close();
  EXPECT_EQ(values_of(elements_from<Pointer>([&] { return in.dequeue(); })), (Ints{0, 1, 2}));
}

TEST(QueueRunnerOps, OpMovesBatchesOfAnotherQueueOn) {
  FIFOQueue<int> in(8);
  ASSERT_EQ(in.enqueue_many({1, 2, 3, 4, 5}).status, QueueStatus::ok);
  in.close();
  EXPECT_EQ(elements_from<int>([&] { return in.dequeue_up_to(2); }), (Ints{1, 2, 3, 4, 5}));
}

TEST(QueueRunnerOps, CauseOfTheOtherQueueIsTheFailureOfTheOp) {
  FIFOQueue<int> in(4);
  ASSERT_EQ(in.enqueue(1), QueueStatus::ok);
  const std::exception_ptr cause = failure();
  in.close(cause);
  FIFOQueue<int> out(4);
  QueueRunner runner(out, 1, [&] { return in.dequeue(); });
  runner.start();
  EXPECT_EQ(thrown_by([&] { return runner.join(), 0; }), cause);
  EXPECT_EQ(out.dequeue().value(), 1);
  EXPECT_EQ(thrown_by([&] { return out.dequeue(); }), cause);
}

TEST(QueueRunnerOps, OpThatFoundTheOtherQueueEmptyIsCalledAgain) {
  FIFOQueue<int> in(1);
  int calls = 0;
  EXPECT_EQ(elements_from<int>([&] {
              if (++calls == 3) {
                EXPECT_EQ(in.enqueue(7), QueueStatus::ok);
                in.close();
              }
              return in.dequeue(forebay::no_wait);
            }),
            Ints{7});
  EXPECT_EQ(calls, 4);
}

TEST(QueueRunnerOps, OpWhoseDequeueWasStoppedIsAtItsEnd) {
  FIFOQueue<int> in(1);
  forebay::Coordinator stop;
  stop.request_stop();
  int calls = 0;
  EXPECT_EQ(elements_from<int>([&] {
              if (++calls > 10) throw Failure("called again and again");
              return in.dequeue(stop);
            }),
            Ints{});
  EXPECT_EQ(calls, 1);
}

TEST(QueueRunnerOps, StopEndsAnOpThatWaitsForAnotherQueue) {
  FIFOQueue<int> in(1);
  FIFOQueue<int> out(1);
  forebay::Coordinator coordinator;
  QueueRunner runner(out, 1, [&] { return in.dequeue(coordinator); });
  runner.start(coordinator);
  await_waiting_consumers(in, 1);
  coordinator.request_stop();
  coordinator.join();
  EXPECT_TRUE(out.is_closed());
}

// ---- Elements of other types

TEST(QueueRunnerOps, OpMayReturnWhatConvertsToAnElement) {
  using Strings = std::vector<std::string>;
  EXPECT_EQ(elements_from<std::string>(in_turn<std::optional<const char*>>({"one", "two"}, std::nullopt)),
            (Strings{"one", "two"}));
  EXPECT_EQ(elements_from<double>(in_turn<MaybeInt>({1, 2}, std::nullopt)), (std::vector{1.0, 2.0}));
  EXPECT_EQ(elements_from<bool>(in_turn<std::optional<bool>>({true, false}, std::nullopt)),
            (std::vector{true, false}));
}

TEST(QueueRunnerOps, OpMayReturnStrings) {
  using Strings = std::vector<std::string>;
  using MaybeString = std::optional<std::string>;
  EXPECT_EQ(elements_from<std::string>(in_turn<MaybeString>({"one", "", "two"}, std::nullopt)),
            (Strings{"one", "", "two"}));
  EXPECT_EQ(elements_from<std::string>(in_turn_and_throws<Strings>({{"one"}, {"", "two"}})),
            (Strings{"one", "", "two"}));
  Numbers numbers(2);
  EXPECT_EQ(elements_from<std::string>([&] { return std::string(2, numbers.next_or_throw() == 0 ? 'a' : 'b'); }),
            (Strings{"aa", "bb"}))
      << "a string is one element, not a range of characters";
}

TEST(QueueRunnerOps, OpMayReturnElementsThatAreOptionalThemselves) {
  using MaybeInts = std::vector<MaybeInt>;
  const MaybeInts expected = {1, std::nullopt, 2};
  EXPECT_EQ(elements_from<MaybeInt>(in_turn<std::optional<MaybeInt>>({1, MaybeInt(), 2}, std::nullopt)), expected);
  EXPECT_EQ(elements_from<MaybeInt>(in_turn_and_throws<MaybeInts>({expected})), expected);
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

  Numbers range_numbers(3);
  const auto range = [&] {
    std::vector<Pointer> pointers;
    pointers.push_back(std::make_unique<int>(range_numbers.next_or_throw()));
    return pointers;
  };
  EXPECT_EQ(values_of(elements_from<Pointer>(range)), (Ints{0, 1, 2}));

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

TEST(QueueRunnerOps, OpsOfARangeMayHaveStateThatCannotBeCopied) {
  FIFOQueue<int> queue(3);
  const auto counter_to = [](int last) {
    return
        [next = std::make_unique<int>(0), last]() mutable { return *next < last ? MaybeInt((*next)++) : MaybeInt(); };
  };
  std::vector<decltype(counter_to(0))> ops;
  for (int last = 1; last <= 3; ++last) ops.push_back(counter_to(last));
  QueueRunner runner(queue, std::move(ops));
  runner.start();
  EXPECT_EQ(sorted(drained(queue)), (Ints{0, 0, 0, 1, 1, 2}));
  runner.join();
}

TEST(QueueRunnerOps, RangeThatIsNotGivenAwayKeepsItsOps) {
  FIFOQueue<int> queue(8);
  const auto counter = in_turn<MaybeInt>({1, 2}, std::nullopt);
  std::list<std::function<MaybeInt()>> list = {counter, counter};
  QueueRunner runner(queue, list);
  runner.start();
  EXPECT_EQ(sorted(drained(queue)), (Ints{1, 1, 2, 2}));
  runner.join();
  EXPECT_EQ(list.front()(), 1) << "the runner has copies";
}

// ---- An op for each thread, made by a factory

TEST(QueueRunnerOps, FactoryMakesAnOpForEachThreadInThatThread) {
  constexpr int threads = 3;
  FIFOQueue<bool> queue(threads);
  std::barrier together(threads);
  QueueRunner runner(queue, threads, forebay::per_thread([&] {
                       return [&, maker = std::this_thread::get_id(), done = false]() mutable -> std::optional<bool> {
                         if (std::exchange(done, true)) return std::nullopt;
                         together.arrive_and_wait();
                         return maker == std::this_thread::get_id();
                       };
                     }));
  runner.start();
  runner.join();
  EXPECT_EQ(drained(queue), (std::vector{true, true, true}));
}

TEST(QueueRunnerOps, OpsOfAFactoryHaveStateOfTheirOwn) {
  FIFOQueue<int> queue(100);
  QueueRunner runner(queue, 4, forebay::per_thread([] {
                       return [next = std::make_unique<int>(0)]() mutable {
                         return *next < 3 ? MaybeInt((*next)++) : MaybeInt();
                       };
                     }));
  runner.start();
  runner.join();
  EXPECT_EQ(sorted(drained(queue)), (Ints{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
}

TEST(QueueRunnerOps, OpOfAFactoryIsDestroyedByItsThreadBeforeJoinReturns) {
  FIFOQueue<int> queue(1);
  std::thread::id destroyed_by;
  const auto noted = [&](const int* number) {
    delete number;
    destroyed_by = std::this_thread::get_id();
  };
  std::thread::id run_by;
  QueueRunner runner(queue, 1, forebay::per_thread([&] {
                       return [&, state = std::unique_ptr<int, decltype(noted)>(new int(1), noted)] {
                         run_by = std::this_thread::get_id();
                         return MaybeInt();
                       };
                     }));
  runner.start();
  runner.join();
  EXPECT_NE(destroyed_by, std::thread::id());
  EXPECT_EQ(destroyed_by, run_by);
}

TEST(QueueRunnerOps, FactoryIsCalledAnewWhenTheRunnerIsStartedAgain) {
  FIFOQueue<int> queue(4);
  std::atomic<int> made = 0;
  QueueRunner runner(queue, 2, forebay::per_thread([&] { return ++made, [] { return MaybeInt(); }; }));
  runner.start();
  runner.join();
  EXPECT_EQ(made, 2);
  runner.start();
  runner.join();
  EXPECT_EQ(made, 4);
}

TEST(QueueRunnerOps, FactoryThatFailsIsAFailureOfItsOp) {
  FIFOQueue<int> queue(1);
  const std::exception_ptr cause = failure();
  QueueRunner runner(queue, 1, forebay::per_thread([&] {
                       std::rethrow_exception(cause);
                       return [] { return MaybeInt(); };
                     }));
  runner.start();
  EXPECT_EQ(thrown_by([&] { return runner.join(), 0; }), cause);
  EXPECT_EQ(thrown_by([&] { return queue.dequeue(); }), cause);
}

TEST(QueueRunnerOps, FactoryMayBeOneOfAList) {
  FIFOQueue<int> queue(8);
  QueueRunner runner(queue, {forebay::per_thread([] { return in_turn<MaybeInt>({1}, std::nullopt); }),
                             in_turn<MaybeInt>({2}, std::nullopt)});
  runner.start();
  EXPECT_EQ(sorted(drained(queue)), (Ints{1, 2}));
  runner.join();
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
  EXPECT_TRUE(contains(rejection([&] { QueueRunner(queue, 0, op); }), "threads must be at least 1, not 0"));
  EXPECT_TRUE(contains(rejection([&] { QueueRunner(queue, -1, op); }), "threads must be at least 1, not -1"));
  EXPECT_TRUE(contains(rejection([&] { QueueRunner(queue, 0U, op); }), "threads must be at least 1, not 0"));
}

TEST(QueueRunnerOps, RejectsNoOpsAtAll) {
  FIFOQueue<int> queue(1);
  EXPECT_TRUE(contains(rejection([&] { QueueRunner(queue, {}); }), "1 op, not 0"));
  EXPECT_TRUE(contains(rejection([&] { QueueRunner(queue, std::vector<std::function<void()>>()); }), "1 op, not 0"));
}

}  // namespace
}  // namespace forebay_test
