// SPDX-License-Identifier: MIT
//
// expect: length must take a const T& and return an integer

#include <string>

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).bucket_by_length([](int) { return std::string(); },
                                                 {.boundaries = {1}, .batch_sizes = {2, 1}});
}
