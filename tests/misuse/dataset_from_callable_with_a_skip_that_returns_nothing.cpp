// SPDX-License-Identifier: MIT
//
// expect: skip(n) of a reader must take a std::uint64_t and return the number of skipped elements

#include <forebay/dataset.hpp>

struct Reader {
  std::optional<int> operator()();
  void skip(std::uint64_t count);
};

int main() { auto data = forebay::from_callable(Reader()); }
