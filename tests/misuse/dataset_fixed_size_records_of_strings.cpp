// SPDX-License-Identifier: MIT
//
// expect: fixed_size_records<T> copies the bytes of a T, so T must be trivially copyable and have a default constructor

#include <string>

#include <forebay/files.hpp>

int main() { static_cast<void>(forebay::fixed_size_records<std::string>("records.bin")); }
