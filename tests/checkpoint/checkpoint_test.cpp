// SPDX-License-Identifier: MIT
//
// checkpoint_test.cpp: a pipeline that stops anywhere resumes with exactly the next output, in another run with other
// threads. Checkpoints that do not match, and data sets that cannot resume, are rejected.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/base/random_bits.hpp"
#include "forebay/coordinator.hpp"
#include "forebay/dataset.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/from_queue.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/described_data.hpp"
#include "tests/support/pipeline_output.hpp"
#include "tests/support/plain_run.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::Context;
using forebay::Even;
using forebay::from_callable;
using forebay::Out;
using forebay::range;
using forebay::detail::RandomBits;
using forebay::detail::Snapshot;
using forebay::detail::SnapshotReader;

bool can_go_on(const Data& data) {
  const auto& properties = data.node()->properties();
  return properties.cannot_resume.empty() && properties.endless.empty();
}

// ---- At every position of every description

/// One result of a pull from the stages themselves.
struct Event {
  enum Kind : unsigned char { element, mark, failure, end } kind;
  Position position{};
  Number value = 0;
  std::string words{};

  friend bool operator==(const Event&, const Event&) = default;
};

struct SavedEvent {
  std::size_t behind;  // the number of events before it
  forebay::detail::Epoch epoch;
  Snapshot place;
};

/// Runs to the end. If `saved` is set, it saves the position before every pull, or before every second or third one.
std::vector<Event> rest_of(PlainRun<Number>& run, std::size_t most, std::vector<SavedEvent>* saved = nullptr,
                           std::size_t every = 1) {
  constexpr std::size_t enough = 600;
  std::vector<Event> events;
  for (std::size_t pulls = 1; events.size() < 2 * enough; ++pulls) {
    if (saved != nullptr && events.size() < enough && pulls % every == 0) {
      saved->push_back({events.size(), run.epoch(), {}});
      run.save(saved->back().place);
    }
    std::string failure;
    PullResult result = PullResult::more;
    try {
      result = run.pull(most);
    } catch (const std::exception& error) {
      failure = error.what();
    }
    for (std::size_t i = 0; i < run.chunk().size(); ++i) {
      events.push_back({Event::element, run.chunk().position(i), run.chunk()[i]});
    }
    if (!failure.empty()) events.push_back({Event::failure, {}, 0, failure});
    if (!failure.empty()) break;
    if (PlainRun<Number>::is_end(result)) events.push_back({Event::mark, {run.chunk().epoch.number, 0}});
    if (run.is_over()) {
      events.push_back({Event::end});
      break;
    }
  }
  return events;
}

void expect_same_rest(const Data& data, const std::vector<Event>& events, const SavedEvent& saved, std::size_t most) {
  PlainRun<Number> run(data);
  SnapshotReader from(saved.place, "loop");
  run.begin(saved.epoch);
  run.restore(from);
  ASSERT_NO_THROW(from.end());
  Snapshot again;
  run.save(again);
  ASSERT_TRUE(again == saved.place) << "saved at once";
  const std::vector<Event> rest(events.begin() + static_cast<std::ptrdiff_t>(saved.behind), events.end());
  ASSERT_TRUE(rest_of(run, most) == rest) << "behind " << saved.behind << " events";
}

// proves: checkpoint
TEST(Checkpoint, OfStagesIsExactAtEveryPlace) {
  for (std::uint64_t number = 0; number < descriptions; ++number) {
    const Data data = description(number, one_thread);
    if (!can_go_on(data)) continue;
    SCOPED_TRACE(std::to_string(number) + ": " + data.node()->properties().description);
    PlainRun<Number> run(data);
    std::vector<SavedEvent> saved;
    const std::vector<Event> events = rest_of(run, 1 + number % 3, &saved, 1 + number / 3 % 3);
    for (std::size_t i = 0; i < saved.size(); i += 1 + saved.size() / 40) {
      expect_same_rest(data, events, saved[i], 1 + (number + i) % 5);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// All outputs of a run with their epochs, the checkpoints before and after each, and the failure.
struct Taken {
  std::vector<std::pair<std::uint64_t, Number>> outputs;
  std::vector<std::string> checkpoints;
  std::string failure;
};

Taken taken_from(const Data& data, const std::optional<std::string>& checkpoint, bool by_for_each) {
  auto pipeline = data.run(checkpoint);
  Taken taken;
  taken.checkpoints.push_back(pipeline.checkpoint());
  const auto take = [&](const Number& output) {
    taken.outputs.emplace_back(pipeline.position().epoch, output);
    taken.checkpoints.push_back(pipeline.checkpoint());
  };
  try {
    if (by_for_each) {
      pipeline.for_each(take);
    } else {
      for (const Number& output : pipeline) take(output);
    }
  } catch (const DatasetError& error) {
    taken.failure = error.what();
  }
  taken.checkpoints.push_back(pipeline.checkpoint());
  return taken;
}

// proves: checkpoint
TEST(Checkpoint, GoesOnWithExactlyTheNextOutputWhateverRunsIt) {
  RandomBits bits(5);
  const auto settings = [&bits] {
    return Settings{std::size_t{1} << bits.below(4), 1 + static_cast<std::size_t>(bits.below(9)),
                    static_cast<std::size_t>(bits.below(9)), bits.below(2) == 0, bits.below(2) == 0};
  };
  for (std::uint64_t number = 0; number < descriptions; ++number) {
    const Data data = description(number, settings());
    if (!can_go_on(data)) continue;
    SCOPED_TRACE(number);
    const Taken whole = taken_from(data, {}, bits.below(2) == 0);
    for (std::size_t i = 0; i < whole.checkpoints.size(); i += 1 + whole.checkpoints.size() / 6) {
      const Taken rest = taken_from(description(number, settings()), whole.checkpoints[i], bits.below(2) == 0);
      const auto behind = whole.outputs.begin() + static_cast<std::ptrdiff_t>(std::min(i, whole.outputs.size()));
      ASSERT_TRUE(std::equal(rest.outputs.begin(), rest.outputs.end(), behind, whole.outputs.end()))
          << "behind " << i << ": " << whole.checkpoints[i];
      ASSERT_EQ(rest.failure, whole.failure) << whole.checkpoints[i];
    }
  }
}

/// Resumes at every checkpoint of a run that ends, and expects the outputs that followed it in that run.
void expect_exact_resume_points(const Data& data) {
  const Taken whole = taken_from(data, {}, false);
  for (std::size_t i = 0; i <= whole.outputs.size(); ++i) {
    const Taken rest = taken_from(data, whole.checkpoints[i], false);
    const auto behind = whole.outputs.begin() + static_cast<std::ptrdiff_t>(i);
    ASSERT_TRUE(std::equal(rest.outputs.begin(), rest.outputs.end(), behind, whole.outputs.end()))
        << "behind " << i << ": " << whole.checkpoints[i];
  }
}

/// Takes `counts[0]` outputs, resumes, takes `counts[1]`, and so on, then all remaining ones. Nothing may be lost,
/// repeated or changed.
void expect_exact_resumes(const Data& data, const Taken& whole, const std::vector<std::size_t>& counts) {
  std::optional<std::string> checkpoint;
  std::size_t taken = 0;
  const auto take_one = [&](auto& pipeline) {
    const auto output = pipeline.next();
    if (!output) return false;
    EXPECT_LT(taken, whole.outputs.size());
    if (taken == whole.outputs.size()) return false;
    EXPECT_EQ(std::pair(pipeline.position().epoch, *output), whole.outputs[taken]);
    ++taken;
    return !testing::Test::HasFailure();
  };
  for (const std::size_t count : counts) {
    auto pipeline = data.run(checkpoint);
    for (std::size_t i = 0; i < count && take_one(pipeline); ++i) continue;
    checkpoint = pipeline.checkpoint();
  }
  auto pipeline = data.run(checkpoint);
  while (take_one(pipeline)) continue;
  EXPECT_EQ(taken, whole.outputs.size());
}

/// Does the same with every pair of counts.
void expect_exact_pairs_of_resumes(const Data& data) {
  const Taken whole = taken_from(data, {}, false);
  for (std::size_t first = 0; first <= whole.outputs.size(); ++first) {
    for (std::size_t second = 0; first + second <= whole.outputs.size(); ++second) {
      SCOPED_TRACE(std::to_string(first) + ", then " + std::to_string(second));
      ASSERT_NO_THROW(expect_exact_resumes(data, whole, {first, second}));
      if (testing::Test::HasFailure()) return;
    }
  }
}

bool all(Number /*number*/) { return true; }

// proves: checkpoint
TEST(Checkpoint, OfAnEvenShardIsExactWhereTakeLeavesTheEpoch) {
  for (const Even even : {Even::drop, Even::repeat}) {
    expect_exact_resume_points(range<Number>(0, 23).filter(all).shard(0, 2, even).take(4).repeat(5));
  }
}

// proves: checkpoint
TEST(Checkpoint, OfAnEvenShardIsExactWhereZipLeavesTheEpoch) {
  const auto first = [](std::tuple<Number, Number> pair) { return std::get<0>(pair) * 100 + std::get<1>(pair); };
  for (const Even even : {Even::drop, Even::repeat}) {
    const Data shard = range<Number>(0, 23).filter(all).shard(0, 2, even);
    expect_exact_resume_points(forebay::zip(shard, range<Number>(0, 6)).map(first).repeat(5));
    expect_exact_resume_points(forebay::zip(range<Number>(0, 6), shard).map(first).repeat(5));
  }
}

// proves: checkpoint
TEST(Checkpoint, OfAnEvenShardIsExactBelowAnEndlessRepeat) {
  for (const Even even : {Even::drop, Even::repeat}) {
    const Data shard = range<Number>(0, 23).filter(all).shard(0, 2, even);
    expect_exact_resume_points(shard.repeat().take(17).repeat(3));
    expect_exact_resume_points(shard.take(4).repeat().take(9).repeat(2));
  }
}

Number first_and_second(const std::tuple<Number, Number>& pair) { return std::get<0>(pair) * 100 + std::get<1>(pair); }

// proves: checkpoint
TEST(Checkpoint, OfAResumedRunIsExactWhereTakeLeavesBatchesThatAreTakenApart) {
  const auto pairs = forebay::zip(range<Number>(0, 7), range<Number>(0, 12).filter(all)).map(first_and_second);
  expect_exact_pairs_of_resumes(pairs.batch(100).unbatch().take(4).repeat(4));
}

// proves: checkpoint
TEST(Checkpoint, OfAResumedRunIsExactBehindTwoPrefetches) {
  expect_exact_pairs_of_resumes(range<Number>(0, 9).prefetch(3).prefetch(3).take(4).repeat(3));
  expect_exact_pairs_of_resumes(
      range<Number>(0, 6).concatenate(range<Number>(0, 3).prefetch(3).prefetch(3)).repeat(3));
}

// proves: checkpoint
TEST(Checkpoint, OfResumedRunsIsExactOneToFourTimesInARow) {
  RandomBits bits(31);
  for (std::uint64_t number = 0; number < descriptions; ++number) {
    const Data data = description(number, {2, 3, bits.below(4), bits.below(2) == 0, false});
    if (!can_go_on(data)) continue;
    SCOPED_TRACE(std::to_string(number) + ": " + data.node()->properties().description);
    const Taken whole = taken_from(data, {}, false);
    if (!whole.failure.empty()) continue;
    for (int repetition = 0; repetition < 4; ++repetition) {
      std::vector<std::size_t> counts(1 + bits.below(4));
      for (std::size_t& count : counts) count = bits.below(2 + whole.outputs.size() / counts.size());
      ASSERT_NO_THROW(expect_exact_resumes(data, whole, counts)) << testing::PrintToString(counts);
      ASSERT_FALSE(testing::Test::HasFailure()) << testing::PrintToString(counts);
    }
  }
}

// proves: checkpoint
TEST(Checkpoint, OfAZipOfEqualLengthsFailsAtTheSameNumber) {
  const Data data = forebay::zip({.lengths = forebay::equal}, range<Number>(0, 23), range<Number>(0, 40).filter(all))
                        .map(first_and_second);
  const Taken whole = taken_from(data, {}, false);
  ASSERT_EQ(
      whole.failure,
      "forebay: zip, epoch 0, number 23: input 1 has ended after 23 elements; input 2 continues with its number 23");
  for (const std::string& checkpoint : whole.checkpoints) {
    EXPECT_EQ(taken_from(data, checkpoint, false).failure, whole.failure);
  }
}

// ---- When a checkpoint is taken

auto small_batches(const MapOptions& options = {.threads = 2}) {
  return range(20).seed(1).shuffle(4).repeat(3).map(options, [](int number) { return number * 2; }).batch(3);
}

using Batches = std::vector<std::vector<int>>;

Batches rest(const std::string& checkpoint) {
  Batches batches;
  for (auto& batch : small_batches().run(checkpoint)) batches.push_back(batch);
  return batches;
}

TEST(Checkpoint, CountsTheOutputThatTheLoopIsAt) {
  auto pipeline = small_batches().run();
  for (auto& batch : pipeline) {
    const Batches behind = rest(pipeline.checkpoint());
    ASSERT_EQ(behind.size(), 20U);
    EXPECT_NE(behind[0], batch);
    break;
  }
}

// proves: checkpoint
TEST(Checkpoint, CountsTheOutputThatAStepIsAtAlsoIfItThrows) {
  auto pipeline = small_batches().run();
  EXPECT_THROW(pipeline.for_each([](auto& /*batch*/) { throw std::runtime_error("step"); }), std::runtime_error);
  EXPECT_EQ(rest(pipeline.checkpoint()).size(), 20U);
}

TEST(Checkpoint, OfAStopIsThatOfTheLastOutput) {
  auto pipeline = small_batches().run();
  ASSERT_TRUE(pipeline.next());
  pipeline.stop();
  EXPECT_FALSE(pipeline.next());
  EXPECT_EQ(rest(pipeline.checkpoint()).size(), 20U);
}

TEST(Checkpoint, OfTheEndHasNothingBehindIt) {
  auto pipeline = small_batches().run();
  while (pipeline.next()) continue;
  EXPECT_TRUE(rest(pipeline.checkpoint()).empty());
}

// proves: checkpoint
TEST(Checkpoint, OfAFailureIsBeforeIt) {
  bool fails = true;
  const auto data = range(10).map(
      2, [&fails](int number) { return fails && number == 6 ? throw std::runtime_error("bad") : number; });
  auto pipeline = data.run();
  EXPECT_THROW(pipeline.for_each([](int /*number*/) {}), DatasetError);
  const std::string checkpoint = pipeline.checkpoint();
  fails = false;
  std::vector<int> behind;
  for (const int number : data.run(checkpoint)) behind.push_back(number);
  EXPECT_EQ(behind, (std::vector<int>{6, 7, 8, 9}));
}

TEST(Checkpoint, OfNoneIsTheStart) {
  EXPECT_EQ(small_batches().run(std::nullopt).next().value().size(), 3U);
  forebay::Coordinator coordinator;
  EXPECT_TRUE(small_batches().run(std::nullopt, coordinator).next());
}

TEST(Checkpoint, KeepsThePosition) {
  auto pipeline = small_batches().run();
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(pipeline.next());
  const auto resumed = small_batches().run(pipeline.checkpoint());
  EXPECT_EQ(resumed.position(), (Position{1, 2}));
  EXPECT_EQ(small_batches().run(resumed.checkpoint()).position(), (Position{1, 2}));
}

/// Counts, and remembers its place as a text with every byte there is.
class ReaderWithTextCursor {
 public:
  std::optional<int> operator()() { return next_ < 3 ? std::optional(next_++) : std::nullopt; }
  [[nodiscard]] std::string cursor() const { return every_byte() + static_cast<char>(next_); }
  void seek(const std::string& cursor) {
    EXPECT_EQ(cursor.substr(0, cursor.size() - 1), every_byte());
    next_ = cursor.back();
  }

 private:
  static std::string every_byte() {
    std::string text;
    for (int byte = 0; byte < 256; ++byte) text += static_cast<char>(byte);
    return text;
  }

  int next_ = 0;
};

// proves: checkpoint
TEST(Checkpoint, KeepsEveryByteOfATextCursor) {
  const auto data = from_callable(ReaderWithTextCursor());
  auto pipeline = data.run();
  for (int taken = 0; taken < 3; ++taken) {
    const std::string checkpoint = pipeline.checkpoint();
    for (const char letter : checkpoint) EXPECT_TRUE(letter >= ' ' && letter <= '~');
    EXPECT_EQ(data.run(checkpoint).next().value(), taken);
    EXPECT_EQ(pipeline.next().value(), taken);
  }
}

// proves: checkpoint
TEST(Checkpoint, BehindTheLastOutputOfAnEpochTheNextOneIsNext) {
  auto pipeline = small_batches().run();
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(pipeline.next());
  auto resumed = small_batches().run(pipeline.checkpoint());
  std::size_t batches = 0;
  for (auto& batch : resumed.one_epoch()) batches += batch.empty() ? 0U : 1U;
  EXPECT_EQ(batches, 7U);
}

// ---- What may differ in the resumed run

// The loop of examples/guide/resuming.md. It is killed after each number of batches, once or again and again.
TEST(Checkpoint, CanBeUsedToValidateAfterEachEpochExactlyOnce) {
  struct Saved {
    std::optional<std::string> checkpoint;
    std::uint64_t validated = 0;
  };
  constexpr std::uint64_t epochs = 3;
  const auto data = range(4).repeat(epochs).batch(2);
  for (const int most : {1, 2, 3, 4, 5, 6, 7}) {
    for (const int later : {1, 2, 100}) {
      std::vector<std::string> done;
      Saved saved;
      const auto run = [&](int left) {
        Saved state = saved;
        const auto validate = [&] { done.push_back("validate " + std::to_string(state.validated++)); };
        auto batches = data.run(state.checkpoint);
        for (const std::vector<int>& batch : batches) {
          if (state.validated < batches.position().epoch) validate();  // the batch is the first of an epoch
          done.push_back("train on " + std::to_string(batch.front()));
          state.checkpoint = batches.checkpoint();
          saved = state;
          if (--left == 0) return false;
        }
        if (state.validated < epochs) validate();
        saved = state;
        return true;
      };
      for (int left = most; !run(left); left = later) continue;
      const std::vector<std::string> expected = {"train on 0", "train on 2", "validate 0", "train on 0", "train on 2",
                                                 "validate 1", "train on 0", "train on 2", "validate 2"};
      EXPECT_EQ(done, expected) << most << ", then " << later;
    }
  }
}

TEST(Checkpoint, IsForAnyNumberOfEpochsOfTheLastRepeat) {
  const auto numbers = [](int epochs) { return range(5).repeat(epochs).map(2, [](int number) { return number; }); };
  auto pipeline = numbers(2).run();
  while (pipeline.next()) continue;
  auto longer = numbers(3).run(pipeline.checkpoint());
  EXPECT_EQ(longer.next().value(), 0);
  EXPECT_EQ(longer.position(), (Position{2, 1}));
  auto shorter = numbers(1).run(pipeline.checkpoint());
  EXPECT_FALSE(shorter.next());
}

template <class Make>
Batches global_batches(Make make, std::size_t ranks, const std::optional<std::string>& checkpoint,
                       std::vector<std::string>* checkpoints = nullptr) {
  Batches global;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    auto pipeline = make(rank, ranks).run(checkpoint);
    if (checkpoints != nullptr && rank == 0) checkpoints->push_back(pipeline.checkpoint());
    std::size_t number = 0;
    for (const auto& batch : pipeline) {
      if (rank == 0) global.emplace_back();
      if (checkpoints != nullptr && rank == 0) checkpoints->push_back(pipeline.checkpoint());
      auto& whole = global.at(number++);
      whole.insert(whole.end(), batch.begin(), batch.end());
    }
    EXPECT_EQ(number, global.size()) << "rank " << rank << " of " << ranks;
  }
  for (auto& batch : global) std::sort(batch.begin(), batch.end());
  return global;
}

/// The global batches are the same with 1, 2, 4 and 8 shards. A run may resume with any of these numbers at any
/// position.
template <class Make>
void expect_elastic(Make make) {
  const Batches whole = global_batches(make, 1, {});
  for (const std::size_t before : {1U, 2U, 4U, 8U}) {
    std::vector<std::string> checkpoints;
    ASSERT_EQ(global_batches(make, before, {}, &checkpoints), whole);
    for (std::size_t i = 0; i < checkpoints.size(); ++i) {
      for (const std::size_t after : {1U, 2U, 4U, 8U}) {
        const Batches rest(whole.begin() + static_cast<std::ptrdiff_t>(i), whole.end());
        ASSERT_EQ(global_batches(make, after, checkpoints[i]), rest) << before << " shards, then " << after;
      }
    }
  }
}

int drawing(int number, Context& context) { return number * 1000 + static_cast<int>(context.draw().below(1000)); }

// proves: checkpoint
TEST(Checkpoint, OfShardsIsForAnyNumberOfShards) {
  expect_elastic([](std::size_t rank, std::size_t ranks) {
    return range(100)
        .shuffle()
        .shard(rank, ranks, Even::drop)
        .repeat(2)
        .map({.threads = 2, .loop_helps = false}, drawing)
        .batch(16 / ranks, {.remainder = forebay::drop});
  });
}

// proves: checkpoint
TEST(Checkpoint, OfShardsBehindStagesIsForAnyNumberOfShards) {
  expect_elastic([](std::size_t rank, std::size_t ranks) {
    return range(103)
        .filter([](int number) { return number % 3 != 0; })
        .repeat(2)
        .shuffle(10)
        .shard(rank, ranks, Even::drop)
        .map(drawing)
        .batch(8 / ranks, {.remainder = forebay::drop});
  });
}

// proves: checkpoint
TEST(Checkpoint, OfShardsWithAShortLastBatchIsForAnyNumberOfShards) {
  expect_elastic([](std::size_t rank, std::size_t ranks) {
    return range(104).shuffle().shard(rank, ranks).repeat(2).map(drawing).batch(16 / ranks);
  });
  expect_elastic([](std::size_t rank, std::size_t ranks) {
    return range(104).filter([](int) { return true; }).shard(rank, ranks).repeat(2).map(drawing).batch(16 / ranks);
  });
}

/// An even shard that restarts repeats elements, but no rank has more batches than another.
TEST(Checkpoint, OfEvenShardsLeavesAllOfThemTheSameNumberOfBatches) {
  const auto make = [](std::size_t rank, std::size_t ranks) {
    return range(31).shuffle().shard(rank, ranks, Even::repeat).repeat(2).batch(2);
  };
  std::vector<std::string> checkpoints;
  const Batches whole = global_batches(make, 4, {}, &checkpoints);
  for (std::size_t i = 0; i < checkpoints.size(); ++i) {
    EXPECT_EQ(global_batches(make, 4, checkpoints[i]),
              Batches(whole.begin() + static_cast<std::ptrdiff_t>(i), whole.end()));
  }
}

// ---- What is rejected

std::string rejection_of(const Data& data, const std::string& checkpoint) {
  return rejection([&] { static_cast<void>(data.run(checkpoint)); });
}

// proves: bad-checkpoint
TEST(Checkpoint, OfAnotherDataSetIsRefusedAndSaysWhatDiffers) {
  const auto data = range<Number>(0, 100).seed(1).shuffle(10);
  const std::string checkpoint = data.run().checkpoint();
  const auto other = [](Data made) { return made; };
  EXPECT_EQ(rejection_of(other(range<Number>(0, 100).seed(1).shuffle(20)), checkpoint),
            "forebay: checkpoint: it is of another data set: stage 3 is shuffle 20, was shuffle 10");
  EXPECT_EQ(rejection_of(other(range<Number>(0, 100).seed(2).shuffle(10)), checkpoint),
            "forebay: checkpoint: it is of another data set: stage 2 is seed 2, was seed 1");
  EXPECT_EQ(rejection_of(other(data.take(3)), checkpoint),
            "forebay: checkpoint: it is of another data set: stage 4 is take 3, was nothing");
}

// proves: bad-checkpoint
TEST(Checkpoint, OfAnotherNumberOfInputsSaysHowManyThereAre) {
  const std::string is_other = "forebay: checkpoint: it is of another data set: ";
  const auto mixed_of = [](std::size_t count) {
    return forebay::mix(std::vector<Data>(count, range<Number>(0, 3)), std::vector<double>(count, 1));
  };
  EXPECT_EQ(rejection_of(mixed_of(2), mixed_of(3).run().checkpoint()), is_other + "mix has 2 inputs, had 3");
  EXPECT_EQ(rejection_of(mixed_of(3), mixed_of(2).run().checkpoint()), is_other + "mix has 3 inputs, had 2");
  EXPECT_EQ(rejection_of(mixed_of(4).take(2), mixed_of(2).take(2).run().checkpoint()),
            is_other + "mix has 4 inputs, had 2");
  EXPECT_EQ(rejection_of(mixed_of(1), mixed_of(2).run().checkpoint()),
            is_other + "stage 1 is range 3, was (range 3) and (range 3)");
}

// proves: bad-checkpoint
TEST(Checkpoint, OfAnInterleaveWithoutPrefetchIsNotForOneWithIt) {
  const auto interleaved = [](std::optional<forebay::Count> prefetch) {
    return range<Number>(0, 20).interleave({.cycle = 2, .prefetch = prefetch},
                                           [](Number n) { return range<Number>(0, n % 5); });
  };
  const std::string is_other =
      "forebay: checkpoint: it is of another data set: stage 2 is interleave 2 1 of data sets";
  EXPECT_EQ(rejection_of(interleaved(2), interleaved({}).run().checkpoint()),
            is_other + ", prefetched, was interleave 2 1 of data sets");
  EXPECT_EQ(rejection_of(interleaved({}), interleaved(2).run().checkpoint()),
            is_other + ", was interleave 2 1 of data sets, prefetched");
  EXPECT_NO_THROW(static_cast<void>(interleaved(3).run(interleaved(2).run().checkpoint())));
}

// proves: bad-checkpoint
TEST(Checkpoint, OfOtherInputsSaysWhichOneDiffers) {
  const std::string is_other = "forebay: checkpoint: it is of another data set: ";
  const auto three = [](const Data& second) {
    return forebay::mix<Number>({range<Number>(0, 3), second, range<Number>(0, 5)}, {1, 1, 1}).shuffle(2);
  };
  const std::string checkpoint = three(range<Number>(0, 4).filter(all).shuffle(3)).run().checkpoint();
  EXPECT_EQ(rejection_of(three(range<Number>(0, 4).filter(all).shuffle(2)), checkpoint),
            is_other + "input 2 of mix: stage 3 is shuffle 2, was shuffle 3");
  EXPECT_EQ(rejection_of(three(range<Number>(0, 4)), checkpoint),
            is_other + "input 2 of mix: stage 2 is nothing, was filter");
  EXPECT_EQ(rejection_of(three(range<Number>(0, 4).filter(all).shuffle(3)).shuffle(9), checkpoint),
            is_other + "stage 4 is shuffle 9, was nothing");
  const auto nested = [](Number last) { return range<Number>(0, 2).concatenate(range<Number>(0, last)).take(2); };
  EXPECT_EQ(rejection_of(three(nested(5)), three(nested(4)).run().checkpoint()),
            is_other + "input 2 of mix: input 2 of concatenate: stage 1 is range 5, was range 4");
}

// proves: bad-checkpoint
TEST(Checkpoint, ThatIsEmptyTruncatedOrChangedIsRefusedWithTheColumn) {
  const Data data = range<Number>(0, 100).shuffle(4).batch(3).unbatch().map(2, [](Number number) { return number; });
  auto pipeline = data.run();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(pipeline.next());
  const std::string checkpoint = pipeline.checkpoint();
  EXPECT_EQ(rejection_of(data, ""), "forebay: checkpoint, column 1: it is empty");
  for (std::size_t size = 1; size < checkpoint.size(); ++size) {
    EXPECT_TRUE(contains(rejection_of(data, checkpoint.substr(0, size)), "column")) << size;
  }
  for (std::size_t i = 0; i < checkpoint.size(); ++i) {
    for (const char character : {'0', '1', ' ', '|', '"', '%', '\0', '-'}) {
      std::string changed = checkpoint;
      changed[i] = character;
      if (changed == checkpoint) continue;
      EXPECT_NE(rejection_of(data, changed), "") << changed;
    }
  }
  EXPECT_NE(rejection_of(data, checkpoint + " "), "");
}

std::string refusal_of(const Data& data) {
  return message_of<std::logic_error>([&] { static_cast<void>(data.run().checkpoint()); });
}

// proves: bad-checkpoint
TEST(Checkpoint, IsRefusedByNameWhereAStageCannotGoOn) {
  forebay::FIFOQueue<Number> queue(3);
  EXPECT_EQ(refusal_of(forebay::from_queue(queue)), "forebay: checkpoint: a from_queue cannot replay");
  const auto once = forebay::from_callable([]() { return std::optional<Number>(); });
  EXPECT_EQ(refusal_of(once),
            "forebay: checkpoint: a from_callable cannot replay: give its reader cursor() and seek(cursor)");
  EXPECT_EQ(refusal_of(once.collect()), refusal_of(once)) << "what is collected may be something else next time";
  EXPECT_EQ(refusal_of(range<Number>(0, 3).map({.threads = 2, .order = forebay::any_order},
                                               [](Number number) { return number; })),
            "forebay: checkpoint: a map in any order has no position");
}

// ---- What user-defined stages save

struct Counting {
  std::optional<Number> operator()() { return next < 50 ? std::optional(next++) : std::nullopt; }
  [[nodiscard]] std::string cursor() const { return "at " + std::to_string(next); }
  void seek(const std::string& cursor) { next = std::stoull(cursor.substr(3)); }

  Number next = 0;
};

TEST(Checkpoint, SeeksAReaderToItsCursor) {
  const Data data = forebay::from_callable(Counting()).repeat(2);
  auto pipeline = data.run();
  for (int i = 0; i < 70; ++i) ASSERT_TRUE(pipeline.next());
  auto resumed = data.run(pipeline.checkpoint());
  EXPECT_EQ(resumed.next().value(), 20U);
  EXPECT_EQ(resumed.position(), (Position{1, 21}));
}

TEST(Checkpoint, OfAStageThatWasToldToLeaveAnEpochIsInTheNextOne) {
  const Data data = range<Number>(0, 5).repeat(3).filter([](Number /*number*/) { return true; });
  PlainRun<Number> run(data);
  ASSERT_EQ(run.pull(2), PullResult::more);
  run.begin({1});
  ASSERT_EQ(run.pull(1), PullResult::more);
  Snapshot place;
  run.save(place);
  PlainRun<Number> resumed(data);
  SnapshotReader from(place, "loop");
  resumed.begin({1});
  resumed.restore(from);
  ASSERT_EQ(resumed.pull(1), PullResult::more);
  EXPECT_EQ(resumed.chunk().position(0), (Position{1, 1}));
}

TEST(Checkpoint, OfAWindowInALaterEpochCountsOnlyTheElementsOfThatEpoch) {
  const Data data = range<Number>(0, 9).filter([](Number /*number*/) { return true; }).shuffle(3).repeat(3);
  PlainRun<Number> run(data);
  while (run.epoch().number < 2) static_cast<void>(run.pull(1));
  ASSERT_EQ(run.pull(2), PullResult::more);
  Snapshot place;
  run.save(place);
  PlainRun<Number> resumed(data);
  SnapshotReader from(place, "loop");
  resumed.begin(run.epoch());
  resumed.restore(from);
  ASSERT_EQ(resumed.pull(1), PullResult::more);
  ASSERT_EQ(run.pull(1), PullResult::more);
  EXPECT_EQ(resumed.chunk()[0], run.chunk()[0]);
}

/// The beginning of the epoch is always a resume point. The stage and the loop note further ones, so that little is
/// replayed.
// proves: checkpoint
TEST(Checkpoint, OfAParallelStageReadsOnlyAPartOfTheEpochAgain) {
  std::atomic<int> read{0};
  std::atomic<int> mapped{0};
  const auto count_read = [&read](int /*number*/) {
    ++read;
    return true;
  };
  const auto count_mapped = [&mapped](int number) {
    ++mapped;
    return number;
  };
  const auto data = range(50'000).filter(count_read).map({.threads = 2, .ahead = 8, .chunk = 1}, count_mapped);
  auto pipeline = data.run();
  for (int i = 0; i < 49'000; ++i) ASSERT_TRUE(pipeline.next());
  const std::string checkpoint = pipeline.checkpoint();
  pipeline.stop();
  pipeline.join();
  read = mapped = 0;
  auto resumed = data.run(checkpoint);
  EXPECT_EQ(resumed.next().value(), 49'000);
  while (resumed.next()) continue;
  EXPECT_LT(read, 25'000);
  EXPECT_LT(mapped, 25'000);
}

/// A window keeps the notes it needs: a resumed run replays from the element held longest, not the whole epoch.
// proves: checkpoint
TEST(Checkpoint, OfAWindowReplaysOnlyAPartOfTheEpoch) {
  std::atomic<int> calls{0};
  const auto data = range(200'000)
                        .filter([&calls](int) {
                          ++calls;
                          return true;
                        })
                        .shuffle(100);
  auto pipeline = data.run();
  for (int i = 0; i < 150'000; ++i) static_cast<void>(pipeline.next());
  for (int place = 0; place < 40; ++place) {  // the newest note is of any age, also younger than the oldest element
    for (int i = 0; i < 997; ++i) static_cast<void>(pipeline.next());
    const std::string checkpoint = pipeline.checkpoint();
    calls = 0;
    auto resumed = data.run(checkpoint);
    EXPECT_EQ(resumed.next().value(), pipeline.next().value());
    EXPECT_LT(calls, 100'000) << place;
  }
}

/// Skipped elements count as read from its input, but not as its outputs.
// proves: checkpoint
TEST(Checkpoint, OfAParallelStageThatSkipsIsExactAtEveryPlace) {
  const auto not_of_three = [](int number) {
    if (number % 3 == 0) throw std::runtime_error("three");
    return number;
  };
  const forebay::MapOptions options{.threads = 2, .ahead = 2, .chunk = 4, .on_error = forebay::skip(20)};
  const auto data = range(60).map(options, not_of_three).batch(1).unbatch();
  for (int taken = 1; taken < 40; ++taken) {
    auto pipeline = data.run();
    int last = 0;
    for (int i = 0; i < taken; ++i) last = pipeline.next().value();
    auto resumed = data.run(pipeline.checkpoint());
    for (int number = last + 1; number < 60; ++number) {
      if (number % 3 != 0) {
        ASSERT_EQ(resumed.next().value(), number);
      }
    }
    ASSERT_FALSE(resumed.next());
  }
}

// proves: checkpoint
TEST(Checkpoint, OfAParallelStageThatSkipsKeepsTheNumberOfFailures) {
  const auto not_of_four = [](int number) {
    if (number % 4 == 0) throw std::runtime_error("four");
    return number;
  };
  const forebay::MapOptions options{.threads = 2, .ahead = 2, .chunk = 4, .on_error = forebay::skip(8)};
  const auto data = range(100).map(options, not_of_four);
  const auto last_of = [](forebay::Pipeline<int>& pipeline) {
    int last = 0;
    EXPECT_THROW(while (const auto output = pipeline.next()) last = *output, DatasetError);
    return last;
  };
  auto pipeline = data.run();
  for (int i = 0; i < 18; ++i) ASSERT_TRUE(pipeline.next());
  auto resumed = data.run(pipeline.checkpoint());
  EXPECT_EQ(last_of(resumed), 31);
  EXPECT_EQ(last_of(pipeline), 31);
}

/// A chunk has more failures than the limit allows. The run ends at the first one beyond it, and so does each run that
/// resumes before or after it.
// proves: checkpoint, skip
TEST(Checkpoint, OfARunThatSkipsTooManyMeetsTheSameFailureAgain) {
  const auto not_two_of_three = [](int number) {
    if (number % 3 == 2) throw std::runtime_error("two");
    return number;
  };
  for (const int chunk : {1, 5, 32}) {
    const forebay::MapOptions options{.threads = 2, .chunk = chunk, .on_error = forebay::skip(4)};
    for (const std::uint64_t left_out : {0U, 2U}) {
      const auto data = range(22).map(options, not_two_of_three).skip(left_out);
      const auto rest_of = [](forebay::Pipeline<int>& pipeline) {
        std::vector<int> rest;
        while (const auto output = pipeline.next()) rest.push_back(*output);
        return rest;
      };
      const auto expect_failure = [&](forebay::Pipeline<int>& pipeline) {
        EXPECT_TRUE(contains(message_of<DatasetError>([&] { rest_of(pipeline); }), "number 14")) << chunk;
      };
      for (int taken = 0; taken <= 8; ++taken) {
        auto pipeline = data.run();
        for (int i = 0; i < taken; ++i) ASSERT_TRUE(pipeline.next());
        const std::string before = pipeline.checkpoint();
        expect_failure(pipeline);
        auto resumed = data.run(before);
        expect_failure(resumed);
        auto resumed_after = data.run(pipeline.checkpoint());
        expect_failure(resumed_after);
        EXPECT_EQ(resumed_after.position().number, 10 - left_out) << chunk;
      }
    }
  }
}

/// A checkpoint from a function, a step or another thread always denotes a position between two outputs.
// proves: checkpoint
TEST(Checkpoint, MayBeTakenAnywhere) {
  std::atomic<forebay::Pipeline<int>*> running{nullptr};
  std::mutex mutex;
  std::vector<std::string> checkpoints;
  const auto take_checkpoint = [&] {
    if (running.load() == nullptr) return;
    std::string checkpoint = running.load()->checkpoint();
    const std::scoped_lock lock(mutex);
    checkpoints.push_back(std::move(checkpoint));
  };
  const auto data = range(20)
                        .shuffle(5)
                        .map(2,
                             [&](int number) {
                               take_checkpoint();
                               return number;
                             })
                        .filter([](int number) { return number % 4 != 0; })
                        .repeat(2);
  std::vector<int> outputs;
  {
    auto pipeline = data.run();
    running = &pipeline;
    std::atomic<bool> is_over{false};
    const std::jthread other([&] {
      while (!is_over) take_checkpoint();
    });
    pipeline.for_each([&](int output) {
      outputs.push_back(output);
      take_checkpoint();
    });
    is_over = true;
  }
  running = nullptr;
  ASSERT_GE(checkpoints.size(), outputs.size());
  for (std::size_t i = 0; i < checkpoints.size(); i += 1 + checkpoints.size() / 100) {
    std::vector<int> rest;
    for (const int output : data.run(checkpoints[i])) rest.push_back(output);
    ASSERT_LE(rest.size(), outputs.size());
    ASSERT_TRUE(std::equal(rest.rbegin(), rest.rend(), outputs.rbegin())) << i;
  }
}

TEST(Checkpoint, OfAStageThatReadAheadAndFailedIsBeforeTheFailure) {
  struct Sum {
    void operator()(Number&& number, Out<Number>& out) {
      sum += number;
      if (sum > 20) throw std::runtime_error("a sum of " + std::to_string(sum));
      out.emit(Number{sum});
    }
    [[nodiscard]] std::string save() const { return std::to_string(sum); }
    void restore(std::string_view saved) { sum = std::stoull(std::string(saved)); }

    Number sum = 0;
  };
  const Data data = forebay::mix<Number>({range<Number>(0, 10).apply(Sum()), range<Number>(100, 200)}, {1, 1});
  for (std::size_t most = 1; most < 9; ++most) {
    PlainRun<Number> run(data);
    std::vector<SavedEvent> saved;
    const std::vector<Event> events = rest_of(run, most, &saved);
    ASSERT_TRUE(contains(events.back().words, "a sum of 21"));
    for (const SavedEvent& each : saved) expect_same_rest(data, events, each, 1);
  }
}

// proves: bad-checkpoint
TEST(Checkpoint, ACursorThatAReaderRefusesIsToldByRun) {
  struct Refusing {
    std::optional<Number> operator()() { return next++; }
    [[nodiscard]] Number cursor() const { return next; }
    void seek(Number cursor) { throw std::runtime_error("there is no line " + std::to_string(cursor)); }
    Number next = 0;
  };
  const Data data = forebay::from_callable(Refusing());
  auto pipeline = data.run();
  const auto run_on = [&] { static_cast<void>(data.run(pipeline.checkpoint())); };
  std::string message = "nothing was thrown";
  while (message == "nothing was thrown") {  // until the reader's position has been noted
    ASSERT_TRUE(pipeline.next());
    message = message_of<std::runtime_error>(run_on);
  }
  EXPECT_EQ(message.find("there is no line "), 0U) << message;
}

}  // namespace
}  // namespace forebay_test
