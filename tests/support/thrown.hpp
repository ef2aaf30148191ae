// SPDX-License-Identifier: MIT
//
// thrown.hpp: returns what a call throws, as an object or a text. Also defines an exception for tests.

#ifndef FOREBAY_TESTS_SUPPORT_THROWN_HPP
#define FOREBAY_TESTS_SUPPORT_THROWN_HPP

#include <exception>
#include <stdexcept>
#include <string>
#include <system_error>

namespace forebay_test {

/// The exception that user code throws in tests of failures.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline std::exception_ptr failure(const char* text = "what failed") { return std::make_exception_ptr(Failure(text)); }

/// Returns the exception that `call` throws, or null if it returns.
template <class Call>
std::exception_ptr thrown_by(Call call) {
  try {
    static_cast<void>(call());
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

/// Returns the failure that `joinable.join()` rethrows, or null if there is none.
template <class Joinable>
std::exception_ptr thrown_by_join(Joinable& joinable) {
  return thrown_by([&] { joinable.join(); });
}

/// Returns the message of the Exception that `call` throws.
template <class Exception, class Call>
std::string message_of(Call call) {
  try {
    static_cast<void>(call());
  } catch (const Exception& exception) {
    return exception.what();
  }
  return "nothing was thrown";
}

/// Returns the message with which `call` rejects an argument or settings.
template <class Call>
std::string rejection(Call call) {
  return message_of<std::invalid_argument>(call);
}

/// Returns whether `call` reports that the calling thread would wait for itself.
template <class Call>
bool reports_deadlock(Call call) {
  try {
    static_cast<void>(call());
  } catch (const std::system_error& error) {
    return error.code() == std::errc::resource_deadlock_would_occur;
  }
  return false;
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_THROWN_HPP
