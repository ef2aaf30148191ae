// SPDX-License-Identifier: MIT
//
// expect: neither copied nor moved: return dataset.run() itself

#include <forebay/dataset.hpp>

forebay::Pipeline<int> start() {
  auto pipeline = forebay::range(3).run();
  return pipeline;
}

int main() {
  for (int number : start()) static_cast<void>(number);
}
