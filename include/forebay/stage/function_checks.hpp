// SPDX-License-Identifier: MIT
//
// function_checks.hpp: compile-time messages about functions that a stage cannot call.

#ifndef FOREBAY_STAGE_FUNCTION_CHECKS_HPP
#define FOREBAY_STAGE_FUNCTION_CHECKS_HPP

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Rejects a function that can be called as it is, `would_be`, but not through a const reference, `is_called`.
template <bool is_called, bool would_be>
struct NotMutable {
  static_assert(
      is_called || !would_be,
      "forebay: all threads call this function concurrently through a const reference, so it cannot be mutable: for a "
      "function with state, use apply(stage) or map(threads, per_thread(factory))");
  static constexpr bool value = true;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_FUNCTION_CHECKS_HPP
