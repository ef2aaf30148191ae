// SPDX-License-Identifier: MIT
//
// user_stage_test.cpp: stages that users write: what they emit, what they get, and how they resume.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/pipeline_output.hpp"
#include "tests/support/plain_run.hpp"
#include "tests/support/resume_points.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::Context;
using forebay::Dataset;
using forebay::from_slices;
using forebay::Out;
using forebay::Position;
using forebay::range;
using forebay::detail::Epoch;
using forebay::detail::Snapshot;
using forebay::detail::SnapshotReader;

using Number = std::uint64_t;
using Numbers = std::vector<Number>;
using Ints = std::vector<int>;
using Epochs = std::vector<Ints>;

// ---- What they emit

/// Emits what `results` returns for each element, all at once.
template <class T, class Results>
struct EmitsAll {
  using value_type = T;
  void operator()(int&& element, Out<T>& out) { results(element, out); }
  Results results;
};
template <class T, class Results>
EmitsAll<T, Results> emits_all(Results results) {
  return {results};
}

TEST(EmitAll, EmitsTheElementsOfAnyRangeInTheirOrder) {
  const Ints expected{0, 0, 1, 2};
  const auto emitted = [](auto make) {
    return elements_of(
        range(3).filter([](int i) { return i != 1; }).apply(emits_all<int>([make](int i, Out<int>& out) {
          if (i == 0) return out.emit(0);
          out.emit_all(make());
        })));
  };
  EXPECT_EQ(emitted([] { return Ints{0, 1, 2}; }), expected);
  EXPECT_EQ(emitted([] { return std::list<int>{0, 1, 2}; }), expected);
  EXPECT_EQ(emitted([] { return std::vector<short>{0, 1, 2}; }), expected);
  static const std::array<int, 3> lasting{0, 1, 2};
  EXPECT_EQ(emitted([] { return std::span(lasting); }), expected);
  EXPECT_EQ(emitted([] { return std::span(lasting).subspan(0); }), expected);
  EXPECT_EQ(elements_of(range(2).apply(emits_all<int>([](int, Out<int>& out) { out.emit_all(Ints()); }))), Ints());
}

TEST(EmitAll, OfBoolsKeepsThem) {
  const auto data = range(2).apply(emits_all<bool>([](int, Out<bool>& out) {
    out.emit_all(std::array<bool, 3>{true, false, true});
    out.emit_all(std::vector<bool>{false});
  }));
  EXPECT_EQ(elements_of(data), (std::vector<bool>{true, false, true, false, true, false, true, false}));
}

TEST(EmitAll, MovesFromARangeThatIsGivenAndCopiesOneThatIsKept) {
  std::vector<std::string> kept{"a long text that needs memory of its own"};
  const auto data = range(2).apply(emits_all<std::string>([&kept](int i, Out<std::string>& out) {
    if (i == 0) return out.emit_all(kept);
    out.emit_all(std::move(kept));
  }));
  const std::vector<std::string> before{kept[0], kept[0]};
  EXPECT_EQ(elements_of(data), before);
  EXPECT_EQ(kept, std::vector<std::string>{""});
}

TEST(EmitAll, EmitsWhatCanOnlyBeMoved) {
  const auto data = range(1).apply(emits_all<std::unique_ptr<int>>([](int, Out<std::unique_ptr<int>>& out) {
    std::vector<std::unique_ptr<int>> some;
    some.push_back(std::make_unique<int>(4));
    some.push_back(std::make_unique<int>(5));
    out.emit_all(std::move(some));
  }));
  Ints elements;
  for (const auto& element : data.run()) elements.push_back(*element);
  EXPECT_EQ(elements, (Ints{4, 5}));
}

TEST(EmitAll, NumbersItsElements) {
  const auto data = range(2).apply(emits_all<int>([](int i, Out<int>& out) { out.emit_all(Ints(40, i)); }));
  const auto output = output_of(data.repeat(2));
  ASSERT_EQ(output.positions[1].size(), 80U);
  for (std::uint64_t i = 0; i < 80; ++i) EXPECT_EQ(output.positions[1][i], (Position{1, i}));
}

TEST(EmitAll, EmitsMoreElementsThanBefore) {
  const auto data = range(1, 40).apply(emits_all<int>([](int count, Out<int>& out) {
    Ints numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 100 * count);
    out.emit_all(numbers);
  }));
  Ints expected;
  for (int count = 1; count < 40; ++count) {
    for (int i = 0; i < count; ++i) expected.push_back(100 * count + i);
  }
  EXPECT_EQ(outputs_of(data), expected);
}

TEST(EmitAll, EmitsNothingAfterTheEnd) {
  const auto data = range(2).apply(emits_all<int>([](int, Out<int>& out) {
    out.emit(1);
    out.end();
    out.emit_all(Ints{2, 3});
  }));
  EXPECT_EQ(elements_of(data), Ints{1});
}

TEST(EmitAll, OfACallThatFailsEmitsNothing) {
  const auto output = output_of(range(3).apply(emits_all<int>([](int i, Out<int>& out) {
    out.emit_all(Ints{i, i});
    if (i == 2) throw std::runtime_error("two");
  })));
  EXPECT_EQ(output.epochs, (Epochs{{0, 0, 1, 1}}));
  EXPECT_EQ(output.failure, "forebay: apply, epoch 0, number 2: two");
}

TEST(Emit, CopiesAnElementThatIsKept) {
  struct Repeats {
    void operator()(std::string&& text, Out<std::string>& out) const {
      const std::string& kept = text;
      out.emit(kept);
      out.emit(std::move(text));
    }
  };
  EXPECT_EQ(elements_of(from_slices<std::string>({"a text that needs memory of its own"}).apply(Repeats())),
            (std::vector<std::string>(2, "a text that needs memory of its own")));
}

/// Emits batches of 100, in storage that it gets back.
struct Reuses {
  using value_type = Ints;
  void operator()(int&& element, Out<Ints>& out) {
    if (batch.empty()) {
      batch = out.recycled();
      batch.clear();
      if (batch.capacity() == 0) ++*allocations;
    }
    batch.push_back(element);
    if (batch.size() == 100) out.emit(std::exchange(batch, {}));
  }
  std::atomic<int>* allocations;
  Ints batch{};
};

TEST(Recycled, ReturnsTheStorageThatTheConsumerHasGivenBack) {
  std::atomic<int> allocations = 0;
  auto pipeline = range(2000).apply(Reuses{&allocations}).run();
  int batches = 0;
  for (const Ints& batch : pipeline) {
    EXPECT_EQ(batch.size(), 100U);
    EXPECT_EQ(batch[0], 100 * batches++);
  }
  EXPECT_EQ(batches, 20);
  EXPECT_LE(allocations, 3);
}

TEST(Recycled, IsAValueInitializedResultIfThereIsNone) {
  const auto data = range(2).apply(emits_all<int>([](int i, Out<int>& out) { out.emit(out.recycled() + i); }));
  EXPECT_EQ(elements_of(data)[0], 0);
  const auto bools = range(1).apply(emits_all<bool>([](int, Out<bool>& out) { out.emit(!out.recycled()); }));
  EXPECT_EQ(elements_of(bools), std::vector<bool>{true});
}

// ---- What they get

/// Emits the position and a random number of each element, and those of finish().
struct Draws {
  using value_type = std::array<Number, 3>;
  void operator()(int&&, Context& context, Out<value_type>& out) { out.emit(drawn(context)); }
  void finish(Context& context, Out<value_type>& out) { out.emit(drawn(context)); }
  static value_type drawn(Context& context) {
    return {context.position().epoch, context.position().number, context.draw()()};
  }
};

TEST(ContextOfAStage, HasThePositionOfTheElementAndItsDraws) {
  const auto odd = range(6).filter([](int i) { return i % 2 == 1; }).repeat(2);
  const auto drawn = elements_of(odd.apply(Draws()));
  ASSERT_EQ(drawn.size(), 8U);
  const std::vector<std::pair<Number, Number>> expected{{0, 1}, {0, 3}, {0, 5}, {0, 3},
                                                        {1, 1}, {1, 3}, {1, 5}, {1, 3}};
  std::vector<std::pair<Number, Number>> positions;
  for (const auto& each : drawn) positions.emplace_back(each[0], each[1]);
  EXPECT_EQ(positions, expected);
  EXPECT_NE(drawn[1][2], drawn[3][2]) << "finish() draws other numbers than an element with its number";
  EXPECT_NE(drawn[0][2], drawn[4][2]) << "each epoch draws other numbers";
  EXPECT_EQ(elements_of(odd.apply(Draws())), drawn);
  EXPECT_EQ(elements_of(odd.map(2, [](int i) { return i; }).apply(Draws())), drawn);
  EXPECT_NE(elements_of(odd.seed(1).apply(Draws())), drawn);
}

TEST(ContextOfAStage, DrawsOtherNumbersInEachStage) {
  struct Adds {
    void operator()(Number&& sum, Context& context, Out<Number>& out) { out.emit(sum + context.draw()()); }
  };
  const auto once = elements_of(range<Number>(0, 1).apply(Adds()));
  const auto twice = elements_of(range<Number>(0, 1).apply(Adds()).apply(Adds()));
  EXPECT_NE(twice[0], 2 * once[0]);
}

TEST(ContextOfAStage, SaysThatThePipelineStops) {
  struct WaitsForStop {
    void operator()(int&&, Context& context, Out<int>&) const {
      *entered = true;
      while (!context.should_stop()) std::this_thread::yield();
    }
    std::atomic<bool>* entered;
  };
  std::atomic<bool> entered = false;
  auto pipeline = range(1).apply(WaitsForStop{&entered}).prefetch(1).run();
  while (!entered) std::this_thread::yield();
  pipeline.stop();
  EXPECT_FALSE(pipeline.next());
}

// ---- How they resume

/// Saves the state of a run after `count` outputs.
struct SavedRun {
  SavedRun(const Dataset<Number>& data, std::size_t count) {
    PlainRun<Number> run(data);
    while (outputs < count && !run.is_over()) take(run);
    run.save(state);
    epoch = run.epoch();
  }

  /// Returns the outputs that follow in a resumed run.
  [[nodiscard]] Numbers rest(const Dataset<Number>& data) const {
    PlainRun<Number> run(data);
    run.begin(epoch);
    SnapshotReader from(state, "loop");
    if (!run.is_over()) run.restore(from);
    Numbers rest;
    while (!run.is_over()) {
      static_cast<void>(run.pull(1));
      for (std::size_t i = 0; i < run.chunk().size(); ++i) rest.push_back(run.chunk()[i]);
    }
    return rest;
  }

  void take(PlainRun<Number>& run) {
    static_cast<void>(run.pull(1));
    outputs += run.chunk().size();
  }

  std::size_t outputs = 0;
  Epoch epoch;
  Snapshot state{};
};

void check_every_saved_state(const Dataset<Number>& data) {
  const Numbers all = elements_of(data);
  for (std::size_t count = 0; count <= all.size(); ++count) {
    const SavedRun saved(data, count);
    EXPECT_EQ(saved.rest(data), Numbers(all.begin() + static_cast<std::ptrdiff_t>(saved.outputs), all.end()))
        << "resumed after " << saved.outputs << " of " << all.size() << " outputs";
  }
  check_every_resume_point(data);
}

/// Passes elements on in groups of `size`, in descending order, and holds the others.
struct Reverses {
  void operator()(Number&& element, Context& context, Out<Number>& out) {
    elements.push_back({element, context.position().number});
    if (elements.size() == size) finish(out);
  }
  void finish(Out<Number>& out) {
    while (!elements.empty()) {
      out.emit(elements.back().first);
      elements.pop_back();
    }
  }
  [[nodiscard]] Numbers held() const {
    Numbers numbers;
    for (const auto& element : elements) numbers.push_back(element.second);
    return numbers;
  }
  void refill(Number&& element, Number number) { elements.push_back({element, number}); }

  std::size_t size;
  std::vector<std::pair<Number, Number>> elements{};
};

/// Keeps every tenth element until the end.
struct KeepsSome {
  void operator()(Number&& element, Context& context, Out<Number>& out) {
    if (element % 10 != 0) return out.emit(element);
    kept.push_back(element);
    numbers.push_back(context.position().number);
  }
  void finish(Out<Number>& out) const { out.emit_all(kept); }
  [[nodiscard]] Numbers held() const { return numbers; }
  void refill(Number&& element, Number number) {
    kept.push_back(element);
    numbers.push_back(number);
  }

  Numbers kept{};
  Numbers numbers{};
};

TEST(HoldingStage, ResumesAtEveryPlace) {
  check_every_saved_state(range<Number>(0, 23).apply(Reverses{.size = 5}).repeat(2));
  check_every_saved_state(range<Number>(0, 70).apply(KeepsSome()).repeat(2).batch(3).unbatch());
  check_every_saved_state(range<Number>(0, 40).shuffle(7).apply(Reverses{.size = 9}));
  check_every_saved_state(range<Number>(0, 200).apply(KeepsSome()));
  check_every_saved_state(
      range<Number>(0, 40).filter([](Number i) { return i % 3 > 0; }).apply(KeepsSome()).apply(Reverses{.size = 3}));
  check_every_saved_state(
      range<Number>(0, 30).map(2, [](Number i) { return i; }).apply(Reverses{.size = 8}).map(2, [](Number i) {
        return i + 1;
      }));
}

TEST(HoldingStage, MayHoldElementsOfOneNumber) {
  const auto repeated = range<Number>(0, 5).map([](Number i) { return i; }).shard(0, 4, forebay::Even::repeat);
  check_every_saved_state(repeated.repeat(3).apply(Reverses{.size = 2}));
}

TEST(HoldingStage, SavesRangesInsteadOfElements) {
  const auto data = range<Number>(0, 5000).apply(Reverses{.size = 3000});
  auto pipeline = data.run();
  ASSERT_TRUE(pipeline.next());
  const std::string few = pipeline.checkpoint();
  for (int i = 0; i < 1500; ++i) ASSERT_TRUE(pipeline.next());
  EXPECT_LT(pipeline.checkpoint().size(), few.size() + 100);
}

TEST(HoldingStage, ThatNamesAnElementItNeverGotFails) {
  struct Wrong {
    void operator()(Number&& element, Out<Number>& out) { out.emit(element); }
    [[nodiscard]] static Numbers held() { return {77}; }
    void refill(Number&&, Number) {}
    Number state = 0;
  };
  const auto data = range<Number>(0, 200).apply(Wrong());
  PlainRun<Number> run(data);
  static_cast<void>(run.pull(1));
  Snapshot state;
  EXPECT_EQ(message_of<forebay::DatasetError>([&] { run.save(state); }),
            "forebay: apply, epoch 0, number 1: held() returned 77, which is not the number of an element that the "
            "stage holds");
}

TEST(SavableStage, WhoseSaveFailsEndsTheRun) {
  struct Unsavable {
    void operator()(Number&& element, Out<Number>& out) { out.emit(element); }
    [[nodiscard]] static std::string save() { throw std::runtime_error("the disk is full"); }
    void restore(std::string_view) {}
    Number state = 0;
  };
  auto pipeline = range<Number>(0, 1'000'000'000).apply(Unsavable()).run();
  const std::string message = message_of<forebay::DatasetError>([&] {
    for (Number number : pipeline) static_cast<void>(number);
  });
  EXPECT_TRUE(contains(message, "the disk is full")) << message;
  EXPECT_TRUE(pipeline.should_stop());
  EXPECT_EQ(message_of<forebay::DatasetError>([&] { static_cast<void>(pipeline.next()); }), message);
}

TEST(HoldingStage, WhoseRefillFailsIsAFailureOfThatElement) {
  struct Refuses : KeepsSome {
    void refill(Number&& element, Number number) {
      if (number == 10) throw std::runtime_error("no");
      KeepsSome::refill(std::move(element), number);
    }
  };
  const auto data = range<Number>(0, 20).apply(Refuses());
  const SavedRun saved(data, 15);
  EXPECT_EQ(message_of<forebay::DatasetError>([&] { static_cast<void>(saved.rest(data)); }),
            "forebay: apply, epoch 0, number 10: no");
}

/// Cannot save its state.
struct Sums {
  void operator()(Number&& element, Out<Number>& out) { out.emit(sum += element); }
  Number sum = 0;
};

/// Emits the sum of each group, which a multiple of 8 begins. Between two groups it is as at the beginning.
struct GroupSums {
  void operator()(Number&& element, Out<Number>& out) {
    if (element % 8 == 0) finish(out);
    sum = sum.value_or(0) + element;
    if (element % 8 == 7) finish(out);
  }
  void finish(Out<Number>& out) {
    if (sum) out.emit(*std::exchange(sum, std::nullopt));
  }
  [[nodiscard]] bool empty() const { return !sum; }
  std::optional<Number> sum{};
};

TEST(ReplayedStage, ResumesAtEveryPlace) {
  check_every_saved_state(range<Number>(0, 9).apply(Sums()).repeat(3));
  check_every_saved_state(range<Number>(0, 9).apply(Sums()).shuffle(3).batch(2).unbatch());
  check_every_saved_state(range<Number>(0, 45).apply(GroupSums()).repeat(2));
  check_every_saved_state(range<Number>(0, 45).repeat(2).seamless().apply(GroupSums()).apply(Sums()));
  check_every_saved_state(range<Number>(0, 30).apply(Sums()).map(2, [](Number sum) { return sum; }));
  Number unused = 0;
  check_every_saved_state(range<Number>(0, 9).apply(
      [unused](Number&& element, Out<Number>& out) mutable { out.emit(element + unused++); }));
}

TEST(ReplayedStage, IsReplayedFromTheBeginningOfTheEpoch) {
  std::atomic<Number> calls = 0;
  const auto data = range<Number>(0, 1000)
                        .map([&calls](Number i) {
                          ++calls;
                          return i;
                        })
                        .apply(Sums())
                        .repeat(2);
  const std::string checkpoint = checkpoint_after(data, 1500);
  calls = 0;
  EXPECT_TRUE(data.run(checkpoint).next());
  EXPECT_GE(calls, 501U);
  EXPECT_LE(calls, 1000U);
}

TEST(ReplayedStage, ReadsOnlyItsGroupAgain) {
  std::atomic<Number> calls = 0;
  const auto data = range<Number>(0, 1000)
                        .map([&calls](Number i) {
                          ++calls;
                          return i;
                        })
                        .apply(GroupSums());
  const SavedRun saved(data, 100);
  calls = 0;
  EXPECT_EQ(saved.rest(data).size(), 25U);
  EXPECT_LE(calls, 25U * 8U + 2U * 40U);
}

TEST(ReplayedStage, SaysSoInTheDescription) {
  EXPECT_TRUE(contains(range<Number>(0, 9).apply(Sums()).describe().text(), "apply, replayed"));
  EXPECT_FALSE(contains(range<Number>(0, 9).apply(Reverses{.size = 4}).describe().text(), "replayed"));
}

}  // namespace
}  // namespace forebay_test
