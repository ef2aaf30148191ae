// SPDX-License-Identifier: MIT
//
// 04_shuffle.cpp: shuffles elements that arrive class by class. What you learn here:
//
//   - a RandomShuffleQueue draws each element from those it stores at that moment: they are its shuffle window;
//   - min_after_dequeue is the number of elements that must remain after a dequeue, so it guarantees a smallest window.
//     If the producers are faster, the window grows up to the capacity;
//   - closing the queue waives min_after_dequeue, so the last elements can be dequeued, too;
//   - the same seed gives the same order, on every platform.

#include <cstddef>
#include <iostream>
#include <stdexcept>
#include <string>

#include <forebay/queues.hpp>

namespace {

/// Sends `letters` through a queue that draws each letter from `window` letters.
std::string shuffled(const std::string& letters, std::size_t window) {
  forebay::RandomShuffleQueue<char> queue({.capacity = window, .min_after_dequeue = window - 1, .seed = 7});
  std::string result;
  for (const char letter : letters) {
    if (queue.enqueue(letter) != forebay::QueueStatus::ok) break;
    // Returns no letter until more than min_after_dequeue letters are stored.
    if (const auto drawn = queue.dequeue(forebay::no_wait)) result += *drawn;
  }
  queue.close();
  for (const char letter : queue) result += letter;  // the last letters, with a shrinking window
  return result;
}

}  // namespace

int main() {
  // Three classes in sequence, as if each class were in a file of its own.
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
