// SPDX-License-Identifier: MIT
//
// expect: from_callable(next, options), where next() returns

#include <forebay/dataset.hpp>

int main() { auto data = forebay::from_callable(); }
