// SPDX-License-Identifier: MIT
//
// expect: concatenate(other), where other is a data set of the same elements

#include <forebay/dataset.hpp>

int main() { auto data = forebay::range(3).concatenate(forebay::from_slices({0.5})); }
