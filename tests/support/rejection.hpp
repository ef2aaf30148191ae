// SPDX-License-Identifier: MIT
//
// rejection.hpp: what a call says to settings that are impossible.

#ifndef FOREBAY_TESTS_SUPPORT_REJECTION_HPP
#define FOREBAY_TESTS_SUPPORT_REJECTION_HPP

#include <stdexcept>
#include <string>

namespace forebay_test {

/// What the std::invalid_argument says that `call` throws.
template <class Call>
std::string rejection(Call call) {
  try {
    static_cast<void>(call());
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "not rejected";
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_REJECTION_HPP
