// SPDX-License-Identifier: MIT
//
// sentences_by_length.cpp: reads lines of text into batches, each of them one padded array. What you learn here:
//
//   - several data sets can share their first stages: here one counts the words, and another one numbers them;
//   - bucket_by_length batches sentences of similar length, so there is little padding, with more of the short ones a
//     batch;
//   - the loop throws an error in a file, and its message names the stage and the line.
//
//   sentences_by_length <file>...

#include <cctype>
#include <cstddef>
#include <exception>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <forebay/dataset.hpp>

using Words = std::vector<std::string>;
using Sentence = std::vector<int>;  // the number of each word

Words words_of(const std::string& line) {
  Words words;
  std::string word;
  for (const char given : line + " ") {
    const auto character = static_cast<unsigned char>(given);
    if (std::iscntrl(character) != 0 && character != '\t') throw std::runtime_error("this is no text");
    if (std::isspace(character) != 0 || std::ispunct(character) != 0) {
      if (!word.empty()) words.push_back(std::exchange(word, ""));
    } else {
      word += static_cast<char>(std::tolower(character));
    }
  }
  return words;
}

/// Numbers words from 1, because 0 is the padding value.
std::map<std::string, int> vocabulary_of(const forebay::Dataset<Words>& lines) {
  std::map<std::string, int> vocabulary;
  for (const Words& words : lines.run()) {
    for (const std::string& word : words) vocabulary.try_emplace(word, static_cast<int>(vocabulary.size()) + 1);
  }
  return vocabulary;
}

int main(int argument_count, char** arguments) {
  try {
    if (argument_count < 2) throw std::runtime_error("give it files");
    const std::vector<std::string> files(arguments + 1, arguments + argument_count);
    const auto lines = forebay::text_lines(files).shuffle(1000).map(4, words_of).named("words_of");

    const std::map<std::string, int> vocabulary = vocabulary_of(lines);
    const auto numbers_of = [&vocabulary](const Words& words) {
      Sentence sentence;
      for (const std::string& word : words) sentence.push_back(vocabulary.at(word));
      return sentence;
    };
    const auto batches = lines.map(numbers_of)
                             .filter([](const Sentence& sentence) { return !sentence.empty(); })
                             .bucket_by_length([](const Sentence& sentence) { return sentence.size(); },
                                               {.boundaries = {8, 16}, .batch_sizes = {32, 16, 8}}, {});
    for (const auto& batch : batches.run()) {  // train a model here
      const auto [sentences, length] = batch.extents();
      std::cout << sentences << " sentences of up to " << length << " words\n";
    }
  } catch (const std::exception& error) {
    std::cerr << "sentences_by_length: " << error.what() << '\n';
    return 1;
  }
}
