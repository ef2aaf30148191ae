// SPDX-License-Identifier: MIT
//
// work.hpp: Worker<In, Out>, what a thread of a parallel stage does to a chunk, and Work<In, Out>, which makes workers.
// Both are erased per chunk, not per element.

#ifndef FOREBAY_STAGE_WORK_HPP
#define FOREBAY_STAGE_WORK_HPP

#include <chrono>
#include <cstddef>
#include <memory>

#include "forebay/flow/chunk.hpp"
#include "forebay/flow/pull_wait.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// What one thread does to the chunks of a map, of whatever types.
class AnyWorker {
 public:
  AnyWorker() = default;
  AnyWorker(const AnyWorker&) = delete;
  AnyWorker& operator=(const AnyWorker&) = delete;
  virtual ~AnyWorker() = default;

  /// See Worker<In, Out>::run(): of these types the chunks have to be.
  virtual bool run_any(AnyChunk& in, std::size_t& next, AnyChunk& out, const PullWait& wait) noexcept = 0;

  /// What is left to do when `out` has been handed out, if the parallel stage works on.
  virtual void work_on(const PullWait& /*wait*/) noexcept {}
};

template <class In, class Out>
class Worker : public AnyWorker {
 public:
  /// Makes `out`, which is cleared first, of `in`: elements, numbers, epoch, end and failure. What f throws ends `out`
  /// before that element. Returns false if `wait` ends between two elements: then the next call, by a worker of any
  /// thread, goes on with the element `next`. Requires next == 0 in the first call.
  virtual bool run(Chunk<In>& in, std::size_t& next, Chunk<Out>& out, const PullWait& wait) noexcept = 0;

 private:
  bool run_any(AnyChunk& in, std::size_t& next, AnyChunk& out, const PullWait& wait) noexcept final {
    return run(static_cast<Chunk<In>&>(in), next, static_cast<Chunk<Out>&>(out), wait);
  }
};

/// How long workers have waited for room, and those who take what they make for that, where they see to it themselves.
struct WorkWaits {
  std::chrono::nanoseconds blocked{};
  std::chrono::nanoseconds starved{};
};

/// What a map does, for all its threads.
class AnyWork {
 public:
  AnyWork() = default;
  AnyWork(const AnyWork&) = delete;
  AnyWork& operator=(const AnyWork&) = delete;
  virtual ~AnyWork() = default;

  /// A worker for the calling thread, which alone uses it. Called by several threads at once. Throws what the factory
  /// of a per_thread throws.
  [[nodiscard]] virtual std::unique_ptr<AnyWorker> begin() const = 0;

  [[nodiscard]] virtual WorkWaits waits() const { return {}; }
};

/// Its workers are Worker<In, Out>.
template <class In, class Out>
class Work : public AnyWork {};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_WORK_HPP
