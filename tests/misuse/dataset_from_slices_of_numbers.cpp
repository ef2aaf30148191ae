// SPDX-License-Identifier: MIT
//
// expect: from_slices(range), from_slices(range1, range2), from_slices({1, 2, 3})

#include <forebay/dataset.hpp>

int main() { auto data = forebay::from_slices(1, 2, 3); }
