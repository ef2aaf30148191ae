// SPDX-License-Identifier: MIT
//
// printed.hpp: the text that `stream << value` writes.

#ifndef FOREBAY_TESTS_SUPPORT_PRINTED_HPP
#define FOREBAY_TESTS_SUPPORT_PRINTED_HPP

#include <sstream>
#include <string>

namespace forebay_test {

template <class Value>
std::string printed(const Value& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_PRINTED_HPP
