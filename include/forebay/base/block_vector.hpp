// SPDX-License-Identifier: MIT
//
// block_vector.hpp: a vector of plain values that are not moved when it grows: it consists of blocks, which come and
// go with what is in it. One that is told how many values it will have at most has room for them from the beginning,
// as address space that is not touched before it is used.

#ifndef FOREBAY_BASE_BLOCK_VECTOR_HPP
#define FOREBAY_BASE_BLOCK_VECTOR_HPP

#include <cstddef>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Invariant: there are blocks for the `size_` values, and for one block more at most.
template <class T>
class BlockVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T>);

 public:
  BlockVector() = default;

  /// Has room for `capacity` values. Throws std::bad_alloc if it cannot be had.
  explicit BlockVector(std::size_t capacity) : first_size_(capacity) { add_block(capacity); }

  [[nodiscard]] static constexpr std::size_t max_size() noexcept {
    // NOLINTNEXTLINE(bugprone-sizeof-expression): T may well be a pointer
    return std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  [[nodiscard]] T& operator[](std::size_t i) const noexcept {
    if (i < first_size_) [[likely]]
      return blocks_.front()[i];
    return blocks_[i / block_size][i % block_size];
  }

  /// If the allocation that it may need fails, nothing has changed.
  void push_back(T value) {
    if (size_ >= first_size_ && size_ == blocks_.size() * block_size) add_block(block_size);
    (*this)[size_++] = value;
  }

  void pop_back() noexcept {
    --size_;
    if (size_ >= first_size_ && size_ + 2 * block_size == blocks_.size() * block_size) blocks_.pop_back();
  }

 private:
  static constexpr std::size_t block_size = 2048;  // of heap entries: 32 kB, like a block of cells

  void add_block(std::size_t size) {
    std::unique_ptr<T[]> block(new T[size]);  // not initialised
    blocks_.push_back(std::move(block));
  }

  std::vector<std::unique_ptr<T[]>> blocks_;
  std::size_t first_size_ = 0;  // of the first block, if it is to be the only one
  std::size_t size_ = 0;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_BLOCK_VECTOR_HPP
