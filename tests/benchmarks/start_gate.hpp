// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_START_GATE_HPP
#define FOREBAY_BENCHMARK_START_GATE_HPP

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace forebay_benchmark {

// Releases the threads of a measurement together when all have arrived, so that no figure includes their creation. They
// sleep meanwhile, because there may be more threads than cores.
class StartGate {
 public:
  explicit StartGate(std::size_t expected) : missing_(expected) {}

  void pass() {
    std::unique_lock lock(mutex_);
    if (--missing_ == 0) opened_.notify_all();
    opened_.wait(lock, [this] { return missing_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  std::size_t missing_;
};

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_START_GATE_HPP
