// SPDX-License-Identifier: MIT
//
// Clang prints the hint, "to read files, #include <forebay/files.hpp>"; GCC does not say where a type was declared.
// expect: incomplete type

#include <forebay/dataset.hpp>

int main() { const forebay::File file("records.bin"); }
