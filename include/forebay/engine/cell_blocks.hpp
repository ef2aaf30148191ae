// SPDX-License-Identifier: MIT
//
// cell_blocks.hpp: the cells of an unbounded ring, in blocks of one size that come and go with what is stored. Nothing
// is ever moved but pointers.
//
// Blocks are numbered from 0. Producers add one behind the last, consumers remove the first. A directory has the
// blocks that are there by their number; when it is too small, producers copy it into one of twice the size, and
// consumers, who may be reading the old one, let go of that when they next come to the end of a block. Blocks that
// were removed are kept for producers, two of them at most, so that nothing is allocated while what is stored swings
// by less than a block; and one at most while nothing is stored.
//
// Thread safety: add() is for who holds the producers' lock, remove() and keep_one_spare() for who holds the
// consumers'; what a caller may look up with [] it has been told of by the other side.

#ifndef FOREBAY_ENGINE_CELL_BLOCKS_HPP
#define FOREBAY_ENGINE_CELL_BLOCKS_HPP

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/engine/cell.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Invariants, under both locks: `oldest_` <= number of each block that is there < `oldest_` + size of the directory;
/// producers write to the last directory alone, so that an older one stays as it is while consumers read it.
template <class Sync>
class CellBlocks {
  using Flag = CellFlag<Sync>;
  template <class T>
  using Atomic = typename Sync::template atomic<T>;

 public:
  explicit CellBlocks(const CellLayout<Sync>& layout) noexcept
      : layout_(layout), cells_(layout.of_a_block), bits_(std::countr_zero(cells_)) {}
  CellBlocks(const CellBlocks&) = delete;
  CellBlocks& operator=(const CellBlocks&) = delete;

  /// Requires that the blocks were discarded.
  ~CellBlocks() {
    while (Flag* const block = take_spare()) deallocate(block);
    delete last_;
  }

  /// Where the cells of a block are.
  [[nodiscard]] Flag* operator[](std::uint64_t number) const noexcept { return directory()[number]; }

  /// The cell at a place, counted from the first one that there ever was.
  [[nodiscard, gnu::noinline]] Flag& cell(std::uint64_t place) const noexcept {
    return layout_.at((*this)[place >> bits_], static_cast<std::size_t>(place) & (cells_ - 1));
  }

  /// Adds block 0, and returns it.
  Flag* begin() {
    directory_.store(last_ = new Directory(2), std::memory_order_relaxed);
    add(0);
    return (*this)[0];
  }

  /// Adds block `number`, the one behind the last. Returns whether its cells have been made, by who used it before.
  /// If an allocation fails, nothing has changed.
  bool add(std::uint64_t number) {
    // Pairs with the release in remove(): nobody looks up the removed block any more.
    const std::uint64_t oldest = oldest_.load(std::memory_order_acquire);
    if (number - oldest >= last_->size) grow(oldest, number);
    Flag* const spare = take_spare();
    (*last_)[number] = spare != nullptr ? spare : layout_.allocate(cells_);
    return spare != nullptr;
  }

  /// Removes block `number`, the first one, all of whose cells were made and are empty.
  void remove(std::uint64_t number) noexcept {
    Directory& now = directory();
    now.older.reset();
    Flag* const block = now[number];
    oldest_.store(number + 1, std::memory_order_release);
    for (auto& spare : spares_) {
      if (spare.load(std::memory_order_relaxed) != nullptr) continue;
      return spare.store(block, std::memory_order_release);
    }
    deallocate(block);
  }

  /// Gives all blocks back, of whose cells those before the place `made` are made and empty.
  void discard_all(std::uint64_t made) noexcept {
    for (std::uint64_t number = oldest_.load(std::memory_order_relaxed); number * cells_ < made; ++number)
      layout_.deallocate((*last_)[number], cells_,
                         static_cast<std::size_t>(smaller<std::uint64_t>(made - number * cells_, cells_)));
  }

  [[nodiscard]] bool has_two_spares() const noexcept {
    return spares_[0].load(std::memory_order_relaxed) != nullptr &&
           spares_[1].load(std::memory_order_relaxed) != nullptr;
  }

  /// Gives one of two spare blocks back.
  [[gnu::noinline]] void keep_one_spare() noexcept {
    if (Flag* const spare = spares_[1].exchange(nullptr, std::memory_order_acquire)) deallocate(spare);
  }

 private:
  struct Directory {
    explicit Directory(std::size_t count) : size(count), blocks(new Flag*[count]) {}
    [[gnu::noinline]] ~Directory() { delete[] blocks; }
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;

    [[nodiscard]] Flag*& operator[](std::uint64_t number) const noexcept {
      return blocks[static_cast<std::size_t>(number) & (size - 1)];
    }

    std::size_t size;  // a power of two
    Flag** blocks;
    std::unique_ptr<Directory> older;
  };

  [[nodiscard]] Directory& directory() const noexcept {
    return *directory_.load(std::memory_order_acquire);  // pairs with the release in grow()
  }

  void grow(std::uint64_t oldest, std::uint64_t end) {
    auto* const larger = new Directory(2 * last_->size);
    for (std::uint64_t number = oldest; number < end; ++number) (*larger)[number] = (*last_)[number];
    larger->older.reset(std::exchange(last_, larger));
    directory_.store(larger, std::memory_order_release);
  }

  /// Both sides may ask: who gets a block has it alone.
  [[gnu::noinline]] Flag* take_spare() noexcept {
    for (auto& spare : spares_) {
      if (spare.load(std::memory_order_relaxed) == nullptr) continue;
      // Pairs with the release in remove(): the block's cells are empty.
      if (Flag* const block = spare.exchange(nullptr, std::memory_order_acquire)) return block;
    }
    return nullptr;
  }

  void deallocate(Flag* block) const noexcept { layout_.deallocate(block, cells_, cells_); }

  const CellLayout<Sync>& layout_;
  const std::size_t cells_;                // of a block
  const int bits_;                         // of the index of one of them
  Directory* last_ = nullptr;              // the producers' view
  Atomic<Directory*> directory_{nullptr};  // the consumers' view, which owns the older ones
  Atomic<std::uint64_t> oldest_{0};
  Atomic<Flag*> spares_[2] = {nullptr, nullptr};
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_CELL_BLOCKS_HPP
