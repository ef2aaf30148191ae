// SPDX-License-Identifier: MIT
//
// expect: so they cannot be const

#include <forebay/queues.hpp>

int main() { forebay::FIFOQueue<const int> queue(1); }
