// SPDX-License-Identifier: MIT
//
// expect: stacked_batch(size, options) of a fixed shape

#include <forebay/dataset.hpp>

int main() { auto data = forebay::range(3).batch(2).stacked_batch(2); }
