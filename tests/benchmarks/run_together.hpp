// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_RUN_TOGETHER_HPP
#define FOREBAY_BENCHMARK_RUN_TOGETHER_HPP

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <string>
#include <vector>

#include "require.hpp"
#include "start_gate.hpp"

namespace forebay_benchmark {

using Clock = std::chrono::steady_clock;
using Nanoseconds = std::chrono::duration<double, std::nano>;

// Set by --pin. Otherwise the scheduler may or may not put both ends of a queue on one core.
inline bool threads_are_pinned = false;

// Restricts the calling thread to one core: the one with this number among those that it may use.
inline void pin_to_core(std::size_t number) {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) != 0) return;
  number %= static_cast<std::size_t>(CPU_COUNT(&usable));
  std::size_t core = 0;
  while (!CPU_ISSET(core, &usable) || number-- > 0) ++core;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  sched_setaffinity(0, sizeof one, &one);
}

// Runs every body in a separate thread, and returns the time from the first start to the last end. A queue that loses
// an element or a wake-up leaves threads waiting forever, so this gives up after a while and names `what`.
inline Nanoseconds run_together(const std::string& what, const std::vector<std::function<void()>>& bodies) {
  StartGate gate(bodies.size());
  std::vector<Clock::time_point> starts(bodies.size());
  std::vector<Clock::time_point> ends(bodies.size());
  std::vector<std::future<void>> threads;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    threads.push_back(std::async(std::launch::async, [&, i] {
      if (threads_are_pinned) pin_to_core(i);
      gate.pass();
      starts[i] = Clock::now();
      bodies[i]();
      ends[i] = Clock::now();
    }));
  }
  const Clock::time_point limit = Clock::now() + std::chrono::minutes(2);
  for (std::future<void>& thread : threads) {
    require(thread.wait_until(limit) == std::future_status::ready, what + ": stuck, something was lost");
    thread.get();
  }
  return *std::max_element(ends.begin(), ends.end()) - *std::min_element(starts.begin(), starts.end());
}

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_RUN_TOGETHER_HPP
