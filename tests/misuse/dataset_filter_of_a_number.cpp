// SPDX-License-Identifier: MIT
//
// expect: filter(predicate): the predicate must take a const T& and return a bool

#include <forebay/dataset.hpp>

int main() { auto data = forebay::range(3).filter(4); }
