// SPDX-License-Identifier: MIT
//
// expect: the function given to redirect takes a Position and a std::exception_ptr

#include <forebay/dataset.hpp>

int main() {
  auto on_error = forebay::redirect([count = 0](forebay::Position, std::exception_ptr) mutable { ++count; });
}
