// SPDX-License-Identifier: MIT
//
// arguments.hpp: the command line of a benchmark or a check.

#ifndef FOREBAY_TESTS_SUPPORT_ARGUMENTS_HPP
#define FOREBAY_TESTS_SUPPORT_ARGUMENTS_HPP

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace forebay_test {

/// Takes the arguments after the program's name from left to right. Throws a std::invalid_argument with the line to
/// print if an argument is wrong.
class Arguments {
 public:
  Arguments(int count, const char* const* values)
      : left_(std::span(values, static_cast<std::size_t>(count)).subspan(count > 0 ? 1 : 0)) {}

  [[nodiscard]] bool empty() const { return left_.empty(); }

  /// Requires that an argument is left.
  std::string_view take() {
    const std::string_view first = left_.front();
    left_ = left_.subspan(1);
    return first;
  }

  /// Returns the value of the option `name`, which has been taken.
  std::string take_value(std::string_view name) {
    if (empty()) throw std::invalid_argument(std::string(name) + " needs a value");
    return std::string(take());
  }

  /// Like take_value, for a positive number.
  std::uint64_t take_positive_number(std::string_view name) {
    const std::string text = take_value(name);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (!whole || number == 0) {
      throw std::invalid_argument(std::string(name) + " needs a positive number, not '" + text + "'");
    }
    return number;
  }

  void require_empty() const {
    if (!empty()) throw std::invalid_argument("one argument too many: '" + std::string(left_.front()) + "'");
  }

 private:
  std::span<const char* const> left_;
};

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_ARGUMENTS_HPP
