// SPDX-License-Identifier: MIT
//
// A library that uses forebay in its interface.

#ifndef FOREBAY_TESTS_PACKAGING_NUMBERS_HPP
#define FOREBAY_TESTS_PACKAGING_NUMBERS_HPP

#include <forebay/forebay.hpp>

namespace numbers {

/// Dequeues all elements until the queue is closed, and returns their sum.
inline int sum(forebay::FIFOQueue<int>& queue) {
  int result = 0;
  for (const int number : queue) result += number;
  return result;
}

}  // namespace numbers

#endif  // FOREBAY_TESTS_PACKAGING_NUMBERS_HPP
