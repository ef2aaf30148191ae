// SPDX-License-Identifier: MIT
//
// expect: range(last), range(first, last) or range(first, last, step), of integers

#include <forebay/dataset.hpp>

int main() { auto data = forebay::range(2.5); }
