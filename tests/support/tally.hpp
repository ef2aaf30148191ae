// SPDX-License-Identifier: MIT
//
// tally.hpp: counts the numbers that pass through queues, so that tests can compare inputs and outputs.

#ifndef FOREBAY_TESTS_SUPPORT_TALLY_HPP
#define FOREBAY_TESTS_SUPPORT_TALLY_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <vector>

namespace forebay_test {

/// A checksum of numbers in any order. Two tallies are almost certainly equal only if the same numbers were added.
/// `Cell` is the type of the counters.
template <class Cell>
class BasicTally {
 public:
  void add(std::uint64_t number) {
    count_ += 1;
    sum_ += number;
    xor_ ^= number * 0x9e3779b97f4a7c15;
  }
  void add(const BasicTally& other) {
    count_ += other.count_;
    sum_ += other.sum_;
    xor_ ^= other.xor_;
  }
  template <class Range>
  void add_all(const Range& numbers_passed, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) add(numbers_passed[i]);
  }
  void add_all(const std::vector<std::uint64_t>& numbers_passed) { add_all(numbers_passed, numbers_passed.size()); }

  [[nodiscard]] std::uint64_t count() const { return count_; }

  friend bool operator==(const BasicTally& a, const BasicTally& b) {
    return a.count_ == b.count_ && a.sum_ == b.sum_ && a.xor_ == b.xor_;
  }
  friend std::ostream& operator<<(std::ostream& out, const BasicTally& tally) {
    return out << tally.count_ << " numbers, sum " << tally.sum_ << ", xor " << tally.xor_;
  }

 private:
  Cell count_{0};
  Cell sum_{0};
  Cell xor_{0};
};

/// A tally to which any thread may add.
using Tally = BasicTally<std::atomic<std::uint64_t>>;

/// A tally for one thread at a time: several times as fast.
using LocalTally = BasicTally<std::uint64_t>;

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_TALLY_HPP
