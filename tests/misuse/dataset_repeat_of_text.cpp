// SPDX-License-Identifier: MIT
//
// expect: repeat() or repeat(count)

#include <forebay/dataset.hpp>

int main() { auto data = forebay::range(3).repeat("2"); }
