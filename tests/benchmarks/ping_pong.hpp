// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_PING_PONG_HPP
#define FOREBAY_BENCHMARK_PING_PONG_HPP

#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "contenders.hpp"
#include "require.hpp"
#include "run_together.hpp"
#include "waiting.hpp"

namespace forebay_benchmark {

struct PingPong {
  std::vector<double> halves;     // of each round trip, in nanoseconds: the latency of one hand-over
  double cpu_time_of_round_trip;  // of both threads, in microseconds
};

// Passes one element back and forth between two threads, through two queues of capacity 1. Sleeps for `gap` before each
// round trip, or not at all.
template <class Adapter>
PingPong run_ping_pong(Nanoseconds budget, Nanoseconds gap) {
  constexpr Element end = std::numeric_limits<Element>::max();
  Adapter ping(1);
  Adapter pong(1);
  std::vector<double> halves;
  Nanoseconds echoed{};
  Nanoseconds served{};
  const auto echo = [&] {
    const Nanoseconds before = thread_cpu_time();
    for (Element value = ping.pop(); value != end; value = ping.pop()) pong.push(value);
    echoed = thread_cpu_time() - before;
  };
  const auto serve = [&] {
    const Nanoseconds before = thread_cpu_time();
    const Clock::time_point start = Clock::now();
    Clock::time_point arrival = start;
    for (Element value = 0; arrival - start < budget; ++value) {
      if (gap > Nanoseconds(0)) std::this_thread::sleep_for(gap);
      const Clock::time_point departure = gap > Nanoseconds(0) ? Clock::now() : arrival;
      ping.push(value);
      require(pong.pop() == value, "ping-pong: another element came back than was sent");
      arrival = Clock::now();
      halves.push_back(Nanoseconds(arrival - departure).count() / 2);
    }
    served = thread_cpu_time() - before;
    ping.push(end);
  };
  run_together(std::string(Adapter::name) + " in ping-pong", {echo, serve});
  const double round_trips = static_cast<double>(halves.size());
  return {std::move(halves), (echoed + served).count() / round_trips / 1000};
}

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_PING_PONG_HPP
