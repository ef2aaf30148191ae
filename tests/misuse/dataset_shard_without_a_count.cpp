// SPDX-License-Identifier: MIT
//
// expect: shard(index, count) or shard(index, count, Even::drop)

#include <forebay/dataset.hpp>

int main() { auto data = forebay::range(3).shard(2); }
