// SPDX-License-Identifier: MIT
//
// expect: zip(a, b) or zip({.lengths = equal}, a, b), of data sets

#include <vector>

#include <forebay/dataset.hpp>

int main() { auto data = forebay::zip(std::vector<forebay::Dataset<int>>()); }
