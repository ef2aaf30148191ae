// SPDX-License-Identifier: MIT
//
// processor_time.hpp: how much the process has used.

#ifndef FOREBAY_BASE_PROCESSOR_TIME_HPP
#define FOREBAY_BASE_PROCESSOR_TIME_HPP

#include <chrono>
#include <ctime>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Of the whole process so far, on all cores. (On Windows, the time since its start.)
[[nodiscard]] inline std::chrono::nanoseconds processor_time() noexcept {
  const std::chrono::duration<double> time(static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time);
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_PROCESSOR_TIME_HPP
