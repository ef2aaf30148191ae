// SPDX-License-Identifier: MIT
//
// environment.hpp: test settings from the environment.

#ifndef FOREBAY_TESTS_SUPPORT_ENVIRONMENT_HPP
#define FOREBAY_TESTS_SUPPORT_ENVIRONMENT_HPP

#include <cstdlib>
#include <optional>
#include <string>

namespace forebay_test {

/// Returns the positive number in the environment variable `name`, or 1.
inline double factor_from_environment(const char* name) {
  const char* const text = std::getenv(name);
  const double wanted = text != nullptr ? std::strtod(text, nullptr) : 1.0;
  return wanted > 0.0 ? wanted : 1.0;
}

/// Sets an environment variable for its own lifetime. No other thread may read the environment meanwhile.
class EnvironmentVariable {
 public:
  EnvironmentVariable(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~EnvironmentVariable() { set(before_ ? before_->c_str() : ""); }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

 private:
  /// Setting an empty value counts as unsetting the variable.
  void set(const char* value) const {
#if defined(_WIN32)
    static_cast<void>(_putenv_s(name_, value));
#else
    static_cast<void>(::setenv(name_, value, 1));
#endif
  }

  const char* const name_;
  std::optional<std::string> before_;
};

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_ENVIRONMENT_HPP
