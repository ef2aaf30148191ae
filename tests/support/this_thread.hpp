// SPDX-License-Identifier: MIT
//
// this_thread.hpp: operations on the calling thread: keep it busy, get its name.

#ifndef FOREBAY_TESTS_SUPPORT_THIS_THREAD_HPP
#define FOREBAY_TESTS_SUPPORT_THIS_THREAD_HPP

#include <array>
#include <chrono>
#include <string>
#include <thread>

#if defined(__linux__)
#include <pthread.h>
#endif

namespace forebay_test {

/// Consumes `time` without sleeping.
inline void keep_busy(std::chrono::nanoseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

#if defined(__linux__)
/// Returns the thread's name as debuggers show it.
inline std::string name_of_this_thread() {
  std::array<char, 64> name{};
  return pthread_getname_np(pthread_self(), name.data(), name.size()) == 0 ? name.data() : "";
}
#endif

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_THIS_THREAD_HPP
