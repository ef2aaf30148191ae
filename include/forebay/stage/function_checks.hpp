// SPDX-License-Identifier: MIT
//
// function_checks.hpp: what is said to functions that a stage cannot call.

#ifndef FOREBAY_STAGE_FUNCTION_CHECKS_HPP
#define FOREBAY_STAGE_FUNCTION_CHECKS_HPP

#include "forebay/stage/mapping.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Rejects a function that can be called as it is, `would_be`, but not through a const reference, `is_called`.
template <bool is_called, bool would_be>
struct NotMutable {
  static_assert(
      is_called || !would_be,
      "forebay: all threads call this function, at the same time and through a const reference, so it cannot "
      "be mutable: what has state goes into apply(stage), or map(threads, per_thread(factory))");
  static constexpr bool value = true;
};

template <class F, class T, class Given>
constexpr void check_map() {
  constexpr bool is_called = MapTraits<F, T, Given>::form != MapForm::none;
  if constexpr (is_called) {
    return;
  } else {
    constexpr bool would_be = MapTraits<F, T, Given, F&>::form != MapForm::none;
    static_assert(!would_be,
                  "forebay: all threads call the function given to map, at the same time and through a const "
                  "reference, so it cannot be mutable: use per_thread(factory), or apply(stage)");
    static_assert(would_be,
                  "forebay: the function given to map is none of U f(T), U f(T, Context&), void f(T, U& into) and "
                  "void f(T, U& into, Context&), where T is the element, given as an rvalue; of a generic lambda that "
                  "fills, U has to be said: map<U>(f)");
  }
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_FUNCTION_CHECKS_HPP
