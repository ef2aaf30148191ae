// SPDX-License-Identifier: MIT
//
// expect: give flat_map a function that returns the elements

#include <forebay/dataset.hpp>
#include <vector>

int main() { auto data = forebay::range(3).batch(1).padded_batch(2).unbatch(); }
