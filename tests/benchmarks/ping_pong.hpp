// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_PING_PONG_HPP
#define FOREBAY_BENCHMARK_PING_PONG_HPP

#include <limits>
#include <string>
#include <vector>

#include "contenders.hpp"
#include "require.hpp"
#include "run_together.hpp"

namespace forebay_benchmark {

// Passes one element back and forth between two threads, through two queues of capacity 1, as fast as possible. Returns
// half of each round trip in nanoseconds: the latency of one hand-over.
template <class Adapter>
std::vector<double> run_ping_pong(Nanoseconds budget) {
  constexpr Element end = std::numeric_limits<Element>::max();
  Adapter ping(1);
  Adapter pong(1);
  std::vector<double> halves;
  const auto echo = [&] {
    for (Element value = ping.pop(); value != end; value = ping.pop()) pong.push(value);
  };
  const auto serve = [&] {
    const Clock::time_point start = Clock::now();
    Clock::time_point departure = start;
    for (Element value = 0; departure - start < budget; ++value) {
      ping.push(value);
      require(pong.pop() == value, "ping-pong: another element came back than was sent");
      const Clock::time_point arrival = Clock::now();
      halves.push_back(Nanoseconds(arrival - departure).count() / 2);
      departure = arrival;
    }
    ping.push(end);
  };
  run_together(std::string(Adapter::name) + " in ping-pong", {echo, serve});
  return halves;
}

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_PING_PONG_HPP
