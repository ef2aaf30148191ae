// SPDX-License-Identifier: MIT
//
// expect: the weights are missing

#include <forebay/dataset.hpp>

int main() { auto data = forebay::mix({forebay::range(3), forebay::range(4)}); }
