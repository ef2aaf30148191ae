// SPDX-License-Identifier: MIT
//
// 06_padding.cpp: the words of a sonnet, as batches of letters. What you learn here:
//
//   - a PaddingFIFOQueue takes elements of different length, and hands them out in batches that are one contiguous
//     buffer, row after row;
//   - each batch is as wide as its own longest element: one long word makes a lot of padding;
//   - the value that pads is yours to choose, and the true lengths come with the batch;
//   - a single element is never padded.

#include <cstddef>
#include <fstream>
#include <iostream>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include <forebay/queues.hpp>

int main() {
  std::ifstream text(FOREBAY_EXAMPLE_DATA "/sonnet-18/sonnet-18.txt");  // the directory is set by CMakeLists.txt
  if (!text) {
    std::cerr << "cannot open the sonnet\n";
    return 1;
  }

  forebay::PaddingFIFOQueue<std::string> words(20, {.pad_value = '.'});
  forebay::QueueRunner reader(words, 1, [&]() -> std::optional<std::string> {
    if (std::string word; text >> word) return word;
    return std::nullopt;
  });
  reader.start();  // without a coordinator: the runner itself is joined

  std::cout << words.dequeue().value() << '\n';

  const auto line = words.dequeue_many(7).value();
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto row = line.row(i);  // a std::span<const char>, as wide as all the others
    std::cout << std::string_view(row.data(), row.size()) << ' ' << line.length(i) << '\n';
  }

  for (auto&& batch : words.batches(40)) {
    const auto [rows, columns] = batch.extents();
    const auto used = std::accumulate(batch.lengths().begin(), batch.lengths().end(), std::size_t{0});
    std::cout << rows << " x " << columns << ": " << used << " characters, " << rows * columns - used << " padding\n";
  }
  reader.join();
}

// Prints:
//
//   Shall
//   I....... 1
//   compare. 7
//   thee.... 4
//   to...... 2
//   a....... 1
//   summer's 8
//   day?.... 4
//   40 x 10: 177 characters, 223 padding
//   40 x 10: 194 characters, 206 padding
//   26 x 8: 103 characters, 105 padding
