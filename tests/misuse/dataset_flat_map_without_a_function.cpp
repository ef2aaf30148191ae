// SPDX-License-Identifier: MIT
//
// expect: flat_map(f) and interleave(cycle, block, f): f must take a const T&

#include <forebay/dataset.hpp>

int main() { auto data = forebay::range(3).flat_map(4); }
