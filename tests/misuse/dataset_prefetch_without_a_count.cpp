// SPDX-License-Identifier: MIT
//
// expect: prefetch(count)

#include <forebay/dataset.hpp>

int main() { auto data = forebay::range(3).prefetch(); }
