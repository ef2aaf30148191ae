// SPDX-License-Identifier: MIT
//
// expect: bucket_by_length(length, options)

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).bucket_by_length({.boundaries = {1}, .batch_sizes = {2, 1}},
                                                 [](int number) { return number; });
}
