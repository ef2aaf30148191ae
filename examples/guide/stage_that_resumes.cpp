// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <forebay/dataset.hpp>

/// Holds `size` words. For each further word, emits the shortest one, and of equally short ones the first.
struct ShortestFirst {
  struct Held {
    std::string word;
    std::uint64_t number;
  };

  void operator()(std::string&& word, forebay::Context& context, forebay::Out<std::string>& out) {
    window.push_back({std::move(word), context.position().number});
    if (window.size() > size) emit(out);
  }
  void finish(forebay::Out<std::string>& out) {
    while (!window.empty()) emit(out);
  }

  // For a checkpoint: the numbers of the elements that the stage holds.
  [[nodiscard]] std::vector<std::uint64_t> held() const {
    std::vector<std::uint64_t> numbers;
    for (const Held& each : window) numbers.push_back(each.number);
    return numbers;
  }
  // In a run that resumes: gets these elements back, in the same order.
  void refill(std::string&& word, std::uint64_t number) { window.push_back({std::move(word), number}); }

  void emit(forebay::Out<std::string>& out) {
    const auto is_shorter = [](const Held& one, const Held& other) { return one.word.size() < other.word.size(); };
    const auto shortest = std::min_element(window.begin(), window.end(), is_shorter);
    out.emit(std::move(shortest->word));
    window.erase(shortest);
  }

  std::size_t size;
  std::vector<Held> window{};
};

int main() {
  const std::vector<std::string> words{"Tomorrow", "morning", "a", "very", "long", "winter", "will", "end"};
  const auto sorted = forebay::from_slices(words).apply(ShortestFirst{.size = 3}).named("shortest first");

  auto run = sorted.run();
  std::cout << "first run:";
  for (int i = 0; i < 4; ++i) std::cout << ' ' << run.next().value();
  const std::string checkpoint = run.checkpoint();  // has the numbers of "Tomorrow", "morning" and "winter"
  std::cout << "\nresumed:";
  for (const std::string& word : sorted.run(checkpoint)) std::cout << ' ' << word;
  std::cout << '\n';
}
