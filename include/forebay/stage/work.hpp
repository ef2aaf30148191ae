// SPDX-License-Identifier: MIT
//
// work.hpp: Worker, what a thread of a parallel stage does to chunks, and Work, which makes workers. Both are erased
// for each chunk, not for each element.

#ifndef FOREBAY_STAGE_WORK_HPP
#define FOREBAY_STAGE_WORK_HPP

#include <chrono>
#include <cstddef>
#include <functional>
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

  /// Adds what becomes of the elements of `in` from `next` up to `last` to `out`, and raises `next`. Does at least one,
  /// and stops when `wait` is over: then another call, by a worker of any thread, goes on from `next`. When it throws,
  /// `out` has what precedes the failure. The chunks have the types of the stage.
  virtual void run(AnyChunk& in, std::size_t& next, std::size_t last, AnyChunk& out, const PullWait& wait) = 0;

  /// Does what is left when `out` has been delivered, if the stage works on.
  virtual void work_on(const PullWait& /*wait*/) noexcept {}
};

/// How long workers have waited for room, and consumers for what they make, where the work waits by itself.
struct WorkWaits {
  std::chrono::nanoseconds blocked{};
  std::chrono::nanoseconds starved{};
};

/// What all threads of a parallel stage do.
struct Work {
  /// Makes a worker for the calling thread. Called by several threads at once. Throws what a per_thread factory throws.
  std::function<std::unique_ptr<Worker>()> begin;

  std::function<WorkWaits()> waits{[] { return WorkWaits(); }};
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_WORK_HPP
