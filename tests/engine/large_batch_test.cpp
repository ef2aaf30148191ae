// SPDX-License-Identifier: MIT
//
// large_batch_test.cpp: batches of more elements than may be moved in one hold of a lock. They go in and out in steps,
// and other calls get the lock in between.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <stop_token>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/count.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/overflow.hpp"
#include "forebay/padded_batch.hpp"
#include "forebay/padding_fifo_queue.hpp"
#include "forebay/priority_queue.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "forebay/wait.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/counted_moves_sync.hpp"
#include "tests/support/elements.hpp"
#include "tests/support/queue_factories.hpp"

namespace forebay_test {
namespace {

using forebay::Capacity;
using forebay::no_wait;

/// The most moves in one hold of a lock.
constexpr std::size_t most_moves = 1024;

// ---- The kinds of queue, with counted moves

struct Fifo {
  template <class T>
  using Queue = forebay::FIFOQueue<T, CountedMovesSync>;
  static constexpr bool keeps_order = true;
  static std::string name() { return "FIFOQueue"; }
  template <class T>
  static Queue<T> make(Capacity capacity) {
    return Queue<T>(capacity);
  }
};

struct Padding : Fifo {
  template <class T>
  using Queue = forebay::PaddingFIFOQueue<T, CountedMovesSync>;
  static std::string name() { return "PaddingFIFOQueue"; }
  template <class T>
  static Queue<T> make(Capacity capacity) {
    return Queue<T>(capacity);
  }
};

struct Shuffle : Fifo {
  template <class T>
  using Queue = forebay::RandomShuffleQueue<T, CountedMovesSync>;
  static constexpr bool keeps_order = false;
  static std::string name() { return "RandomShuffleQueue"; }
  template <class T>
  static Queue<T> make(Capacity capacity) {
    return Queue<T>({.capacity = capacity, .seed = 1});
  }
};

/// With ascending numbers nearly every element changes places with another one before it leaves.
struct Priority : Fifo {
  template <class T>
  using Queue = forebay::PriorityQueue<T, LargestFirst, CountedMovesSync>;
  static constexpr bool keeps_order = false;
  static std::string name() { return "PriorityQueue"; }
  template <class T>
  static Queue<T> make(Capacity capacity) {
    return Queue<T>(capacity);
  }
};

struct OfMoves {
  using Element = CountedMove<false>;
  static std::string name() { return "Moves"; }
};
struct OfMovesThatMayThrow {
  using Element = CountedMove<true>;
  static std::string name() { return "MovesThatMayThrow"; }
};

using AllKinds = OnEach<testing::Types<Fifo, Padding, Shuffle, Priority>, OfMoves, OfMovesThatMayThrow>::type;
using AccumulatingKinds = OnEach<testing::Types<Fifo, Padding, Shuffle>, OfMoves, OfMovesThatMayThrow>::type;

template <class Parameter>
class LargeBatch : public testing::Test {
 protected:
  using Kind = typename Parameter::Factory;
  using Element = typename Parameter::Operation::Element;
  using Queue = typename Kind::template Queue<Element>;

  void SetUp() override { CountedMovesSync::most_moves = 0; }
  void TearDown() override {
    EXPECT_GT(CountedMovesSync::most_moves, 0U) << "nothing was counted";
    EXPECT_LE(CountedMovesSync::most_moves, most_moves);
  }

  static Queue make(Capacity capacity) { return Kind::template make<Element>(capacity); }

  static std::vector<Element> elements(int count, int first = 0) { return numbered<Element>(count, first); }

  static void fill(Queue& queue, int count) { EXPECT_EQ(queue.enqueue_many(elements(count)).status, QueueStatus::ok); }

  /// Returns the numbers of a batch, sorted if the kind of queue does not keep the order.
  template <class Batch>
  static std::vector<int> numbers_of(const Batch& batch) {
    std::vector<int> all = forebay_test::numbers_of(batch);
    if (!Kind::keeps_order) std::ranges::sort(all);
    return all;
  }

  static std::vector<int> take_all(Queue& queue) {
    std::vector<Element> all;
    while (const auto element = queue.dequeue(no_wait)) all.push_back(*element);
    return numbers_of(all);
  }
};

template <class Parameter>
class AccumulatedBatch : public LargeBatch<Parameter> {};

TYPED_TEST_SUITE(LargeBatch, AllKinds, NameOfParameter);
TYPED_TEST_SUITE(AccumulatedBatch, AccumulatingKinds, NameOfParameter);

// ---- Moves in one hold of a lock

// proves: large-batch
TYPED_TEST(LargeBatch, GoesIn) {
  for (const Capacity capacity : {Capacity(10'000), Capacity(forebay::unbounded)}) {
    auto queue = this->make(capacity);
    this->fill(queue, 10'000);
    EXPECT_EQ(this->take_all(queue), numbers(10'000));
  }
}

// proves: large-batch
TYPED_TEST(LargeBatch, ThatDoesNotWaitTakesAllTheRoomThereIs) {
  auto queue = this->make(10'000);
  this->fill(queue, 3);
  const auto result = queue.enqueue_many(this->elements(10'001, 3), no_wait);
  EXPECT_EQ(result.status, QueueStatus::full);
  EXPECT_EQ(result.count, 9'997U);
  EXPECT_EQ(this->take_all(queue), numbers(10'000));
}

// proves: large-batch
TYPED_TEST(LargeBatch, GoesInWhileOthersMakeRoom) {
  auto queue = this->make(3'000);
  Background taken([&] { return this->numbers_of(queue.dequeue_many(3'000).value()).size(); });
  EXPECT_EQ(queue.enqueue_many(this->elements(6'000)).status, QueueStatus::ok);
  EXPECT_EQ(taken.get(), 3'000U);
  EXPECT_EQ(this->take_all(queue).size(), 3'000U);
}

// proves: large-batch
TYPED_TEST(LargeBatch, ComesOut) {
  for (const Capacity capacity : {Capacity(10'000), Capacity(forebay::unbounded)}) {
    auto queue = this->make(capacity);
    this->fill(queue, 10'000);
    EXPECT_EQ(this->numbers_of(queue.dequeue_many(10'000, no_wait).value()), numbers(10'000));
  }
}

// proves: large-batch
TYPED_TEST(LargeBatch, ComesOutIntoReusedStorage) {
  auto queue = this->make(10'000);
  this->fill(queue, 10'000);
  std::vector<typename TestFixture::Element> batch = this->elements(3);
  EXPECT_EQ(queue.dequeue_many(10'000, batch, no_wait), QueueStatus::ok);
  EXPECT_EQ(this->numbers_of(batch), numbers(10'000));
}

// proves: large-batch
TYPED_TEST(LargeBatch, OfWhatIsAvailableComesOut) {
  auto queue = this->make(10'000);
  this->fill(queue, 5'000);
  EXPECT_EQ(this->numbers_of(queue.dequeue_available(10'000, no_wait).value()), numbers(5'000));
}

// proves: large-batch
TYPED_TEST(LargeBatch, OfWhatIsLeftComesOut) {
  auto queue = this->make(10'000);
  this->fill(queue, 5'000);
  queue.close();
  EXPECT_EQ(this->numbers_of(queue.dequeue_up_to(10'000, no_wait).value()), numbers(5'000));
}

// proves: large-batch
TYPED_TEST(LargeBatch, ThatWaitedComesOut) {
  auto queue = this->make(10'000);
  Background taken([&] { return this->numbers_of(queue.dequeue_many(5'000).value()); });
  ASSERT_TRUE(await_waiting_consumers(queue, 1));
  EXPECT_EQ(queue.enqueue_many(this->elements(5'000)).status, QueueStatus::ok);
  EXPECT_EQ(taken.get(), numbers(5'000));
}

// proves: large-batch
TYPED_TEST(AccumulatedBatch, LargerThanTheCapacityComesOut) {
  for (const std::size_t capacity : {std::size_t{10}, std::size_t{3'000}}) {
    auto queue = this->make(capacity);
    Background taken([&] { return this->numbers_of(queue.dequeue_many(10'000).value()); });
    EXPECT_EQ(queue.enqueue_many(this->elements(10'000)).status, QueueStatus::ok);
    EXPECT_EQ(taken.get(), numbers(10'000));
  }
}

// proves: large-batch
TYPED_TEST(AccumulatedBatch, ThatIsStoppedGivesBackWhatItGathered) {
  auto queue = this->make(3'000);
  std::stop_source stop;
  Background taken([&] { return queue.dequeue_many(9'000, stop.get_token()).status(); });
  EXPECT_EQ(queue.enqueue_many(this->elements(6'000)).status, QueueStatus::ok);
  stop.request_stop();
  EXPECT_EQ(taken.get(), QueueStatus::stopped);
  EXPECT_EQ(queue.size(), 6'000U);
  EXPECT_EQ(this->numbers_of(queue.dequeue_many(6'000, no_wait).value()), numbers(6'000));
}

// proves: large-batch
TYPED_TEST(AccumulatedBatch, ThatIsCutOffByACloseGivesBackWhatItGathered) {
  auto queue = this->make(3'000);
  Background taken([&] { return queue.dequeue_many(9'000).status(); });
  EXPECT_EQ(queue.enqueue_many(this->elements(6'000)).status, QueueStatus::ok);
  queue.close();
  EXPECT_EQ(taken.get(), QueueStatus::closed);
  EXPECT_EQ(this->numbers_of(queue.dequeue_up_to(9'000, no_wait).value()), numbers(6'000));
}

// proves: large-batch
TEST(LargePaddedBatch, ComesOut) {
  using Record = std::tuple<CountedMove<false>, std::vector<int>>;
  CountedMovesSync::most_moves = 0;
  forebay::PaddingFIFOQueue<Record, CountedMovesSync> queue(forebay::unbounded);
  for (const int number : numbers(5'000)) {
    ASSERT_EQ(queue.enqueue(Record(number, numbers(number % 3))), QueueStatus::ok);
  }
  const auto batch = queue.dequeue_many(5'000, no_wait).value();
  ASSERT_EQ(batch.size(), 5'000U);
  for (std::size_t i = 0; i < 5'000; ++i) {
    ASSERT_EQ(batch.component<0>()(i).number(), static_cast<int>(i));
    ASSERT_EQ(batch.component<1>().lengths()[i], i % 3);
  }
  EXPECT_LE(CountedMovesSync::most_moves, most_moves);
}

// ---- Calls of other threads between two steps

template <class Parameter>
class BetweenSteps : public LargeBatch<Parameter> {
 protected:
  using Queue = typename LargeBatch<Parameter>::Queue;

  /// Calls `call`, and `between(n)` when `call` has released its locks for the n-th time. Returns the number of
  /// releases.
  template <class Call, class Between>
  static int run(Queue& queue, Call call, Between between) {
    int releases = 0;
    CountedMovesSync::on_release = [&] {
      EXPECT_TRUE(queue.invariants_hold());
      between(++releases);
    };
    call();
    CountedMovesSync::on_release = nullptr;
    return releases;
  }

  /// The first release follows the first attempt of a call, the last releases follow its end.
  static constexpr int in_the_middle = 3;
};
TYPED_TEST_SUITE(BetweenSteps, AllKinds, NameOfParameter);

// proves: large-batch
TYPED_TEST(BetweenSteps, OfADequeueManyNobodyElseTakesAny) {
  auto queue = this->make(10'000);
  this->fill(queue, 5'000);
  QueueStatus others = QueueStatus::ok;
  std::vector<int> taken;
  const int releases = this->run(
      queue, [&] { taken = this->numbers_of(queue.dequeue_many(4'000).value()); },
      [&](int release) {
        if (release == this->in_the_middle) others = queue.dequeue(no_wait).status();
      });
  EXPECT_GE(releases, 4);
  EXPECT_EQ(others, QueueStatus::empty);
  EXPECT_EQ(taken.size(), 4'000U);
  EXPECT_EQ(queue.size(), 1'000U);
}

// proves: large-batch
TYPED_TEST(BetweenSteps, OfADequeueManyOthersPutElementsIn) {
  auto queue = this->make(forebay::unbounded);
  this->fill(queue, 4'000);
  int put = 0;
  std::vector<int> taken;
  this->run(
      queue, [&] { taken = this->numbers_of(queue.dequeue_many(4'000).value()); },
      [&](int /*release*/) {
        for (const int number : numbers(100, 4'000 + 100 * put++)) {
          EXPECT_EQ(queue.enqueue(typename TestFixture::Element(number), no_wait), QueueStatus::ok);
        }
      });
  std::ranges::copy(this->take_all(queue), std::back_inserter(taken));
  std::ranges::sort(taken);
  EXPECT_EQ(taken, numbers(4'000 + 100 * put));
}

// proves: large-batch
TYPED_TEST(BetweenSteps, OfADequeueManyACloseEndsNothing) {
  auto queue = this->make(10'000);
  this->fill(queue, 5'000);
  std::size_t taken = 0;
  this->run(
      queue, [&] { taken = queue.dequeue_many(4'000).value().size(); },
      [&](int release) {
        if (release == this->in_the_middle) queue.close();
      });
  EXPECT_EQ(taken, 4'000U);
  EXPECT_EQ(this->take_all(queue).size(), 1'000U);
}

// proves: large-batch
TYPED_TEST(BetweenSteps, OfAnEnqueueManyNobodyElsePutsAnyIn) {
  auto queue = this->make(10'000);
  QueueStatus others = QueueStatus::ok;
  const int releases = this->run(
      queue, [&] { EXPECT_EQ(queue.enqueue_many(this->elements(4'000)).status, QueueStatus::ok); },
      [&](int release) {
        if (release == this->in_the_middle) others = queue.enqueue(typename TestFixture::Element(-1), no_wait);
      });
  EXPECT_GE(releases, 4);
  EXPECT_EQ(others, QueueStatus::full);
  EXPECT_EQ(this->take_all(queue), numbers(4'000));
}

// proves: large-batch
TYPED_TEST(BetweenSteps, OfAnEnqueueManyOthersTakeElements) {
  auto queue = this->make(10'000);
  std::vector<int> taken;
  this->run(
      queue, [&] { EXPECT_EQ(queue.enqueue_many(this->elements(4'000)).status, QueueStatus::ok); },
      [&](int /*release*/) {
        if (const auto element = queue.dequeue(no_wait)) taken.push_back(element->number());
      });
  EXPECT_FALSE(taken.empty());
  std::ranges::copy(this->take_all(queue), std::back_inserter(taken));
  std::ranges::sort(taken);
  EXPECT_EQ(taken, numbers(4'000));
}

// proves: large-batch
TYPED_TEST(BetweenSteps, OfAnEnqueueManyThatDoesNotWaitRoomThatOthersMakeIsNotWaitedFor) {
  auto queue = this->make(4'000);
  forebay::EnqueueManyResult result{};
  this->run(
      queue, [&] { result = queue.enqueue_many(this->elements(20'000), no_wait); },
      [&](int /*release*/) { static_cast<void>(queue.dequeue_available(4'000, no_wait)); });
  EXPECT_EQ(result.status, QueueStatus::full);
  EXPECT_EQ(result.count, 4'000U) << "the room that there was at its beginning";
}

// proves: large-batch
TYPED_TEST(BetweenSteps, OfAnEnqueueManyACloseEndsNothing) {
  auto queue = this->make(10'000);
  forebay::EnqueueManyResult result{};
  this->run(
      queue, [&] { result = queue.enqueue_many(this->elements(4'000)); },
      [&](int release) {
        if (release == this->in_the_middle) queue.close();
      });
  EXPECT_EQ(result.status, QueueStatus::ok);
  EXPECT_EQ(this->take_all(queue), numbers(4'000));
}

// proves: large-batch
TYPED_TEST(BetweenSteps, OfAnEnqueueManyACancelEndsItAfterTheStep) {
  auto queue = this->make(10'000);
  forebay::EnqueueManyResult result{};
  this->run(
      queue, [&] { result = queue.enqueue_many(this->elements(4'000)); },
      [&](int release) {
        if (release == this->in_the_middle) queue.close(forebay::cancel_pending_enqueues);
      });
  EXPECT_EQ(result.status, QueueStatus::closed);
  EXPECT_GT(result.count, 0U);
  EXPECT_LT(result.count, 4'000U);
  EXPECT_EQ(this->take_all(queue), numbers(static_cast<int>(result.count)));
}

// proves: large-batch
TYPED_TEST(BetweenSteps, OfABatchThatDoesNotWaitNoWaitIsCounted) {
  auto queue = this->make(10'000);
  this->fill(queue, 4'000);
  EXPECT_TRUE(queue.dequeue_many(4'000));
  EXPECT_EQ(queue.statistics().producers.waits, 0U);
  EXPECT_EQ(queue.statistics().consumers.waits, 0U);
}

using DroppingKinds = OnEach<testing::Types<Fifo, Padding>, OfMoves, OfMovesThatMayThrow>::type;

template <class Parameter>
class DropOldestBetweenSteps : public BetweenSteps<Parameter> {};
TYPED_TEST_SUITE(DropOldestBetweenSteps, DroppingKinds, NameOfParameter);

// proves: large-batch, overflow
TYPED_TEST(DropOldestBetweenSteps, OfABatchThatGathersWhatAnotherGaveBackLosesNothing) {
  using Numbered = typename TestFixture::Element;
  auto queue = this->make(3'000);
  this->fill(queue, 3'000);
  const auto gather_and_give_back = [&](auto between) {
    std::stop_source stop;
    this->run(
        queue, [&] { EXPECT_EQ(queue.dequeue_many(90'000, stop.get_token()).status(), QueueStatus::stopped); },
        [&](int release) {
          if (release >= this->in_the_middle) between();
          if (release == 6) stop.request_stop();
        });
  };
  gather_and_give_back([] {});  // more than a step takes
  int next = 3'000;
  std::vector<int> dropped_numbers;
  gather_and_give_back([&] {
    for (const int number : numbers(1'500, std::exchange(next, next + 1'500))) {
      std::optional<Numbered> dropped;
      Numbered element(number);
      const QueueStatus status = queue.enqueue(std::move(element), forebay::drop_oldest, dropped);
      if (dropped) dropped_numbers.push_back(dropped->number());
      if (status != QueueStatus::ok) dropped_numbers.push_back(number);
    }
  });
  EXPECT_EQ(queue.statistics().dropped, dropped_numbers.size());
  std::vector<int> all = this->take_all(queue);
  EXPECT_TRUE(std::ranges::is_sorted(all));
  std::ranges::copy(dropped_numbers, std::back_inserter(all));
  std::ranges::sort(all);
  EXPECT_EQ(all, numbers(next));
}

// proves: large-batch
TEST(BetweenStepsOfAPriorityQueue, ElementsThatPrecedeABatchThatHasBegunDoNotJoinIt) {
  using Element = CountedMove<false>;
  auto queue = Priority::make<Element>(forebay::unbounded);
  for (const int number : numbers(4'000)) ASSERT_EQ(queue.enqueue(Element(number)), QueueStatus::ok);
  int put = 0;
  CountedMovesSync::on_release = [&] {
    for (const int number : numbers(100, 4'000 + 100 * put++)) {
      ASSERT_EQ(queue.enqueue(Element(number)), QueueStatus::ok);
    }
  };
  const auto batch = queue.dequeue_many(4'000).value();
  CountedMovesSync::on_release = nullptr;
  EXPECT_TRUE(std::ranges::is_sorted(batch, std::greater(), &Element::number));
  const auto rest = queue.dequeue_many(100 * put).value();
  EXPECT_TRUE(std::ranges::is_sorted(rest, std::greater(), &Element::number));
  EXPECT_GT(put, 4);
}

}  // namespace
}  // namespace forebay_test
