// SPDX-License-Identifier: MIT
//
// runs_test.cpp: stages that hand on runs of elements, with elements of every kind: small and large ones, such as are
// copied at once or one by one, and what can only be moved. Each pipeline is compared with a loop over vectors.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/random_bits.hpp"
#include "forebay/dataset.hpp"
#include "tests/support/plain_run.hpp"

namespace forebay_test {
namespace {

using forebay::Dataset;
using forebay::Out;
using forebay::range;
using forebay::detail::RandomBits;

using Number = std::uint64_t;
using Numbers = std::vector<Number>;

/// Trivially copyable, and as large as elements that have slots of their own.
struct Large {
  Number number;
  std::array<Number, 24> rest;
};

template <class T>
struct Kind;
template <>
struct Kind<Number> {
  static Number make(Number number) { return number; }
  static Number number(Number element) { return element; }
};
template <>
struct Kind<char> {
  static char make(Number number) { return static_cast<char>(number % 100); }
  static Number number(char element) { return static_cast<Number>(element); }
};
template <>
struct Kind<bool> {
  static bool make(Number number) { return number % 3 == 0; }
  static Number number(bool element) { return element ? 1 : 0; }
};
template <>
struct Kind<Large> {
  static Large make(Number number) { return {number, {number + 1}}; }
  static Number number(const Large& element) { return element.rest[0] == element.number + 1 ? element.number : 0; }
};
template <>
struct Kind<std::string> {
  static std::string make(Number number) { return std::string(number % 40, 'a') + std::to_string(number); }
  static Number number(const std::string& element) {
    return std::stoull(element.substr(element.find_first_not_of('a')));
  }
};
template <>
struct Kind<std::unique_ptr<Number>> {
  static std::unique_ptr<Number> make(Number number) { return std::make_unique<Number>(number); }
  static Number number(const std::unique_ptr<Number>& element) { return *element; }
};

/// Groups of 0 to 69 elements.
template <class T>
std::vector<T> group(Number seed) {
  RandomBits bits(seed);
  std::vector<T> elements;
  for (Number left = bits.below(70); left > 0; --left) elements.push_back(Kind<T>::make(bits.below(100)));
  return elements;
}

constexpr Number groups = 8;

template <class T>
Numbers expected() {
  Numbers numbers;
  for (Number i = 0; i < groups; ++i) {
    for (const auto& element : group<T>(i)) numbers.push_back(Kind<T>::number(element));
  }
  return numbers;
}

/// Emits groups by all members of Out.
template <class T>
struct Emits {
  using value_type = T;

  void operator()(Number&& i, Out<T>& out) const {
    std::vector<T> elements = group<T>(i);
    if (i % 3 == 0) return out.emit_all(std::move(elements));
    for (auto&& element : elements) {
      if (i % 3 == 1) static_cast<void>(out.recycled());
      out.emit(T(std::move(element)));
    }
  }
};

/// All ways to make single elements from groups.
template <class T>
std::vector<Dataset<T>> sources() {
  const auto made = range<Number>(0, groups).map([](Number i) { return group<T>(i); });
  std::vector<Dataset<T>> sources{
      made.unbatch(), range<Number>(0, groups).map(2, [](Number i) { return group<T>(i); }).unbatch(),
      range<Number>(0, groups).flat_map([](Number i) { return group<T>(i); }),
      range<Number>(0, groups).interleave({.cycle = 1, .prefetch = 3}, [](Number i) { return group<T>(i); }),
      range<Number>(0, groups).apply(Emits<T>())};
  if constexpr (std::is_copy_constructible_v<T> && !std::is_same_v<T, bool>) {
    static const std::vector<std::vector<T>> lasting = [] {
      std::vector<std::vector<T>> all;
      for (Number i = 0; i < groups; ++i) all.push_back(group<T>(i));
      return all;
    }();
    sources.push_back(range<Number>(0, groups).flat_map([](Number i) { return std::span(lasting[i]); }));
  }
  return sources;
}

template <class T>
Numbers taken(const Dataset<T>& data) {
  Numbers numbers;
  for (auto& element : data.run()) numbers.push_back(Kind<T>::number(element));
  return numbers;
}
template <class T>
Numbers taken(const Dataset<std::vector<T>>& data, std::size_t size) {
  Numbers numbers;
  std::size_t last = size;
  for (auto& batch : data.run()) {
    EXPECT_EQ(last, size) << "only the last batch may be smaller";
    last = batch.size();
    for (auto&& element : batch) numbers.push_back(Kind<T>::number(element));
  }
  return numbers;
}

template <class T>
class Runs : public testing::Test {};
using Kinds = testing::Types<Number, char, bool, Large, std::string, std::unique_ptr<Number>>;
TYPED_TEST_SUITE(Runs, Kinds);

TYPED_TEST(Runs, KeepEachElementAndItsOrder) {
  using T = TypeParam;
  const Numbers all = expected<T>();
  const auto rest = [&](std::size_t first) {
    return Numbers(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
  };
  for (const Dataset<T>& source : sources<T>()) {
    EXPECT_EQ(taken(source), all);
    for (const std::size_t size : {1U, 31U, 33U, 1000U}) EXPECT_EQ(taken(source.batch(size), size), all);
    EXPECT_EQ(taken(source.batch(7).unbatch().batch(50), 50), all);
    EXPECT_EQ(taken(source.skip(5)), rest(5));
    EXPECT_EQ(taken(source.skip(40).batch(9), 9), rest(40));
    EXPECT_EQ(taken(source.take(all.size()).prefetch(3).batch(20), 20), all);
    EXPECT_EQ(taken(source.filter([](const T&) { return true; })), all);
    EXPECT_EQ(taken(source.map(2, [](T element) { return element; }).batch(33), 33), all);
    EXPECT_EQ(taken(source.batch_by_cost([](const T&) { return 1; }, {.limit = 40}), 40), all);
    EXPECT_EQ(taken(source.repeat(2).seamless().skip(all.size()).batch(32), 32), all);
  }
}

TYPED_TEST(Runs, KeepEachElementInAShuffle) {
  using T = TypeParam;
  Numbers all = expected<T>();
  std::sort(all.begin(), all.end());
  for (const Dataset<T>& source : sources<T>()) {
    const Numbers order = taken(source.shuffle(20).batch(12), 12);
    Numbers sorted = order;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, all);
    EXPECT_EQ(taken(source.shuffle(20)), order) << "the order does not depend on the stage downstream";
  }
}

}  // namespace
}  // namespace forebay_test
