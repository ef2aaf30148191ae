// SPDX-License-Identifier: MIT
//
// expect: forebay: a stage with save() must have restore(std::string_view), which takes what save() returns

#include <string>

#include <forebay/dataset.hpp>

struct Saves {
  void operator()(int&& number, forebay::Out<int>& out) { out.emit(sum += number); }
  [[nodiscard]] std::string save() const { return std::to_string(sum); }
  void restore(const std::string& saved) { sum = std::stoi(saved); }
  int sum = 0;
};

int main() { auto data = forebay::range(3).apply(Saves()); }
