// SPDX-License-Identifier: MIT
//
// expect: a capacity is a whole number, or unbounded

#include <forebay/queues.hpp>

int main() { forebay::FIFOQueue<int> queue(2.5); }
