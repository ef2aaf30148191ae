// SPDX-License-Identifier: MIT
//
// environment.hpp: settings of the tests that come from the environment.

#ifndef FOREBAY_TESTS_SUPPORT_ENVIRONMENT_HPP
#define FOREBAY_TESTS_SUPPORT_ENVIRONMENT_HPP

#include <cstdlib>

namespace forebay_test {

/// The positive number in the environment variable `name`, or 1.
inline double factor_from_environment(const char* name) {
  const char* const text = std::getenv(name);
  const double wanted = text != nullptr ? std::strtod(text, nullptr) : 1.0;
  return wanted > 0.0 ? wanted : 1.0;
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_ENVIRONMENT_HPP
