// SPDX-License-Identifier: MIT
//
// expect: must have refill(T&&, std::uint64_t number)

#include <cstdint>
#include <vector>

#include <forebay/dataset.hpp>

struct Holds {
  void operator()(int&& number, forebay::Out<int>& out) { out.emit(number); }
  [[nodiscard]] std::vector<std::uint64_t> held() const { return {}; }
};

int main() { auto data = forebay::range(3).apply(Holds()); }
