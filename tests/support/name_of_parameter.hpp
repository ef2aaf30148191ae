// SPDX-License-Identifier: MIT
//
// name_of_parameter.hpp: NameOfParameter, for the instances of a typed suite.

#ifndef FOREBAY_TESTS_SUPPORT_NAME_OF_PARAMETER_HPP
#define FOREBAY_TESTS_SUPPORT_NAME_OF_PARAMETER_HPP

#include <string>

namespace forebay_test {

/// Names the instances after their parameters: `TYPED_TEST_SUITE(Suite, Types, NameOfParameter);`
struct NameOfParameter {
  template <class Parameter>
  static std::string GetName(int /*index*/) {
    return Parameter::name();
  }
};

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_NAME_OF_PARAMETER_HPP
