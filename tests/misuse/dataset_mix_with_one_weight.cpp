// SPDX-License-Identifier: MIT
//
// expect: a weight for each input

#include <forebay/dataset.hpp>

int main() { auto data = forebay::mix({forebay::range(3), forebay::range(4)}, 0.5); }
