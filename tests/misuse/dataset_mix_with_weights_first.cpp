// SPDX-License-Identifier: MIT
//
// expect: mix({a, b}, {0.7, 0.3})

#include <forebay/dataset.hpp>

int main() { auto data = forebay::mix({0.5, 0.5}, {forebay::range(3), forebay::range(4)}); }
