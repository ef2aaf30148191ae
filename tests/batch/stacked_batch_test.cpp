// SPDX-License-Identifier: MIT
//
// stacked_batch_test.cpp: records of fixed shape, taken from each kind of queue into one contiguous buffer per
// component.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/padded_batch.hpp"
#include "forebay/queue_status.hpp"
#include "tests/support/background.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/elements.hpp"
#include "tests/support/numbers.hpp"
#include "tests/support/queue_factories.hpp"
#include "tests/support/scaled_time.hpp"

namespace forebay_test {
namespace {

using forebay::FixedShape;
using forebay::no_wait;
using forebay::QueueStatus;
using forebay::StackedBatch;

enum class Label : std::uint8_t { shirt, shoe };

/// An input of a training loop.
struct Example {
  std::array<std::array<float, 3>, 2> pixels;
  Label label;
  bool is_flipped;
  std::unique_ptr<int> source;

  bool operator<(const Example& other) const { return *source < *other.source; }
};

Example example(int number) {
  const auto first = static_cast<float>(10 * number);
  return {.pixels = {{{first, first + 1, first + 2}, {first + 3, first + 4, first + 5}}},
          .label = number % 2 == 0 ? Label::shirt : Label::shoe,
          .is_flipped = number % 3 == 0,
          .source = std::make_unique<int>(number)};
}

static_assert(FixedShape<int> && FixedShape<Example> && FixedShape<std::tuple<int, std::array<float, 3>>>);
static_assert(FixedShape<std::span<const float, 3>> && FixedShape<std::unique_ptr<int>>);
static_assert(!FixedShape<std::vector<int>> && !FixedShape<std::string> && !FixedShape<std::span<int>>);
static_assert(!FixedShape<std::array<std::vector<int>, 2>> && !FixedShape<std::pair<int, forebay::Characters>>);
static_assert(FixedShape<std::pair<int, std::string>> && FixedShape<std::tuple<std::string_view, std::wstring>>);
static_assert(FixedShape<std::array<std::string, 2>> && !FixedShape<std::vector<std::string>>);

template <class Factory>
class StackedBatches : public testing::Test {
 protected:
  template <class T>
  static auto make(forebay::Capacity capacity) {
    return Factory::template make<T>(capacity);
  }

  /// Expects that index i of every component belongs to the same example.
  static void expect_whole(const StackedBatch<Example>& batch, std::size_t i) {
    const int number = *batch.component<3>()(i);
    const Example expected = example(number);
    for (std::size_t row = 0; row < 2; ++row) {
      for (std::size_t column = 0; column < 3; ++column) {
        EXPECT_EQ(batch.component<0>()(i, row, column), expected.pixels[row][column]) << "of example " << number;
      }
    }
    EXPECT_EQ(batch.component<1>()(i), expected.label);
    EXPECT_EQ(batch.component<2>()(i), expected.is_flipped);
  }
};
TYPED_TEST_SUITE(StackedBatches, QueueFactories, NameOfParameter);

TYPED_TEST(StackedBatches, EachComponentIsOneBuffer) {
  auto queue = this->template make<Example>(8);
  for (int i = 0; i < 7; ++i) ASSERT_EQ(queue.enqueue(example(i)), QueueStatus::ok);
  StackedBatch<Example> batch;
  ASSERT_EQ(queue.dequeue_many(5, batch), QueueStatus::ok);
  EXPECT_EQ(batch.size(), 5U);
  EXPECT_EQ(batch.template component<0>().extents(), (std::array<std::size_t, 3>{5, 2, 3}));
  EXPECT_EQ(batch.template component<1>().extents(), (std::array<std::size_t, 1>{5}));
  EXPECT_EQ(batch.template component<0>().values().size(), 30U);
  EXPECT_EQ(&batch.template component<0>()(4, 1, 2), batch.template component<0>().data() + 29);
  for (std::size_t i = 0; i < 5; ++i) this->expect_whole(batch, i);
  EXPECT_EQ(queue.size(), 2U);
}

TYPED_TEST(StackedBatches, EveryElementLeavesOnce) {
  auto queue = this->template make<Example>(3);
  Background produce([&] {
    for (int i = 0; i < 100; ++i) EXPECT_EQ(queue.enqueue(example(i)), QueueStatus::ok);
    queue.close();
    return true;
  });
  StackedBatch<Example> batch;
  std::vector<int> sources;
  while (queue.dequeue_up_to(2, batch) == QueueStatus::ok) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      this->expect_whole(batch, i);
      sources.push_back(*batch.template component<3>()[i]);
    }
  }
  EXPECT_TRUE(produce.get());
  EXPECT_EQ(sorted(sources), numbers(100));
}

TYPED_TEST(StackedBatches, DequeueAvailableFillsThem) {
  auto queue = this->template make<Example>(8);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(queue.enqueue(example(i)), QueueStatus::ok);
  StackedBatch<Example> batch;
  ASSERT_EQ(queue.dequeue_available(8, batch), QueueStatus::ok);
  EXPECT_EQ(batch.size(), 3U);
}

TYPED_TEST(StackedBatches, BatchThatFailsIsEmpty) {
  auto queue = this->template make<Example>(8);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(queue.enqueue(example(i)), QueueStatus::ok);
  StackedBatch<Example> batch;
  ASSERT_EQ(queue.dequeue_many(2, batch), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue_many(2, batch, no_wait), QueueStatus::empty);
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.template component<0>().extents(), (std::array<std::size_t, 3>{0, 2, 3}));
  EXPECT_TRUE(batch.template component<0>().values().empty());
}

TYPED_TEST(StackedBatches, StorageIsKept) {
  auto queue = this->template make<Example>(8);
  StackedBatch<Example> batch;
  const float* storage = nullptr;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 4; ++i) ASSERT_EQ(queue.enqueue(example(i)), QueueStatus::ok);
    ASSERT_EQ(queue.dequeue_many(4, batch), QueueStatus::ok);
    if (round > 0) {
      EXPECT_EQ(batch.template component<0>().data(), storage);
    }
    storage = batch.template component<0>().data();
  }
}

TYPED_TEST(StackedBatches, BatchLargerThanCapacityIsGathered) {
  if (!TypeParam::accumulates) GTEST_SKIP() << "a batch of this kind of queue does not exceed its capacity";
  auto queue = this->template make<Example>(3);
  Background produce([&] {
    for (int i = 0; i < 10; ++i) EXPECT_EQ(queue.enqueue(example(i)), QueueStatus::ok);
    return true;
  });
  StackedBatch<Example> batch;
  ASSERT_EQ(queue.dequeue_many(10, batch), QueueStatus::ok);
  EXPECT_TRUE(produce.get());
  EXPECT_EQ(batch.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) this->expect_whole(batch, i);
}

TYPED_TEST(StackedBatches, SingleValuesAreARange) {
  auto queue = this->template make<int>(8);
  ASSERT_EQ(queue.enqueue_many(numbers(5)).status, QueueStatus::ok);
  StackedBatch<int> batch;
  ASSERT_EQ(queue.dequeue_many(5, batch), QueueStatus::ok);
  std::vector<int> all(batch.begin(), batch.end());
  EXPECT_EQ(batch[0], all.front());
  EXPECT_EQ(batch.front(), all.front());
  EXPECT_EQ(batch.back(), all.back());
  EXPECT_EQ(sorted(all), numbers(5));
}

TYPED_TEST(StackedBatches, FlagsAreContiguous) {
  auto queue = this->template make<bool>(8);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(queue.enqueue(true), QueueStatus::ok);
  StackedBatch<bool> batch;
  ASSERT_EQ(queue.dequeue_many(4, batch), QueueStatus::ok);
  const bool* const flags = batch.data();
  EXPECT_TRUE(std::all_of(flags, flags + 4, [](bool flag) { return flag; }));
}

TYPED_TEST(StackedBatches, ElementsThatCanOnlyBeMovedAreMovedOnce) {
  Ledger ledger;
  auto queue = this->template make<MoveOnly>(8);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(queue.enqueue(MoveOnly(7, ledger)), QueueStatus::ok);
  const std::size_t moved = ledger.moved();
  {
    StackedBatch<MoveOnly> batch;
    ASSERT_EQ(queue.dequeue_many(3, batch), QueueStatus::ok);
    for (const MoveOnly& element : batch) EXPECT_EQ(element.number(), 7);
    EXPECT_EQ(ledger.alive(), 4U);
    if (TypeParam::keeps_order) {  // any other order moves elements within the queue
      EXPECT_EQ(ledger.moved(), moved + 3);
    }
    ASSERT_EQ(queue.dequeue_many(1, batch), QueueStatus::ok);
    EXPECT_EQ(ledger.alive(), 1U);
  }
  EXPECT_EQ(ledger.alive(), 0U);
}

TYPED_TEST(StackedBatches, SpansAreCopiedFrom) {
  const std::array<float, 6> memory{1, 2, 3, 1, 2, 3};
  auto queue = this->template make<std::span<const float, 3>>(8);
  const std::span<const float, 6> all(memory);
  ASSERT_EQ(queue.enqueue(all.template first<3>()), QueueStatus::ok);
  ASSERT_EQ(queue.enqueue(all.template last<3>()), QueueStatus::ok);
  StackedBatch<std::span<const float, 3>> batch;
  ASSERT_EQ(queue.dequeue_many(2, batch), QueueStatus::ok);
  EXPECT_TRUE(std::ranges::equal(batch.values(), memory));
}

TYPED_TEST(StackedBatches, TimedOutBatchGivesBackWhatItGathered) {
  if (!TypeParam::accumulates) GTEST_SKIP() << "a batch of this kind of queue does not exceed its capacity";
  auto queue = this->template make<int>(4);
  ASSERT_EQ(queue.enqueue_many(numbers(4)).status, QueueStatus::ok);
  StackedBatch<int> batch;
  EXPECT_EQ(queue.dequeue_many(6, batch, short_time()), QueueStatus::timed_out);
  EXPECT_TRUE(batch.empty());
  ASSERT_EQ(queue.dequeue_many(4, batch), QueueStatus::ok);
  EXPECT_EQ(sorted({batch.begin(), batch.end()}), numbers(4));
}

/// A record that contains strings.
struct Labelled {
  std::string name;
  std::array<float, 2> point;
  std::string source;
  std::string_view language = "en";

  bool operator<(const Labelled& other) const { return name < other.name; }
};

TYPED_TEST(StackedBatches, StringsAreColumnsOfStrings) {
  auto queue = this->template make<Labelled>(8);
  const std::string source(100, 's');
  for (const char* const name : {"a", "ab", "abc"}) {
    ASSERT_EQ(queue.enqueue({name, {1, 2}, source + name}), QueueStatus::ok);
  }
  StackedBatch<Labelled> batch;
  ASSERT_EQ(queue.dequeue_many(3, batch), QueueStatus::ok);
  const auto& names = batch.template component<&Labelled::name>();
  const auto& sources = batch.template component<&Labelled::source>();
  static_assert(std::is_same_v<decltype(names.data()), const std::string*>);
  EXPECT_EQ(names.extents(), (std::array<std::size_t, 1>{3}));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(sources[i], source + names[i]);
  EXPECT_EQ(batch.template component<3>()[2], "en");
  std::vector<std::string> sorted_names(names.begin(), names.end());
  std::ranges::sort(sorted_names);
  EXPECT_EQ(sorted_names, (std::vector<std::string>{"a", "ab", "abc"}));
}

TYPED_TEST(StackedBatches, ComponentsAreFoundByTheirMember) {
  auto queue = this->template make<Example>(8);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(queue.enqueue(example(i)), QueueStatus::ok);
  StackedBatch<Example> batch;
  ASSERT_EQ(queue.dequeue_many(3, batch), QueueStatus::ok);
  EXPECT_EQ(&batch.template component<&Example::pixels>(), &batch.template component<0>());
  EXPECT_EQ(&batch.template component<&Example::label>(), &batch.template component<1>());
  EXPECT_EQ(&batch.template component<&Example::is_flipped>(), &batch.template component<2>());
  EXPECT_EQ(&std::as_const(batch).template component<&Example::source>(), &batch.template component<3>());
}

}  // namespace
}  // namespace forebay_test
