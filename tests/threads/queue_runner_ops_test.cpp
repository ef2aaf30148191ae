// SPDX-License-Identifier: MIT
//
// queue_runner_ops_test.cpp: the forms that an op of a QueueRunner may have, and the ways to pass ops to a QueueRunner.

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
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/coordinator.hpp"
#include "forebay/factories.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/queue_runner.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "forebay/wait.hpp"
#include "tests/support/await.hpp"
#include "tests/support/numbers.hpp"
#include "tests/support/printed.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::FIFOQueue;
using forebay::QueueRunner;
using forebay::QueueStatus;
using Ints = std::vector<int>;
using MaybeInt = std::optional<int>;
using Pointer = std::unique_ptr<int>;

/// A type to which a range of numbers converts.
struct Sum {
  Sum(const Ints& numbers) : value(std::accumulate(numbers.begin(), numbers.end(), 0)) {}

  friend std::ostream& operator<<(std::ostream& out, const Sum& sum) { return out << "sum " << sum.value; }

  int value;
};

// ---- Elements as text: "1 2", "[1 2] []", "1 none"

std::string text_of(const auto& element) { return printed(element); }
std::string text_of(const std::string& element) { return "'" + element + "'"; }
std::string text_of(const Pointer& element) { return "*" + printed(*element); }
std::string text_of(const MaybeInt& element) { return element ? printed(*element) : "none"; }

std::string text_of(const Ints& element);

template <class T>
std::string texts_of(const std::vector<T>& elements) {
  std::string text;
  for (const T& element : elements) text += (text.empty() ? "" : " ") + text_of(element);
  return text;
}

std::string text_of(const Ints& element) { return "[" + texts_of(element) + "]"; }

// ---- Ops

/// An op that returns each of `results` in turn, then nothing.
template <class Result>
auto in_turn(std::vector<Result> results) {
  return [results = std::move(results), i = std::size_t(0)]() mutable {
    return i < results.size() ? results[i++] : Result(std::nullopt);
  };
}

/// An op that returns each of `results` in turn, then throws OutOfRangeError.
template <class Result>
auto in_turn_and_throws(std::vector<Result> results) {
  return [results = std::move(results), i = std::size_t(0)]() mutable {
    if (i == results.size()) throw forebay::OutOfRangeError();
    return results[i++];
  };
}

/// An op that returns `make(0)`, `make(1)`, then throws OutOfRangeError.
template <class Make>
auto made_of_two(Make make) {
  return [make, i = 0]() mutable {
    if (i == 2) throw forebay::OutOfRangeError();
    return make(i++);
  };
}

/// An op with state that cannot be copied: it returns the numbers below `last`, then nothing.
auto counter_to(int last) {
  return [next = std::make_unique<int>(0), last]() mutable { return *next < last ? MaybeInt((*next)++) : MaybeInt(); };
}

// ---- The table

/// The objects that the ops of a case use.
struct Given {
  Numbers numbers{3};
  FIFOQueue<int> queue{2};  // the ops fill it
  FIFOQueue<int> other{4};  // the ops take from it
  int calls = 0;            // calls of the op that run() runs
};

/// Returns the elements that a runner with one thread for `op` puts into `queue`, and the number of calls of the op.
template <class T, class Op>
std::string run(FIFOQueue<T>& queue, int& calls, Op op) {
  QueueRunner runner(queue, {[&calls, op = std::move(op)]() mutable {
                       if (++calls > 10) throw Failure("called again and again");
                       return op();
                     }});
  runner.start();
  const std::string elements = texts_of(drained(queue));
  runner.join();
  return elements + " in " + std::to_string(calls) + " calls";
}

/// Returns the elements that `runner` puts into `queue`, sorted.
std::string run_all(FIFOQueue<int>& queue, QueueRunner&& runner) {
  runner.start();
  std::vector<int> elements = drained(queue);
  runner.join();
  return texts_of(sorted(std::move(elements)));
}

/// A form of ops, and the expected result of a runner with it.
struct OpCase {
  std::string name;
  std::function<std::string(Given& its)> result;
  std::string expected;

  friend std::ostream& operator<<(std::ostream& out, const OpCase& its) { return out << its.name; }
};

/// An op that is copied and fills a queue of T.
template <class T = int, class Op>
OpCase fills(std::string name, Op op, std::string expected) {
  const auto result = [op](Given& its) {
    FIFOQueue<T> queue(2);
    return run(queue, its.calls, op);
  };
  return {std::move(name), result, std::move(expected)};
}

/// An op that `make(given)` makes. It fills the queue of `given`.
template <class Make>
OpCase of_given(std::string name, Make make, std::string expected) {
  return {std::move(name), [make](Given& its) { return run(its.queue, its.calls, make(its)); }, std::move(expected)};
}

/// A runner that `give(queue, numbers)` makes.
template <class Give>
OpCase given_as(std::string name, Give give, std::string expected) {
  return {std::move(name), [give](Given& its) { return run_all(its.queue, give(its.queue, its.numbers)); },
          std::move(expected)};
}

/// Ops that the constructor of a runner rejects.
template <class Make>
OpCase rejected_as(std::string name, Make make, std::string expected) {
  return {std::move(name), [make](Given& its) { return rejection([&] { make(its.queue); }); }, std::move(expected)};
}

class QueueRunnerOp : public testing::TestWithParam<OpCase> {};

TEST_P(QueueRunnerOp, IsUnderstood) {
  Given given;
  EXPECT_EQ(GetParam().result(given), GetParam().expected);
}

const auto name_of_case = [](const testing::TestParamInfo<OpCase>& instance) { return instance.param.name; };

using Words = std::vector<std::string>;
using MaybeInts = std::optional<Ints>;

const OpCase returns[] = {
    fills("ElementOrNone", in_turn<MaybeInt>({1, 2, 3}), "1 2 3 in 4 calls"),
    fills("ElementUntilItThrows", in_turn_and_throws<int>({1, 2, 3}), "1 2 3 in 4 calls"),
    fills("RangeUntilItThrows", in_turn_and_throws<Ints>({{1}, {2, 3, 4, 5}, {6}}), "1 2 3 4 5 6 in 4 calls"),
    fills("RangeOrNone", in_turn<MaybeInts>({Ints{1}, Ints{2, 3, 4, 5}}), "1 2 3 4 5 in 3 calls"),
    fills("List", in_turn_and_throws<std::list<int>>({{1, 2}, {3}}), "1 2 3 in 3 calls"),
    fills("EmptyRange", in_turn_and_throws<Ints>({{}, {1, 2}, {}, {}, {3}, {}}), "1 2 3 in 7 calls"),
    fills("EmptyRangeOrNone", in_turn<MaybeInts>({Ints{}, Ints{1, 2}, Ints{}, Ints{3}}), "1 2 3 in 5 calls"),
    fills("EmptyRangeOfUnknownLength", in_turn_and_throws<std::forward_list<int>>({{}, {1, 2}, {}, {3}}),
          "1 2 3 in 5 calls"),
    fills<std::string>("WhatConvertsToAString", in_turn<std::optional<const char*>>({"one", "two"}),
                       "'one' 'two' in 3 calls"),
    fills<double>("WhatConvertsToAFraction", in_turn<MaybeInt>({1, 2}), "1 2 in 3 calls"),
    fills<bool>("Bool", in_turn<std::optional<bool>>({true, false}), "1 0 in 3 calls"),
    fills<Sum>("RangeThatConvertsToAnElement", in_turn_and_throws<Ints>({{1, 2}, {}, {3}}),
               "sum 3 sum 0 sum 3 in 4 calls"),
    fills<std::string>("StringOrNone", in_turn<std::optional<std::string>>({"one", "", "two"}),
                       "'one' '' 'two' in 4 calls"),
    fills<std::string>("RangeOfStrings", in_turn_and_throws<Words>({{"one"}, {"", "two"}}),
                       "'one' '' 'two' in 3 calls"),
    fills<std::string>("StringThatIsNoRange", in_turn_and_throws<std::string>({"aa", "bb"}), "'aa' 'bb' in 3 calls"),
    fills<Ints>("ElementThatIsARange", in_turn_and_throws<Ints>({{1}, {}, {2, 3}}), "[1] [] [2 3] in 4 calls"),
    fills<Ints>("ElementThatIsARangeOrNone", in_turn<MaybeInts>({Ints{1}, Ints{}, Ints{2, 3}}),
                "[1] [] [2 3] in 4 calls"),
    fills<Ints>("RangeOfElementsThatAreRanges", in_turn_and_throws<std::vector<Ints>>({{{1}, {}}, {}, {{2, 3}}}),
                "[1] [] [2 3] in 4 calls"),
    fills<MaybeInt>("ElementThatIsOptionalAndNoEnd", in_turn_and_throws<MaybeInt>({1, MaybeInt(), 2}),
                    "1 none 2 in 4 calls"),
    fills<MaybeInt>("ElementThatIsOptionalOrNone", in_turn<std::optional<MaybeInt>>({1, MaybeInt(), 2}),
                    "1 none 2 in 4 calls"),
    fills<MaybeInt>("RangeOfElementsThatAreOptional", in_turn_and_throws<std::vector<MaybeInt>>({{1, MaybeInt(), 2}}),
                    "1 none 2 in 2 calls"),
    fills<Pointer>("ElementThatCannotBeCopied", made_of_two([](int i) { return std::make_unique<int>(i); }),
                   "*0 *1 in 3 calls"),
    fills<Pointer>(
        "ElementThatCannotBeCopiedOrNone",
        [i = 0]() mutable { return i < 2 ? std::optional(std::make_unique<int>(i++)) : std::nullopt; },
        "*0 *1 in 3 calls"),
    fills<Pointer>("RangeOfElementsThatCannotBeCopied", made_of_two([](int i) {
                     std::vector<Pointer> range;
                     range.push_back(std::make_unique<int>(i));
                     return range;
                   }),
                   "*0 *1 in 3 calls"),
};
// proves: op-empty-range
INSTANTIATE_TEST_SUITE_P(Returns, QueueRunnerOp, testing::ValuesIn(returns), name_of_case);

FIFOQueue<int>& filled(FIFOQueue<int>& queue) {
  EXPECT_EQ(queue.enqueue_many({1, 2, 3}).status, QueueStatus::ok);
  queue.close();
  return queue;
}

const OpCase dequeues[] = {
    of_given(
        "UntilTheEnd", [](Given& its) { return [&from = filled(its.other)] { return from.dequeue(); }; },
        "1 2 3 in 4 calls"),
    of_given(
        "Batches", [](Given& its) { return [&from = filled(its.other)] { return from.dequeue_up_to(2); }; },
        "1 2 3 in 3 calls"),
    of_given(
        "NothingTwice",
        [](Given& its) {
          return [&] { return (its.calls == 3 ? filled(its.other) : its.other).dequeue(forebay::no_wait); };
        },
        "1 2 3 in 6 calls"),
    {"WhatCannotBeCopied",
     [](Given& its) {
       FIFOQueue<Pointer> from(4);
       for (int i = 0; i < 3; ++i) EXPECT_EQ(from.enqueue(std::make_unique<int>(i)), QueueStatus::ok);
       from.close();
       FIFOQueue<Pointer> to(2);
       return run(to, its.calls, [&] { return from.dequeue(); });
     },
     "*0 *1 *2 in 4 calls"},
    of_given(
        "AndIsStopped",
        [](Given& its) {
          auto stop = std::make_shared<forebay::Coordinator>();
          stop->request_stop();
          return [&its, stop] { return its.other.dequeue(*stop); };
        },
        " in 1 calls"),
};
// proves: op-dequeues
INSTANTIATE_TEST_SUITE_P(Dequeues, QueueRunnerOp, testing::ValuesIn(dequeues), name_of_case);

/// An op that closes the queue in its third call and returns `result(given)`.
template <class Result>
OpCase closes(std::string name, Result result) {
  const auto make = [result](Given& its) {
    return [&its, result] {
      if (its.calls == 3) its.queue.close();
      return result(its);
    };
  };
  return of_given(std::move(name), make, " in 3 calls");
}

const OpCase closes_and_returns[] = {
    closes("Nothing", [](Given&) {}),
    closes("AnEmptyRange", [](Given&) { return Ints(); }),
    closes("ADequeueThatFoundNothing", [](Given& its) { return its.other.dequeue(forebay::no_wait); }),
    closes("AnEnqueueManyOfNothing", [](Given& its) { return its.queue.enqueue_many(Ints()); }),
};
// proves: op-empty-range
INSTANTIATE_TEST_SUITE_P(ClosesItsQueueAndReturns, QueueRunnerOp, testing::ValuesIn(closes_and_returns), name_of_case);

const OpCase giving[] = {
    given_as(
        "OneThatEnqueuesAndReturnsTheStatus",
        [](auto& queue, auto& numbers) {
          return QueueRunner(queue, 1, [&] {
            const MaybeInt number = numbers.next();
            return number ? queue.enqueue(*number) : QueueStatus::closed;
          });
        },
        "0 1 2"),
    given_as(
        "OneThatEnqueuesAndReturnsNothing",
        [](auto& queue, auto& numbers) {
          return QueueRunner(queue, 1, [&] { static_cast<void>(queue.enqueue(numbers.next_or_throw())); });
        },
        "0 1 2"),
    given_as(
        "OneThatEnqueuesManyAndReturnsHowThatWent",
        [](auto& queue, auto& numbers) {
          return QueueRunner(queue, 1, [&] {
            const int first = numbers.next_or_throw();
            return queue.enqueue_many({first, 10 * first});
          });
        },
        "0 0 1 2 10 20"),
    given_as(
        "OneThatCannotBeCopied", [](auto& queue, auto&) { return QueueRunner(queue, {counter_to(3)}); }, "0 1 2"),
    given_as(
        "ListOfDifferentForms",
        [](auto& queue, auto& numbers) {
          return QueueRunner(queue, {in_turn<MaybeInt>({3}), [&] { return numbers.next_or_throw(); },
                                     [&] { return queue.is_closed() ? QueueStatus::closed : QueueStatus::empty; }});
        },
        "0 1 2 3"),
    given_as(
        "Range",
        [](auto& queue, auto& numbers) {
          const auto op = [&] { static_cast<void>(queue.enqueue(numbers.next_or_throw())); };
          std::list<std::function<void()>> ops(3, op);
          return QueueRunner(queue, ops);
        },
        "0 1 2"),
    given_as(
        "RangeThatCannotBeCopied",
        [](auto& queue, auto&) {
          std::vector<decltype(counter_to(0))> ops;
          for (int last = 1; last <= 3; ++last) ops.push_back(counter_to(last));
          return QueueRunner(queue, std::move(ops));
        },
        "0 0 0 1 1 2"),
    given_as(
        "Factory",
        [](auto& queue, auto&) { return QueueRunner(queue, 4, forebay::per_thread([] { return counter_to(3); })); },
        "0 0 0 0 1 1 1 1 2 2 2 2"),
    given_as(
        "ListWithAFactory",
        [](auto& queue, auto&) {
          return QueueRunner(queue, {forebay::per_thread([] { return counter_to(1); }), in_turn<MaybeInt>({2})});
        },
        "0 2"),
};
// proves: op-state
INSTANTIATE_TEST_SUITE_P(IsGivenAs, QueueRunnerOp, testing::ValuesIn(giving), name_of_case);

const auto at_its_end = []() -> MaybeInt { return std::nullopt; };
const OpCase rejected[] = {
    rejected_as(
        "NoThread", [](auto& queue) { QueueRunner(queue, 0, at_its_end); },
        "forebay: QueueRunner: threads must be at least 1, not 0"),
    rejected_as(
        "NoThreadUnsigned", [](auto& queue) { QueueRunner(queue, 0U, at_its_end); },
        "forebay: QueueRunner: threads must be at least 1, not 0"),
    rejected_as(
        "NegativeThreads", [](auto& queue) { QueueRunner(queue, -1, at_its_end); },
        "forebay: QueueRunner: threads must be at least 1, not -1"),
    rejected_as(
        "EmptyList", [](auto& queue) { QueueRunner(queue, {}); }, "forebay: a QueueRunner needs at least 1 op, not 0"),
    rejected_as(
        "EmptyRange", [](auto& queue) { QueueRunner(queue, std::vector<std::function<void()>>()); },
        "forebay: a QueueRunner needs at least 1 op, not 0"),
};
// proves: impossible-setting
INSTANTIATE_TEST_SUITE_P(IsRejectedAs, QueueRunnerOp, testing::ValuesIn(rejected), name_of_case);

// ---- Failures and closes of another queue, seen by an op

// proves: op-dequeues
TEST(QueueRunnerOps, CauseOfTheOtherQueueIsTheFailureOfTheOp) {
  FIFOQueue<int> in(4);
  ASSERT_EQ(in.enqueue(1), QueueStatus::ok);
  const std::exception_ptr cause = failure();
  in.close(cause);
  FIFOQueue<int> out(4);
  QueueRunner runner(out, 1, [&] { return in.dequeue(); });
  runner.start();
  EXPECT_EQ(thrown_by_join(runner), cause);
  EXPECT_EQ(out.dequeue().value(), 1);
  EXPECT_EQ(thrown_by([&] { return out.dequeue(); }), cause);
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

// ---- Several threads

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

TEST(QueueRunnerOps, RangeThatIsNotGivenAwayKeepsItsOps) {
  FIFOQueue<int> queue(8);
  const auto counter = in_turn<MaybeInt>({1, 2});
  std::list<std::function<MaybeInt()>> list = {counter, counter};
  QueueRunner runner(queue, list);
  runner.start();
  EXPECT_EQ(sorted(drained(queue)), (Ints{1, 1, 2, 2}));
  runner.join();
  EXPECT_EQ(list.front()(), 1) << "the runner has copies";
}

TEST(QueueRunnerOps, OpsMayFeedAQueueOfAnyKind) {
  forebay::RandomShuffleQueue<int> queue({.capacity = 10, .min_after_dequeue = 5, .seed = 1});
  Numbers numbers(100);
  QueueRunner runner(queue, 2, [&] { return numbers.next(); });
  runner.start();
  EXPECT_EQ(drained(queue).size(), 100U);
  runner.join();
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

// proves: op-state
TEST(QueueRunnerOps, FactoryThatFailsIsAFailureOfItsOp) {
  FIFOQueue<int> queue(1);
  const std::exception_ptr cause = failure();
  QueueRunner runner(queue, 1, forebay::per_thread([&] {
                       std::rethrow_exception(cause);
                       return [] { return MaybeInt(); };
                     }));
  runner.start();
  EXPECT_EQ(thrown_by_join(runner), cause);
  EXPECT_EQ(thrown_by([&] { return queue.dequeue(); }), cause);
}

}  // namespace
}  // namespace forebay_test
