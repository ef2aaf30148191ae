// SPDX-License-Identifier: MIT
//
// expect: wrap an overloaded f in a lambda

#include <forebay/dataset.hpp>

int twice(int number) { return 2 * number; }
double twice(double number) { return 2 * number; }

int main() { auto data = forebay::range(3).map(4, twice); }
