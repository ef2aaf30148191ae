// SPDX-License-Identifier: MIT
//
// The cost of a consumer that has to wait.

#ifndef FOREBAY_BENCHMARK_WAITING_HPP
#define FOREBAY_BENCHMARK_WAITING_HPP

#include <sys/resource.h>
#include <time.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "busy_work.hpp"
#include "cell.hpp"
#include "contenders.hpp"
#include "require.hpp"
#include "run_together.hpp"

namespace forebay_benchmark {

inline Nanoseconds thread_cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

inline long voluntary_context_switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

// Leaves a consumer blocked on an empty queue. Returns the CPU time it consumes, in microseconds per second.
template <class Adapter>
double run_blocked_consumer(Nanoseconds duration) {
  Adapter queue(64);
  Nanoseconds burnt{};
  const auto consume_late = [&] {
    const Nanoseconds before = thread_cpu_time();
    require(queue.pop() == 1, "blocked consumer: another element came out than was put in");
    burnt = thread_cpu_time() - before;
  };
  const auto produce_late = [&] {
    std::this_thread::sleep_for(duration);
    queue.push(1);
  };
  run_together(std::string(Adapter::name) + " in blocked consumer", {consume_late, produce_late});
  return burnt / duration * 1e6;
}

// The cost of one batch for a trainer: its voluntary context switches, and the share of a core that it used. Waiting by
// spinning or yielding needs no switch, so one figure means little without the other.
struct TrainerCost {
  double switches_per_batch;
  double percent_of_core;
};

// A producer that computes for each element, and a faster trainer that takes batches: it has to wait for each.
template <class Adapter>
TrainerCost run_fast_trainer(Nanoseconds budget) {
  static const BusyWork prepare(Nanoseconds(700));
  const auto batches = static_cast<std::size_t>(budget / (Nanoseconds(700) * batch_size)) + 1;
  Adapter queue(1024);
  long switches = 0;
  Nanoseconds used{};
  const auto produce_slowly = [&] {
    for (Element value = 0; value != batches * batch_size; ++value) {
      prepare();
      queue.push(value);
    }
  };
  const auto train = [&] {
    std::vector<Element> batch;
    const long switches_before = voluntary_context_switches();
    const Nanoseconds used_before = thread_cpu_time();
    for (std::size_t i = 0; i < batches; ++i) queue.pop_many(batch_size, batch);
    used = thread_cpu_time() - used_before;
    switches = voluntary_context_switches() - switches_before;
  };
  const Nanoseconds elapsed =
      run_together(std::string(Adapter::name) + " in voluntary switches", {produce_slowly, train});
  return {static_cast<double>(switches) / static_cast<double>(batches), used / elapsed * 100};
}

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_WAITING_HPP
