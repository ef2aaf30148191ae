// SPDX-License-Identifier: MIT
//
// expect: location() of a reader must be const, have no parameters and return a std::string

#include <forebay/dataset.hpp>

struct Reader {
  std::optional<int> operator()();
  std::string location();
};

int main() {
  auto data = forebay::range(3).flat_map([](int) { return Reader(); });
}
