// SPDX-License-Identifier: MIT
//
// expect: wrap an overloaded f in a lambda

#include <vector>

#include <forebay/dataset.hpp>

std::vector<int> twice(int number) { return {number, number}; }
std::vector<double> twice(double number) { return {number, number}; }

int main() { auto data = forebay::range(3).flat_map(twice); }
