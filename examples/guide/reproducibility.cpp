// SPDX-License-Identifier: MIT

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include <forebay/dataset.hpp>

/// Adds noise, which belongs to the element and not to the thread that happens to draw it.
int augment(int number, forebay::Context& context) { return 10 * number + static_cast<int>(context.draw().below(10)); }

std::string outputs(int threads, std::uint64_t seed) {
  std::string line;
  const auto data = forebay::range(4).seed(seed).shuffle().repeat(2).map(threads, augment).batch(4);
  for (const std::vector<int>& batch : data.run()) {
    for (const int number : batch) line += ' ' + std::to_string(number);
    line += " |";
  }
  return line;
}

int main() {
  std::cout << "seed 7, 1 thread: " << outputs(1, 7) << '\n';
  std::cout << "seed 7, 4 threads:" << outputs(4, 7) << '\n';
  std::cout << "seed 8, 4 threads:" << outputs(4, 8) << '\n';

  const auto in_any_order = forebay::range(1000).map({.threads = 4, .order = forebay::any_order}, augment);
  std::int64_t sum = 0;
  for (const int number : in_any_order.run()) sum += number;
  std::int64_t sum_in_order = 0;
  for (const int number : forebay::range(1000).map(4, augment).run()) sum_in_order += number;
  std::cout << "any_order, the same elements: " << std::boolalpha << (sum == sum_in_order) << '\n';
}
