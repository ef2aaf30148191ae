// SPDX-License-Identifier: MIT
//
// repository.cpp: is the only source that knows the directory, so that ccache finds all others from any directory.

#include "tests/support/repository.hpp"

#include <string>

namespace forebay_test {

std::string repository_file(const std::string& name) { return std::string(FOREBAY_TEST_REPOSITORY "/") + name; }

}  // namespace forebay_test
