// SPDX-License-Identifier: MIT
//
// Runs the stages that the guide and the README show, and prints their inputs and outputs. draw_stages.py draws
// pictures of them.
//
// A picture begins with "= name title". A row "in label: elements" is an input; "out label: elements" is a stage
// applied to the inputs; "then label: elements" is a stage applied to the row above. [ ] enclose a batch, { } a padded
// batch, and | separates epochs.

#include <cctype>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <forebay/dataset.hpp>

namespace {

using forebay::Dataset;
using forebay::drop;
using forebay::mix;
using forebay::PaddedBatch;
using forebay::range;
using Words = std::vector<std::string>;

template <std::integral Number>
std::string text(Number number) {
  return std::to_string(number);
}

std::string text(const std::string& word) { return word; }

template <class First, class Second>
std::string text(const std::tuple<First, Second>& pair) {
  return text(std::get<0>(pair)) + "," + text(std::get<1>(pair));
}

template <class T>
std::string text(const std::vector<T>& batch) {
  std::string result = "[";
  for (const T& element : batch) result += " " + text(element);
  return result + " ]";
}

std::string text(const PaddedBatch<std::string>& batch) {
  const std::size_t length = batch.values().size() / batch.size();
  std::string result = "{";
  for (std::size_t row = 0; row < batch.size(); ++row) {
    result += " " + std::string(batch.data() + row * length, length);
  }
  return result + " }";
}

/// Runs the data set and prints a row with its elements.
template <class T>
void print(std::string_view role, std::string_view label, const Dataset<T>& data) {
  std::string elements;
  auto pipeline = data.run();
  for (;;) {
    std::string epoch;
    for (const T& element : pipeline.one_epoch()) epoch += " " + text(element);
    if (epoch.empty()) break;  // the input has ended
    elements += (elements.empty() ? "" : " |") + epoch;
  }
  std::cout << role << ' ' << label << ':' << elements << '\n';
}

void begin(std::string_view picture) { std::cout << "= " << picture << '\n'; }

// The label of a row is its code.
#define INPUT(data) print("in", #data, data)
#define OUTPUT(data) print("out", #data, data)
#define STAGE(data, ...) print("out", #__VA_ARGS__, data __VA_ARGS__)

void select() {
  const auto is_odd = [](std::int64_t number) { return number % 2 != 0; };
  begin("select Stages that select elements");
  INPUT(range(8));
  STAGE(range(8), .filter(is_odd));
  STAGE(range(8), .take(3));
  STAGE(range(8), .skip(3));
  STAGE(range(8), .step_by(3));
  STAGE(range(8), .shard(0, 2));
  STAGE(range(8), .shard(1, 2));
}

void join() {
  const Dataset<std::string> a = forebay::from_slices(Words{"a1", "a2", "a3", "a4"});
  const Dataset<std::string> b = forebay::from_slices(Words{"b1", "b2", "b3", "b4"});
  begin("join Stages that join data sets");
  INPUT(a);
  INPUT(b);
  OUTPUT(a.concatenate(b));
  OUTPUT(zip(a, b));
  OUTPUT(mix({a, b}, {0.5, 0.5}));
}

void repeat() {
  begin("repeat Repeat and seamless");
  INPUT(range(3));
  STAGE(range(3), .repeat(2));
  STAGE(range(3), .repeat(2).batch(2));
  STAGE(range(3), .repeat(2).seamless().batch(2));
}

void shuffle() {
  begin("shuffle Shuffle");
  INPUT(range(8));
  STAGE(range(8).seed(1), .shuffle());
  STAGE(range(8).seed(1), .shuffle_pages(3));
  STAGE(range(8).seed(1), .shuffle(3));
}

void transform() {
  const auto words = forebay::from_slices(Words{"a", "b", "c", "d"});
  const auto upper = [](const std::string& word) { return std::string(1, static_cast<char>(std::toupper(word[0]))); };
  const auto twice = [](const std::string& word) { return Words{word, word}; };
  begin("transform Stages that transform elements");
  INPUT(words);
  STAGE(words, .map(2, upper));
  STAGE(words, .flat_map(twice));
  STAGE(words, .enumerate());
}

void interleave() {
  const auto files = forebay::from_slices(Words{"a", "b", "c"});
  const auto read = [](const std::string& file) { return Words{file + "1", file + "2", file + "3", file + "4"}; };
  begin("interleave Interleave");
  INPUT(files);
  STAGE(files, .flat_map(read));
  STAGE(files, .interleave(2, 1, read));
  STAGE(files, .interleave(3, 1, read));
  STAGE(files, .interleave(3, 2, read));
}

void batch() {
  begin("batch Batches");
  INPUT(range(8));
  STAGE(range(8), .batch(3));
  STAGE(range(8), .batch(3, {.remainder = drop}));
  STAGE(range(8), .batch(3).unbatch());
}

void pad() {
  const auto words = forebay::from_slices(Words{"a", "bbb", "cccc", "dd"});
  const auto length = [](const std::string& word) { return word.size(); };
  begin("pad Batches of elements of different length");
  INPUT(words);
  STAGE(words, .batch(2));
  STAGE(words, .padded_batch(2, {.pad_value = '.'}));
  STAGE(words, .bucket_by_length(length, {.boundaries = {3}, .batch_sizes = {2, 2}}));
}

// The README's program.
void readme() {
  const Words words{"river", "mill", "gate", "wheel", "stone", "flour"};
  const auto length = [](const std::string& word) { return word + "=" + std::to_string(word.size()); };
  begin("readme The stages of the program");
  const auto source = forebay::from_slices(words).seed(1);
  print("in", "from_slices(words)", source);
  const auto shuffled = source.shuffle();
  print("then", ".shuffle()  // another order in each epoch", shuffled);
  const auto repeated = shuffled.repeat(2);
  print("then", ".repeat(2)  // two epochs", repeated);
  const auto mapped = repeated.map(4, length);
  print("then", ".map(4, ...)  // four threads, same order", mapped);
  print("then", ".batch(4)  // no batch crosses the end of an epoch", mapped.batch(4));
}

}  // namespace

int main() {
  select();
  join();
  repeat();
  shuffle();
  transform();
  interleave();
  batch();
  pad();
  readme();
}
