// SPDX-License-Identifier: MIT
//
// element_failure_test.cpp: elements whose copies, moves and assignments throw. Each of these operations fails in turn.
// The loop always receives the earlier outputs and then a failure; no element is duplicated or destroyed twice.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "tests/support/elements.hpp"
#include "tests/support/iterations.hpp"
#include "tests/support/ways_to_run.hpp"

namespace forebay_test {
namespace {

using forebay::Dataset;
using forebay::MapOptions;
using forebay::Pipeline;

using Element = ThrowingAssignment;
using Ints = std::vector<int>;

/// Large enough to stay in its slot.
struct LargeElement : Element {
  using Element::Element;

  std::array<char, forebay::detail::most_bytes_moved> rest{};
};

class ElementsThatThrow : public testing::TestWithParam<MapOptions> {
 protected:
  static MapOptions options() { return GetParam(); }

  template <class T = Element>
  Dataset<T> elements(int count) {
    return forebay::from_indexed(count, [this](std::size_t i) { return T(static_cast<int>(i), ledger_); });
  }

  /// Returns the outputs of a run in which the n-th operation on an element fails.
  template <class T, class Take>
  Ints outputs_with_failure_at(std::size_t n, const Dataset<T>& data, Take take) {
    Ints outputs;
    ledger_.fail_at(n);
    failed_ = false;
    try {
      Pipeline<T> pipeline(data);
      take(pipeline, outputs);
    } catch (const std::exception&) {
      failed_ = true;
    }
    return outputs;
  }

  /// Makes each operation fail in turn, or a sample if there are many.
  template <class T, class Take>
  void expect_first_outputs_for_any_failure(const Dataset<T>& data, Take take) {
    const Ints expected = outputs_with_failure_at(0, data, take);
    ASSERT_FALSE(expected.empty());
    std::size_t failures = 0;
    for (std::size_t n = 1;; n += 1 + n / (sanitized ? 4 : 16)) {
      const Ints outputs = outputs_with_failure_at(n, data, take);
      const bool was_reached = !ledger_.take_pending_failure();
      Ints before = expected;
      before.resize(std::min(outputs.size(), expected.size()));
      ASSERT_EQ(outputs, before) << "operation " << n;
      if (!failed_) {
        ASSERT_EQ(outputs, expected) << "nothing was told of operation " << n;
      }
      ASSERT_EQ(ledger_.alive(), 0U);
      if (!was_reached) break;
      ++failures;
    }
    EXPECT_GT(failures, 5U);
  }

  Ledger ledger_;

 private:
  bool failed_ = false;
};
INSTANTIATE_TEST_SUITE_P(Ways, ElementsThatThrow, ways_to_run(), name_of_way);

const auto take_elements = [](auto& pipeline, Ints& outputs) {
  for (const Element& output : pipeline) outputs.push_back(output.number());
};
const auto step_elements = [](Pipeline<Element>& pipeline, Ints& outputs) {
  pipeline.for_each([&outputs](const Element& output) { outputs.push_back(output.number()); });
};
const auto take_batches = [](auto& pipeline, Ints& outputs) {
  for (const auto& batch : pipeline) {
    for (const Element& output : batch) outputs.push_back(output.number());
  }
};

const auto same = []<class T>(T element) { return element; };

// proves: element-throws
TEST_P(ElementsThatThrow, LeaveTheFirstOutputs) {
  expect_first_outputs_for_any_failure(elements(10).map(options(), same), take_elements);
  expect_first_outputs_for_any_failure(elements(10).map(options(), same), step_elements);
}

// proves: element-throws
TEST_P(ElementsThatThrow, LeaveTheFirstOutputsOfAllStages) {
  const auto data = elements(8)
                        .filter([](const Element& element) { return element.number() != 3; })
                        .skip(1)
                        .take(5)
                        .map(options(), same)
                        .repeat(2)
                        .skip(1)
                        .shard(0, 2, forebay::Even::drop);
  expect_first_outputs_for_any_failure(data, take_elements);
}

// proves: element-throws
TEST_P(ElementsThatThrow, LeaveTheFirstOutputsOfAWindow) {
  expect_first_outputs_for_any_failure(elements(8).shuffle(3).repeat(2).map(options(), same), take_elements);
}

TEST_P(ElementsThatThrow, LeaveTheFirstOutputsWhereTheyStayInSlots) {
  const auto filtered = elements<LargeElement>(8).filter([](const LargeElement& each) { return each.number() != 3; });
  const auto window = filtered.shuffle(3).repeat(2);
  expect_first_outputs_for_any_failure(window.map(options(), same), take_elements);
  expect_first_outputs_for_any_failure(window.batch(3), take_batches);
  expect_first_outputs_for_any_failure(filtered.map(options(), same).shuffle(3).skip(2), take_elements);
  expect_first_outputs_for_any_failure(elements<LargeElement>(3).concatenate(filtered).shuffle(3).batch(2),
                                       take_batches);
}

// proves: element-throws
TEST_P(ElementsThatThrow, LeaveTheFirstOutputsOfJoinedDataSets) {
  const auto data =
      forebay::mix({elements(3).concatenate(elements(2)).repeat(2), elements(4).map(options(), same)}, {1, 1});
  expect_first_outputs_for_any_failure(data, take_elements);
}

// proves: element-throws
TEST_P(ElementsThatThrow, LeaveTheFirstOutputsOfSelections) {
  expect_first_outputs_for_any_failure(
      elements(9).map(options(), same).step_by(2).shard(0, 2, forebay::Even::repeat).prefetch(2), take_elements);
}

// proves: element-throws
TEST_P(ElementsThatThrow, LeaveTheFirstOutputsOfPairs) {
  const auto first = [](std::tuple<Element, Element> pair) { return std::get<0>(std::move(pair)); };
  const auto data = forebay::zip(elements(5).map(options(), same).repeat(2), elements(4).shuffle(2)).map(first);
  expect_first_outputs_for_any_failure(data, take_elements);
}

// proves: element-throws
TEST_P(ElementsThatThrow, LeaveTheFirstOutputsOfRangesAndDataSetsInside) {
  const auto twice = [](const Element& element) { return std::vector<Element>{element, element}; };
  const auto some = [this](int /*i*/) { return elements(3).skip(1); };
  const auto mapped = elements(4).map(options(), same);
  expect_first_outputs_for_any_failure(mapped.flat_map(twice), take_elements);
  expect_first_outputs_for_any_failure(mapped.interleave(2, 1, twice).take(6), take_elements);
  expect_first_outputs_for_any_failure(mapped.interleave({.cycle = 2, .prefetch = 2}, twice), take_elements);
  expect_first_outputs_for_any_failure(forebay::range(3).flat_map(some).map(options(), same), take_elements);
  expect_first_outputs_for_any_failure(forebay::range(3).interleave(2, 2, some).repeat(2).seamless(), take_elements);
}

// proves: element-throws
TEST_P(ElementsThatThrow, LeaveTheFirstOutputsOfBuckets) {
  const auto length = [](const Element& element) { return element.number(); };
  const auto data = elements(7).map(options(), same).repeat(2).seamless().shuffle(3);
  expect_first_outputs_for_any_failure(
      data.bucket_by_length(length, {.boundaries = {3}, .batch_sizes = {2, 3}}).unbatch(), take_elements);
}

// proves: element-throws
TEST_P(ElementsThatThrow, LeaveTheFirstOutputsOfBatchesByCost) {
  const auto cost = [](const Element& element) { return 1 + element.number() % 3; };
  const auto data = elements(7).map(options(), same).repeat(2);
  expect_first_outputs_for_any_failure(data.batch_by_cost(cost, {.limit = 4}).unbatch(), take_elements);
  expect_first_outputs_for_any_failure(data.batch_by_cost(cost, {.limit = 4, .sort_window = 4}).unbatch(),
                                       take_elements);
}

// proves: element-throws
TEST_P(ElementsThatThrow, LeaveTheFirstBatches) {
  expect_first_outputs_for_any_failure(elements(10).map(options(), same).batch(3), take_batches);
  expect_first_outputs_for_any_failure(elements(10).batch(3).map(options(), [](auto batch) { return batch; }),
                                       take_batches);
}

// proves: element-throws
TEST_P(ElementsThatThrow, LeaveTheFirstOutputsOfAUsersStage) {
  const auto data = elements(6).map(options(), same).apply([](Element&& element, forebay::Out<Element>& out) {
    out.emit(element);
    out.emit(std::move(element));
  });
  expect_first_outputs_for_any_failure(data, take_elements);
}

// proves: element-throws
TEST_P(ElementsThatThrow, LiveNoLongerThanTheirPipeline) {
  for (int outputs = 0; outputs < 4; ++outputs) {
    {
      Pipeline<Element> pipeline(elements(1000).map(options(), same).shuffle(3).repeat());
      for (int i = 0; i < outputs; ++i) EXPECT_TRUE(pipeline.next());
    }
    EXPECT_EQ(ledger_.alive(), 0U);
  }
}

}  // namespace
}  // namespace forebay_test
