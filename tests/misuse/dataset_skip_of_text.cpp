// SPDX-License-Identifier: MIT
//
// expect: skip(count)

#include <forebay/dataset.hpp>

int main() { auto data = forebay::range(3).skip("2"); }
