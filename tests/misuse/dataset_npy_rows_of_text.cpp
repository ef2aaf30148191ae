// SPDX-License-Identifier: MIT
//
// expect: T must be a number, a std::array of numbers or of such arrays, or a std::vector of numbers

#include <string>

#include <forebay/array_files.hpp>

int main() { auto data = forebay::npy_rows<std::string>("texts.npy"); }
