// SPDX-License-Identifier: MIT
//
// expect: wrap an overloaded function in a lambda

#include <forebay/dataset.hpp>

bool is_even(int number) { return number % 2 == 0; }
bool is_even(double number) { return number == 0; }

int main() { auto data = forebay::range(3).filter(is_even); }
