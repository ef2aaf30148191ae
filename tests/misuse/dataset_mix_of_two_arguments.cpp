// SPDX-License-Identifier: MIT
//
// expect: data sets of the same elements, and a weight for each

#include <forebay/dataset.hpp>

int main() { auto data = forebay::mix(forebay::range(3), forebay::range(4)); }
