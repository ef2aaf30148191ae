// SPDX-License-Identifier: MIT
//
// expect: forebay: elements are moved into a queue

#include <mutex>

#include <forebay/queues.hpp>

int main() { forebay::FIFOQueue<std::mutex> queue(1); }
