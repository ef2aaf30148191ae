// SPDX-License-Identifier: MIT
//
// 13_stage_of_ones_own.cpp: writes stages that the library does not have. What you learn here:
//
//   - a stage is an object that is called with each element, and emits any number of results;
//   - it may have state: one thread at a time calls it, and each epoch has its own copy;
//   - finish() is called at the end of the epoch, and may emit the rest; out.end() ends the epoch early.

#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <forebay/dataset.hpp>

/// Drops words that have already occurred in the epoch.
struct Dedupe {
  void operator()(std::string&& word, forebay::Out<std::string>& out) {
    if (seen.insert(word).second) out.emit(std::move(word));
  }

  std::set<std::string> seen;
};

/// Emits each window of `size` neighbours, or one shorter window. `value_type` is the type that it emits.
struct Windows {
  using value_type = std::vector<int>;

  void operator()(int&& number, forebay::Out<value_type>& out) {
    window.push_back(number);
    if (window.size() > size) window.erase(window.begin());
    if (window.size() == size) out.emit(window);
  }
  void finish(forebay::Out<value_type>& out) const {
    if (!window.empty() && window.size() < size) out.emit(window);
  }

  std::size_t size;
  value_type window{};
};

int main() {
  const std::vector<std::string> words{"to", "be", "or", "not", "to", "be"};
  std::cout << "different words:";
  for (const std::string& word : forebay::from_slices(words).apply(Dedupe()).run()) std::cout << ' ' << word;
  std::cout << '\n';

  for (const auto& window : forebay::range(1, 6).apply(Windows{.size = 3}).run()) {
    std::cout << "window:";
    for (const int number : window) std::cout << ' ' << number;
    std::cout << '\n';
  }

  // A lambda suffices if there is nothing to finish. This one ends the epoch after it has read six numbers.
  int read = 0;
  const auto numbers = forebay::from_callable([&read]() { return std::optional(read++); });
  const auto squares = numbers.apply([](int&& number, forebay::Out<int>& out) {
    if (number * number < 20) return out.emit(number * number);
    out.end();
  });
  std::cout << "squares below 20:";
  for (const int square : squares.run()) std::cout << ' ' << square;
  std::cout << "\nread: " << read << '\n';
}

// Prints:
//
//   different words: to be or not
//   window: 1 2 3
//   window: 2 3 4
//   window: 3 4 5
//   squares below 20: 0 1 4 9 16
//   read: 6
