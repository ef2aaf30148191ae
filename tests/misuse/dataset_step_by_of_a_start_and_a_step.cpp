// SPDX-License-Identifier: MIT
//
// expect: step_by(step)

#include <forebay/dataset.hpp>

int main() { auto data = forebay::range(3).step_by(0, 2); }
