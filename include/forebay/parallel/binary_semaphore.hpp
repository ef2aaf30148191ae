// SPDX-License-Identifier: MIT
//
// binary_semaphore.hpp: BinarySemaphore, which one thread at a time has, and for which threads wait as a Wait says, in
// the order in which they came.

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

/// A permit goes to and fro while no element moves.
template <>
inline constexpr bool is_progress<Permit> = false;

/// A queue of one permit: nobody is overtaken for ever.
///
/// Thread safety: any thread may call any member.
template <class Sync>
class BinarySemaphore {
 public:
  /// Without the permit. While a thread waits, threads() says that it waits for `awaited` of `place`.
  BinarySemaphore(const std::string& place, const char* awaited) { permit_.set_name(place, awaited); }

  /// Waits for the permit and takes it. Returns ok, or the status with which `wait` ended; closed after close().
  [[nodiscard]] QueueStatus acquire(const BasicWait<Sync>& wait) { return permit_.dequeue(wait).status(); }
  void acquire() { static_cast<void>(permit_.dequeue()); }

  /// Gives the permit back, or leaves it there: there is never more than one.
  void release() { static_cast<void>(permit_.enqueue(Permit(), no_wait)); }

  /// Nobody waits any more.
  void close() noexcept { permit_.close(); }

  /// How long threads have waited, together.
  [[nodiscard]] std::chrono::nanoseconds waited() const { return permit_.statistics().consumers.waited; }

 private:
  FIFOQueue<Permit, Sync> permit_{1};
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_BINARY_SEMAPHORE_HPP
