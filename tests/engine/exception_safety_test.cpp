// SPDX-License-Identifier: MIT
//
// exception_safety_test.cpp: the k-th copy or move of an operation fails, for every k. The queue is then unchanged, or
// as if the operation had been done only for the elements before the failing one. Nothing is lost or destroyed twice,
// and waiting calls on the other side are served.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/queue_status.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/elements.hpp"
#include "tests/support/failure_sweep.hpp"
#include "tests/support/numbers.hpp"
#include "tests/support/queue_factories.hpp"
#include "tests/support/scaled_time.hpp"

namespace forebay_test {
namespace {

using forebay::no_wait;

/// Steps of a failure sweep: the copies and moves of elements that may throw.
template <class T>
struct CopiesAndMoves {
  using Element = T;
  static constexpr bool moves_fail = !std::is_nothrow_move_constructible_v<T>;

  Element make(int number) { return Element(number, ledger); }
  static int number_of(const Element& element) { return element.number(); }

  template <class Operation>
  bool fails_at(std::size_t k, Operation operation) {
    bool failed = false;
    ledger.fail_at(k);
    try {
      operation();
    } catch (const ElementFailure&) {
      failed = true;
    }
    EXPECT_NE(ledger.take_pending_failure(), failed) << "a failure was swallowed";
    return failed;
  }

  /// The copies are made first, and then moved in.
  static std::size_t added_copies(std::size_t k) { return (k - 1) % 3; }
  static std::size_t added_moves(std::size_t k) { return k - 1; }

  Ledger ledger;
};

struct OfThrowingCopy : CopiesAndMoves<ThrowingCopy> {
  static std::string name() { return "ThrowingCopy"; }
};
struct OfThrowingMove : CopiesAndMoves<ThrowingMove> {
  static std::string name() { return "ThrowingMove"; }
};
struct OfThrowingMoveOnly : CopiesAndMoves<ThrowingMoveOnly> {
  static std::string name() { return "ThrowingMoveOnly"; }
};

/// Five elements. Reading the third one fails.
template <class Element>
struct FailingRange {
  struct Iterator {
    using value_type = Element;
    using difference_type = std::ptrdiff_t;

    Element operator*() const {
      if (number == 2) throw ElementFailure();
      return Element(number, *ledger);
    }
    Iterator& operator++() {
      ++number;
      return *this;
    }
    void operator++(int) { ++number; }
    bool operator==(const Iterator& other) const { return number == other.number; }

    Ledger* ledger;
    int number;
  };
  [[nodiscard]] Iterator begin() const { return {&ledger, 0}; }
  [[nodiscard]] Iterator end() const { return {&ledger, 5}; }

  Ledger& ledger;
};

/// A queue of elements that fail, with a model of its expected contents.
template <class Parameter>
class ExceptionSafety : public testing::Test {
 protected:
  using Factory = typename Parameter::Factory;
  using Steps = typename Parameter::Operation;
  using Stored = typename Steps::Element;
  using Queue = typename Factory::template Queue<Stored>;
  using Model = std::vector<int>;

  static Queue make(forebay::Capacity capacity) { return Factory::template make<Stored>(capacity); }

  std::vector<Stored> elements(int count, int first = 0) { return numbered<Stored>(count, first, ledger_); }

  static Model take_all(Queue& queue) {
    Model all;
    while (const auto element = queue.dequeue(no_wait)) all.push_back(element->number());
    return all;
  }

  static Model ordered(Model model) {
    if (!Factory::keeps_order) std::ranges::sort(model);
    return model;
  }

  void fill(Queue& queue, int count) {
    for (const int number : numbers(count)) ASSERT_EQ(queue.enqueue(Stored(number, ledger_)), QueueStatus::ok);
  }

  Steps steps_;
  Ledger& ledger_ = steps_.ledger;
  FailureSweep<Factory, Steps> sweep_{steps_};
};

template <class Parameter>
using ElementOf = typename Parameter::Operation::Element;

using AllElements = OnEveryQueue<OfThrowingCopy, OfThrowingMove, OfThrowingMoveOnly>;
TYPED_TEST_SUITE(ExceptionSafety, AllElements, NameOfParameter);

template <class Parameter>
class CopyableExceptionSafety : public ExceptionSafety<Parameter> {};
using CopyableElements = OnEveryQueue<OfThrowingCopy, OfThrowingMove>;
TYPED_TEST_SUITE(CopyableExceptionSafety, CopyableElements, NameOfParameter);

template <class Parameter>
class AccumulatingExceptionSafety : public ExceptionSafety<Parameter> {};
using AccumulatedElements = typename OnEach<AccumulatingQueueFactories, OfThrowingCopy, OfThrowingMove>::type;
TYPED_TEST_SUITE(AccumulatingExceptionSafety, AccumulatedElements, NameOfParameter);

template <class Parameter>
class ThrowingMoveExceptionSafety : public ExceptionSafety<Parameter> {};
using ThrowingMoveElements = OnEveryQueue<OfThrowingMove, OfThrowingMoveOnly>;
TYPED_TEST_SUITE(ThrowingMoveExceptionSafety, ThrowingMoveElements, NameOfParameter);

template <class Parameter>
class MoveOnlyExceptionSafety : public ExceptionSafety<Parameter> {};
using MoveOnlyElements = OnEveryQueue<OfThrowingMoveOnly>;
TYPED_TEST_SUITE(MoveOnlyExceptionSafety, MoveOnlyElements, NameOfParameter);

// ---- Each operation, with each copy and move failing

// proves: enqueue-throws, enqueue-many-throws, large-batch
TYPED_TEST(ExceptionSafety, EnqueueThatFailsPutsInWhatCameBefore) {
  constexpr bool moves_fail = TestFixture::Steps::moves_fail;
  auto failures = this->sweep_.run(this->sweep_.enqueues());
  EXPECT_EQ(failures["enqueue of a move"], moves_fail ? 1U : 0U);
  EXPECT_EQ(failures["enqueue_many of moves"], moves_fail ? 3U : 0U);
  EXPECT_EQ(failures["enqueue_many of moves in steps"] > 0, moves_fail);
  if (std::is_copy_constructible_v<ElementOf<TypeParam>>) {
    EXPECT_EQ(failures["enqueue of a copy"], moves_fail ? 2U : 1U);
    EXPECT_EQ(failures["enqueue_many of copies"], moves_fail ? 6U : 3U);
  }
}

// proves: dequeue-throws, large-batch
TYPED_TEST(ExceptionSafety, DequeueThatFailsLeavesAllElements) {
  const auto dequeues = this->sweep_.dequeues();
  const auto failures = this->sweep_.run(dequeues);
  if (!TestFixture::Steps::moves_fail) {
    EXPECT_EQ(failures, FailureCounts());
    return;
  }
  for (const auto& each : dequeues) {
    const bool may_move_nothing = each.name == "gathering";
    EXPECT_TRUE(failures.contains(each.name) || may_move_nothing) << each.name << " cannot fail";
  }
}

TYPED_TEST(AccumulatingExceptionSafety, BatchLargerThanCapacityArrivesWhateverFails) {
  using Element = ElementOf<TypeParam>;
  for (std::size_t failure = 1; failure <= 20; ++failure) {
    auto queue = this->make(2);
    const auto supply = this->elements(5);
    this->ledger_.fail_at(failure);
    Background produce([&] {
      for (const Element& element : supply) {
        while (true) {
          try {
            EXPECT_EQ(queue.enqueue(element), QueueStatus::ok);
            break;
          } catch (const ElementFailure&) {
          }
        }
      }
      return true;
    });
    std::vector<Element> batch;
    while (batch.empty()) {
      try {
        EXPECT_EQ(queue.dequeue_many(5, batch), QueueStatus::ok);
      } catch (const ElementFailure&) {
      }
    }
    EXPECT_TRUE(produce.get());
    static_cast<void>(this->ledger_.take_pending_failure());
    EXPECT_EQ(this->ordered(numbers_of(batch)), numbers(5)) << "after failure " << failure;
    EXPECT_EQ(queue.size(), 0U);
  }
}

// proves: dequeue-throws
TYPED_TEST(MoveOnlyExceptionSafety, BatchOfElementsThatCanOnlyBeMovedLosesNoMoreThanItMoved) {
  using Element = ElementOf<TypeParam>;
  for (std::size_t failure = 1; failure <= 3; ++failure) {
    auto queue = this->make(8);
    this->fill(queue, 5);
    this->ledger_.fail_at(failure);
    EXPECT_THROW(static_cast<void>(queue.dequeue_many(3)), ElementFailure);
    EXPECT_TRUE(queue.invariants_hold());
    auto left = this->take_all(queue);
    std::erase(left, Element::moved_from);
    EXPECT_EQ(left.size(), 5 - (failure - 1));
  }
}

// ---- Threads that wait on the other side or in the same line

// proves: enqueue-throws
TYPED_TEST(ThrowingMoveExceptionSafety, ConsumerIsServedAfterAnEnqueueThatFailed) {
  using Element = ElementOf<TypeParam>;
  auto queue = this->make(2);
  Background taken([&] { return queue.dequeue()->number(); });
  ASSERT_TRUE(await_waiting_consumers(queue, 1));
  this->ledger_.fail_at(1);
  EXPECT_THROW(static_cast<void>(queue.enqueue(Element(7, this->ledger_))), ElementFailure);
  EXPECT_EQ(queue.waiting_consumers(), 1U);
  ASSERT_EQ(queue.enqueue(Element(8, this->ledger_)), QueueStatus::ok);
  EXPECT_EQ(taken.get(), 8);
}

TYPED_TEST(ThrowingMoveExceptionSafety, ProducerIsServedAfterADequeueThatFailed) {
  using Element = ElementOf<TypeParam>;
  auto queue = this->make(1);
  this->fill(queue, 1);
  Background put([&] { return queue.enqueue(Element(1, this->ledger_)); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  this->ledger_.fail_at(1);
  EXPECT_THROW(static_cast<void>(queue.dequeue()), ElementFailure);
  EXPECT_EQ(queue.waiting_producers(), 1U);
  EXPECT_EQ(queue.dequeue()->number(), 0);
  EXPECT_EQ(put.get(), QueueStatus::ok);
}

// proves: enqueue-many-throws
TYPED_TEST(CopyableExceptionSafety, ConsumersAreServedWithWhatAnEnqueueManyThatFailedPutInBefore) {
  using Element = ElementOf<TypeParam>;
  constexpr int wanted = 2;
  const auto range = this->elements(4);
  for (int failure = 1; failure <= 4; ++failure) {
    auto queue = this->make(8);
    Background taken([&] { return numbers_of(queue.dequeue_many(wanted).value()); });
    ASSERT_TRUE(await_waiting_consumers(queue, 1));
    this->ledger_.fail_at(static_cast<std::size_t>(failure));
    EXPECT_THROW(static_cast<void>(queue.enqueue_many(range)), ElementFailure);
    const int before = failure - 1;
    for (const int number : numbers(std::max(wanted - before, 0), before)) {
      EXPECT_EQ(queue.waiting_consumers(), 1U) << "after failure " << failure;
      ASSERT_EQ(queue.enqueue(Element(number, this->ledger_)), QueueStatus::ok);
    }
    auto all = taken.get();
    std::ranges::copy(this->take_all(queue), std::back_inserter(all));
    EXPECT_EQ(this->ordered(all), numbers(std::max(wanted, before))) << "after failure " << failure;
  }
}

// proves: dequeue-throws
TYPED_TEST(CopyableExceptionSafety, ProducersAreServedAfterABatchThatFailed) {
  using Element = ElementOf<TypeParam>;
  using Tested = typename TestFixture::Queue;
  if (std::is_nothrow_move_constructible_v<Element>) return;  // then no batch fails
  const std::vector<std::function<void(Tested&)>> batches = {
      [](Tested& queue) { static_cast<void>(queue.dequeue_many(3)); },
      [](Tested& queue) { static_cast<void>(queue.dequeue_up_to(3)); },
      [](Tested& queue) { static_cast<void>(queue.dequeue_available(3)); },
      [this](Tested& queue) {
        auto batch = this->elements(0);
        static_cast<void>(queue.dequeue_many(3, batch));
      }};
  for (const auto& take_batch : batches) {
    for (std::size_t failure = 1; failure <= 3; ++failure) {
      auto queue = this->make(4);
      this->fill(queue, 4);
      Background put([&] { return queue.enqueue(Element(4, this->ledger_)); });
      ASSERT_TRUE(await_waiting_producers(queue, 1));
      this->ledger_.fail_at(failure);
      EXPECT_THROW(take_batch(queue), ElementFailure);
      EXPECT_EQ(queue.waiting_producers(), 1U);
      EXPECT_EQ(queue.size(), 4U);
      take_batch(queue);
      EXPECT_EQ(put.get(), QueueStatus::ok);
      EXPECT_EQ(queue.size(), 2U);
    }
  }
}

/// The result of a call that may fail.
enum class Fate { done, failed };

template <class Call>
Fate fate_of(Call call) {
  try {
    return call() == QueueStatus::ok ? Fate::done : Fate::failed;
  } catch (const ElementFailure&) {
    return Fate::failed;
  }
}

// proves: dequeue-throws
TYPED_TEST(ThrowingMoveExceptionSafety, ConsumerThatFailsWhenItIsServedLeavesTheElementToTheNext) {
  using Element = ElementOf<TypeParam>;
  auto queue = this->make(2);
  Background first([&] { return fate_of([&] { return queue.dequeue().status(); }); });
  Background second([&] { return fate_of([&] { return queue.dequeue().status(); }); });
  ASSERT_TRUE(await_waiting_consumers(queue, 2));
  this->ledger_.fail_at(2);  // the first move is the enqueue's
  ASSERT_EQ(queue.enqueue(Element(7, this->ledger_)), QueueStatus::ok);
  EXPECT_NE(first.get(), second.get());
  EXPECT_EQ(queue.size(), 0U);
}

// proves: dequeue-throws
TYPED_TEST(CopyableExceptionSafety, BatchThatFailsWhenItIsServedLeavesAllElementsToTheNext) {
  using Element = ElementOf<TypeParam>;
  if (std::is_nothrow_move_constructible_v<Element>) return;  // then it does not fail
  for (std::size_t failure = 1; failure <= 2; ++failure) {
    auto queue = this->make(2);
    Background first([&] { return fate_of([&] { return queue.dequeue_many(2).status(); }); });
    Background second([&] { return fate_of([&] { return queue.dequeue_up_to(2).status(); }); });
    ASSERT_TRUE(await_waiting_consumers(queue, 2));
    auto range = this->elements(2);
    this->ledger_.fail_at(2 + failure);  // the first two moves are the enqueue's
    ASSERT_EQ(queue.enqueue_many(std::move(range)).status, QueueStatus::ok);
    EXPECT_NE(first.get(), second.get());
    EXPECT_EQ(queue.size(), 0U);
  }
}

// proves: enqueue-throws
TYPED_TEST(ThrowingMoveExceptionSafety, ProducerThatFailsWhenItIsServedLeavesTheRoomToTheNext) {
  using Element = ElementOf<TypeParam>;
  auto queue = this->make(1);
  this->fill(queue, 1);
  Background first([&] { return fate_of([&] { return queue.enqueue(Element(1, this->ledger_)); }); });
  Background second([&] { return fate_of([&] { return queue.enqueue(Element(2, this->ledger_)); }); });
  ASSERT_TRUE(await_waiting_producers(queue, 2));
  this->ledger_.fail_at(2);  // the first move is the enqueue's
  EXPECT_EQ(queue.dequeue()->number(), 0);
  EXPECT_NE(first.get(), second.get());
  EXPECT_EQ(queue.size(), 1U);
}

// proves: enqueue-many-throws
TYPED_TEST(ThrowingMoveExceptionSafety, HalfDoneEnqueueManyThatFailsLetsThoseBehindItBeServed) {
  using Element = ElementOf<TypeParam>;
  auto queue = this->make(1);
  Background many([&] { return fate_of([&] { return queue.enqueue_many(this->elements(3)).status; }); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  Background behind([&] { return queue.enqueue(Element(9, this->ledger_)); });
  ASSERT_TRUE(await_waiting_producers(queue, 2));
  this->ledger_.fail_at(2);  // after the dequeue's move
  EXPECT_EQ(queue.dequeue()->number(), 0);
  EXPECT_EQ(many.get(), Fate::failed);
  EXPECT_EQ(behind.get(), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue()->number(), 9);
}

// proves: enqueue-many-throws
TYPED_TEST(ExceptionSafety, RangeThatFailsPutsInWhatCameBefore) {
  using Element = ElementOf<TypeParam>;
  auto queue = this->make(8);
  EXPECT_THROW(static_cast<void>(queue.enqueue_many(FailingRange<Element>{this->ledger_})), ElementFailure);
  EXPECT_TRUE(queue.invariants_hold());
  EXPECT_EQ(this->ordered(this->take_all(queue)), numbers(2));
}

}  // namespace
}  // namespace forebay_test
