// SPDX-License-Identifier: MIT

/// @file
/// Defines usable_cores(), which returns how many cores the program may use.
///
/// std::thread::hardware_concurrency() often counts all cores of the machine, even if taskset, a container or a batch
/// system limits the program to a few of them.
///
/// @code
/// auto images = files.map(forebay::usable_cores(), decode);  // a thread for each core
/// @endcode

#ifndef FOREBAY_USABLE_CORES_HPP
#define FOREBAY_USABLE_CORES_HPP

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/cpu_quota.hpp"
#include "forebay/base/operating_system.hpp"
#include "forebay/base/text_fields.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

namespace detail {

/// Returns the number of cores that FOREBAY_CORES requests; 0 if it is null or not a number from 1 to 65,536.
[[nodiscard]] inline std::size_t cores_wanted(const char* text) noexcept {
  constexpr std::uint64_t most = 65'536;
  const std::uint64_t number = text != nullptr ? number_of(text).value_or(0) : 0;
  return number <= most ? static_cast<std::size_t>(number) : 0;
}

/// Returns the smallest of the known numbers, those that are not 0; 1 if none is known.
[[nodiscard]] inline std::size_t least_known(std::size_t a, std::size_t b, std::size_t c) noexcept {
  std::size_t least = 0;
  for (const std::size_t number : {a, b, c}) {
    if (number > 0 && (least == 0 || number < least)) least = number;
  }
  return larger<std::size_t>(least, 1);
}

/// Returns the result of usable_cores() for these values of the environment variable and hardware_concurrency(), and
/// this CPU quota in cores (0 if there is none).
[[nodiscard]] inline std::size_t usable_cores_with(const char* text, std::size_t hardware,
                                                   std::size_t quota) noexcept {
  if (const std::size_t wanted = cores_wanted(text); wanted > 0) return wanted;
  return least_known(hardware, cores_of_affinity(), quota);
}

/// Returns the result of usable_cores() for the current environment and hardware, and this quota.
[[nodiscard]] inline std::size_t usable_cores_now(std::size_t quota) noexcept {
  return usable_cores_with(std::getenv("FOREBAY_CORES"), StdSync::thread::hardware_concurrency(), quota);
}

}  // namespace detail

/// Returns how many cores the calling thread and the threads that it starts may use together; at least 1.
///
/// On Linux, it is the minimum of:
///  - the cores of the machine;
///  - the cores in the calling thread's affinity mask;
///  - the CPU quota of the process's control groups, rounded up.
///
/// On other systems, it is std::thread::hardware_concurrency().
///
/// The environment variable FOREBAY_CORES overrides all of them if it is a number from 1 to 65,536. Any other value is
/// ignored.
///
/// Reads files in /proc and /sys/fs/cgroup, which takes about 0.1 ms. Never blocks and never throws. No other thread
/// may change the environment during the call.
[[nodiscard]] inline std::size_t usable_cores() noexcept {
  try {
    return detail::usable_cores_now(detail::CpuQuota().cores());
  } catch (...) {
    return detail::usable_cores_now(0);  // there is no memory to look for a quota
  }
}

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_USABLE_CORES_HPP
