// SPDX-License-Identifier: MIT
//
// expect: location() of a reader must be const, have no parameters and return a std::string

#include <forebay/dataset.hpp>

struct Reader {
  std::optional<int> operator()();
  int location() const;
};

int main() { auto data = forebay::from_callable(Reader()); }
