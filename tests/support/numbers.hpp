// SPDX-License-Identifier: MIT
//
// numbers.hpp: numbers to put into a queue, a pipeline or the ops of a QueueRunner, and their outputs.

#ifndef FOREBAY_TESTS_SUPPORT_NUMBERS_HPP
#define FOREBAY_TESTS_SUPPORT_NUMBERS_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/queue_status.hpp"

namespace forebay_test {

/// Hands out the numbers 0 to count - 1, each once, to any number of threads.
class Numbers {
 public:
  explicit Numbers(int count) : count_(count) {}

  /// Returns the next number, or nothing at the end.
  std::optional<int> next() {
    const int number = next_++;
    return number < count_ ? std::optional(number) : std::nullopt;
  }

  /// Returns the next number. Throws OutOfRangeError at the end.
  int next_or_throw() {
    if (const std::optional<int> number = next()) return *number;
    throw forebay::OutOfRangeError();
  }

 private:
  const int count_;
  std::atomic<int> next_ = 0;
};

/// Returns the numbers first to first + count - 1.
inline std::vector<int> numbers(int count, int first = 0) {
  std::vector<int> made(static_cast<std::size_t>(count));
  std::iota(made.begin(), made.end(), first);
  return made;
}

/// Returns all elements that a queue or pipeline delivers until its end.
template <class Source>
std::vector<typename std::remove_cvref_t<Source>::value_type> drained(Source&& source) {
  std::vector<typename std::remove_cvref_t<Source>::value_type> elements;
  for (auto&& element : source) elements.push_back(std::move(element));
  return elements;
}

/// Returns the scalars of a batch, or of one of its components.
template <class Values>
auto to_vector(const Values& values) {
  return std::vector(values.begin(), values.end());
}

template <class T = int>
std::vector<T> sorted(std::vector<T> elements) {
  std::ranges::sort(elements);
  return elements;
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_NUMBERS_HPP
