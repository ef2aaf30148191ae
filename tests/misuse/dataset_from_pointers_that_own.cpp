// SPDX-License-Identifier: MIT
//
// expect: from_slices returns copies of the elements, so they must be copyable

#include <memory>
#include <vector>

#include <forebay/dataset.hpp>

int main() { auto data = forebay::from_slices(std::vector<std::unique_ptr<int>>(3)); }
