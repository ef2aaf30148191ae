// SPDX-License-Identifier: MIT
//
// expect: ({.capacity = 2000, .min_after_dequeue = 1000, .seed = 7})

#include <forebay/queues.hpp>

int main() { forebay::RandomShuffleQueue<int> queue(100, 10); }
