// SPDX-License-Identifier: MIT
//
// list_tar.cpp: prints the files in an archive, as tar_entries and then as indexed_tar_entries read them: for each one
// the number of its bytes, a space, its name and a NUL. See tar_writers_test.py.

#include <cstdio>
#include <exception>
#include <iostream>

#include "forebay/tar_files.hpp"

namespace {

void print(const forebay::Dataset<forebay::TarEntry>& entries) {
  for (const forebay::TarEntry& entry : entries.run()) std::cout << entry.bytes.size() << ' ' << entry.name << '\0';
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 2) return 2;
  print(forebay::tar_entries(arguments[1]));
  print(forebay::indexed_tar_entries(arguments[1]));
} catch (const std::exception& error) {
  std::fputs(error.what(), stderr);
  return 1;
}
