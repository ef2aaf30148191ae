// SPDX-License-Identifier: MIT
//
// 04_shuffle.cpp: elements that arrive class by class leave mixed, more or less. What you learn here:
//
//   - a RandomShuffleQueue draws from what it stores at that moment, and from nothing else: that is its mixing window;
//   - min_after_dequeue is how many have to stay behind after a dequeue, and so the window to rely on. Where the
//     producers are faster, the window grows, up to the capacity;
//   - closing the queue waives min_after_dequeue, so that the last elements come out, too;
//   - the same seed gives the same order, on every platform.

#include <cstddef>
#include <iostream>
#include <stdexcept>
#include <string>

#include <forebay/queues.hpp>

namespace {

/// Sends `letters` through a queue from which each draw is one out of `window` letters.
std::string shuffled(const std::string& letters, std::size_t window) {
  forebay::RandomShuffleQueue<char> queue({.capacity = window, .min_after_dequeue = window - 1, .seed = 7});
  std::string result;
  for (const char letter : letters) {
    if (queue.enqueue(letter) != forebay::QueueStatus::ok) break;
    // Brings nothing while no more than min_after_dequeue letters are stored.
    if (const auto drawn = queue.dequeue(forebay::no_wait)) result += *drawn;
  }
  queue.close();
  for (const char letter : queue) result += letter;  // the last ones, from ever fewer
  return result;
}

}  // namespace

int main() {
  // Three classes, one after the other, as they come from one file for each class.
  const std::string letters = "aaaaaaaaaabbbbbbbbbbcccccccccc";
  for (const std::size_t window : {1U, 5U, 15U, 30U}) {
    std::cout << "window " << window << ": " << shuffled(letters, window) << '\n';
  }

  try {
    const forebay::RandomShuffleQueue<char> impossible({.capacity = 100, .min_after_dequeue = 100});
  } catch (const std::invalid_argument& error) {
    std::cout << error.what() << '\n';
  }
}

// Prints:
//
//   window 1: aaaaaaaaaabbbbbbbbbbcccccccccc
//   window 5: aaaaaaaababbbbabbbbbcccccccccc
//   window 15: babbbaaaabaccbccbbbaabccccaacc
//   window 30: caccacaabbccccacbbabbabbaabbca
//   forebay: min_after_dequeue (100) must be less than capacity (100)
