// SPDX-License-Identifier: MIT
//
// expect: shuffle_pages(page) needs random access

#include <forebay/dataset.hpp>

int main() { auto data = forebay::range(3).repeat(2).shuffle_pages(2); }
