// SPDX-License-Identifier: MIT
//
// reference_test.cpp: the examples in the header comments for data sets produce the documented results.

#include <gtest/gtest.h>

#include <cstddef>
#include <exception>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "tests/support/pipeline_output.hpp"

namespace forebay_test {
namespace {

using forebay::Dataset;
using forebay::Even;
using forebay::from_callable;
using forebay::from_slices;
using forebay::mix;
using forebay::Position;
using forebay::range;
using forebay::redirect;

using Numbers = std::vector<int>;
using Sizes = std::vector<std::size_t>;

struct Pairs {  // of neighbours
  using value_type = std::pair<int, int>;
  void operator()(int&& element, forebay::Out<value_type>& out) {
    if (before) out.emit({*before, element});
    before = element;
  }
  void finish(forebay::Out<value_type>&) {}  // optional: at the end of the epoch
  std::optional<int> before;
};

struct UntilNegative {
  void operator()(int&& element, forebay::Out<int>& out) {
    if (element < 0) return out.end();  // ends the epoch at the first negative element
    out.emit(element);
  }
};

Sizes sizes_of(const Dataset<Numbers>& batches) {
  Sizes sizes;
  for (const Numbers& batch : batches.run()) sizes.push_back(batch.size());
  return sizes;
}

TEST(ReferenceExamples, OfSelectionKeepTheseElements) {
  EXPECT_EQ(sizes_of(range(5).repeat(3).batch(2)), Sizes({2, 2, 1, 2, 2, 1, 2, 2, 1}));
  EXPECT_EQ(sizes_of(range(5).repeat(3).seamless().batch(2)), Sizes({2, 2, 2, 2, 2, 2, 2, 1}));
  EXPECT_EQ(outputs_of(range(7).shard(0, 2)), Numbers({0, 2, 4, 6}));
  EXPECT_EQ(outputs_of(range(7).shard(1, 2)), Numbers({1, 3, 5}));
  EXPECT_EQ(outputs_of(range(7).shard(1, 2, Even::drop)), Numbers({1, 3, 5}));
  EXPECT_EQ(outputs_of(range(7).shard(1, 2, Even::repeat)), Numbers({1, 3, 5, 0}));
}

TEST(ReferenceExamples, OfTransformationHaveTheseResults) {
  EXPECT_EQ(outputs_of(range(3).map([](int number) { return number * number; })), Numbers({0, 1, 4}));
  EXPECT_EQ(outputs_of(range(3).flat_map([](int number) { return range(number); })), Numbers({0, 0, 1}));
  EXPECT_EQ(outputs_of(range(1, 5).interleave(2, 1, [](int number) { return std::vector<int>(2, number); })),
            Numbers({1, 2, 1, 2, 3, 4, 3, 4}));
  EXPECT_EQ(outputs_of(range(4).apply(Pairs())), (std::vector<std::pair<int, int>>{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(outputs_of(from_slices({1, 2, -1, 3}).apply(UntilNegative())), Numbers({1, 2}));
}

TEST(ReferenceExamples, OfBatchesHaveTheseSizes) {
  EXPECT_EQ(outputs_of(range(5).batch(2)), std::vector<Numbers>({{0, 1}, {2, 3}, {4}}));
  const auto length = [](const std::string& word) { return word.size(); };
  const auto words = from_slices({std::string("to"), std::string("be"), std::string("question")});
  EXPECT_EQ(outputs_of(words.bucket_by_length(length, {.boundaries = {4, 8}, .batch_sizes = {64, 32, 16}})),
            (std::vector<std::vector<std::string>>{{"to", "be"}, {"question"}}));
}

TEST(ReferenceExamples, OfRandomAccessReadOnlyWhatIsWanted) {
  EXPECT_EQ(range(10).skip(2).shuffle().size(), 8U);
  const auto both = outputs_of(range(10).seed(7).shuffle().repeat(2));
  ASSERT_EQ(both.size(), 20U);
  EXPECT_NE(Numbers(both.begin(), both.begin() + 10), Numbers(both.begin() + 10, both.end()));
  EXPECT_EQ(both, outputs_of(range(10).seed(7).shuffle().repeat(2)));
  EXPECT_EQ(outputs_of(range(8).seed(1).shuffle_pages(3)), Numbers({1, 2, 0, 6, 7, 5, 4, 3}));
}

TEST(ReferenceExamples, OfSourcesHaveTheseElements) {
  EXPECT_EQ(outputs_of(range(2, 5)), Numbers({2, 3, 4}));
  EXPECT_EQ(outputs_of(range(9, 0, -4)), Numbers({9, 5, 1}));
  EXPECT_EQ(outputs_of(range(-1)), Numbers());
  EXPECT_EQ(outputs_of(from_callable([n = 0]() mutable { return n < 3 ? std::optional<int>(n++) : std::nullopt; })),
            Numbers({0, 1, 2}));
  const Dataset<int> photos = range(5);
  const Dataset<int> drawings = range(5);
  EXPECT_EQ(outputs_of(mix(std::vector{photos, drawings}, {0.7, 0.3})).size(), 10U);
}

TEST(ReferenceExamples, OfAPositionPrintTheNextElement) {
  forebay::Pipeline<int> numbers(forebay::range(10));
  EXPECT_TRUE(numbers.next());
  std::ostringstream out;
  out << numbers.position();
  EXPECT_EQ(out.str(), "epoch 0, number 1");
}

TEST(ReferenceExamples, OfRedirectReportThePosition) {
  std::ostringstream out;
  const auto log =
      redirect([&out](Position position, const std::exception_ptr&) { out << position << " is damaged\n"; });
  const auto decode = [](int number) { return number == 1 ? throw std::runtime_error("no image") : number; };
  EXPECT_EQ(outputs_of(range(3).map({.on_error = log}, decode)), Numbers({0, 2}));
  EXPECT_EQ(out.str(), "epoch 0, number 1 is damaged\n");
}

}  // namespace
}  // namespace forebay_test
