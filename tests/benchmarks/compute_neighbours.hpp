// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_COMPUTE_NEIGHBOURS_HPP
#define FOREBAY_BENCHMARK_COMPUTE_NEIGHBOURS_HPP

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "busy_work.hpp"

namespace forebay_benchmark {

// Threads that compute for as long as this object lives, like the rest of a busy machine.
class ComputeNeighbours {
 public:
  explicit ComputeNeighbours(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      threads_.emplace_back([this] {
        while (!stopped_) work_();
      });
    }
  }
  ComputeNeighbours(const ComputeNeighbours&) = delete;
  ComputeNeighbours& operator=(const ComputeNeighbours&) = delete;

  ~ComputeNeighbours() {
    stopped_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  const BusyWork work_{Nanoseconds(10'000)};
  std::atomic<bool> stopped_{false};
  std::vector<std::thread> threads_;
};

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_COMPUTE_NEIGHBOURS_HPP
