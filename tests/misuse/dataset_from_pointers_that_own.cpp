// SPDX-License-Identifier: MIT
//
// expect: from_slices hands out copies, and these elements have none

#include <memory>
#include <vector>

#include <forebay/dataset.hpp>

int main() { auto data = forebay::from_slices(std::vector<std::unique_ptr<int>>(3)); }
