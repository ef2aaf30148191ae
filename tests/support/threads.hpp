// SPDX-License-Identifier: MIT
//
// threads.hpp: several threads that run the same function.

#ifndef FOREBAY_TESTS_SUPPORT_THREADS_HPP
#define FOREBAY_TESTS_SUPPORT_THREADS_HPP

#include <thread>
#include <vector>

namespace forebay_test {

/// Runs `body(0)` to `body(count - 1)`, each in a thread. The destructor joins them.
template <class Body>
std::vector<std::jthread> start(int count, Body body) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([body, i] { body(i); });
  return threads;
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_THREADS_HPP
