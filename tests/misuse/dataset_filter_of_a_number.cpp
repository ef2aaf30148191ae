// SPDX-License-Identifier: MIT
//
// expect: filter(predicate): the predicate is called with a const T&, and returns a bool

#include <forebay/dataset.hpp>

int main() { auto data = forebay::range(3).filter(4); }
