// SPDX-License-Identifier: MIT
//
// expect: seed(number)

#include <forebay/dataset.hpp>

int main() { auto data = forebay::range(3).seed("7"); }
