// SPDX-License-Identifier: MIT
//
// work.hpp: Worker, which processes chunks in a thread of a parallel stage, and Work, which creates workers. Calls are
// virtual for each chunk, not for each element.

#ifndef FOREBAY_STAGE_WORK_HPP
#define FOREBAY_STAGE_WORK_HPP

#include <chrono>
#include <cstddef>
#include <memory>

#include "forebay/flow/chunk.hpp"
#include "forebay/flow/pull_wait.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Belongs to one thread.
class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  virtual ~Worker() = default;

  /// Adds the results for the elements of `in` from `next` up to `last` to `out`, and advances `next`. Processes at
  /// least one element, and stops when `wait` is over. A worker of any thread may then continue from `next`. If it
  /// throws, `out` has the results that precede the failure. The chunks have the types of the stage.
  virtual void run(AnyChunk& in, std::size_t& next, std::size_t last, AnyChunk& out, const PullWait& wait) = 0;

  /// Does the remaining work after `out` was delivered, if the stage works on.
  virtual void work_on(const PullWait& /*wait*/) noexcept {}
};

/// The times that workers have waited for room, and consumers for results, if the work itself waits.
struct WorkWaits {
  std::chrono::nanoseconds blocked{};
  std::chrono::nanoseconds starved{};
};

/// The work of all threads of a parallel stage. Outlives its workers.
class Work {
 public:
  Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  virtual ~Work() = default;

  /// Creates a worker for the calling thread. Several threads call it concurrently. Throws what a per_thread factory
  /// throws.
  [[nodiscard]] virtual std::unique_ptr<Worker> begin() const = 0;

  [[nodiscard]] virtual WorkWaits waits() const { return {}; }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_WORK_HPP
