// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_BUSY_WORK_HPP
#define FOREBAY_BENCHMARK_BUSY_WORK_HPP

#include <cstdint>

#include "run_together.hpp"

namespace forebay_benchmark {

// A fixed amount of computation, calibrated once to take `duration` on its own core. On a busy core it is no less work.
class BusyWork {
 public:
  explicit BusyWork(Nanoseconds duration) {
    const Clock::time_point start = Clock::now();
    (*this)();
    iterations_ = static_cast<std::uint64_t>(static_cast<double>(iterations_) * (duration / (Clock::now() - start)));
  }

  void operator()() const {
    std::uint64_t state = iterations_;
    for (std::uint64_t i = 0; i < iterations_; ++i) state = state * 6364136223846793005u + 1442695040888963407u;
    [[maybe_unused]] volatile std::uint64_t result = state;
  }

 private:
  std::uint64_t iterations_ = 1'000'000;
};

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_BUSY_WORK_HPP
