// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_START_GATE_HPP
#define FOREBAY_BENCHMARK_START_GATE_HPP

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace forebay_benchmark {

// Lets the threads of a measurement pass together once all have come, so that creating them is part of no figure.
// They sleep meanwhile: there may be more of them than cores.
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
