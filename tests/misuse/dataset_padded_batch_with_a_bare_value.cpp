// SPDX-License-Identifier: MIT
//
// expect: padded_batch(size, {.pad_value = -1}, {.remainder = drop})

#include <forebay/dataset.hpp>

int main() { auto data = forebay::range(3).batch(2).padded_batch(2, -1); }
