// SPDX-License-Identifier: MIT
//
// expect: this is an overloaded function or a template: wrap it in a lambda

#include <forebay/dataset.hpp>

int twice(int number) { return 2 * number; }
double twice(double number) { return 2 * number; }

int main() { auto data = forebay::range(3).map(4, twice); }
