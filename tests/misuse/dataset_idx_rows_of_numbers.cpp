// SPDX-License-Identifier: MIT
//
// expect: idx_rows<T>(file) or idx_rows<T>(files), by their names

#include <forebay/array_files.hpp>

int main() { auto data = forebay::idx_rows<float>(4); }
