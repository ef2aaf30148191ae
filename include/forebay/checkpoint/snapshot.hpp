// SPDX-License-Identifier: MIT
//
// snapshot.hpp: Snapshot, where the stages of a run are: numbers and texts, which every stage adds in its turn, and
// SnapshotReader, from which it takes them again. Positions, never elements.

#ifndef FOREBAY_CHECKPOINT_SNAPSHOT_HPP
#define FOREBAY_CHECKPOINT_SNAPSHOT_HPP

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

class Snapshot {
 public:
  void add(std::uint64_t number) { numbers_.push_back(number); }
  void add(std::string text) { texts_.push_back(std::move(text)); }
  void add(const std::vector<std::uint64_t>& numbers) {
    add(numbers.size());
    numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
  }
  /// One that is taken out as a whole.
  void add_nested(const Snapshot& other) {
    add(other.numbers_.size());
    add(other.texts_.size());
    add(other);
  }

  /// Adds all of another one.
  void add(const Snapshot& other) {
    numbers_.insert(numbers_.end(), other.numbers_.begin(), other.numbers_.end());
    for (const std::string& text : other.texts_) texts_.push_back(text);
  }

  [[nodiscard]] bool empty() const noexcept { return numbers_.empty() && texts_.empty(); }
  void clear() noexcept {
    numbers_.clear();
    texts_.clear();
  }

  [[nodiscard]] const std::vector<std::uint64_t>& numbers() const noexcept { return numbers_; }
  [[nodiscard]] const std::vector<std::string>& texts() const noexcept { return texts_; }

 private:
  std::vector<std::uint64_t> numbers_;
  std::vector<std::string> texts_;
};

/// A place that this data set cannot have: the snapshot was made by another one, or is damaged.
class SnapshotError : public std::invalid_argument {
 public:
  /// `index` of the numbers is the first one that cannot be.
  SnapshotError(std::size_t its_index, const char* what) : std::invalid_argument(what), index(its_index) {}
  std::size_t index;
};

/// What is read throws a SnapshotError if it is not there, or cannot be.
class SnapshotReader {
 public:
  explicit SnapshotReader(const Snapshot& snapshot) noexcept : snapshot_(snapshot) {}

  [[nodiscard]] std::uint64_t number() {
    if (number_ == snapshot_.numbers().size()) fail("a number is missing");
    return snapshot_.numbers()[number_++];
  }
  [[nodiscard]] std::uint64_t number_up_to(std::uint64_t most) {
    const std::uint64_t read = number();
    if (read <= most) return read;
    --number_;
    fail("a number is too large");
  }
  [[nodiscard]] bool flag() { return number_up_to(1) == 1; }

  [[nodiscard]] const std::string& text() {
    if (text_ == snapshot_.texts().size()) fail("a text is missing");
    return snapshot_.texts()[text_++];
  }

  [[nodiscard]] std::vector<std::uint64_t> numbers() {
    std::vector<std::uint64_t> read(static_cast<std::size_t>(number_up_to(left())));
    for (std::uint64_t& each : read) each = number();
    return read;
  }

  [[nodiscard]] Snapshot nested() {
    const std::uint64_t its_numbers = number();
    const std::uint64_t its_texts = number_up_to(snapshot_.texts().size() - text_);
    if (its_numbers > left()) fail("numbers are missing");
    Snapshot read;
    for (std::uint64_t i = 0; i < its_numbers; ++i) read.add(number());
    for (std::uint64_t i = 0; i < its_texts; ++i) read.add(text());
    return read;
  }

  [[noreturn]] void fail(const char* what) const { throw SnapshotError(number_, what); }

  /// Whether all of it was read.
  [[nodiscard]] bool at_end() const noexcept {
    return number_ == snapshot_.numbers().size() && text_ == snapshot_.texts().size();
  }

 private:
  [[nodiscard]] std::size_t left() const noexcept { return snapshot_.numbers().size() - number_; }

  const Snapshot& snapshot_;
  std::size_t number_ = 0;
  std::size_t text_ = 0;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_CHECKPOINT_SNAPSHOT_HPP
