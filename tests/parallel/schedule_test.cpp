// SPDX-License-Identifier: MIT
//
// Schedule without threads: which work it assigns to each role.

#include "forebay/parallel/schedule.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "forebay/describe/epoch.hpp"
#include "forebay/flow/chunk.hpp"
#include "forebay/parallel/chunk_types.hpp"
#include "forebay/parallel/parallel_settings.hpp"
#include "forebay/sync.hpp"
#include "forebay/trace/trace.hpp"
#include "forebay/wait.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"

namespace forebay_test {
namespace {

using forebay::no_wait;
using forebay::StdSync;
using forebay::Wait;
using forebay::detail::Chunk;
using forebay::detail::ChunkPointer;
using forebay::detail::Epoch;
using forebay::detail::Job;
using forebay::detail::ParallelSettings;
using forebay::detail::Role;
using forebay::detail::Schedule;
using forebay::detail::StageTrace;

constexpr Role claimer{.works = true, .claims = true};
constexpr Role consumer{.takes_outputs = true, .works = true, .is_loop = true};
constexpr Role claiming_consumer{.takes_outputs = true, .works = true, .claims = true, .is_loop = true};
constexpr Role polling_consumer{.takes_outputs = true, .works = true, .is_loop = true, .works_on_next = true};

class ScheduleOfAMap : public testing::Test {
 protected:
  static constexpr std::size_t ahead = 4;

  ScheduleOfAMap() { generation_ = schedule_.begin(Epoch(), Epoch()); }

  /// Claims a chunk. Returns the chunk to work on, if the claimer should not claim another one.
  ChunkPointer claim(std::chrono::nanoseconds took = {}) {
    EXPECT_TRUE(next(claimer).has_turn);
    auto chunk = std::make_unique<Chunk<int>>();
    chunk->sequence_number = claims_++;
    chunk->generation = generation_;
    return schedule_.end_claim(claimer, std::move(chunk), Epoch(), took);
  }

  Job next(const Role& role) { return schedule_.next(role, Wait(no_wait)); }

  const ParallelSettings settings_{.name = "map", .threads = 2, .ahead = ahead, .chunk = 1};
  const StageTrace<StdSync> trace_{};
  Schedule<StdSync> schedule_{settings_, trace_};
  std::uint64_t generation_ = 0;
  std::uint64_t claims_ = 0;
};

// When its output is ready, a consumer may still be using state that consumers share.
TEST_F(ScheduleOfAMap, LetsAnotherConsumerHelpOnlyWhenTheWorkOfTheFirstHasEnded) {
  ChunkPointer zero = claim();
  ChunkPointer one = claim();
  schedule_.put_back(std::move(zero));
  schedule_.put_back(std::move(one));
  Job first = next(consumer);
  ASSERT_NE(first.claimed, nullptr);
  schedule_.add(std::move(first.claimed));
  EXPECT_NE(next(consumer).output, nullptr);
  EXPECT_FALSE(next(consumer));
  schedule_.end_work(consumer);
  EXPECT_NE(next(consumer).claimed, nullptr);
}

// Otherwise the consumer would fill a whole chunk from a slow source before it takes the output.
TEST_F(ScheduleOfAMap, EndsTheClaimOfAConsumerThatHasAnOutputToTake) {
  ChunkPointer zero = claim();
  EXPECT_TRUE(next(claiming_consumer).has_turn);
  EXPECT_FALSE(schedule_.consumer_starves().load());
  schedule_.add(std::move(zero));
  EXPECT_TRUE(schedule_.consumer_starves().load());
  schedule_.give_up_claim(claiming_consumer);
  EXPECT_FALSE(schedule_.consumer_starves().load());
}

// ---- The reserve of claimed chunks

TEST_F(ScheduleOfAMap, KeepsTwoChunksInReserveForAConsumerThatHelps) {
  EXPECT_FALSE(next(consumer)) << "it finds nothing to do";
  EXPECT_EQ(claim(), nullptr);
  EXPECT_EQ(claim(), nullptr);
  const ChunkPointer third = claim();
  ASSERT_NE(third, nullptr);
  EXPECT_EQ(third->sequence_number, 0U);
}

TEST_F(ScheduleOfAMap, LetsAConsumerUseTheReserveBeforeItClaims) {
  EXPECT_TRUE(next(claiming_consumer).has_turn);
  schedule_.give_up_claim(claiming_consumer);
  EXPECT_EQ(claim(), nullptr);
  EXPECT_NE(next(claiming_consumer).claimed, nullptr);
}

TEST_F(ScheduleOfAMap, GivesTheReserveToAWorkerThatCannotClaim) {
  EXPECT_FALSE(next(consumer));
  for (std::size_t i = 0; i < ahead; ++i) static_cast<void>(claim());
  EXPECT_NE(next(claimer).claimed, nullptr) << "there is no room ahead";
}

TEST_F(ScheduleOfAMap, KeepsNoReserveForAConsumerThatPolls) {
  EXPECT_FALSE(next(polling_consumer));
  EXPECT_NE(claim(), nullptr);
}

TEST_F(ScheduleOfAMap, EndsTheReserveWhenTheConsumerFindsItsOutputsReady) {
  EXPECT_FALSE(next(consumer));
  EXPECT_EQ(claim(), nullptr);
  EXPECT_EQ(claim(), nullptr);
  for (std::size_t i = 0; i < ahead; ++i) {
    schedule_.add(claim());
    EXPECT_NE(next(consumer).output, nullptr);
  }
  EXPECT_NE(next(claimer).claimed, nullptr);
}

TEST_F(ScheduleOfAMap, KeepsNoReserveWhileTheSourceIsSlow) {
  EXPECT_FALSE(next(consumer));
  EXPECT_NE(claim(std::chrono::seconds(1)), nullptr);
}

TEST_F(ScheduleOfAMap, LeavesAChunkOfASlowSourceToAConsumerThatWaits) {
  Background waiting([this] { return schedule_.next(consumer, Wait::forever).claimed != nullptr; });
  EXPECT_TRUE(await([this] { return schedule_.waits().for_outputs.count() > 0; }));
  EXPECT_EQ(claim(std::chrono::seconds(1)), nullptr);
  EXPECT_TRUE(waiting.get());
}

}  // namespace
}  // namespace forebay_test
