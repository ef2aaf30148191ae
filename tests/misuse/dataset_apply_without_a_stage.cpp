// SPDX-License-Identifier: MIT
//
// expect: apply(stage), where stage(T&&, Out<U>&) is called with each element

#include <forebay/dataset.hpp>

int main() { auto data = forebay::range(3).apply(); }
