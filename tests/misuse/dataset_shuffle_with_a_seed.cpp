// SPDX-License-Identifier: MIT
//
// expect: the seed is a stage: seed(number).shuffle(window)

#include <forebay/dataset.hpp>

int main() { auto data = forebay::range(3).shuffle(4, 7); }
