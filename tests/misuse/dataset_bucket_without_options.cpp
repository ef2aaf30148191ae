// SPDX-License-Identifier: MIT
//
// expect: bucket_by_length(length, options), with BucketOptions

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).bucket_by_length([](int number) { return number; });
}
