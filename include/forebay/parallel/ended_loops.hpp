// SPDX-License-Identifier: MIT
//
// ended_loops.hpp: EndedLoops, which records the threads whose loop has reached the end of a pipeline.

#ifndef FOREBAY_PARALLEL_ENDED_LOOPS_HPP
#define FOREBAY_PARALLEL_ENDED_LOOPS_HPP

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Thread safety: any thread may call any member at any time.
template <class Sync>
class EndedLoops {
 public:
  /// Records that a loop of the calling thread has reached the end.
  void add() {
    const Thread caller = this_thread();
    const Guard guard(mutex_);
    if (has(caller)) return;
    threads_.push_back(caller.place);
    threads_.push_back(caller.since);
  }

  /// Throws std::logic_error if a loop of the calling thread has reached the end.
  void throw_if_added() const {
    const Guard guard(mutex_);
    if (threads_.empty() || !has(this_thread())) return;
    throw std::logic_error(
        "forebay: a loop of this thread has reached the end of the pipeline, so another one would be empty: run the "
        "data set again, or describe several epochs with repeat(n)");
  }

 private:
  /// Identifies a thread: where its own data is, and since when, because another thread may get the place of an ended
  /// one.
  struct Thread {
    std::uint64_t place = 0;
    std::uint64_t since = 0;
  };

  [[nodiscard]] static Thread this_thread() noexcept {
    auto& own = Sync::template of_this_thread<Thread>();
    if (own.place == 0) {
      own.place = reinterpret_cast<std::uintptr_t>(&own);
      own.since = static_cast<std::uint64_t>(Sync::clock::now().time_since_epoch().count());
    }
    return own;
  }

  [[nodiscard]] bool has(const Thread& thread) const noexcept FOREBAY_REQUIRES(mutex_) {
    for (std::size_t i = 0; i < threads_.size(); i += 2) {
      if (threads_[i] == thread.place && threads_[i + 1] == thread.since) return true;
    }
    return false;
  }

  mutable Mutex<Sync> mutex_;
  // For each thread its place and time, side by side: a vector of numbers costs a program nothing more to compile.
  std::vector<std::uint64_t> threads_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_ENDED_LOOPS_HPP
