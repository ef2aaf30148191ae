// SPDX-License-Identifier: MIT
//
// expect: shuffle(window)

#include <random>

#include <forebay/dataset.hpp>

int main() { auto data = forebay::range(3).shuffle(std::mt19937()); }
