// SPDX-License-Identifier: MIT
//
// expect: the function given to map must be

#include <forebay/dataset.hpp>

int main() { auto data = forebay::range(3).map(4); }
