// SPDX-License-Identifier: MIT
//
// failing.hpp: how what code of the user's throws becomes a DatasetError, and how failures are skipped.

#ifndef FOREBAY_STAGE_FAILING_HPP
#define FOREBAY_STAGE_FAILING_HPP

#include <cstddef>
#include <exception>
#include <string>
#include <utility>

#include "forebay/dataset_error.hpp"
#include "forebay/on_error.hpp"
#include "forebay/position.hpp"
#include "forebay/stage/rounds.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Throws the exception that is being handled as a DatasetError: as it is, if it comes from a data set inside.
[[noreturn]] inline void throw_as_dataset_error(const std::string& stage, Position position) {
  try {
    throw;
  } catch (const DatasetError&) {
    throw;
  } catch (...) {
    throw DatasetError(stage, position);
  }
}

/// `failure` as a DatasetError; as it is if there is no memory for one.
[[nodiscard]] inline std::exception_ptr as_dataset_error(const std::exception_ptr& failure, const std::string& stage,
                                                         Position position) noexcept {
  try {
    try {
      std::rethrow_exception(failure);
    } catch (...) {
      throw_as_dataset_error(stage, position);
    }
  } catch (...) {
    return std::current_exception();
  }
}

/// Counts what a stage skips in each epoch.
class SkipCount {
 public:
  explicit SkipCount(OnError on_error) noexcept : on_error_(on_error) {}

  /// Whether any are skipped.
  [[nodiscard]] bool skips() const noexcept { return on_error_.limit().has_value(); }

  /// Counts one more. Returns whether it may be skipped.
  [[nodiscard]] bool add(const Epoch& epoch) noexcept {
    if (!skips()) return false;
    if (epoch != epoch_) count_ = 0;
    epoch_ = epoch;
    return count_++ < *on_error_.limit();
  }

 private:
  OnError on_error_;
  Epoch epoch_;
  std::size_t count_ = 0;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_FAILING_HPP
