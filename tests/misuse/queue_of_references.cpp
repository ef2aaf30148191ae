// SPDX-License-Identifier: MIT
//
// expect: forebay: a queue holds objects

#include <forebay/queues.hpp>

int main() { forebay::FIFOQueue<int&> queue(1); }
