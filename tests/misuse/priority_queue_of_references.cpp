// SPDX-License-Identifier: MIT
//
// expect: forebay: a queue holds objects

#include <forebay/queues.hpp>

int main() { forebay::PriorityQueue<int&> queue(1); }
