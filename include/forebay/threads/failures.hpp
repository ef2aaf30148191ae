// SPDX-License-Identifier: MIT
//
// failures.hpp: the failures of a coordinator, of which the first one counts.

#ifndef FOREBAY_THREADS_FAILURES_HPP
#define FOREBAY_THREADS_FAILURES_HPP

#include <algorithm>
#include <exception>
#include <new>
#include <vector>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Guarded by the lock of who has it. An exception may be the last one to refer to something of the user's, so it has
/// to be destroyed without that lock: exchange the Failures, do not clear them.
///
/// Invariants: each exception object is there once; later_ is empty while first_ is null.
class Failures {
 public:
  /// The first one has its place from the beginning. For a later one there may be no memory; then it is not kept.
  void keep(const std::exception_ptr& failure) noexcept {
    if (first_ == nullptr) {
      first_ = failure;
      return;
    }
    if (failure == first_ || std::find(later_.begin(), later_.end(), failure) != later_.end()) return;
    try {
      later_.push_back(failure);
    } catch (const std::bad_alloc&) {
      return;
    }
  }

  /// Null if there is none.
  [[nodiscard]] std::exception_ptr first() const noexcept { return first_; }

  /// The first one first.
  [[nodiscard]] std::vector<std::exception_ptr> all() const {
    std::vector<std::exception_ptr> failures;
    if (first_ == nullptr) return failures;
    failures.reserve(1 + later_.size());
    failures.push_back(first_);
    for (const std::exception_ptr& failure : later_) failures.push_back(failure);
    return failures;
  }

 private:
  std::exception_ptr first_;
  std::vector<std::exception_ptr> later_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_THREADS_FAILURES_HPP
