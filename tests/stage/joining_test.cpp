// SPDX-License-Identifier: MIT
//
// joining_test.cpp: the stages that combine data sets: flat_map, interleave, concatenate, mix and zip. Also unbatch and
// user-defined stages.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/from_queue.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/plain_run.hpp"
#include "tests/support/resume_points.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::Context;
using forebay::from_slices;
using forebay::mix;
using forebay::MixOptions;
using forebay::Out;
using forebay::range;
using forebay::redirect;
using forebay::skip;
using forebay::zip;

using Ints = std::vector<int>;
using Epochs = std::vector<Ints>;

/// Reads `count` times the number `count`.
struct Copies {
  int count;
  int read = 0;
  bool operator()(int& into) {
    into = count;
    return read++ < count;
  }
};

// ---- flat_map

TEST(FlatMap, OfRangesReadersAndDataSets) {
  const Ints expected{1, 2, 2, 3, 3, 3};
  EXPECT_EQ(elements_of(range(4).flat_map([](int i) { return Ints(static_cast<std::size_t>(i), i); })), expected);
  EXPECT_EQ(elements_of(range(4).flat_map([](int i) { return std::list<int>(static_cast<std::size_t>(i), i); })),
            expected);
  EXPECT_EQ(elements_of(range(4).flat_map([](int i) { return Copies{i}; })), expected);
  EXPECT_EQ(elements_of(range(4).flat_map([](int i) { return range(i).map([i](int) { return i; }); })), expected);
}

TEST(FlatMap, NumbersElementsAnewInEachEpoch) {
  const auto output = output_of(range(3).flat_map([](int i) { return range(i); }).repeat(2));
  EXPECT_EQ(output.positions[1], (std::vector<Position>{{1, 0}, {1, 1}, {1, 2}}));
}

TEST(FlatMap, TheEpochsInsideAreNotSeen) {
  EXPECT_EQ(epochs_of(range(2).flat_map([](int) { return range(2).repeat(2); })), (Epochs{{0, 1, 0, 1, 0, 1, 0, 1}}));
}

TEST(FlatMap, TheElementLivesAsLongAsWhatWasMadeOfIt) {
  const auto data =
      from_slices(std::vector<std::string>{"a text that is long enough", "for the heap, and another one"})
          .flat_map([](const std::string& text) {
            return [&text, i = std::size_t{0}]() mutable {
              return i < text.size() ? std::optional(text[i++]) : std::nullopt;
            };
          });
  EXPECT_EQ(elements_of(data).size(), 26U + 29U);
}

TEST(FlatMap, TheContextLivesAsLongToo) {
  const auto data = range(2).flat_map([](const int& i, Context& context) {
    return [&i, &context, left = 2]() mutable -> std::optional<std::uint64_t> {
      if (left-- == 0) return std::nullopt;
      return context.should_stop() ? 0 : context.position().number * 10 + static_cast<std::uint64_t>(i);
    };
  });
  EXPECT_EQ(elements_of(data), (std::vector<std::uint64_t>{0, 0, 11, 11}));
}

// The elements of an inner input come in runs, so each input is longer than a run.
// proves: joined-inputs
TEST(FlatMap, ResumedWithinAnInputGivesTheNumberOfItsElementToTheFunction) {
  check_every_resume_point<int>(range(3).flat_map(
      [](int i, Context& context) { return Ints(200, i * 10 + static_cast<int>(context.position().number)); }));
}

TEST(FlatMap, ADataSetInsideDrawsByTheElementOutside) {
  const auto shuffled = [](int) { return range(50).shuffle(); };
  const auto elements = elements_of(range(2).flat_map(shuffled));
  EXPECT_NE(Ints(elements.begin(), elements.begin() + 50), Ints(elements.begin() + 50, elements.end()));
  EXPECT_EQ(elements, elements_of(range(2).flat_map(shuffled)));
  EXPECT_NE(elements, elements_of(range(2).seed(1).flat_map(shuffled)));
}

// proves: dataset-failure
TEST(FlatMap, NamesItselfInWhatFails) {
  const auto in_function = output_of(range(3).flat_map([](int i) {
    if (i == 2) throw Failure("function");
    return Copies{1};
  }));
  EXPECT_EQ(in_function.all(), (Ints{1, 1}));
  EXPECT_EQ(in_function.failure, "forebay: flat_map, epoch 0, number 2: function");
  const auto in_reader = output_of(range(3).flat_map([](int i) {
    return [i, left = 2]() mutable -> std::optional<int> {
      if (i == 1 && left == 1) throw Failure("reader");
      return left-- > 0 ? std::optional(i) : std::nullopt;
    };
  }));
  EXPECT_EQ(in_reader.all(), (Ints{0, 0, 1}));
  EXPECT_EQ(in_reader.failure, "forebay: flat_map, epoch 0, number 3: reader");
}

// proves: skip
TEST(FlatMap, SkipsWhatCannotBeOpened) {
  const auto open = [](int i) {
    if (i % 2 == 0) throw Failure("even");
    return Copies{1};
  };
  EXPECT_EQ(elements_of(range(6).flat_map({.on_error = skip(3)}, open)), (Ints{1, 1, 1}));
  EXPECT_EQ(output_of(range(6).flat_map({.on_error = skip(2)}, open)).failed_at, (Position{0, 4}));
}

// proves: redirect
TEST(FlatMap, RedirectsWhatCannotBeOpenedOrRead) {
  std::vector<Position> positions;
  const auto note = [&](Position position, const std::exception_ptr& /*failure*/) { positions.push_back(position); };
  const auto open = [](int i) {
    if (i % 3 == 1) throw Failure("cannot be opened");
    return [i, read = 0]() mutable -> std::optional<int> {
      if (++read == 2) throw Failure("cannot be read");
      return read < 4 ? std::optional(i) : std::nullopt;
    };
  };
  EXPECT_EQ(elements_of(range(4).flat_map({.on_error = redirect(note)}, open)), (Ints{0, 0, 2, 2, 3, 3}));
  EXPECT_EQ(positions, (std::vector<Position>{{0, 1}, {0, 1}, {0, 3}, {0, 5}}));
}

// proves: skip
TEST(FlatMap, AReaderThatFailsTwiceInARowHasEnded) {
  const auto data = range(2).flat_map({.on_error = skip(10)},
                                      [](int) { return []() -> std::optional<int> { throw Failure("always"); }; });
  EXPECT_EQ(epochs_of(data), Epochs{{}});
}

TEST(FlatMap, RefusesADataSetWithThreadsInside) {
  const auto data = range(2).flat_map([](int i) { return range(i).map(2, [](int j) { return j; }); });
  EXPECT_TRUE(contains(output_of(data).failure, "cannot have threads of its own"));
}

// ---- interleave

Ints copies_of(int i) { return Ints(6, i); }

TEST(Interleave, HasTheOrderOfTheOriginalsDocument) {
  EXPECT_EQ(elements_of(range(1, 6).interleave(2, 4, copies_of)),
            (Ints{1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 3, 3, 4, 4, 5, 5, 5, 5, 5, 5}));
}

TEST(Interleave, FillsAPlaceWhenItsTurnComes) {
  const auto open = [](int i) { return Ints(i % 2 == 0 ? 1U : 3U, i); };
  EXPECT_EQ(elements_of(range(6).interleave(2, 1, open)), (Ints{0, 1, 1, 2, 1, 3, 4, 3, 3, 5, 5, 5}));
}

TEST(Interleave, OfOneAtATimeIsAFlatMap) {
  const auto open = [](int i) { return Copies{i}; };
  EXPECT_EQ(elements_of(range(5).interleave(1, 2, open)), elements_of(range(5).flat_map(open)));
}

TEST(Interleave, OfFewerInputsThanPlaces) {
  EXPECT_EQ(elements_of(range(1, 4).interleave(100, 1, [](int i) { return Copies{i}; })), (Ints{1, 2, 3, 2, 3, 3}));
  EXPECT_EQ(epochs_of(range(0).interleave(3, 1, copies_of)), Epochs{{}});
  EXPECT_EQ(epochs_of(range(4).interleave(3, 1, [](int) { return Ints(); })), Epochs{{}});
}

TEST(Interleave, EachEpochBeginsAnew) {
  const auto output = output_of(range(1, 4).interleave(2, 1, [](int i) { return Copies{i}; }).repeat(2));
  EXPECT_EQ(output.epochs, (Epochs{{1, 2, 2, 3, 3, 3}, {1, 2, 2, 3, 3, 3}}));
  EXPECT_EQ(output.positions[1][2], (Position{1, 2}));
  EXPECT_EQ(epochs_of(range(1, 4).interleave(2, 1, copies_of).take(3).repeat(2)), (Epochs{{1, 2, 1}, {1, 2, 1}}));
}

TEST(Interleave, TheElementAndTheContextLiveAsLongAsWhatWasMadeOfThem) {
  const auto data =
      from_slices(std::vector<std::string>{"a text that is long enough", "for the heap, and another one"})
          .interleave(2, 1, [](const std::string& text, Context& context) {
            return [&text, &context, i = std::size_t{0}]() mutable -> std::optional<char> {
              if (i == text.size() || context.position().number > 1) return std::nullopt;
              return text[i++];
            };
          });
  const auto letters = elements_of(data);
  EXPECT_EQ(std::string(letters.begin(), letters.begin() + 6), "af otr");
  EXPECT_EQ(letters.size(), 26U + 29U);
}

// proves: interleave-failure
TEST(Interleave, LeavesOutWhatCannotBeOpenedOrRead) {
  const auto open = [](int i) {
    if (i % 3 == 1) throw Failure("cannot be opened");
    return [i, read = 0]() mutable -> std::optional<int> {
      if (++read == 2) throw Failure("cannot be read");
      return read < 4 ? std::optional(i) : std::nullopt;
    };
  };
  EXPECT_EQ(elements_of(range(5).interleave({.cycle = 2, .on_error = skip(9)}, open)), (Ints{0, 2, 0, 2, 3, 3}));
  const auto output = output_of(range(5).interleave({.cycle = 2, .on_error = skip(1)}, open));
  EXPECT_EQ(output.all(), (Ints{0, 2}));
  EXPECT_EQ(output.failure, "forebay: interleave, epoch 0, number 2: cannot be read");
  EXPECT_EQ(output_of(range(5).interleave(2, 1, open)).failure,
            "forebay: interleave, epoch 0, number 1: cannot be opened");
}

TEST(Interleave, RefusesImpossibleSettings) {
  EXPECT_EQ(rejection([] { return range(3).interleave(0, 1, copies_of); }),
            "forebay: interleave: cycle must be at least 1, not 0");
  EXPECT_EQ(rejection([] { return range(3).interleave(1, 0, copies_of); }),
            "forebay: interleave: block must be at least 1, not 0");
  EXPECT_EQ(rejection([] { return range(3).interleave({.prefetch = 0}, copies_of); }),
            "forebay: interleave: prefetch must be at least 1, not 0");
  EXPECT_EQ(rejection([] { return range(3).interleave(-1, 1, copies_of); }),
            "forebay: interleave: cycle must be at least 1, not -1");
  const auto threads_inside = [](int i) { return range(i).map(2, [](int j) { return j; }); };
  EXPECT_TRUE(contains(output_of(range(2).interleave(2, 1, threads_inside)).failure, "cannot have threads"));
}

TEST(FlatMap, OfASliceOfDataSetsReadsOneAfterTheOther) {
  const auto data = from_slices(std::vector<Dataset<int>>{range(3), range(10, 12).repeat(2), range(0)})
                        .flat_map([](const Dataset<int>& inner) { return inner; });
  EXPECT_EQ(epochs_of(data.repeat(2)), (Epochs{{0, 1, 2, 10, 11, 10, 11}, {0, 1, 2, 10, 11, 10, 11}}));
}

TEST(FlatMap, OfASliceOfDataSetsShufflesThemToo) {
  const Dataset<int> inner = range(50).shuffle();
  const auto same = [](const Dataset<int>& data) { return data; };
  const auto elements = elements_of(from_slices(std::vector<Dataset<int>>{inner, inner}).shuffle().flat_map(same));
  EXPECT_EQ(elements.size(), 100U);
  EXPECT_NE(Ints(elements.begin(), elements.begin() + 50), Ints(elements.begin() + 50, elements.end()));
}

// ---- concatenate

/// Fails at `position` and in all later epochs.
Dataset<int> failing_at(const Dataset<int>& data, Position position) {
  return data.map([position](int i, Context& context) {
    const Position here = context.position();
    if (here == position || here.epoch > position.epoch) throw Failure("broken");
    return i;
  });
}

TEST(Concatenate, HasTheElementsOfBothInOneEpoch) {
  const auto data = range(3).repeat(2).concatenate(range(10, 12));
  EXPECT_EQ(epochs_of(data), (Epochs{{0, 1, 2, 0, 1, 2, 10, 11}}));
  EXPECT_EQ(epochs_of(range(0).concatenate(range(0))), Epochs{{}});
}

TEST(Concatenate, IsRepeatedWhole) {
  const auto data = range(2).concatenate(range(10, 12).repeat(2)).concatenate(range(1)).repeat(2);
  EXPECT_EQ(epochs_of(data), (Epochs{{0, 1, 10, 11, 10, 11, 0}, {0, 1, 10, 11, 10, 11, 0}}));
}

// proves: joined-inputs
TEST(Concatenate, OfEpochsThatEndEarlyIsRepeatedWhole) {
  const auto data = range(3).repeat().take(4).concatenate(range(10, 13).repeat(2).take(2)).repeat(3);
  EXPECT_EQ(epochs_of(data), (Epochs{{0, 1, 2, 0, 10, 11}, {0, 1, 2, 0, 10, 11}, {0, 1, 2, 0, 10, 11}}));
}

// proves: joined-inputs
TEST(Concatenate, LeavesOffWhereAnEpochIsLeftEarly) {
  EXPECT_EQ(epochs_of(range(3).concatenate(range(10, 13)).take(4).repeat(2)), (Epochs{{0, 1, 2, 10}, {0, 1, 2, 10}}));
  EXPECT_EQ(epochs_of(range(3).concatenate(range(10, 13)).repeat(3).take(8)), (Epochs{{0, 1, 2, 10, 11, 12, 0, 1}}));
}

TEST(Concatenate, NumbersElementsAnew) {
  EXPECT_EQ(output_of(range(2).concatenate(range(2)).repeat(2)).positions[1],
            (std::vector<Position>{{1, 0}, {1, 1}, {1, 2}, {1, 3}}));
}

// proves: joined-inputs
TEST(Concatenate, AFailureInTheNextEpochComesBehindTheOtherDataSet) {
  const auto behind_repeat = output_of(failing_at(range(2), {1, 0}).concatenate(range(10, 12)).repeat(2));
  EXPECT_EQ(behind_repeat.epochs, (Epochs{{0, 1, 10, 11}}));
  EXPECT_EQ(behind_repeat.failure, "forebay: map, epoch 1, number 0: broken");
  const auto of_rounds = output_of(failing_at(range(2).repeat(2), {2, 0}).concatenate(range(10, 12)).repeat(2));
  EXPECT_EQ(of_rounds.epochs, (Epochs{{0, 1, 0, 1, 10, 11}}));
  const auto of_take = output_of(failing_at(range(2).repeat(3), {2, 0}).take(3).concatenate(range(10, 12)).repeat(2));
  EXPECT_EQ(of_take.epochs, (Epochs{{0, 1, 0, 10, 11}}));
}

TEST(Concatenate, OfWhatHasBeenReadAheadBeyondAnEpochThatIsLeft) {
  const auto data = range(100).repeat(3).take(150).apply([](int&& i, Out<int>& out) {
    out.emit(i);
    out.end();
  });
  EXPECT_EQ(epochs_of(data.concatenate(range(10, 12)).repeat(2)), (Epochs{{0, 10, 11}, {0, 10, 11}}));
}

TEST(Concatenate, OfItselfDrawsAnew) {
  const auto data = range(50).shuffle();
  const auto elements = elements_of(data.concatenate(data));
  EXPECT_NE(Ints(elements.begin(), elements.begin() + 50), Ints(elements.begin() + 50, elements.end()));
  EXPECT_EQ(Ints(elements.begin(), elements.begin() + 50), elements_of(data));
}

TEST(Concatenate, OfAQueueTwiceIsRefused) {
  forebay::FIFOQueue<int> queue(1);
  const auto data = forebay::from_queue(queue);
  EXPECT_TRUE(contains(rejection([&] { return data.concatenate(data).run(); }), "not in two branches"));
}

TEST(Concatenate, TakesWhatCanOnlyBeMovedAndHasNoDefault) {
  struct Handle {
    explicit Handle(int number) : value(std::make_unique<int>(number)) {}
    std::unique_ptr<int> value;
  };
  const auto handle = [](int number) { return Handle(number); };
  const auto data =
      forebay::mix({range(3).map(handle).concatenate(range(10, 13).map(handle)), range(2).map(handle)}, {0.5, 0.5})
          .seamless()
          .shuffle(2)
          .bucket_by_length([](const Handle& each) { return *each.value; }, {.boundaries = {5}, .batch_sizes = {2, 2}})
          .unbatch();
  int sum = 0;
  for (const Handle& each : data.run()) sum += *each.value;
  EXPECT_EQ(sum, 3 + 33 + 1);
}

TEST(Concatenate, WaitsForNothingWhereNoneIsToBeWaitedFor) {
  forebay::FIFOQueue<int> queue(10);
  auto pipeline = range(1).concatenate(forebay::from_queue(queue)).batch(1).unbatch().run();
  const auto next = [&pipeline] {  // each call takes a step
    auto output = pipeline.next(forebay::no_wait);
    for (int i = 0; i < 20 && output.status() == forebay::QueueStatus::empty; ++i) {
      output = pipeline.next(forebay::no_wait);
    }
    return output;
  };
  EXPECT_EQ(next().value(), 0);
  EXPECT_EQ(next().status(), forebay::QueueStatus::empty);
  ASSERT_EQ(queue.enqueue(5), forebay::QueueStatus::ok);
  EXPECT_EQ(next().value(), 5);
  queue.close();
  EXPECT_EQ(next().status(), forebay::QueueStatus::closed);
}

// ---- mix

/// Counts the elements below `bound`.
std::ptrdiff_t below(const Ints& elements, int bound) {
  return std::count_if(elements.begin(), elements.end(), [bound](int i) { return i < bound; });
}

TEST(Mix, DrawsByWeightAndKeepsTheOrderOfEach) {
  const auto elements = elements_of(mix({range(10'000), range(10'000, 20'000)}, {3, 1}).take(4000));
  EXPECT_NEAR(static_cast<double>(below(elements, 10'000)), 3000, 5 * 28);
  Ints of_first;
  std::copy_if(elements.begin(), elements.end(), std::back_inserter(of_first), [](int i) { return i < 10'000; });
  EXPECT_TRUE(std::is_sorted(of_first.begin(), of_first.end()));
}

// proves: joined-inputs
TEST(Mix, GoesOnWithThoseThatAreLeft) {
  auto elements = elements_of(mix({range(5), range(100, 103), range(200, 210)}, {0.4, 0.4, 0.2}));
  EXPECT_EQ(elements.size(), 18U);
  std::sort(elements.begin(), elements.end());
  EXPECT_EQ(std::unique(elements.begin(), elements.end()), elements.end());
}

TEST(Mix, NeverDrawsWhatHasNoWeight) {
  EXPECT_EQ(epochs_of(mix({range(3), range(100).repeat()}, {1, 0})), (Epochs{{0, 1, 2}}));
}

TEST(Mix, DrawsAnewInEachEpochAndForEachSeed) {
  const auto data = mix({range(50), range(100, 150)}, {1, 1});
  const auto epochs = epochs_of(data.repeat(2));
  ASSERT_EQ(epochs.size(), 2U);
  EXPECT_NE(epochs[0], epochs[1]);
  EXPECT_EQ(elements_of(data), epochs[0]);
  EXPECT_NE(elements_of(mix({range(50).seed(1), range(100, 150)}, {1, 1})), epochs[0]);
}

TEST(Mix, TheEpochsInsideAreNotSeen) {
  EXPECT_EQ(epochs_of(mix({range(2).repeat(3), range(2).repeat().take(5)}, {1, 2}).repeat(2)).size(), 2U);
  EXPECT_EQ(epochs_of(mix({range(2).repeat(3), range(2).repeat().take(5)}, {1, 2}).repeat(2))[1].size(), 11U);
}

TEST(Mix, TakesDataSetsOfOneTypeOfWhateverKind) {
  const Dataset<int> mapped = range(3).map([](int i) { return i; });
  EXPECT_EQ(elements_of(mix({range(2), mapped}, {1, 1})).size(), 5U);
  EXPECT_EQ(elements_of(mix(std::vector<Dataset<int>>{mapped, range(2)}, std::vector<double>{1, 1})).size(), 5U);
}

TEST(Mix, RefusesWeightsThatAreNone) {
  const auto of_weights = [](const std::vector<double>& weights) {
    return rejection([&] { return mix({range(1), range(1)}, weights); });
  };
  EXPECT_EQ(of_weights({1}), "forebay: mix: 2 data sets need 2 weights, not 1");
  EXPECT_EQ(of_weights({1, -0.5}), "forebay: mix: a weight must be finite and at least 0, not -0.500000");
  EXPECT_TRUE(contains(of_weights({1, std::nan("")}), "not nan"));
  EXPECT_TRUE(contains(of_weights({1, HUGE_VAL}), "not inf"));
  EXPECT_EQ(of_weights({0, 0}), "forebay: mix: no weight is above 0, but not all data sets are known to be empty");
  EXPECT_EQ(rejection([] { return mix(std::vector<Dataset<int>>(), {}); }), "forebay: mix: there are no data sets");
}

TEST(Mix, OfEmptyDataSetsByTheirSizesIsEmpty) {
  const Dataset<int> empty = range(0);
  EXPECT_EQ(elements_of(mix(std::vector{empty}, {0})), Ints());
  EXPECT_EQ(elements_of(mix({empty, from_slices(Ints()).shuffle()}, {0, 0})), Ints());
  EXPECT_EQ(elements_of(mix({empty, range(2)}, {0, 2})), (Ints{0, 1}));
  EXPECT_EQ(mix({empty, empty}, {0, 0}).node()->properties().size, 0U);
}

/// Returns the elements of an epoch that are at least `least` and below `bound`.
Ints between(const Ints& elements, int least, int bound) {
  Ints found;
  std::copy_if(elements.begin(), elements.end(), std::back_inserter(found),
               [&](int i) { return i >= least && i < bound; });
  return found;
}

// proves: joined-inputs
TEST(Mix, EndsWhereAnInputIsDrawnThatHasEnded) {
  const MixOptions until_first{.stop = forebay::first_exhausted};
  for (const Ints& epoch : epochs_of(mix(until_first, {range(100), range(1000, 1010)}, {1, 1}).repeat(20))) {
    const Ints first = between(epoch, 0, 100);
    EXPECT_TRUE(std::equal(first.begin(), first.end(), elements_of(range(100)).begin()));
    EXPECT_EQ(between(epoch, 1000, 1010), elements_of(range(1000, 1010)));  // all of the one that ends first
    EXPECT_LT(first.size(), 60U);
  }
  EXPECT_EQ(elements_of(mix(until_first, {range(3), range(100)}, {1, 0})), (Ints{0, 1, 2}));
  EXPECT_EQ(elements_of(mix(until_first, {range(0), range(3)}, {0, 1})), (Ints{0, 1, 2}));
  EXPECT_LE(elements_of(mix(until_first, {range(0), range(100)}, {1, 1})).size(), 30U);
  EXPECT_LT(elements_of(mix(until_first, {range(3), range(3).repeat()}, {1, 1}).take(1000)).size(), 100U);
}

// proves: joined-inputs
TEST(Mix, RestartsAnInputUntilEachHasEndedOnce) {
  const auto data = mix({.restart = true}, {range(200), range(1000, 1010).shuffle()}, {1, 1});
  for (const Ints& epoch : epochs_of(data.repeat(3))) {
    EXPECT_EQ(between(epoch, 0, 200), elements_of(range(200)));
    const Ints other = between(epoch, 1000, 1010);
    ASSERT_GT(other.size(), 100U);
    std::set<Ints> orders;
    for (auto pass = other.begin(); other.end() - pass >= 10; pass += 10) {
      Ints order(pass, pass + 10);
      orders.insert(order);
      std::sort(order.begin(), order.end());
      EXPECT_EQ(order, elements_of(range(1000, 1010)));
    }
    EXPECT_GE(orders.size(), other.size() / 10 - 1);  // each pass is shuffled anew
  }
  const auto epochs = epochs_of(data.repeat(2));
  const Ints first = between(epochs[0], 1000, 1010);
  const Ints second = between(epochs[1], 1000, 1010);
  EXPECT_FALSE(std::equal(first.begin(), first.begin() + 10, second.begin()));
}

// proves: joined-inputs
TEST(Mix, DoesNotRestartAnInputWithoutElements) {
  const auto none = range(5).filter([](int) { return false; });
  EXPECT_EQ(elements_of(mix({.restart = true}, {none, range(4)}, {1, 1})), (Ints{0, 1, 2, 3}));
  EXPECT_EQ(elements_of(mix({.restart = true}, {none, none}, {1, 1})), Ints());
  EXPECT_EQ(elements_of(mix({.restart = true}, {range(4), range(9)}, {1, 0})), (Ints{0, 1, 2, 3}));
  EXPECT_EQ(elements_of(mix({.restart = true}, {range(4)}, {1})), (Ints{0, 1, 2, 3}));
}

/// The joined epochs of an input are one pass.
// proves: joined-inputs
TEST(Mix, RestartsAllEpochsOfAnInput) {
  const auto epochs = epochs_of(mix({.restart = true}, {range(300), range(1000, 1002).repeat(3)}, {3, 1}).repeat(2));
  for (const Ints& epoch : epochs) {
    EXPECT_EQ(between(epoch, 0, 300).size(), 300U);
    EXPECT_GT(between(epoch, 1000, 1002).size(), 12U);
  }
}

// proves: joined-inputs
TEST(Mix, ThatRestartsOrEndsWithTheFirstResumesAnywhere) {
  const auto inputs = std::vector<Dataset<int>>{range(20), range(100, 103).shuffle(), range(200, 202).repeat(2)};
  check_every_resume_point<int>(mix({.restart = true}, inputs, {3, 1, 1}).repeat(2));
  check_every_resume_point<int>(mix({.stop = forebay::first_exhausted}, inputs, {3, 1, 1}).repeat(4));
}

TEST(Mix, RefusesToRestartAndToEndWithTheFirst) {
  EXPECT_EQ(rejection([] {
              return mix({.stop = forebay::first_exhausted, .restart = true}, {range(2), range(2)}, {1, 1});
            }),
            "forebay: mix: with .stop = first_exhausted no input begins again, so .restart must be false");
}

TEST(Mix, KnowsItsSizeAndEndOnlyWithoutOptions) {
  const auto properties = [](MixOptions options, const std::vector<double>& weights) {
    return mix(options, {range(3), range(2).repeat()}, weights).node()->properties();
  };
  EXPECT_FALSE(properties({}, {1, 1}).ends);
  EXPECT_TRUE(properties({.stop = forebay::first_exhausted}, {1, 1}).ends);
  EXPECT_FALSE(properties({.stop = forebay::first_exhausted}, {0, 1}).ends);
  EXPECT_FALSE(properties({.restart = true}, {1, 1}).ends);
  EXPECT_TRUE(properties({.restart = true}, {1, 0}).ends);
  EXPECT_EQ(properties({}, {1, 0}).size, 3U);
  EXPECT_FALSE(properties({.restart = true}, {1, 0}).size);
  EXPECT_EQ(mix({.restart = true}, {range(0), range(0)}, {1, 1}).node()->properties().size, 0U);
}

// proves: joined-inputs
TEST(Mix, AFailureComesAtItsPlace) {
  const auto output = output_of(mix({failing_at(range(50), {0, 20}), range(100, 150)}, {1, 1}));
  EXPECT_EQ(below(output.all(), 100), 20);
  EXPECT_EQ(output.failed_at, (Position{0, 20}));
}

// ---- unbatch

TEST(Unbatch, TakesBatchesApart) {
  EXPECT_EQ(epochs_of(range(5).batch(2).unbatch().repeat(2)), (Epochs{{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}}));
  EXPECT_EQ(output_of(range(5).batch(2).unbatch().repeat(2)).positions[1][3], (Position{1, 3}));
  EXPECT_EQ(elements_of(from_slices(std::vector<std::list<int>>{{1}, {}, {2, 3}}).unbatch()), (Ints{1, 2, 3}));
  const auto truths = range(3).map([](int i) { return i == 1; }).batch(2).unbatch();
  EXPECT_EQ(elements_of(truths), (std::vector<bool>{false, true, false}));
}

TEST(Unbatch, LeavesOffWhereAnEpochIsLeftEarly) {
  EXPECT_EQ(epochs_of(range(6).batch(3).unbatch().take(2).repeat(2)), (Epochs{{0, 1}, {0, 1}}));
}

// ---- zip

// proves: joined-inputs
TEST(Zip, AFailureInTheNextRoundWaitsForIt) {
  const auto output = output_of(zip(range(2), failing_at(range(2), {1, 0})).repeat(2));
  EXPECT_EQ(output.epochs, (std::vector<std::vector<std::tuple<int, int>>>{{{0, 0}, {1, 1}}}));
}

using Pairs = std::vector<std::tuple<int, int>>;

TEST(Zip, HasTuplesAndEndsWithTheShortest) {
  EXPECT_EQ(elements_of(zip(range(3), range(10, 20))), (Pairs{{0, 10}, {1, 11}, {2, 12}}));
  EXPECT_EQ(elements_of(zip(range(10, 20), range(3))), (Pairs{{10, 0}, {11, 1}, {12, 2}}));
  EXPECT_EQ(elements_of(zip(range(2), range(2), range(2))).size(), 2U);
}

TEST(Zip, IsRepeatedWhole) {
  const std::vector<Pairs> epoch_twice{{{0, 0}, {1, 1}}, {{0, 0}, {1, 1}}};
  EXPECT_EQ(epochs_of(zip(range(2), range(5)).repeat(2)), epoch_twice);
  EXPECT_EQ(epochs_of(zip(range(5), range(2)).repeat(2)), epoch_twice);
}

// proves: joined-epochs
TEST(Zip, HasOneEpochOfAllEpochsOfItsInputs) {
  EXPECT_EQ(epochs_of(zip(range(2).repeat(2), range(9))), (std::vector<Pairs>{{{0, 0}, {1, 1}, {0, 2}, {1, 3}}}));
  EXPECT_EQ(epochs_of(zip(range(4), range(2).repeat())), (std::vector<Pairs>{{{0, 0}, {1, 1}, {2, 0}, {3, 1}}}));
  EXPECT_EQ(epochs_of(zip(range(4), range(2).repeat()).repeat(2)),
            (std::vector<Pairs>{{{0, 0}, {1, 1}, {2, 0}, {3, 1}}, {{0, 0}, {1, 1}, {2, 0}, {3, 1}}}));
}

TEST(Zip, EndsAllEpochsOfAnInputWithTheShortest) {
  EXPECT_EQ(epochs_of(zip(range(2).repeat(3), range(3)).repeat(2)),
            (std::vector<Pairs>{{{0, 0}, {1, 1}, {0, 2}}, {{0, 0}, {1, 1}, {0, 2}}}));
}

// proves: epoch-left
TEST(Zip, AnEpochThatIsLeftEarlyBeginsAnewInAllInputs) {
  EXPECT_EQ(
      epochs_of(
          zip(range(3), range(6)).repeat(2).apply([](std::tuple<int, int>&& pair, Out<std::tuple<int, int>>& out) {
            out.emit(pair);
            out.end();
          })),
      (std::vector<Pairs>{{{0, 0}}, {{0, 0}}}));
}

TEST(Zip, NumbersTuplesAnew) {
  EXPECT_EQ(output_of(zip(range(9).skip(5), range(3)).repeat(2)).positions[1][1], (Position{1, 1}));
}

TEST(ZipOfEqualLengths, IsThatOfAnyLengthsIfTheyAreEqual) {
  const std::vector<Pairs> epoch_twice{{{0, 10}, {1, 11}}, {{0, 10}, {1, 11}}};
  EXPECT_EQ(epochs_of(zip({.lengths = forebay::equal}, range(2), range(10, 12)).repeat(2)), epoch_twice);
  EXPECT_EQ(epochs_of(zip({.lengths = forebay::equal}, range(1).repeat(2), range(2))),
            (std::vector<Pairs>{{{0, 0}, {0, 1}}}));
  EXPECT_EQ(elements_of(zip({.lengths = forebay::equal}, range(0), range(0))), Pairs());
  EXPECT_EQ(elements_of(zip({}, range(2), range(3))).size(), 2U);
}

TEST(ZipOfEqualLengths, NamesTheInputThatHasEndedAndWhereTheOthersStand) {
  const forebay::ZipOptions options{.lengths = forebay::equal};
  const auto failure_of = [&](const auto&... inputs) { return output_of(zip(options, inputs...)).failure; };
  const std::string begin = "forebay: zip, epoch 0, number ";
  EXPECT_EQ(failure_of(range(3), range(4)),
            begin + "3: input 1 has ended after 3 elements; input 2 continues with its number 3");
  EXPECT_EQ(failure_of(range(4), range(3)),
            begin + "3: input 2 has ended after 3 elements; input 1 continues with its number 3");
  EXPECT_EQ(failure_of(range(1), range(2)),
            begin + "1: input 1 has ended after 1 element; input 2 continues with its number 1");
  EXPECT_EQ(failure_of(range(0), range(1)),
            begin + "0: input 1 has ended after 0 elements; input 2 continues with its number 0");
  EXPECT_EQ(failure_of(range(9).skip(5), range(3), range(20).filter([](int i) { return i % 3 == 1; }), range(3)),
            begin +
                "3: inputs 2 and 4 have ended after 3 elements; input 1 continues with its number 8, and input 3 "
                "with its number 10");
}

// proves: joined-inputs
TEST(ZipOfEqualLengths, FailsAfterAllTuplesInEachEpoch) {
  const auto data = zip({.lengths = forebay::equal}, range(40), range(70)).named("pairs");
  const auto output = output_of(data.repeat(2));
  EXPECT_EQ(output.all().size(), 40U);
  EXPECT_EQ(output.failed_at, (Position{0, 40}));
  EXPECT_EQ(output.failed_stage, "pairs");
  EXPECT_EQ(output_of(data.take(40).repeat(2)).failure, "") << "an epoch that is left before";
}

TEST(ZipOfEqualLengths, ReportsTheFailureOfAnInputFirst) {
  const auto broken = failing_at(range(2), {0, 1});
  EXPECT_EQ(output_of(zip({.lengths = forebay::equal}, broken, range(1))).failed_stage,
            output_of(zip(broken, range(9))).failed_stage);
  EXPECT_EQ(output_of(zip({.lengths = forebay::equal}, range(1), broken)).failed_stage,
            output_of(zip(broken, range(9))).failed_stage);
}

TEST(ZipOfEqualLengths, WaitsForAllInputsBeforeItEnds) {
  forebay::FIFOQueue<int> queue(3);
  const auto data = zip({.lengths = forebay::equal}, range(1), forebay::from_queue(queue));
  auto pipeline = data.run();
  ASSERT_EQ(queue.enqueue(5), forebay::QueueStatus::ok);
  EXPECT_TRUE(pipeline.next());
  EXPECT_EQ(pipeline.next(forebay::no_wait).status(), forebay::QueueStatus::empty) << "the queue may get another one";
  queue.close();
  EXPECT_EQ(pipeline.next().status(), forebay::QueueStatus::closed);
}

// ---- apply

/// Emits the sums of neighbours.
struct Sums {
  void operator()(int&& element, Out<int>& out) {
    if (before) out.emit(*before + element);
    before = element;
  }
  void finish(Out<int>& out) {
    out.emit(-1);
    before.reset();
  }
  std::optional<int> before;
};

TEST(Apply, EmitsWhatItLikes) {
  EXPECT_EQ(epochs_of(range(4).apply(Sums()).repeat(2)), (Epochs{{1, 3, 5, -1}, {1, 3, 5, -1}}));
}

TEST(Apply, MayEmitManyOfOne) {
  struct Many {
    using value_type = std::string;
    void operator()(int&& element, Out<std::string>& out) {
      for (int i = 0; i < 100; ++i) out.emit(std::to_string(element));
    }
  };
  EXPECT_EQ(elements_of(range(3).apply(Many())).size(), 300U);
  EXPECT_EQ(output_of(range(3).apply(Many()).repeat(2)).positions[1].back(), (Position{1, 299}));
}

TEST(Apply, EachRunHasACopyOfTheStage) {
  const auto data = range(3).apply([seen = 0](int&&, Out<int>& out) mutable { out.emit(seen++); });
  EXPECT_EQ(elements_of(data), (Ints{0, 1, 2}));
  EXPECT_EQ(elements_of(data), (Ints{0, 1, 2}));
}

// proves: epoch-end
TEST(Apply, EachEpochHasACopyOfTheStage) {
  EXPECT_EQ(epochs_of(range(2).repeat(2).apply([seen = 0](int&&, Out<int>& out) mutable { out.emit(seen++); })),
            (Epochs{{0, 1}, {0, 1}}));
}

/// Ends the epoch at the first number that is at least `last`.
struct Until {
  int last;
  int finished = 0;
  void operator()(int&& element, Out<int>& out) const {
    if (element < last) return out.emit(element);
    out.end();
    out.emit(-2);
  }
  void finish(Out<int>& out) { out.emit(++finished * 100); }
};

TEST(Apply, MayEndAnEpochEarly) {
  EXPECT_EQ(epochs_of(range(1000).repeat(2).apply(Until{2})), (Epochs{{0, 1, 100}, {0, 1, 100}}));
  EXPECT_EQ(epochs_of(range(1000).apply(Until{2}).repeat(2)), (Epochs{{0, 1, 100}, {0, 1, 100}}));
}

// proves: epoch-left
TEST(Apply, LeavesTheEpochOfATakeBeforeIt) {
  EXPECT_EQ(epochs_of(range(4).repeat().take(6).apply(Until{2})), (Epochs{{0, 1, 100}}));
  EXPECT_EQ(epochs_of(range(4).repeat().take(6).apply(Until{1}).repeat(2)), (Epochs{{0, 100}, {0, 100}}));
}

// proves: epoch-left
TEST(Apply, DoesNotFinishAnEpochThatAStageBehindLeaves) {
  std::atomic<int> finished{0};
  struct Counts {
    void operator()(int&& element, Out<int>& out) const { out.emit(element); }
    void finish(Out<int>& /*out*/) const { ++*finished; }
    std::atomic<int>* finished;
  };
  EXPECT_EQ(epochs_of(range(10).apply(Counts{&finished}).take(2).repeat(3)), (Epochs{{0, 1}, {0, 1}, {0, 1}}));
  EXPECT_EQ(finished, 0);
  EXPECT_EQ(elements_of(range(2).apply(Counts{&finished}).repeat(3)).size(), 6U);
  EXPECT_EQ(finished, 3);
}

// proves: failure-drops
TEST(Apply, FailsWithoutFinishing) {
  struct Broken {
    void operator()(int&& element, Out<int>& out) const {
      if (element == 2) throw Failure("broken");
      out.emit(element);
    }
    void finish(Out<int>& out) { out.emit(100); }
  };
  const auto output = output_of(range(4).apply(Broken()).named("mine"));
  EXPECT_EQ(output.all(), (Ints{0, 1}));
  EXPECT_EQ(output.failure, "forebay: mine, epoch 0, number 2: broken");
}

TEST(Apply, FinishMayFail) {
  struct Broken {
    void operator()(int&& element, Out<int>& out) { out.emit(element); }
    void finish(Out<int>&) { throw Failure("end"); }
  };
  const auto output = output_of(range(2).apply(Broken()).repeat(2));
  EXPECT_EQ(output.epochs, (Epochs{{0, 1}}));
  EXPECT_EQ(output.failure, "forebay: apply, epoch 0, number 2: end");
}

TEST(Enumerate, PairsElementsWithTheirNumbers) {
  using Numbered = std::vector<std::tuple<std::uint64_t, int>>;
  EXPECT_EQ(epochs_of(range(5, 7).enumerate().repeat(2)), (std::vector<Numbered>{{{0, 5}, {1, 6}}, {{0, 5}, {1, 6}}}));
  EXPECT_EQ(elements_of(range(2).repeat(2).skip(1).enumerate()), (Numbered{{0, 1}, {1, 0}, {2, 1}}));
}

}  // namespace
}  // namespace forebay_test
