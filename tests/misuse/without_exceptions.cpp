// SPDX-License-Identifier: MIT
//
// expect: forebay needs exceptions: compile without -fno-exceptions
// flags: -fno-exceptions

#include <forebay/queues.hpp>

int main() { return 0; }
