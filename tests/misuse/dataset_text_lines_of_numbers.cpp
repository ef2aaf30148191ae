// SPDX-License-Identifier: MIT
//
// expect: text_lines(file) or text_lines(files), by their names

#include <vector>

#include <forebay/dataset.hpp>

int main() { auto data = forebay::text_lines(std::vector<int>{4}); }
