// SPDX-License-Identifier: MIT
//
// operating_system.hpp: queries about a thread that only the operating system can answer. Apart from sync.hpp, no other
// header calls the operating system directly. If a system has no such call, the answer is "unknown".

#ifndef FOREBAY_BASE_OPERATING_SYSTEM_HPP
#define FOREBAY_BASE_OPERATING_SYSTEM_HPP

#include <array>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <optional>

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#endif

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Returns how many cores the calling thread may run on, and the threads that it starts; 0 if unknown.
[[nodiscard]] inline std::size_t cores_of_affinity() noexcept {
#if defined(__linux__) && defined(CPU_COUNT_S)
  std::array<cpu_set_t, 64> mask{};  // 65,536 cores; Linux rejects a mask that has fewer bits than there are cores
  if (::sched_getaffinity(0, sizeof mask, mask.data()) != 0) return 0;
  return static_cast<std::size_t>(CPU_COUNT_S(sizeof mask, mask.data()));
#else
  return 0;
#endif
}

#if defined(__linux__)
/// The CPU time of the thread that creates the object.
///
/// Thread safety: any thread may read it. When the thread that made it has ended, the time is unknown.
class ThreadClock {
 public:
  ThreadClock() noexcept : is_known_(::pthread_getcpuclockid(::pthread_self(), &clock_) == 0) {}

  /// Returns the CPU time since the thread began; none if unknown.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> now() const noexcept {
    std::timespec time{};
    if (!is_known_ || ::clock_gettime(clock_, &time) != 0) return std::nullopt;
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }

  /// Returns the id of the thread, as /proc names it: Linux defines its clock as ~id << 3, plus three bits.
  [[nodiscard]] long thread() const noexcept { return ~(static_cast<long>(clock_) >> 3); }  // NOLINT(*-runtime-int)

 private:
  ::clockid_t clock_{};
  bool is_known_;
};
#endif

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_OPERATING_SYSTEM_HPP
