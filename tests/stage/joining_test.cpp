// SPDX-License-Identifier: MIT
//
// joining_test.cpp: the stages that put data sets into one another, or side by side: flat_map and zip; and the user's
// own stages.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "tests/support/plain_run.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::Context;
using forebay::from_slices;
using forebay::Out;
using forebay::range;
using forebay::redirect;
using forebay::skip;
using forebay::zip;

using Ints = std::vector<int>;
using Epochs = std::vector<Ints>;

/// Reads `count` times `count`.
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

TEST(FlatMap, ADataSetInsideDrawsByTheElementOutside) {
  const auto shuffled = [](int) { return range(50).shuffle(); };
  const auto elements = elements_of(range(2).flat_map(shuffled));
  EXPECT_NE(Ints(elements.begin(), elements.begin() + 50), Ints(elements.begin() + 50, elements.end()));
  EXPECT_EQ(elements, elements_of(range(2).flat_map(shuffled)));
  EXPECT_NE(elements, elements_of(range(2).seed(1).flat_map(shuffled)));
}

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

TEST(FlatMap, SkipsWhatCannotBeOpened) {
  const auto open = [](int i) {
    if (i % 2 == 0) throw Failure("even");
    return Copies{1};
  };
  EXPECT_EQ(elements_of(range(6).flat_map({.on_error = skip(3)}, open)), (Ints{1, 1, 1}));
  EXPECT_EQ(output_of(range(6).flat_map({.on_error = skip(2)}, open)).failed_at, (Position{0, 4}));
}

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

TEST(FlatMap, AReaderThatFailsTwiceInARowHasEnded) {
  const auto data = range(2).flat_map({.on_error = skip(10)},
                                      [](int) { return []() -> std::optional<int> { throw Failure("always"); }; });
  EXPECT_EQ(epochs_of(data), Epochs{{}});
}

TEST(FlatMap, RefusesADataSetWithThreadsInside) {
  const auto data = range(2).flat_map([](int i) { return range(i).map(2, [](int j) { return j; }); });
  EXPECT_NE(output_of(data).failure.find("cannot have threads of its own"), std::string::npos);
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
            "forebay: interleave: .cycle has to be at least 1, not 0");
  EXPECT_EQ(rejection([] { return range(3).interleave(1, 0, copies_of); }),
            "forebay: interleave: .block has to be at least 1, not 0");
  EXPECT_EQ(rejection([] { return range(3).interleave({.prefetch = 0}, copies_of); }),
            "forebay: interleave: .prefetch has to be at least 1, not 0");
  EXPECT_EQ(rejection([] { return range(3).interleave(-1, 1, copies_of); }),
            "forebay: a count must be at least 0, not -1");
  const auto threads_inside = [](int i) { return range(i).map(2, [](int j) { return j; }); };
  EXPECT_NE(output_of(range(2).interleave(2, 1, threads_inside)).failure.find("cannot have threads"),
            std::string::npos);
}

// ---- zip

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

TEST(Zip, HasTheEpochsOfItsFirst) {
  EXPECT_EQ(epochs_of(zip(range(2).repeat(2), range(9))), (std::vector<Pairs>{{{0, 0}, {1, 1}}, {{0, 2}, {1, 3}}}));
  EXPECT_EQ(epochs_of(zip(range(4), range(2).repeat())), (std::vector<Pairs>{{{0, 0}, {1, 1}, {2, 0}, {3, 1}}}));
  EXPECT_EQ(epochs_of(zip(range(4), range(2).repeat()).repeat(2)),
            (std::vector<Pairs>{{{0, 0}, {1, 1}, {2, 0}, {3, 1}}, {{0, 0}, {1, 1}, {2, 0}, {3, 1}}}));
}

TEST(Zip, EndsARoundOfEpochsWithTheShortest) {
  EXPECT_EQ(epochs_of(zip(range(2).repeat(3), range(3)).repeat(2)),
            (std::vector<Pairs>{{{0, 0}, {1, 1}}, {{0, 2}}, {{0, 0}, {1, 1}}, {{0, 2}}}));
}

TEST(Zip, AnEpochThatIsLeftEarlyDoesNotMoveTheOthers) {
  EXPECT_EQ(
      epochs_of(
          zip(range(3).repeat(2), range(6)).apply([](std::tuple<int, int>&& pair, Out<std::tuple<int, int>>& out) {
            out.emit(pair);
            out.end();
          })),
      (std::vector<Pairs>{{{0, 0}}, {{0, 3}}}));
}

TEST(Zip, NumbersTuplesAnew) {
  EXPECT_EQ(output_of(zip(range(9).skip(5), range(3)).repeat(2)).positions[1][1], (Position{1, 1}));
}

// ---- apply

/// The sums of neighbours.
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

TEST(Apply, KeepsItsStateAcrossEpochsUnlessFinishClearsIt) {
  EXPECT_EQ(epochs_of(range(2).repeat(2).apply([seen = 0](int&&, Out<int>& out) mutable { out.emit(seen++); })),
            (Epochs{{0, 1}, {2, 3}}));
}

/// Ends the epoch at the first number from `last` on.
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
  EXPECT_EQ(epochs_of(range(1000).repeat(2).apply(Until{2})), (Epochs{{0, 1, 100}, {0, 1, 200}}));
  EXPECT_EQ(epochs_of(range(1000).apply(Until{2}).repeat(2)), (Epochs{{0, 1, 100}, {0, 1, 200}}));
}

TEST(Apply, AnEpochThatItEndsCountsAsAWholeBeforeIt) {
  EXPECT_EQ(epochs_of(range(4).repeat().take(6).apply(Until{2})), (Epochs{{0, 1, 100}, {0, 1, 200}}));
  EXPECT_EQ(epochs_of(range(4).repeat().take(6).apply(Until{1}).repeat(2)),
            (Epochs{{0, 100}, {0, 200}, {0, 300}, {0, 400}}));
}

TEST(Apply, FinishesAnEpochThatAStageBehindLeaves) {
  EXPECT_EQ(epochs_of(range(10).apply(Sums()).take(2).repeat(3)), (Epochs{{1, 3}, {1, 3}, {1, 3}}));
}

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
  EXPECT_EQ(elements_of(range(2).repeat(2).skip(1).enumerate()), (Numbered{{0, 1}, {0, 0}, {1, 1}}));
}

}  // namespace
}  // namespace forebay_test
