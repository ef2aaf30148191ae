// SPDX-License-Identifier: MIT
//
// expect: so it cannot be mutable

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).bucket_by_length([sum = 0](int n) mutable { return sum += n; },
                                                 {.boundaries = {1}, .batch_sizes = {2, 1}});
}
