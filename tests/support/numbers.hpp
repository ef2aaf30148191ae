// SPDX-License-Identifier: MIT
//
// numbers.hpp: an input that ends, for the ops of a QueueRunner, and what comes out of their queue.

#ifndef FOREBAY_TESTS_SUPPORT_NUMBERS_HPP
#define FOREBAY_TESTS_SUPPORT_NUMBERS_HPP

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "forebay/queue_status.hpp"

namespace forebay_test {

/// The numbers 0 to count - 1, each of them once, to any number of threads.
class Numbers {
 public:
  explicit Numbers(int count) : count_(count) {}

  /// None at the end.
  std::optional<int> next() {
    const int number = next_++;
    return number < count_ ? std::optional(number) : std::nullopt;
  }

  /// OutOfRangeError at the end.
  int next_or_throw() {
    if (const std::optional<int> number = next()) return *number;
    throw forebay::OutOfRangeError();
  }

 private:
  const int count_;
  std::atomic<int> next_ = 0;
};

/// What `queue` delivers until it is closed and drained.
template <class Queue>
std::vector<typename Queue::value_type> drained(Queue& queue) {
  std::vector<typename Queue::value_type> elements;
  for (auto&& element : queue) elements.push_back(std::move(element));
  return elements;
}

/// The scalars of a batch, or of one of its components.
template <class Values>
auto to_vector(const Values& values) {
  return std::vector(values.begin(), values.end());
}

inline std::vector<int> sorted(std::vector<int> numbers) {
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_NUMBERS_HPP
