// SPDX-License-Identifier: MIT
//
// repository.hpp: finds the files of the repository. (__FILE__ does not: ccache makes it relative to some directory.)

#ifndef FOREBAY_TESTS_SUPPORT_REPOSITORY_HPP
#define FOREBAY_TESTS_SUPPORT_REPOSITORY_HPP

#include <string>

namespace forebay_test {

/// Returns the path of a file, which is relative to the repository: "examples/guide/contract.md".
std::string repository_file(const std::string& name);

/// Returns the path of a file in tests/files/data.
inline std::string data_file(const std::string& name) { return repository_file("tests/files/data/" + name); }

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_REPOSITORY_HPP
