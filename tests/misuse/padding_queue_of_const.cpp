// SPDX-License-Identifier: MIT
//
// expect: so they cannot be const

#include <vector>

#include <forebay/queues.hpp>

int main() { forebay::PaddingFIFOQueue<const std::vector<int>> queue(1); }
