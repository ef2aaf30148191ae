// SPDX-License-Identifier: MIT
//
// Schedule without threads: which work it assigns to each role.

#include "forebay/parallel/schedule.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "forebay/flow/chunk.hpp"
#include "forebay/parallel/parallel_settings.hpp"
#include "forebay/sync.hpp"
#include "forebay/trace/trace.hpp"
#include "forebay/wait.hpp"

namespace forebay_test {
namespace {

using forebay::no_wait;
using forebay::StdSync;
using forebay::Wait;
using forebay::detail::Chunk;
using forebay::detail::Claimed;
using forebay::detail::Job;
using forebay::detail::ParallelSettings;
using forebay::detail::Role;
using forebay::detail::Schedule;
using forebay::detail::StageTrace;

constexpr Role claimer{.works = true, .claims = true};
constexpr Role consumer{.takes_outputs = true, .works = true, .is_loop = true};

class ScheduleOfAMap : public testing::Test {
 protected:
  Claimed claim(std::uint64_t number) {
    EXPECT_TRUE(next(claimer).has_turn);
    auto chunk = std::make_unique<Chunk<int>>();
    chunk->sequence_number = number;
    return schedule_.end_claim(claimer, std::move(chunk), false);
  }

  Job next(const Role& role) { return schedule_.next(role, Wait(no_wait)); }

  const ParallelSettings settings_{.name = "map", .threads = 2, .ahead = 4, .chunk = 1};
  const StageTrace<StdSync> trace_{};
  Schedule<StdSync> schedule_{settings_, trace_};
};

// When its output is ready, a consumer may still be using state that consumers share.
TEST_F(ScheduleOfAMap, LetsAnotherConsumerHelpOnlyWhenTheWorkOfTheFirstHasEnded) {
  schedule_.reopen();
  Claimed zero = claim(0);
  Claimed one = claim(1);
  schedule_.put_back(std::move(zero));
  schedule_.put_back(std::move(one));
  Job first = next(consumer);
  ASSERT_NE(first.claimed.in, nullptr);
  schedule_.add(std::move(first.claimed.in));
  EXPECT_NE(next(consumer).output, nullptr);
  EXPECT_FALSE(next(consumer));
  schedule_.end_work(consumer);
  EXPECT_NE(next(consumer).claimed.in, nullptr);
}

// Otherwise the consumer would fill a whole chunk from a slow source before it takes the output.
TEST_F(ScheduleOfAMap, EndsTheClaimOfAConsumerThatHasAnOutputToTake) {
  constexpr Role claiming_consumer{.takes_outputs = true, .works = true, .claims = true, .is_loop = true};
  schedule_.reopen();
  Claimed zero = claim(0);
  EXPECT_TRUE(next(claiming_consumer).has_turn);
  EXPECT_FALSE(schedule_.consumer_starves());
  schedule_.add(std::move(zero.in));
  EXPECT_TRUE(schedule_.consumer_starves());
  schedule_.give_up_claim(claiming_consumer);
  EXPECT_FALSE(schedule_.consumer_starves());
}

}  // namespace
}  // namespace forebay_test
