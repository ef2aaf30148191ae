// SPDX-License-Identifier: MIT

#include <iostream>
#include <string>
#include <vector>

#include <forebay/dataset.hpp>

int main() {
  const std::vector<std::string> words{"river", "mill", "gate", "wheel", "stone", "flour"};
  const auto data = forebay::from_slices(words)
                        .seed(1)
                        .shuffle()  // another order in each epoch
                        .repeat(2)  // two epochs
                        .map(4, [](const std::string& word) { return word + "=" + std::to_string(word.size()); })
                        .batch(4);
  for (const std::vector<std::string>& batch : data.run()) {  // runs on four threads
    std::cout << batch.size() << " words:";
    for (const std::string& word : batch) std::cout << ' ' << word;
    std::cout << '\n';
  }
}
