// SPDX-License-Identifier: MIT
//
// expect: batch(size) or batch(size, {.remainder = drop})

#include <forebay/dataset.hpp>

int main() { auto data = forebay::range(3).batch(2, forebay::drop); }
