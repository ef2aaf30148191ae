// SPDX-License-Identifier: MIT
//
// await.hpp: waits for conditions. Tests do not sleep: the queue itself reports that a thread waits.

#ifndef FOREBAY_TESTS_SUPPORT_AWAIT_HPP
#define FOREBAY_TESTS_SUPPORT_AWAIT_HPP

#include <gtest/gtest.h>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <thread>

#include "tests/support/scaled_time.hpp"

namespace forebay_test {

/// Yields until `predicate` holds. Returns whether it did within long_time(); the test fails if it did not.
template <std::predicate Predicate>
bool await(Predicate predicate) {
  const auto deadline = std::chrono::steady_clock::now() + long_time();
  while (!predicate()) {
    if (std::chrono::steady_clock::now() >= deadline) {
      ADD_FAILURE() << "what was waited for did not come about";
      return false;
    }
    std::this_thread::yield();
  }
  return true;
}

/// Returns when exactly `count` threads wait in `queue` for elements.
template <class Queue>
bool await_waiting_consumers(const Queue& queue, std::size_t count) {
  return await([&] { return queue.waiting_consumers() == count; });
}

/// Returns when exactly `count` threads wait in `queue` for room.
template <class Queue>
bool await_waiting_producers(const Queue& queue, std::size_t count) {
  return await([&] { return queue.waiting_producers() == count; });
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_AWAIT_HPP
