// SPDX-License-Identifier: MIT
//
// thread_record.hpp: ThreadRecord, the data of each thread: its slot, whether it has moved elements, and which
// exceptions are not those of the coroutine that it runs.
//
// Counting every operation on a queue would cost too much: another store takes 2.5 % of the operation. So a thread only
// checks whether its progress was asked for, at no measurable cost, and then answers once by incrementing a counter.

#ifndef FOREBAY_BASE_THREAD_RECORD_HPP
#define FOREBAY_BASE_THREAD_RECORD_HPP

#include <atomic>
#include <cstdint>
#include <exception>
#include <utility>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class Sync>
class ThreadSlot;

template <class Sync>
class Resumption;

template <class Sync>
struct ThreadRecord {
  // Of its own thread.
  ThreadSlot<Sync>* slot = nullptr;
  Resumption<Sync>* resumption = nullptr;
  const void* launched_as = nullptr;  // the member of the ThreadGroup that launched it
  int exceptions_of_resumer = 0;      // those in std::uncaught_exceptions() that do not concern the running coroutine

  [[nodiscard]] static ThreadRecord& of_this_thread() noexcept {
    return Sync::template of_this_thread<ThreadRecord>();
  }

  /// Returns how many exceptions unwind the calling code. In a coroutine that the library has resumed, the number
  /// continues as it was before the coroutine was suspended, whatever unwinds its resumer.
  [[nodiscard]] static int uncaught_exceptions() noexcept {
    return std::uncaught_exceptions() - of_this_thread().exceptions_of_resumer;
  }

  /// A scope in which the library resumes a coroutine, which was suspended when it counted `exceptions`.
  class Resuming {
   public:
    explicit Resuming(int exceptions) noexcept
        : before_(std::exchange(of_this_thread().exceptions_of_resumer, std::uncaught_exceptions() - exceptions)) {}
    ~Resuming() { of_this_thread().exceptions_of_resumer = before_; }
    Resuming(const Resuming&) = delete;
    Resuming& operator=(const Resuming&) = delete;

   private:
    const int before_;
  };

  /// Returns a number that has grown if the thread of the record has moved an element since the previous call. Any
  /// thread may call this.
  [[nodiscard]] std::uint64_t progress() noexcept {
    const std::uint64_t found = answers_.load(std::memory_order_acquire);
    asked_.store(true, std::memory_order_relaxed);
    return found;
  }

  /// Records that the calling thread has moved an element: into or out of a queue, through a stage, or to the loop.
  [[gnu::always_inline]] inline static void note_progress() noexcept {
    if (of_this_thread().asked_.load(std::memory_order_relaxed)) [[unlikely]]
      answer();
  }

 private:
  [[gnu::noinline]] static void answer() noexcept {
    ThreadRecord& own = of_this_thread();
    own.asked_.store(false, std::memory_order_relaxed);
    // Pairs with the acquire in progress(): the question of a thread that has seen this answer is not overwritten.
    own.answers_.store(own.answers_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  typename Sync::template relaxed_atomic<std::uint64_t> answers_{0};
  typename Sync::template relaxed_atomic<bool> asked_{true};
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_THREAD_RECORD_HPP
