// SPDX-License-Identifier: MIT
//
// tally.hpp: the count of what went in and of what came out, for tests in which numbers pass through queues.

#ifndef FOREBAY_TESTS_SUPPORT_TALLY_HPP
#define FOREBAY_TESTS_SUPPORT_TALLY_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <vector>

namespace forebay_test {

/// What passed a place. Two tallies are equal if and only if, as good as certainly, the same numbers passed. `Cell` is
/// what it counts with.
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

/// Any thread may add to it.
using Tally = BasicTally<std::atomic<std::uint64_t>>;

/// One thread at a time may: several times as fast.
using LocalTally = BasicTally<std::uint64_t>;

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_TALLY_HPP
