// SPDX-License-Identifier: MIT
//
// expect: skip(n) of a reader takes a std::uint64_t, and returns how many elements it has skipped

#include <forebay/dataset.hpp>

struct Reader {
  std::optional<int> operator()();
  void skip(std::uint64_t count);
};

int main() { auto data = forebay::from_callable(Reader()); }
