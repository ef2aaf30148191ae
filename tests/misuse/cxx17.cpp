// SPDX-License-Identifier: MIT
//
// expect: forebay needs C++20: compile with -std=c++20
// flags: -std=c++17

#include <forebay/queues.hpp>

int main() { return 0; }
