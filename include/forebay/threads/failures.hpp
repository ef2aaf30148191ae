// SPDX-License-Identifier: MIT
//
// failures.hpp: Failures, the failures of a coordinator. join() rethrows the first one.

#ifndef FOREBAY_THREADS_FAILURES_HPP
#define FOREBAY_THREADS_FAILURES_HPP

#include <exception>
#include <new>
#include <vector>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Guarded by the lock of the owner. Destroying an exception may run user code, so it must happen without that lock:
/// exchange the Failures instead of clearing them.
///
/// Invariants: each exception object is stored once; later_ is empty while first_ is null.
class Failures {
 public:
  /// Adds a failure. The first one needs no allocation. A later one is dropped if there is no memory.
  void keep(const std::exception_ptr& failure) noexcept {
    if (first_ == nullptr) {
      first_ = failure;
      return;
    }
    if (failure == first_) return;
    for (const std::exception_ptr& each : later_) {
      if (each == failure) return;
    }
    try {
      later_.push_back(failure);
    } catch (const std::bad_alloc&) {
      return;
    }
  }

  /// Returns the first failure, or null.
  [[nodiscard]] std::exception_ptr first() const noexcept { return first_; }

  /// Returns all failures, the first one first.
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
