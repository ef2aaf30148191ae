// SPDX-License-Identifier: MIT
//
// padding_fifo_queue_test.cpp: what a PaddingFIFOQueue does of its own: it pads its batches, and looks at the extents
// of what is put in. What it has in common with the other queues is in the suites that run over all of them.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/padding_fifo_queue.hpp"
#include "forebay/queue_status.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/elements.hpp"
#include "tests/support/numbers.hpp"
#include "tests/support/scaled_time.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::PaddedBatch;
using forebay::PaddingFIFOQueue;
using forebay::QueueStatus;
using Floats = std::vector<float>;
using Matrix = std::vector<Floats>;

TEST(PaddingFIFOQueue, BatchesArePaddedToTheirOwnLongest) {
  PaddingFIFOQueue<Floats> queue(8, {.pad_value = -1.0F});
  for (const std::size_t length : {2U, 1U, 3U}) ASSERT_EQ(queue.enqueue(Floats(length, 7)), QueueStatus::ok);
  const auto first = queue.dequeue_many(2).value();
  EXPECT_EQ(first.extents(), (std::array<std::size_t, 2>{2, 2}));
  EXPECT_EQ(to_vector(first.values()), (Floats{7, 7, 7, -1}));
  const auto second = queue.dequeue_many(1).value();
  EXPECT_EQ(second.extents(), (std::array<std::size_t, 2>{1, 3}));
}

TEST(PaddingFIFOQueue, PadsWithTheDefaultOfTheTypeUnlessToldOtherwise) {
  PaddingFIFOQueue<Floats> queue(8);
  ASSERT_EQ(queue.enqueue(Floats{1, 2}), QueueStatus::ok);
  ASSERT_EQ(queue.enqueue(Floats{}), QueueStatus::ok);
  EXPECT_EQ(to_vector(queue.dequeue_many(2)->values()), (Floats{1, 2, 0, 0}));
}

TEST(PaddingFIFOQueue, SingleDequeueIsUnpadded) {
  PaddingFIFOQueue<Floats> queue(8);
  ASSERT_EQ(queue.enqueue(Floats{1, 2}), QueueStatus::ok);
  ASSERT_EQ(queue.enqueue(Floats{3}), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue().value(), (Floats{1, 2}));
  EXPECT_EQ(queue.dequeue().value(), (Floats{3}));
}

TEST(PaddingFIFOQueue, BatchIntoAVectorIsUnpadded) {
  PaddingFIFOQueue<Floats> queue(8);
  ASSERT_EQ(queue.enqueue_many({{1, 2}, {3}}).status, QueueStatus::ok);
  std::vector<Floats> batch;
  ASSERT_EQ(queue.dequeue_many(2, batch), QueueStatus::ok);
  EXPECT_EQ(batch, (Matrix{{1, 2}, {3}}));
}

TEST(PaddingFIFOQueue, BatchOfTheUsersOwnHasItsOwnPadValue) {
  PaddingFIFOQueue<Floats> queue(8, {.pad_value = 5});
  ASSERT_EQ(queue.enqueue_many({{1, 2}, {3}}).status, QueueStatus::ok);
  PaddedBatch<Floats> batch(-2.0F);
  ASSERT_EQ(queue.dequeue_many(2, batch), QueueStatus::ok);
  EXPECT_EQ(to_vector(batch.values()), (Floats{1, 2, 3, -2}));
}

TEST(PaddingFIFOQueue, IterationGivesPaddedBatches) {
  PaddingFIFOQueue<Floats> queue(8, {.pad_value = -1.0F});
  ASSERT_EQ(queue.enqueue_many({{1, 2}, {3}, {4}}).status, QueueStatus::ok);
  queue.close();
  std::vector<Floats> all;
  for (PaddedBatch<Floats>& batch : queue.batches(2)) all.push_back(to_vector(batch.values()));
  EXPECT_EQ(all, (Matrix{{1, 2, 3, -1}, {4}}));
}

TEST(PaddingFIFOQueue, BatchesOfAnIterationMayBeTakenAway) {
  PaddingFIFOQueue<Floats> queue(8, {.pad_value = -1.0F});
  ASSERT_EQ(queue.enqueue_many({{1, 2}, {3}, {4, 5}, {6}}).status, QueueStatus::ok);
  queue.close();
  std::vector<PaddedBatch<Floats>> kept;
  for (auto&& batch : queue.batches(2)) kept.push_back(std::move(batch));
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(to_vector(kept[0].values()), (Floats{1, 2, 3, -1}));
  EXPECT_EQ(to_vector(kept[1].values()), (Floats{4, 5, 6, -1}));
}

TEST(PaddingFIFOQueue, UpToGivesWhatIsLeft) {
  PaddingFIFOQueue<Floats> queue(8);
  ASSERT_EQ(queue.enqueue_many({{1, 2}, {3}}).status, QueueStatus::ok);
  queue.close();
  EXPECT_EQ(queue.dequeue_many(3).status(), QueueStatus::closed);
  EXPECT_EQ(queue.dequeue_up_to(3)->extents(), (std::array<std::size_t, 2>{2, 2}));
}

TEST(PaddingFIFOQueue, BatchLargerThanCapacityIsGathered) {
  PaddingFIFOQueue<Floats> queue(2, {.pad_value = -1.0F});
  Background batch([&] { return queue.dequeue_many(4); });
  ASSERT_EQ(queue.enqueue_many({{1}, {2, 2}, {3}, {}}).status, QueueStatus::ok);
  EXPECT_EQ(to_vector(batch.get()->values()), (Floats{1, -1, 2, 2, 3, -1, -1, -1}));
}

TEST(PaddingFIFOQueue, TimedOutBatchGivesItsElementsBackUnpadded) {
  PaddingFIFOQueue<Floats> queue(2);
  ASSERT_EQ(queue.enqueue_many({{1}, {2, 2}}).status, QueueStatus::ok);
  EXPECT_EQ(queue.dequeue_many(4, short_time()).status(), QueueStatus::timed_out);
  EXPECT_EQ(queue.dequeue().value(), (Floats{1}));
  EXPECT_EQ(queue.dequeue().value(), (Floats{2, 2}));
}

TEST(PaddingFIFOQueue, SeveralComponentsArePaddedEachByItself) {
  PaddingFIFOQueue<std::tuple<int, Floats, forebay::Characters>> queue(8, {.pad_value = {0, -1.0F, '.'}});
  ASSERT_EQ(queue.enqueue({1, {1, 2}, "a"}), QueueStatus::ok);
  ASSERT_EQ(queue.enqueue({2, {3}, "bcd"}), QueueStatus::ok);
  const auto batch = queue.dequeue_many(2).value();
  EXPECT_EQ(to_vector(batch.component<0>()), (std::vector{1, 2}));
  EXPECT_EQ(to_vector(batch.component<1>().values()), (Floats{1, 2, 3, -1}));
  EXPECT_EQ(to_vector(batch.component<2>().values()), (std::vector{'a', '.', '.', 'b', 'c', 'd'}));
}

TEST(PaddingFIFOQueue, BatchOfNothingHasTheFixedExtents) {
  PaddingFIFOQueue<Matrix> queue(8, {.shape = {std::nullopt, 3}});
  EXPECT_EQ(queue.dequeue_many(0)->extents(), (std::array<std::size_t, 3>{0, 0, 3}));
}

TEST(PaddingFIFOQueue, SingleValuesComeAsAVector) {
  static_assert(std::is_same_v<PaddingFIFOQueue<int>::Batch, std::vector<int>>);
  static_assert(std::is_same_v<PaddingFIFOQueue<MoveOnly>::Batch, std::vector<MoveOnly>>);
  static_assert(std::is_same_v<PaddingFIFOQueue<Large>::Batch, PaddedBatch<Large>>);
  PaddingFIFOQueue<int> queue(8);
  ASSERT_EQ(queue.enqueue_many({1, 2, 3}).status, QueueStatus::ok);
  EXPECT_EQ(queue.dequeue_many(3).value(), (std::vector{1, 2, 3}));
}

// ---- Fixed dimensions

// proves: rejected-element
TEST(PaddingFIFOQueue, ElementThatDoesNotFitIsRejectedUntouched) {
  PaddingFIFOQueue<Matrix> queue(8, {.shape = {std::nullopt, 3}});
  Matrix element = {{1, 2, 3}, {4, 5}};
  EXPECT_THROW(static_cast<void>(queue.enqueue(std::move(element))), std::invalid_argument);
  EXPECT_EQ(element, (Matrix{{1, 2, 3}, {4, 5}}));
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_TRUE(queue.invariants_hold());
}

// proves: rejected-element
TEST(PaddingFIFOQueue, RejectionNamesTheComponentAndBothShapes) {
  PaddingFIFOQueue<Matrix> queue(8, {.shape = {std::nullopt, 3}});
  const auto rejected = [&](Matrix element) {
    return rejection([&] { static_cast<void>(queue.enqueue(std::move(element))); });
  };
  const std::string fixed = ", which does not fit the shape [None, 3]";
  EXPECT_EQ(rejected({{1, 2, 3, 4}}), "forebay: component 0 has the shape [1, 4]" + fixed);
  EXPECT_EQ(rejected({{1, 2, 3}, {4, 5}}), "forebay: component 0 has the shape [2, 2..3]" + fixed);
  EXPECT_EQ(rejected({{}, {}}), "forebay: component 0 has the shape [2, 0]" + fixed);
}

TEST(PaddingFIFOQueue, RejectionNamesTheComponentOfARecord) {
  struct Scene {
    std::string name;
    std::vector<std::array<float, 2>> points;
    Matrix weights;
  };
  PaddingFIFOQueue<Scene> queue(8, {.shape = {{}, {3}, {2, std::nullopt}}});
  const auto rejected = [&](Scene element) {
    return rejection([&] { static_cast<void>(queue.enqueue(std::move(element))); });
  };
  EXPECT_EQ(rejected({"", {{1, 2}}, {}}),
            "forebay: component 1 has the shape [1, 2], which does not fit the shape [3, 2]");
  EXPECT_EQ(rejected({"", {}, {}}), "forebay: component 1 has the shape [0, 2], which does not fit the shape [3, 2]");
  EXPECT_EQ(rejected({"", {{}, {}, {}}, {{1}, {1}, {1, 2}}}),
            "forebay: component 2 has the shape [3, 1..2], which does not fit the shape [2, None]");
  EXPECT_EQ(rejected({"", {{}, {}, {}}, {}}),
            "forebay: component 2 has the shape [0, 0], which does not fit the shape [2, None]");
}

TEST(PaddingFIFOQueue, ElementsThatFitGoIn) {
  PaddingFIFOQueue<Matrix> queue(8, {.shape = {std::nullopt, 3}});
  EXPECT_EQ(queue.enqueue(Matrix{}), QueueStatus::ok);
  EXPECT_EQ(queue.enqueue(Matrix{{1, 2, 3}}), QueueStatus::ok);
  EXPECT_EQ(queue.enqueue(Matrix{{1, 2, 3}, {4, 5, 6}}), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue_many(3)->extents(), (std::array<std::size_t, 3>{3, 2, 3}));
}

TEST(PaddingFIFOQueue, EnqueueManyPutsInWhatCameBeforeTheElementThatDoesNotFit) {
  PaddingFIFOQueue<Floats> queue(8, {.shape = {2}});
  Matrix elements = {{1, 2}, {3, 4}, {5}, {6, 7}};
  EXPECT_THROW(static_cast<void>(queue.enqueue_many(std::move(elements))), std::invalid_argument);
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_EQ(elements, (Matrix{{}, {}, {5}, {6, 7}}));
}

// proves: rejected-element
TEST(PaddingFIFOQueue, WaitingEnqueueOfWhatDoesNotFitThrowsAndLetsOthersIn) {
  PaddingFIFOQueue<Floats> queue(1, {.shape = {2}});
  ASSERT_EQ(queue.enqueue(Floats{1, 2}), QueueStatus::ok);
  Background put([&] {
    EXPECT_THROW(static_cast<void>(queue.enqueue(Floats{1, 2, 3})), std::invalid_argument);
    return true;
  });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  Background behind([&] { return queue.enqueue(Floats{3, 4}); });
  ASSERT_TRUE(await_waiting_producers(queue, 2));
  EXPECT_EQ(queue.dequeue().value(), (Floats{1, 2}));
  EXPECT_TRUE(put.get());
  EXPECT_EQ(behind.get(), QueueStatus::ok);
}

TEST(PaddingFIFOQueue, DimensionsAreFixedPerComponent) {
  PaddingFIFOQueue<std::pair<int, Matrix>> queue(8, {.shape = {{}, {2, std::nullopt}}});
  EXPECT_EQ(queue.enqueue({1, {{1}, {2, 3}}}), QueueStatus::ok);
  EXPECT_THROW(static_cast<void>(queue.enqueue({1, {{1}}})), std::invalid_argument);
}

// proves: impossible-setting
TEST(PaddingFIFOQueue, ShapeThatContradictsTheTypeIsRejected) {
  using Rows = std::vector<std::array<float, 3>>;
  EXPECT_NO_THROW(PaddingFIFOQueue<Rows>(8, {.shape = {std::nullopt, 3}}));
  EXPECT_EQ(rejection([] {
              PaddingFIFOQueue<Rows>(8, {.shape = {std::nullopt, 4}});
            }),
            "forebay: component 0 is to have the shape [None, 4], which does not fit the shape [None, 3] of its type");
  EXPECT_EQ(rejection([] {
              PaddingFIFOQueue<std::pair<int, Rows>>(8, {.shape = {{}, {2, 4}}});
            }),
            "forebay: component 1 is to have the shape [2, 4], which does not fit the shape [None, 3] of its type");
}

TEST(PaddingFIFOQueue, StringsAreRangesOfCharOnlyByThemselves) {
  PaddingFIFOQueue<std::string> words(8, {.pad_value = '.'});
  ASSERT_EQ(words.enqueue_many({"mill", "ra"}).status, QueueStatus::ok);
  EXPECT_EQ(to_vector(words.dequeue_many(2)->values()), (std::vector{'m', 'i', 'l', 'l', 'r', 'a', '.', '.'}));
  struct Word {
    std::string text;
    Floats weights;
  };
  PaddingFIFOQueue<Word> records(8, {.pad_value = {0, -1.0F}});
  ASSERT_EQ(records.enqueue({"mill", {1}}), QueueStatus::ok);
  ASSERT_EQ(records.enqueue({"ra", {1, 2}}), QueueStatus::ok);
  const auto batch = records.dequeue_many(2).value();
  EXPECT_EQ(to_vector(batch.component<&Word::text>()), (std::vector<std::string>{"mill", "ra"}));
  EXPECT_EQ(to_vector(batch.component<&Word::weights>().values()), (Floats{1, -1, 1, 2}));
}

TEST(PaddingFIFOQueue, ShapeOfAStringIsThatOfItsCharacters) {
  PaddingFIFOQueue<std::string> codes(8, {.shape = {4}});
  EXPECT_EQ(rejection([&] { static_cast<void>(codes.enqueue("abc")); }),
            "forebay: component 0 has the shape [3], which does not fit the shape [4]");
}

TEST(PaddingFIFOQueue, NegativeExtentIsRejected) {
  EXPECT_THROW(PaddingFIFOQueue<Floats>(8, {.shape = {-1}}), std::invalid_argument);
  EXPECT_THROW(PaddingFIFOQueue<Floats>(8, {.shape = {std::numeric_limits<std::size_t>::max()}}),
               std::invalid_argument);
}

TEST(PaddingFIFOQueue, ImpossibleCapacityIsRejected) {
  EXPECT_THROW(PaddingFIFOQueue<Floats>(0), std::invalid_argument);
}

}  // namespace
}  // namespace forebay_test
