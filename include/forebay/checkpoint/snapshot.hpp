// SPDX-License-Identifier: MIT
//
// snapshot.hpp: Snapshot, which stores the positions of the stages of a run, and SnapshotReader, which reads them. Each
// stage adds a frame of numbers and texts, but never elements.

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

/// A sequence of numbers, texts and frames. The frame of a stage is nested in the frame of the stage downstream.
class Snapshot {
 public:
  enum class Item : char { number, text, begin_of_frame, end_of_frame, none };

  void add(std::uint64_t number) {
    items_ += static_cast<char>(Item::number);
    numbers_.push_back(number);
  }
  void add(const std::string& text) {
    items_ += static_cast<char>(Item::text);
    numbers_.push_back(text.size());
    texts_ += text;
  }

  /// Begin and end a frame, which contains all items added in between.
  void begin_frame() { items_ += static_cast<char>(Item::begin_of_frame); }
  void end_frame() { items_ += static_cast<char>(Item::end_of_frame); }

  /// Adds all items of another snapshot.
  void add(const Snapshot& other) {
    items_ += other.items_;
    for (const std::uint64_t number : other.numbers_) numbers_.push_back(number);
    texts_ += other.texts_;
  }
  void add_frame(const Snapshot& other) {
    begin_frame();
    add(other);
    end_frame();
  }

  [[nodiscard]] bool empty() const noexcept { return items_.empty(); }
  void clear() noexcept {
    items_.clear();
    numbers_.clear();
    texts_.clear();
  }

  friend bool operator==(const Snapshot&, const Snapshot&) = default;

  /// Returns the number of items; the beginning and the end of a frame count, too.
  [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }

 private:
  friend class SnapshotReader;

  // Strings and numbers take less time to compile than a vector of items.
  std::string items_;                   // the kind of each item
  std::vector<std::uint64_t> numbers_;  // of each item that is a number; of each text, its size
  std::string texts_;                   // all texts
};

/// Reports a snapshot that does not fit the data set: another data set made it, or it is damaged. The message begins
/// with the name of the stage.
class SnapshotError : public std::invalid_argument {
 public:
  /// `its_item` is the index of the first wrong item.
  SnapshotError(std::size_t its_item, const std::string& what) : std::invalid_argument(what), item(its_item) {}
  std::size_t item;
};

/// Reads the items of a snapshot in order. Throws a SnapshotError if one is missing or wrong.
class SnapshotReader {
 public:
  using Item = Snapshot::Item;

  /// Errors outside all frames name `reader`.
  SnapshotReader(const Snapshot& snapshot, std::string reader) : snapshot_(snapshot), stage_(std::move(reader)) {}

  /// Returns the kind of the next item.
  [[nodiscard]] Item next() const noexcept {
    return item_ < snapshot_.size() ? static_cast<Item>(snapshot_.items_[item_]) : Item::none;
  }

  [[nodiscard]] std::uint64_t number() {
    require(Item::number, "a number is missing");
    pass();
    return snapshot_.numbers_[number_++];
  }
  [[nodiscard]] std::uint64_t number_up_to(std::uint64_t most) {
    const std::uint64_t read = number();
    if (read > most) fail("a number is too large");
    return read;
  }
  [[nodiscard]] bool flag() { return number_up_to(1) == 1; }

  [[nodiscard]] std::string text() {
    require(Item::text, "a text is missing");
    pass();
    const std::size_t begin = text_;
    text_ += static_cast<std::size_t>(snapshot_.numbers_[number_++]);
    return snapshot_.texts_.substr(begin, text_ - begin);
  }

  /// Reads a frame. `read()` must read all its items. Errors in it name `stage`, or the enclosing stage if `stage` is
  /// empty.
  template <class Read>
  void frame(const std::string& stage, const Read& read) {
    require(Item::begin_of_frame, "a frame is missing");
    pass();
    std::string outer = stage_;
    if (!stage.empty()) stage_ = stage;
    read();
    require(Item::end_of_frame, too_much);
    pass();
    stage_ = std::move(outer);
  }

  /// Reads a frame and returns its items.
  [[nodiscard]] Snapshot frame() {
    Snapshot read;
    frame({}, [&] {
      for (std::size_t depth = 0; depth > 0 || next() != Item::end_of_frame;) {
        const Item item = next();
        if (item == Item::begin_of_frame) ++depth;
        if (item == Item::end_of_frame) --depth;
        pass_into(read, item);
      }
    });
    return read;
  }

  /// Reads and returns the items up to the position of `end`, another reader of the same snapshot.
  [[nodiscard]] Snapshot up_to(const SnapshotReader& end) {
    Snapshot read;
    while (item_ < end.item_) pass_into(read, next());
    return read;
  }

  /// Skips the beginning or end of a frame. Requires that one is next.
  void pass() noexcept { ++item_; }

  /// Throws if items are left.
  void end() const { require(Item::none, too_much); }

  /// Rejects the item that was read last.
  [[noreturn]] void fail(const char* what) const { fail_at(item_ - 1, what); }

 private:
  static constexpr const char* too_much = "there is more than it saves";

  void require(Item item, const char* what) const {
    if (next() != item) fail_at(item_, what);
  }

  [[noreturn]] void fail_at(std::size_t item, const char* what) const {
    throw SnapshotError(item, stage_ + ": " + what);
  }

  void pass_into(Snapshot& to, Item item) {
    switch (item) {
      case Item::text: return to.add(text());
      case Item::begin_of_frame: pass(); return to.begin_frame();
      case Item::end_of_frame: pass(); return to.end_frame();
      default: to.add(number());
    }
  }

  const Snapshot& snapshot_;
  std::string stage_;  // which errors name
  std::size_t item_ = 0;
  std::size_t number_ = 0;
  std::size_t text_ = 0;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_CHECKPOINT_SNAPSHOT_HPP
