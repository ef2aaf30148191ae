// SPDX-License-Identifier: MIT
//
// padded_batch_test.cpp: elements of every shape are copied into one buffer per component, and a failure loses nothing.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <list>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/fifo_queue.hpp"
#include "forebay/padded_batch.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/elements.hpp"
#include "tests/support/numbers.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::Characters;
using forebay::FIFOQueue;
using forebay::no_wait;
using forebay::PaddedBatch;
using forebay::QueueStatus;
using Floats = std::vector<float>;
using Ints = std::vector<int>;
using Sizes = std::vector<std::size_t>;

template <std::size_t count>
using Extents = std::array<std::size_t, count>;

/// Dequeues `elements` into `batch`.
template <class T>
void fill(PaddedBatch<T>& batch, std::vector<T> elements) {
  FIFOQueue<T> queue(forebay::unbounded);
  const std::size_t count = elements.size();
  ASSERT_EQ(queue.enqueue_many(std::move(elements)).count, count);
  ASSERT_EQ(queue.dequeue_many(count, batch), QueueStatus::ok);
}

template <class T>
PaddedBatch<T> batch_of(std::vector<T> elements, forebay::PaddingOptions<T> options = {}) {
  PaddedBatch<T> batch(options);
  fill(batch, std::move(elements));
  return batch;
}

// ---- Shapes

TEST(PaddedBatch, IsEmptyAtFirst) {
  const PaddedBatch<Floats> batch;
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.extents(), (Extents<2>{0, 0}));
  EXPECT_TRUE(batch.values().empty());
  EXPECT_TRUE(batch.lengths().empty());
}

TEST(PaddedBatch, RankOneIsPaddedToTheLongest) {
  const auto batch = batch_of<Ints>({{1, 2}, {}, {3, 4, 5}}, {.pad_value = -1});
  static_assert(PaddedBatch<Ints>::rank == 1);
  EXPECT_EQ(batch.size(), 3U);
  EXPECT_EQ(batch.extents(), (Extents<2>{3, 3}));
  EXPECT_EQ(to_vector(batch.values()), (Ints{1, 2, -1, -1, -1, -1, 3, 4, 5}));
  EXPECT_EQ(to_vector(batch.lengths()), (Sizes{2, 0, 3}));
  EXPECT_EQ(batch.length(2), 3U);
  EXPECT_EQ(batch.shape(0), (Extents<1>{2}));
  EXPECT_EQ(batch(2, 1), 4);
  EXPECT_EQ(to_vector(batch.row(0)), (Ints{1, 2, -1}));
  EXPECT_EQ(to_vector(batch.unpadded_row(0)), (Ints{1, 2}));
}

TEST(PaddedBatch, RankTwoIsPaddedInBothDimensions) {
  using Matrix = std::vector<Ints>;
  const auto batch = batch_of<Matrix>({{{1, 2, 3}, {4}}, {{5}}}, {.pad_value = -1});
  EXPECT_EQ(batch.extents(), (Extents<3>{2, 2, 3}));
  EXPECT_EQ(to_vector(batch.values()), (Ints{1, 2, 3, 4, -1, -1, 5, -1, -1, -1, -1, -1}));
  EXPECT_EQ(to_vector(batch.lengths()), (Sizes{2, 1}));
  EXPECT_EQ(to_vector(batch.lengths<2>()), (Sizes{3, 1, 1, 0}));
  EXPECT_EQ(batch.length(0), 2U);
  EXPECT_EQ(batch.length(0, 1), 1U);
  EXPECT_EQ(batch.length(1, 1), 0U);
  EXPECT_EQ(batch.shape(0), (Extents<2>{2, 3}));
  EXPECT_EQ(batch.shape(1), (Extents<2>{1, 1}));
  EXPECT_EQ(to_vector(batch.element(1)), (Ints{5, -1, -1, -1, -1, -1}));
  EXPECT_EQ(to_vector(batch.row(0, 1)), (Ints{4, -1, -1}));
  EXPECT_EQ(to_vector(batch.unpadded_row(0, 1)), (Ints{4}));
}

TEST(PaddedBatch, ShortRowIsPaddedBeforeTheNextOne) {
  const auto batch = batch_of<std::vector<Ints>>({{{1}, {2, 3}}, {{}, {4}}}, {.pad_value = -1});
  EXPECT_EQ(to_vector(batch.values()), (Ints{1, -1, 2, 3, -1, -1, 4, -1}));
}

TEST(PaddedBatch, RankThreeIsPaddedInAllDimensions) {
  using Cube = std::vector<std::vector<Ints>>;
  const auto batch = batch_of<Cube>({{{{1}, {2, 3}}}, {{{4}}, {{5}}}, {}});
  EXPECT_EQ(batch.extents(), (Extents<4>{3, 2, 2, 2}));
  Ints expected(24, 0);
  expected[0] = 1;
  expected[2] = 2;
  expected[3] = 3;
  expected[8] = 4;
  expected[12] = 5;
  EXPECT_EQ(to_vector(batch.values()), expected);
  EXPECT_EQ(batch(0, 0, 1, 1), 3);
  EXPECT_EQ(to_vector(batch.lengths()), (Sizes{1, 2, 0}));
  EXPECT_EQ(to_vector(batch.lengths<2>()), (Sizes{2, 0, 1, 1, 0, 0}));
  EXPECT_EQ(to_vector(batch.lengths<3>()), (Sizes{1, 2, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(batch.shape(0), (Extents<3>{1, 2, 2}));
  EXPECT_EQ(batch.shape(2), (Extents<3>{0, 0, 0}));
}

TEST(PaddedBatch, ElementsThatAreAllEmptyHaveNoScalars) {
  const auto batch = batch_of<Ints>({{}, {}});
  EXPECT_EQ(batch.extents(), (Extents<2>{2, 0}));
  EXPECT_TRUE(batch.values().empty());
  EXPECT_EQ(to_vector(batch.lengths()), (Sizes{0, 0}));
  EXPECT_TRUE(batch.row(1).empty());
}

TEST(PaddedBatch, FixedExtentBelowAVariableOne) {
  using Points = std::vector<std::array<int, 2>>;
  const auto batch = batch_of<Points>({{{1, 2}}, {{3, 4}, {5, 6}}}, {.pad_value = -1});
  EXPECT_EQ(batch.extents(), (Extents<3>{2, 2, 2}));
  EXPECT_EQ(to_vector(batch.values()), (Ints{1, 2, -1, -1, 3, 4, 5, 6}));
  EXPECT_EQ(batch.length(0, 0), 2U);
  EXPECT_EQ(batch.length(0, 1), 0U) << "a row that is padding";
  EXPECT_EQ(batch.shape(0), (Extents<2>{1, 2}));
}

TEST(PaddedBatch, FixedExtentAboveAVariableOne) {
  using Channels = std::array<Ints, 2>;
  const auto batch = batch_of<Channels>({Channels{Ints{1}, Ints{}}, Channels{Ints{2, 3}, Ints{4}}}, {.pad_value = -1});
  EXPECT_EQ(batch.extents(), (Extents<3>{2, 2, 2}));
  EXPECT_EQ(to_vector(batch.values()), (Ints{1, -1, -1, -1, 2, 3, 4, -1}));
  EXPECT_EQ(to_vector(batch.lengths<2>()), (Sizes{1, 0, 2, 1}));
  EXPECT_EQ(batch.length(0), 2U);
}

TEST(PaddedBatch, ShapeFixesExtentsOfTheBatch) {
  const auto batch = batch_of<Ints>({{1}, {2, 3}}, {.pad_value = -1, .shape = {4}});
  EXPECT_EQ(batch.extents(), (Extents<2>{2, 4}));
  EXPECT_EQ(to_vector(batch.values()), (Ints{1, -1, -1, -1, 2, 3, -1, -1}));
}

TEST(PaddedBatch, ElementLongerThanAFixedExtentIsNamedWithItsShape) {
  using Element = std::pair<int, std::vector<Ints>>;
  FIFOQueue<Element> queue(4);
  ASSERT_EQ(queue.enqueue({1, {{1, 2, 3}, {4}}}), QueueStatus::ok);
  PaddedBatch<Element> batch({.shape = {{}, {std::nullopt, 2}}});
  EXPECT_EQ(rejection([&] { static_cast<void>(queue.dequeue_many(1, batch)); }),
            "forebay: component 1 has the shape [2, 1..3], which does not match the shape [None, 2]");
}

TEST(PaddedBatch, ElementLongerThanAFixedExtentStaysInTheQueue) {
  FIFOQueue<Ints> queue(4);
  ASSERT_EQ(queue.enqueue_many({{1}, {2, 3, 4}}).count, 2U);
  PaddedBatch<Ints> batch({.shape = {2}});
  EXPECT_THROW(static_cast<void>(queue.dequeue_many(2, batch)), std::invalid_argument);
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(queue.dequeue().value(), (Ints{1}));
  EXPECT_EQ(queue.dequeue().value(), (Ints{2, 3, 4}));
}

// ---- Components of every kind

TEST(PaddedBatch, ElementsThatAreStringsAreRangesOfChar) {
  const auto batch = batch_of<std::string>({"mill", "ra", ""}, {.pad_value = '_'});
  EXPECT_EQ(std::string_view(batch.data(), batch.values().size()), "millra______");
  EXPECT_EQ(to_vector(batch.lengths()), (Sizes{4, 2, 0}));
  const auto word = batch.unpadded_row(1);
  EXPECT_EQ(std::string_view(word.data(), word.size()), "ra");
}

TEST(PaddedBatch, ElementsThatAreStringsOfOtherKindsAreRangesOfTheirCharacters) {
  const auto views = batch_of<std::string_view>({"mill", "ra"}, {.pad_value = '_'});
  EXPECT_EQ(std::string_view(views.data(), views.values().size()), "millra__");
  const auto wide = batch_of<std::wstring>({L"mill", L"ra"}, {.pad_value = L'_'});
  EXPECT_EQ(std::wstring_view(wide.data(), wide.values().size()), L"millra__");
  const auto characters = batch_of<Characters>({"mill", "ra"}, {.pad_value = '_'});
  EXPECT_EQ(std::string_view(characters.data(), characters.values().size()), "millra__");
}

struct Line {
  std::string author;
  Characters text;
  std::vector<std::string> tags;
  std::vector<char> raw;
  std::string_view language;
};

TEST(PaddedBatch, StringsInsideOfAnElementAreValues) {
  const std::string author(100, 'a');
  const auto batch = batch_of<Line>({{author, "to be", {"play", "1603"}, {'x'}, "en"}, {"Bob", "or", {}, {}, "fr"}},
                                    {.pad_value = {{}, '.', "none", '?', {}}});
  const auto& authors = batch.component<&Line::author>();
  static_assert(std::is_same_v<decltype(authors.data()), const std::string*>);
  EXPECT_EQ(std::vector<std::string>(authors.begin(), authors.end()), (std::vector<std::string>{author, "Bob"}));
  const auto& text = batch.component<&Line::text>();
  EXPECT_EQ(std::string_view(text.data(), text.values().size()), "to beor...");
  EXPECT_EQ(to_vector(text.lengths()), (Sizes{5, 2}));
  const auto& tags = batch.component<&Line::tags>();
  EXPECT_EQ(tags.extents(), (Extents<2>{2, 2}));
  EXPECT_EQ(to_vector(tags.values()), (std::vector<std::string>{"play", "1603", "none", "none"}));
  EXPECT_EQ(to_vector(batch.component<&Line::raw>().values()), (std::vector{'x', '?'}));
  EXPECT_EQ(batch.component<&Line::language>()[1], "fr");
}

TEST(PaddedBatch, TheOneMemberOfARecordIsAValueToo) {
  struct Named {
    std::string name;
  };
  const auto batch = batch_of<Named>({{"a"}, {"abc"}});
  EXPECT_EQ(to_vector(batch), (std::vector<std::string>{"a", "abc"}));
  EXPECT_EQ(to_vector(batch_of<std::tuple<std::string>>({{"a"}, {"abc"}})), (std::vector<std::string>{"a", "abc"}));
}

TEST(PaddedBatch, CharactersAreAString) {
  std::string text = "a string";
  Characters characters = std::move(text);
  EXPECT_EQ(characters, "a string");
  characters = "b";
  characters += std::string("c");
  EXPECT_EQ(characters + "d", "bcd");
  EXPECT_EQ(Characters(3, 'x').size(), 3U);
  static_assert(std::is_nothrow_move_constructible_v<Characters> && std::is_convertible_v<Characters, std::string>);
}

// ---- Components by their member

/// Members of the same type, a move-only type, a reference wrapper, a constant, and an empty type.
struct Members {
  struct Nothing {};
  int first;
  int second;
  std::unique_ptr<int> pointer;
  std::reference_wrapper<int> reference;
  const int constant;
  [[no_unique_address]] Nothing nothing;
  Ints numbers;
  int last;
  static constexpr int shared = 0;
  [[nodiscard]] int sum() const { return first + second; }
};

template <class Batch, auto member>
concept HasComponent = requires(Batch& batch) {
  batch.template component<member>();
};

TEST(PaddedBatch, AComponentIsFoundByItsMember) {
  int referred = 0;
  PaddedBatch<Members> batch;
  std::vector<Members> elements;
  elements.push_back({1, 2, nullptr, referred, 3, {}, {4, 5}, 6});
  fill(batch, std::move(elements));
  EXPECT_EQ(&batch.component<&Members::first>(), &batch.component<0>());
  EXPECT_EQ(&batch.component<&Members::second>(), &batch.component<1>());
  EXPECT_EQ(batch.component<&Members::second>()[0], 2);
  EXPECT_EQ(&batch.component<&Members::pointer>(), &batch.component<2>());
  EXPECT_EQ(&batch.component<&Members::reference>()[0].get(), &referred);
  EXPECT_EQ(&batch.component<&Members::constant>(), &batch.component<4>());
  EXPECT_EQ(&batch.component<&Members::nothing>(), &batch.component<5>());
  EXPECT_EQ(batch.component<&Members::numbers>()(0, 1), 5);
  EXPECT_EQ(&batch.component<&Members::last>(), &batch.component<7>());
}

TEST(PaddedBatch, AComponentOfAPairIsFoundByItsMember) {
  using Pair = std::pair<int, int>;
  const auto batch = batch_of<Pair>({{1, 2}});
  EXPECT_EQ(batch.component<&Pair::first>()[0], 1);
  EXPECT_EQ(batch.component<&Pair::second>()[0], 2);
}

TEST(PaddedBatch, WhatIsNoMemberOfTheElementIsNoComponent) {
  using Batch = PaddedBatch<Members>;
  static_assert(HasComponent<Batch, &Members::last> && HasComponent<const Batch, &Members::last>);
  static_assert(HasComponent<Batch, std::size_t{0}> && HasComponent<Batch, 7>);
  static_assert(!HasComponent<Batch, &Members::sum> && !HasComponent<Batch, &Members::shared>);
  static_assert(!HasComponent<Batch, &Line::author> && !HasComponent<Batch, nullptr>);
}

TEST(PaddedBatch, FlagsAreContiguous) {
  const auto batch = batch_of<std::vector<bool>>({{true, false}, {true}}, {.pad_value = true});
  static_assert(std::is_same_v<decltype(batch.data()), const bool*>);
  EXPECT_EQ(to_vector(batch.values()), (std::vector<bool>{true, false, true, true}));
}

enum class Token : std::int16_t { none, word, stop };

TEST(PaddedBatch, EnumerationsAreScalars) {
  const auto batch =
      batch_of<std::vector<Token>>({{Token::word}, {Token::word, Token::word}}, {.pad_value = Token::stop});
  EXPECT_EQ(batch(0, 1), Token::stop);
}

TEST(PaddedBatch, RangesThatAreNotContiguous) {
  EXPECT_EQ(to_vector(batch_of<std::list<int>>({{1, 2}, {3}}).values()), (Ints{1, 2, 3, 0}));
  EXPECT_EQ(to_vector(batch_of<std::deque<int>>({{1, 2}, {3}}).values()), (Ints{1, 2, 3, 0}));
  EXPECT_EQ(to_vector(batch_of<std::vector<std::list<int>>>({{{1, 2}}, {{3}}}).values()), (Ints{1, 2, 3, 0}));
}

TEST(PaddedBatch, SpansAreCopiedFrom) {
  const Ints memory = {1, 2, 3};
  using Span = std::span<const int>;
  const auto batch = batch_of<Span>({Span(memory), Span(memory).last(1)});
  EXPECT_EQ(to_vector(batch.values()), (Ints{1, 2, 3, 3, 0, 0}));
}

TEST(PaddedBatch, SharedScalarsAreMovedFromRangesAndPadded) {
  const auto pad = std::make_shared<int>(0);
  const auto value = std::make_shared<int>(7);
  using Pointers = std::vector<std::shared_ptr<int>>;
  const auto batch = batch_of<Pointers>({{value, value}, {value}}, {.pad_value = pad});
  EXPECT_EQ(value.use_count(), 4) << "three moved from the elements and this one";
  EXPECT_EQ(batch(0, 1), value);
  EXPECT_EQ(batch(1, 1), pad);
}

TEST(PaddedBatch, SharedScalarsAreCopiedFromSpans) {
  std::vector<std::shared_ptr<int>> memory(2, std::make_shared<int>(7));
  using Span = std::span<std::shared_ptr<int>>;
  const auto batch = batch_of<Span>({Span(memory), Span(memory).first(1)});
  EXPECT_NE(memory[0], nullptr);
  EXPECT_EQ(batch(0, 0), memory[0]);
  EXPECT_EQ(batch(1, 1), nullptr);
}

struct Point {
  float x;
  float y;
};

TEST(PaddedBatch, RecordInsideOfARangeIsAScalar) {
  const auto batch = batch_of<std::vector<Point>>({{{1, 2}}, {{3, 4}, {5, 6}}}, {.pad_value = {-1, -2}});
  EXPECT_EQ(batch(0, 1).y, -2);
  EXPECT_EQ(batch(1, 1).x, 5);
}

TEST(PaddedBatch, TuplesHaveTheirMembersForComponents) {
  const auto batch =
      batch_of<std::tuple<Ints, int, Characters>>({{{1}, 7, "ab"}, {{2, 3}, 8, "c"}}, {.pad_value = {-1, 0, '.'}});
  static_assert(decltype(batch)::component_count == 3);
  EXPECT_EQ(to_vector(batch.component<0>().values()), (Ints{1, -1, 2, 3}));
  EXPECT_EQ(to_vector(batch.component<1>()), (Ints{7, 8}));
  EXPECT_EQ(to_vector(batch.component<2>().values()), (std::vector{'a', 'b', 'c', '.'}));
}

TEST(PaddedBatch, PairsHaveTheirMembersForComponents) {
  const auto batch = batch_of<std::pair<Ints, double>>({{{1}, 0.5}, {{2, 3}, 1.5}});
  EXPECT_EQ(to_vector(batch.component<0>().values()), (Ints{1, 0, 2, 3}));
  EXPECT_EQ(to_vector(batch.component<1>()), (std::vector{0.5, 1.5}));
}

struct Sentence {
  std::vector<Characters> words;
  std::array<float, 2> weights;
  std::unique_ptr<int> source;
  bool is_question = false;
};

TEST(PaddedBatch, AggregatesHaveTheirMembersForComponents) {
  std::vector<Sentence> sentences;
  sentences.push_back({{"who", "is"}, {1, 2}, std::make_unique<int>(7), true});
  sentences.push_back({{"I"}, {3, 4}, nullptr});
  auto batch = batch_of<Sentence>(std::move(sentences), {.pad_value = {'.', {}, {}, {}}});
  EXPECT_EQ(batch.component<0>().extents(), (Extents<3>{2, 2, 3}));
  EXPECT_EQ(std::string_view(batch.component<0>().data(), 12), "whois.I.....");
  EXPECT_EQ(to_vector(batch.component<1>().values()), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(*batch.component<2>()[0], 7);
  EXPECT_EQ(to_vector(batch.component<3>()), (std::vector{true, false}));
  const std::unique_ptr<int> taken = std::move(batch.component<2>()(0));
  EXPECT_EQ(*taken, 7);
}

struct Sixteen {
  std::array<int, 3> a;
  int b, c, d, e, f, g, h, i, j, k, l, m, n, o;
  Ints p;
};

TEST(PaddedBatch, SixteenMembersAreTakenApart) {
  const auto batch = batch_of<Sixteen>({{{1, 2, 3}, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, {16, 17}}});
  static_assert(decltype(batch)::component_count == 16);
  EXPECT_EQ(batch.component<0>()(0, 2), 3);
  EXPECT_EQ(batch.component<14>()(0), 15);
  EXPECT_EQ(batch.component<15>()(0, 1), 17);
}

TEST(PaddedBatch, ComponentsOfARecordAreRecognised) {
  static_assert(std::is_same_v<forebay::detail::ComponentsOf<Sentence>,
                               std::tuple<std::vector<Characters>, std::array<float, 2>, std::unique_ptr<int>, bool>>);
  static_assert(std::is_same_v<forebay::detail::ComponentsOf<int>, std::tuple<int>>);
  static_assert(std::is_same_v<forebay::detail::ComponentsOf<MoveOnly>, std::tuple<MoveOnly>>);
  static_assert(std::is_same_v<forebay::detail::ComponentsOf<std::array<int, 2>>, std::tuple<std::array<int, 2>>>);
  static_assert(forebay::detail::component_count<Large> == 2);
}

// ---- Access

TEST(PaddedBatch, AtChecksItsIndices) {
  const auto batch = batch_of<Ints>({{1, 2}, {3}});
  EXPECT_EQ(batch.at(1, 0), 3);
  EXPECT_THROW(static_cast<void>(batch.at(2, 0)), std::out_of_range);
  EXPECT_THROW(static_cast<void>(batch.at(0, 2)), std::out_of_range);
  EXPECT_THROW(static_cast<void>(batch.at(0, -1)), std::out_of_range);
}

TEST(PaddedBatch, AtNamesWhatIsOutOfRange) {
  const auto batch = batch_of<Ints>({{1, 2}, {3}});
  try {
    static_cast<void>(batch.at(0, 2));
    FAIL();
  } catch (const std::out_of_range& error) {
    EXPECT_STREQ(error.what(), "forebay: [0, 2] is not in a batch of extents [2, 2]");
  }
}

TEST(PaddedBatch, ValuesCanBeWritten) {
  auto batch = batch_of<Ints>({{1, 2}, {3}});
  batch(0, 0) = 10;
  batch.row(1)[1] = 11;
  for (int& value : batch.values()) value *= 2;
  EXPECT_EQ(to_vector(batch.values()), (Ints{20, 4, 6, 22}));
}

#if defined(__cpp_lib_mdspan)
TEST(PaddedBatch, MdspanHasTheExtentsOfTheBatch) {
  const auto batch = batch_of<Ints>({{1, 2}, {3}});
  const auto view = batch.mdspan();
  EXPECT_EQ(view.extent(1), 2U);
  EXPECT_EQ((view[1, 0]), 3);
}
#endif

// ---- Reuse

TEST(PaddedBatch, IsFilledAgain) {
  PaddedBatch<Ints> batch(-1);
  fill(batch, {{1, 2, 3}, {4}});
  fill(batch, {{5}, {6, 7}, {}});
  EXPECT_EQ(to_vector(batch.values()), (Ints{5, -1, 6, 7, -1, -1}));
  EXPECT_EQ(to_vector(batch.lengths()), (Sizes{1, 2, 0}));
}

TEST(PaddedBatch, KeepsItsStorage) {
  PaddedBatch<Ints> batch;
  fill(batch, {{1, 2, 3}, {4}});
  const int* const storage = batch.data();
  fill(batch, {{1, 2}, {4}});
  EXPECT_EQ(batch.data(), storage);
}

TEST(PaddedBatch, IsEmptyWhenCleared) {
  auto batch = batch_of<std::vector<Ints>>({{{1, 2}}}, {.shape = {std::nullopt, 2}});
  batch.clear();
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.extents(), (Extents<3>{0, 0, 2}));
  EXPECT_TRUE(batch.lengths<2>().empty());
}

TEST(PaddedBatch, DequeueThatTimesOutEmptiesIt) {
  auto batch = batch_of<Ints>({{1, 2}, {3}});
  FIFOQueue<Ints> queue(2);
  EXPECT_EQ(queue.dequeue_many(1, batch, no_wait), QueueStatus::empty);
  EXPECT_TRUE(batch.empty());
  EXPECT_TRUE(batch.values().empty());
}

TEST(PaddedBatch, MovedFromIsEmptyAndKeepsItsPadValue) {
  const auto pad = std::make_shared<int>(0);
  using Pointers = std::vector<std::shared_ptr<int>>;
  auto batch = batch_of<Pointers>({{nullptr}, {}}, {.pad_value = pad});
  const auto taken = std::move(batch);
  EXPECT_EQ(taken(1, 0), pad);
  EXPECT_TRUE(batch.empty());
  fill(batch, {{nullptr}, {}});
  EXPECT_EQ(batch(1, 0), pad);
}

TEST(PaddedBatch, MoveAssignmentTakesEverything) {
  auto batch = batch_of<Ints>({{1, 2}, {3}}, {.pad_value = -1});
  auto other = batch_of<Ints>({{4}});
  batch = std::move(other);
  EXPECT_EQ(to_vector(batch.values()), (Ints{4}));
  fill(batch, {{1, 2}, {3}});
  EXPECT_EQ(to_vector(batch.values()), (Ints{1, 2, 3, 0}));
}

TEST(PaddedBatch, ServesQueuesOfEveryOrder) {
  forebay::RandomShuffleQueue<Ints> queue({.capacity = 8, .seed = 1});
  ASSERT_EQ(queue.enqueue_many({{1}, {2, 2}, {3, 3, 3}}).count, 3U);
  PaddedBatch<Ints> batch(0);
  ASSERT_EQ(queue.dequeue_many(3, batch), QueueStatus::ok);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(batch.length(i), static_cast<std::size_t>(batch(i, 0)));
}

// ---- Failures lose nothing

/// Claims to be longer than any memory.
struct Endless {
  using Iterator = std::reverse_iterator<const int*>;
  [[nodiscard]] static Iterator begin() { return {}; }
  [[nodiscard]] static Iterator end() { return {}; }
  [[nodiscard]] static std::size_t size() { return std::numeric_limits<std::size_t>::max() / 2; }
};

// proves: padding-fails
TEST(PaddedBatch, SizeThatOverflowsIsReportedAndLosesNothing) {
  FIFOQueue<Endless> queue(8);
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(queue.enqueue(Endless()), QueueStatus::ok);
  }
  PaddedBatch<Endless> batch;
  try {
    static_cast<void>(queue.dequeue_many(4, batch));
    FAIL();
  } catch (const std::length_error& error) {
    EXPECT_TRUE(contains(error.what(), "[4, 9223372036854775807]"));
  }
  EXPECT_EQ(queue.size(), 4U);
  EXPECT_TRUE(queue.invariants_hold());
  EXPECT_TRUE(batch.empty());
}

TEST(PaddedBatch, CountThatNoMemoryHoldsIsNotThere) {
  FIFOQueue<std::array<float, 64>> queue(forebay::unbounded);
  ASSERT_EQ(queue.enqueue({}), QueueStatus::ok);
  PaddedBatch<std::array<float, 64>> batch;
  EXPECT_EQ(queue.dequeue_many(std::numeric_limits<std::size_t>::max() / 2, batch, no_wait), QueueStatus::empty);
  queue.close();
  ASSERT_EQ(queue.dequeue_up_to(std::numeric_limits<std::size_t>::max() / 2, batch), QueueStatus::ok);
  EXPECT_EQ(batch.extents(), (Extents<2>{1, 64}));
}

/// A range whose copies and moves fail when its ledger requests it.
template <Copying copying>
class FailingRange {
 public:
  FailingRange(Ints numbers, Ledger& ledger) : numbers_(std::move(numbers)), tracked_(0, ledger) {}
  [[nodiscard]] auto begin() const { return numbers_.begin(); }
  [[nodiscard]] auto end() const { return numbers_.end(); }

 private:
  Ints numbers_;
  Tracked<copying, Moving::may_throw> tracked_;
};

// proves: padding-fails
TEST(PaddedBatch, ElementThatFailsAnywhereLosesNothing) {
  using Element = FailingRange<Copying::may_throw>;
  static_assert(!std::is_nothrow_move_constructible_v<Element>);
  Ledger ledger;
  std::size_t failures = 0;
  for (bool failed = true; failed;) {
    FIFOQueue<Element> queue(8);
    for (int i = 1; i <= 4; ++i) {
      ASSERT_EQ(queue.enqueue(Element(Ints(static_cast<std::size_t>(i), i), ledger)), QueueStatus::ok);
    }
    PaddedBatch<Element> batch(-1);
    ledger.fail_at(failures + 1);
    failed = false;
    try {
      ASSERT_EQ(queue.dequeue_many(3, batch), QueueStatus::ok);
    } catch (const ElementFailure&) {
      failed = true;
      ++failures;
    }
    static_cast<void>(ledger.take_pending_failure());
    EXPECT_TRUE(queue.invariants_hold());
    EXPECT_EQ(queue.size(), failed ? 4U : 1U);
    EXPECT_EQ(batch.size(), failed ? 0U : 3U);
    for (int i = failed ? 1 : 4; i <= 4; ++i) {
      EXPECT_EQ(to_vector(queue.dequeue().value()), Ints(static_cast<std::size_t>(i), i));
    }
  }
  EXPECT_EQ(failures, 3U);
}

/// A scalar whose copy fails on request; its move does not fail.
class FailingScalar {
 public:
  static inline std::size_t until_failure = 0;

  FailingScalar() = default;
  explicit FailingScalar(int number) : number_(number) {}
  FailingScalar(const FailingScalar& other) : number_(other.number_) {
    if (until_failure > 0 && --until_failure == 0) throw ElementFailure();
  }
  FailingScalar(FailingScalar&&) noexcept = default;
  FailingScalar& operator=(const FailingScalar&) = delete;
  FailingScalar& operator=(FailingScalar&&) noexcept = default;
  ~FailingScalar() = default;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_ = 0;
};

// proves: padding-fails
TEST(PaddedBatch, PadValueThatFailsAnywhereLosesNothing) {
  using Element = std::pair<std::vector<FailingScalar>, std::vector<FailingScalar>>;
  std::size_t failures = 0;
  for (bool failed = true; failed;) {
    FIFOQueue<Element> queue(8);
    for (int i = 1; i <= 3; ++i) {
      Element element;
      for (int number = 0; number < i; ++number) element.first.emplace_back(i);
      element.second.emplace_back(i);
      ASSERT_EQ(queue.enqueue(std::move(element)), QueueStatus::ok);
    }
    PaddedBatch<Element> batch;
    FailingScalar::until_failure = failures + 1;
    failed = false;
    try {
      ASSERT_EQ(queue.dequeue_many(3, batch), QueueStatus::ok);
    } catch (const ElementFailure&) {
      failed = true;
      ++failures;
    }
    FailingScalar::until_failure = 0;
    EXPECT_EQ(queue.size(), failed ? 3U : 0U);
    EXPECT_EQ(batch.size(), failed ? 0U : 3U);
    if (failed) {
      EXPECT_EQ(queue.dequeue()->first.front().number(), 1);
    } else {
      EXPECT_EQ(batch.component<0>()(2, 2).number(), 3);
      EXPECT_EQ(batch.component<0>()(0, 2).number(), 0);
    }
  }
  EXPECT_EQ(failures, 12U) << "nine pads of the first component, three of the second";
}

TEST(PaddedBatch, ElementsAreReleasedBeforeTheCallReturns) {
  const auto held = std::make_shared<int>(1);
  using Element = std::pair<std::vector<int>, std::vector<std::shared_ptr<int>>>;
  FIFOQueue<Element> queue(4);
  ASSERT_EQ(queue.enqueue({{1}, {held}}), QueueStatus::ok);
  ASSERT_EQ(queue.enqueue({{1, 2}, {}}), QueueStatus::ok);
  PaddedBatch<Element> batch;
  ASSERT_EQ(queue.dequeue_many(2, batch), QueueStatus::ok);
  EXPECT_EQ(held.use_count(), 2);
  batch.clear();
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace forebay_test
