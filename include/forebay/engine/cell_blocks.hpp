// SPDX-License-Identifier: MIT
//
// cell_blocks.hpp: CellBlocks, the cells of an unbounded ring, in blocks of equal size that are allocated and freed
// with the number of elements. Only pointers are ever moved.
//
// Blocks are numbered from 0. Producers add blocks at the end, consumers remove the first one. A directory maps numbers
// to blocks. When it is too small, producers copy it into one of twice the size; consumers, which may still read the
// old one, free it at the end of their next block. At most two removed blocks are kept for producers, so that nothing
// is allocated while the number of elements varies by less than a block; at most one while nothing is stored.
//
// Thread safety: add() requires the producers' lock, remove() and keep_one_spare() the consumers' lock. A caller may
// look up with [] only blocks that the other side has published to it.

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

  /// Requires discard().
  ~CellBlocks() {
    while (Flag* const block = take_spare()) deallocate(block);
    delete last_;
  }

  /// Returns the cells of a block.
  [[nodiscard]] Flag* operator[](std::uint64_t number) const noexcept { return directory()[number]; }

  /// Returns the cell at a place, counted from the first cell of block 0.
  [[nodiscard, gnu::noinline]] Flag& cell(std::uint64_t place) const noexcept {
    return layout_.at((*this)[place >> bits_], static_cast<std::size_t>(place) & (cells_ - 1));
  }

  /// Adds block 0, and returns it.
  Flag* begin() {
    directory_.store(last_ = new Directory(2), std::memory_order_relaxed);
    add(0);
    return (*this)[0];
  }

  /// Adds block `number`, after the last one. Returns whether its cells have been constructed, in an earlier use. If an
  /// allocation fails, nothing has changed.
  bool add(std::uint64_t number) {
    // Pairs with the release in remove(): no thread looks up the removed block any more.
    const std::uint64_t oldest = oldest_.load(std::memory_order_acquire);
    if (number - oldest >= last_->size) grow(oldest, number);
    Flag* const spare = take_spare();
    (*last_)[number] = spare != nullptr ? spare : layout_.allocate(cells_);
    return spare != nullptr;
  }

  /// Removes block `number`, the first one. Requires that all its cells were constructed and are empty.
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

  /// Frees all blocks. The cells before the place `made` must be constructed and empty.
  void discard_all(std::uint64_t made) noexcept {
    for (std::uint64_t number = oldest_.load(std::memory_order_relaxed); number * cells_ < made; ++number)
      layout_.deallocate((*last_)[number], cells_,
                         static_cast<std::size_t>(smaller<std::uint64_t>(made - number * cells_, cells_)));
  }

  [[nodiscard]] bool has_two_spares() const noexcept {
    return spares_[0].load(std::memory_order_relaxed) != nullptr &&
           spares_[1].load(std::memory_order_relaxed) != nullptr;
  }

  /// Frees one of two spare blocks.
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

  /// Takes a spare block. Both sides may call it; a block goes to only one of them.
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
