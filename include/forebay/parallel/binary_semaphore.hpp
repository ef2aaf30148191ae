// SPDX-License-Identifier: MIT
//
// binary_semaphore.hpp: BinarySemaphore, a permit that one thread at a time holds. Threads wait for it in order of
// arrival, as long as their Wait allows.

#ifndef FOREBAY_PARALLEL_BINARY_SEMAPHORE_HPP
#define FOREBAY_PARALLEL_BINARY_SEMAPHORE_HPP

#include <chrono>
#include <string>

#include "forebay/fifo_queue.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI::detail {

struct Permit {};

/// Moving a permit is not progress, because no element moves.
template <>
inline constexpr bool is_progress<Permit> = false;

/// Implemented as a queue of one permit, so no thread is overtaken indefinitely.
///
/// Thread safety: any thread may call any member.
template <class Sync>
class BinarySemaphore {
 public:
  /// Creates a semaphore without the permit. While a thread waits, threads() says that it waits for `awaited` of
  /// `place`.
  BinarySemaphore(const std::string& place, const char* awaited) { permit_.set_name(place, awaited); }

  /// Waits for the permit and takes it. Returns ok, or the status with which `wait` ended; closed after close().
  [[nodiscard]] QueueStatus acquire(const BasicWait<Sync>& wait) { return permit_.dequeue(wait).status(); }
  void acquire() { static_cast<void>(permit_.dequeue()); }

  /// Returns the permit; has no effect if it is available already.
  void release() { static_cast<void>(permit_.enqueue(Permit(), no_wait)); }

  /// Ends all waits, also future ones.
  void close() noexcept { permit_.close(); }

  /// Returns the total time that threads have waited.
  [[nodiscard]] std::chrono::nanoseconds waited() const { return permit_.statistics().consumers.waited; }

 private:
  FIFOQueue<Permit, Sync> permit_{1};
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_BINARY_SEMAPHORE_HPP
