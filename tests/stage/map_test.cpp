// SPDX-License-Identifier: MIT
//
// map_test.cpp: map without threads: the forms of its function, reuse of storage, counter-based random numbers, and
// failures.

#include <gtest/gtest.h>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "tests/support/plain_run.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::Context;
using forebay::from_slices;
using forebay::no_wait;
using forebay::per_thread;
using forebay::range;
using forebay::redirect;
using forebay::skip;

using Ints = std::vector<int>;
using Epochs = std::vector<Ints>;
using Texts = std::vector<std::string>;

struct Record {
  std::string text;
  [[nodiscard]] std::size_t size() const { return text.size(); }
};

std::string text_of(int number) { return std::to_string(number); }

// ---- Forms

TEST(Map, OfAFunctionThatReturns) {
  EXPECT_EQ(elements_of(range(3).map([](int i) { return std::to_string(i); })), (Texts{"0", "1", "2"}));
  EXPECT_EQ(elements_of(range(3).map(text_of)), (Texts{"0", "1", "2"}));
  EXPECT_EQ(elements_of(range(3).map(std::function<std::string(int)>(text_of))), (Texts{"0", "1", "2"}));
  EXPECT_EQ(elements_of(range(3).map([](auto i) { return 2 * i; })), (Ints{0, 2, 4}));
}

TEST(Map, OfAMember) {
  const auto data = from_slices(std::vector<Record>{{"one"}, {"three"}});
  EXPECT_EQ(elements_of(data.map(&Record::text)), (Texts{"one", "three"}));
  EXPECT_EQ(elements_of(data.map(&Record::size)), (std::vector<std::size_t>{3, 5}));
}

TEST(Map, CopiesWhatAFunctionReturnsByReference) {
  const std::string word = "word";
  EXPECT_EQ(elements_of(range(2).map([&word](int) -> const std::string& { return word; })), (Texts{"word", "word"}));
  EXPECT_EQ(word, "word");
}

TEST(Map, OfAFunctionThatFills) {
  EXPECT_EQ(elements_of(range(3).map([](int i, std::string& into) { into = std::to_string(i); })),
            (Texts{"0", "1", "2"}));
}

TEST(Map, OfAFunctionWithAContext) {
  const auto numbers = range(10).skip(7).map([](int, Context& context) { return context.position().number; });
  EXPECT_EQ(elements_of(numbers), (std::vector<std::uint64_t>{7, 8, 9}));
  const auto filled =
      range(3).map([](int, std::uint64_t& into, Context& context) { into = context.position().number; });
  EXPECT_EQ(elements_of(filled), (std::vector<std::uint64_t>{0, 1, 2}));
}

TEST(Map, OfAGenericLambdaThatFillsIsToldWhatItFills) {
  EXPECT_EQ(elements_of(range(3).map<int>([](auto i, auto& into) { into = i; })), (Ints{0, 1, 2}));
  EXPECT_EQ(elements_of(range(3).map<int>(
                [](auto i, auto& into, auto& context) { into = i + static_cast<int>(context.position().number); })),
            (Ints{0, 2, 4}));
}

TEST(Map, MayBeToldWhatItMakes) {
  const auto halves = range(3).map<float>([](int i) { return i * 0.5; });
  static_assert(std::same_as<decltype(halves)::value_type, float>);
  EXPECT_EQ(elements_of(halves), (std::vector<float>{0, 0.5F, 1}));
}

TEST(Map, GivesItsElementAway) {
  const auto data = range(3).map([](int i) { return std::make_unique<int>(i); });
  EXPECT_EQ(elements_of(data.map([](std::unique_ptr<int> pointer) { return *pointer; })), (Ints{0, 1, 2}));
}

TEST(Map, MakesTruthValues) {
  EXPECT_EQ(elements_of(range(3).map([](int i) { return i == 1; })), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(elements_of(range(3).map([](int i, bool& into) { into = i == 1; })),
            (std::vector<bool>{false, true, false}));
}

TEST(Map, OfAPerThreadHasAnObjectOfItsOwn) {
  const auto data = range(3).map(per_thread([] { return [sum = 0](int i) mutable { return sum += i; }; }));
  EXPECT_EQ(elements_of(data), (Ints{0, 1, 3}));
  EXPECT_EQ(elements_of(data), (Ints{0, 1, 3}));
}

TEST(Map, WithThreadsThatAreNotThereDoesTheSame) {
  EXPECT_EQ(elements_of(range(3).map(4, [](int i) { return 2 * i; })), (Ints{0, 2, 4}));
}

TEST(Map, KeepsNumbersAndEpochs) {
  const auto output = output_of(range(4).skip(2).map([](int i) { return i; }).repeat(2));
  EXPECT_EQ(output.epochs, (Epochs{{2, 3}, {2, 3}}));
  EXPECT_EQ(output.positions[1][1], (Position{1, 3}));
}

// ---- Storage

TEST(Map, FillsWhatItFilledBefore) {
  int made = 0;
  const auto data = range(20).map({.make =
                                       [&made] {
                                         ++made;
                                         return std::string("new");
                                       }},
                                  [](int, std::string& into) { into += '!'; });
  PlainRun run(data);
  EXPECT_EQ(run.pull(2), PullResult::more);
  EXPECT_EQ(run.chunk()[1], "new!");
  EXPECT_EQ(run.pull(2), PullResult::more);
  EXPECT_EQ(run.chunk()[1], "new!!");
  EXPECT_EQ(made, 2);
}

struct WithoutDefault {
  explicit WithoutDefault(int its_value) : value(its_value) {}
  int value;
};

TEST(Map, RefusesStorageThatNobodyCanMake) {
  const auto fill = [](int i, WithoutDefault& into) { into.value = i; };
  EXPECT_EQ(rejection([&] { return range(3).map(fill); }),
            "forebay: map: the type that the function fills has no default constructor: set .make");
  EXPECT_EQ(rejection([&] { return range(3).map({.make = [] { return 1; }}, fill); }),
            "forebay: map: .make must create the type that the function fills");
  EXPECT_EQ(rejection([&] { return range(3).map({.make = [] { return 1; }}, [](int i) { return i; }); }),
            "forebay: map: .make requires a function of the form void f(T, U&)");
  EXPECT_EQ(output_of(range(3).map({.make = [] { return WithoutDefault(0); }}, fill)).epochs.at(0).size(), 3U);
}

TEST(Map, RefusesImpossibleSettings) {
  const auto same = [](int i) { return i; };
  EXPECT_EQ(rejection([&] { return range(3).map(0, same); }), "forebay: map: threads must be at least 1, not 0");
  EXPECT_EQ(rejection([&] { return range(3).map({.ahead = 0}, same); }),
            "forebay: map: ahead must be at least 1, not 0");
  EXPECT_EQ(rejection([&] { return range(3).map({.chunk = 0}, same); }),
            "forebay: map: chunk must be at least 1, not 0");
  EXPECT_EQ(rejection([&] { return range(3).map(-1, same); }), "forebay: map: threads must be at least 1, not -1");
}

// ---- Random numbers

std::vector<double> draws(const Dataset<int>& data) {
  return elements_of(data.map([](int, Context& context) { return context.draw().uniform(); }));
}

TEST(Draw, DependsOnSeedAndPositionOnly) {
  EXPECT_EQ(draws(range(10)), draws(range(10)));
  EXPECT_NE(draws(range(10)), draws(range(10).seed(1)));
  const auto all = draws(range(10));
  EXPECT_EQ(draws(range(10).skip(4)), std::vector<double>(all.begin() + 4, all.end()));
  const auto epochs = output_of(range(3).repeat(2).map([](int, Context& context) { return context.draw()(); })).epochs;
  EXPECT_NE(epochs[0], epochs[1]);
}

TEST(Draw, OfAShardIsThatOfTheWholeUnlessElementsAreNumberedAnew) {
  const auto all = draws(range(10));
  EXPECT_EQ(draws(range(10).shard(1, 2)), (std::vector<double>{all[1], all[3], all[5], all[7], all[9]}));
  const auto batch_draws = [](int index) {
    return elements_of(range(10).shard(index, 2).batch(5).map(
        [](const Ints&, Context& context) { return context.draw().uniform(); }));
  };
  EXPECT_NE(batch_draws(0), batch_draws(1));
}

TEST(Draw, OfSeveralStagesDiffers) {
  const auto twice = range(5)
                         .map([](int, Context& context) { return context.draw().uniform(); })
                         .map([](double first, Context& context) { return first == context.draw().uniform(); });
  EXPECT_EQ(elements_of(twice), std::vector<bool>(5, false));
}

TEST(Draw, GoesOnWithinTheElement) {
  const auto pairs = elements_of(range(2).map([](int, Context& context) {
    const auto first = context.draw()();
    return std::make_pair(first, context.draw()());
  }));
  EXPECT_NE(pairs[0].first, pairs[0].second);
}

TEST(Draw, HasTheSameNumbersOnEveryPlatform) {
  Context context(Position{1, 2}, 3);
  EXPECT_EQ(context.draw()(), 15864448616356352756ULL);
  EXPECT_EQ(context.draw().below(1000), 205ULL);
  EXPECT_NEAR(context.draw().uniform(), 0.553856, 1e-6);
}

TEST(Draw, IsUniformAndNormal) {
  double sum = 0;
  double normal_sum = 0;
  double squares = 0;
  constexpr int count = 20000;
  for (std::uint64_t i = 0; i < count; ++i) {
    Context context(Position{0, i});
    sum += context.draw().uniform();
    const double normal = context.draw().normal();
    normal_sum += normal;
    squares += normal * normal;
  }
  EXPECT_NEAR(sum / count, 0.5, 0.01);
  EXPECT_NEAR(normal_sum / count, 0, 0.035);
  EXPECT_NEAR(squares / count, 1, 0.05);
}

TEST(Draw, OfNoNumbersIsRefused) {
  Context context(Position{});
  EXPECT_NE(rejection([&] { return context.draw().below(0); }), "nothing was thrown");
  EXPECT_NE(rejection([&] { return context.draw().below(-1); }), "nothing was thrown");
}

// ---- Failures

std::string text_of_failure(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const DatasetError& error) {
    return error.what();
  }
}

int fail_at_multiples_of_three(int i) {
  if (i % 3 == 0) throw Failure("three");
  return i;
}

TEST(Map, DeliversWhatIsBeforeAFailureAndNothingBehind) {
  const auto output = output_of(range(1, 9).map(fail_at_multiples_of_three));
  EXPECT_EQ(output.all(), (Ints{1, 2}));
  EXPECT_EQ(output.failure, "forebay: map, epoch 0, number 2: three");
}

TEST(Map, NamesItselfInAFailure) {
  const auto output = output_of(range(1, 9).map(fail_at_multiples_of_three).named("decode").batch(1).named("cut"));
  EXPECT_EQ(output.failed_stage, "decode");
}

// proves: dataset-failure
TEST(Map, KeepsTheCauseInAFailure) {
  PlainRun run(range(1).map([](int i) -> int { throw Failure("cause" + std::to_string(i)); }));
  try {
    static_cast<void>(run.pull(1));
    FAIL();
  } catch (const DatasetError& error) {
    EXPECT_THROW(error.rethrow_nested(), Failure);
  }
}

// proves: dataset-failure
TEST(Map, WhateverItThrowsIsAFailure) {
  EXPECT_EQ(output_of(range(1).map([](int) -> int { throw forebay::OutOfRangeError(); })).failed_stage, "map");
  EXPECT_EQ(output_of(range(1).map([](int) -> int { throw 3; })).failure,
            "forebay: map, epoch 0, number 0: an exception that is not a std::exception");
}

// proves: skip
TEST(Map, SkipsWhatFailsUpToALimitInEachEpoch) {
  const auto data = range(10).map({.on_error = skip(4)}, fail_at_multiples_of_three);
  EXPECT_EQ(epochs_of(data.repeat(2)), (Epochs{{1, 2, 4, 5, 7, 8}, {1, 2, 4, 5, 7, 8}}));
}

// proves: skip
TEST(Map, FailsAtTheOneThatIsTooMany) {
  const auto output = output_of(range(10).map({.on_error = skip(2)}, fail_at_multiples_of_three));
  EXPECT_EQ(output.all(), (Ints{1, 2, 4, 5}));
  EXPECT_EQ(output.failed_at, (Position{0, 6}));
}

TEST(Map, MaySkipAllElements) {
  const auto data = range(100).map({.on_error = skip(100)}, [](int) -> int { throw Failure("all"); });
  EXPECT_EQ(epochs_of(data), Epochs{{}});
}

// proves: redirect
TEST(Map, RedirectsAllThatFails) {
  std::vector<Position> positions;
  Texts failures;
  const auto data = range(10).map({.on_error = redirect([&](Position position, const std::exception_ptr& failure) {
                                     positions.push_back(position);
                                     failures.push_back(text_of_failure(failure));
                                   })},
                                  fail_at_multiples_of_three);
  EXPECT_EQ(epochs_of(data.repeat(2)), (Epochs{{1, 2, 4, 5, 7, 8}, {1, 2, 4, 5, 7, 8}}));
  EXPECT_EQ(positions, (std::vector<Position>{{0, 0}, {0, 3}, {0, 6}, {0, 9}, {1, 0}, {1, 3}, {1, 6}, {1, 9}}));
  EXPECT_EQ(failures[5], "forebay: map, epoch 1, number 3: three");
}

// proves: redirect
TEST(Map, FailsWithWhatRedirectThrows) {
  const auto output =
      output_of(range(10).map({.on_error = redirect([](Position position, const std::exception_ptr& /*failure*/) {
                                 if (position.number == 3) throw Failure("disk full");
                               })},
                              fail_at_multiples_of_three));
  EXPECT_EQ(output.all(), (Ints{1, 2}));
  EXPECT_EQ(output.failure, "forebay: map, epoch 0, number 3: disk full");
}

TEST(Map, FailsWithItsFactory) {
  const auto output = output_of(range(3).map(per_thread([]() -> std::function<int(int)> { throw Failure("no"); })));
  EXPECT_EQ(output.failed_stage, "map");
}

// ---- The wait

TEST(Map, LooksAtTheWaitBetweenElements) {
  PlainRun run(range(100).map([](int i) { return i; }));
  EXPECT_EQ(run.pull(32, no_wait), PullResult::more);
  EXPECT_EQ(run.chunk().size(), 1U);
  EXPECT_EQ(run.pull(32, std::chrono::nanoseconds(1)), PullResult::more);
  EXPECT_EQ(run.chunk().size(), 1U);
  EXPECT_EQ(run.chunk()[0], 1);
}

}  // namespace
}  // namespace forebay_test
