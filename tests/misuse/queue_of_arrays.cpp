// SPDX-License-Identifier: MIT
//
// expect: forebay: a queue holds objects

#include <forebay/queues.hpp>

int main() { forebay::RandomShuffleQueue<int[3]> queue({.capacity = 1}); }
