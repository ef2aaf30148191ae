// SPDX-License-Identifier: MIT
//
// processors.hpp: Processors, the cores of the program and their CPU times, for reports.

#ifndef FOREBAY_BASE_PROCESSORS_HPP
#define FOREBAY_BASE_PROCESSORS_HPP

#include <cstddef>
#include <optional>

#include "forebay/base/cpu_quota.hpp"
#include "forebay/base/processor_times.hpp"
#include "forebay/usable_cores.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The cores that threads of `Sync` may use, and the CPU time that was used. For a policy without cores, such as a
/// simulation, both are unknown, and no file is read.
template <class Sync>
class Processors {
 public:
  /// The result of usable_cores() when this object was created; 0 if unknown.
  [[nodiscard]] std::size_t cores() const noexcept { return cores_; }

  /// Returns the CPU times up to now.
  [[nodiscard]] ProcessorTimes used() const {
    return ProcessorTimes::now(cores_, quota_ ? quota_->throttled() : ProcessorTimes::Time());
  }

 private:
  static std::optional<CpuQuota> found() {
    if (Sync::thread::hardware_concurrency() == 0) return std::nullopt;
    return CpuQuota();
  }

  const std::optional<CpuQuota> quota_ = found();
  const std::size_t cores_ = quota_ ? usable_cores_now(quota_->cores()) : 0;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_PROCESSORS_HPP
