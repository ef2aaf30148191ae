// SPDX-License-Identifier: MIT
//
// work.hpp: Worker<In, Out>, what a thread of a parallel stage does to a chunk, and Work<In, Out>, which makes workers.
// Both are erased per chunk, not per element.

#ifndef FOREBAY_STAGE_WORK_HPP
#define FOREBAY_STAGE_WORK_HPP

#include <chrono>
#include <memory>

#include "forebay/stage/chunk.hpp"
#include "forebay/stage/pull_wait.hpp"
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
  virtual void run_any(AnyChunk& in, AnyChunk& out, const PullWait& stop) noexcept = 0;

  /// What is left to do when `out` has been handed out, if the segment works on.
  virtual void work_on(const PullWait& /*wait*/) noexcept {}
};

template <class In, class Out>
class Worker : public AnyWorker {
 public:
  /// Makes `out`, which is cleared first, of `in`: elements, numbers, epoch, end and failure. What f throws ends `out`
  /// before that element. Gives up between two elements when `stop` is requested; then `out` is not to be used.
  virtual void run(Chunk<In>& in, Chunk<Out>& out, const PullWait& stop) noexcept = 0;

 private:
  void run_any(AnyChunk& in, AnyChunk& out, const PullWait& stop) noexcept final {
    run(static_cast<Chunk<In>&>(in), static_cast<Chunk<Out>&>(out), stop);
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
