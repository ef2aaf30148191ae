// SPDX-License-Identifier: MIT
//
// block_vector.hpp: a vector of plain values that does not move them when it grows. It consists of blocks, which are
// allocated and freed as the vector grows and shrinks. With a known capacity it has a single block, whose pages are not
// touched before they are used.

#ifndef FOREBAY_BASE_BLOCK_VECTOR_HPP
#define FOREBAY_BASE_BLOCK_VECTOR_HPP

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The first value has the index `first`. A block begins a cache line, so `first` decides which values share one.
///
/// Invariant: there are enough blocks for the values, and at most one spare block.
template <class T, std::size_t block_size, std::size_t first = 0>
class BlockVector {
  static_assert(std::is_trivially_copyable_v<T>);
  static constexpr std::align_val_t line{64};

  struct Deallocate {
    void operator()(T* block) const noexcept { ::operator delete(block, line); }
  };
  using Block = std::unique_ptr<T, Deallocate>;

 public:
  BlockVector() = default;

  /// Allocates room for `capacity` values. Throws std::bad_alloc on failure.
  explicit BlockVector(std::size_t capacity) : only_size_(first + capacity) { add_block(only_size_); }

  [[nodiscard]] static constexpr std::size_t max_size() noexcept {
    return std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T) - first;
  }

  [[nodiscard]] std::size_t size() const noexcept { return end_ - first; }

  /// Gives access to the values by index. Valid until a value is added or removed, even while values are written.
  class View {
   public:
    [[nodiscard, gnu::always_inline]] inline T& operator[](std::size_t i) const noexcept {
      if (i < only_size_) [[likely]]
        return only_[i];
      return blocks_[i / block_size].get()[i % block_size];
    }

   private:
    friend BlockVector;
    explicit View(const BlockVector& vector) noexcept
        : blocks_(vector.blocks_.data()),
          only_(vector.only_size_ > 0 ? blocks_->get() : nullptr),
          only_size_(vector.only_size_) {}

    const Block* blocks_;
    T* only_;
    std::size_t only_size_;
  };
  [[nodiscard]] View view() const noexcept { return View(*this); }

  /// If the allocation that it may need fails, nothing has changed.
  void push_back(const T& value) {
    if (end_ >= only_size_ && end_ / block_size == blocks_.size()) add_block(block_size);
    ::new (static_cast<void*>(std::addressof(view()[end_]))) T(value);
    ++end_;
  }

  void pop_back() noexcept {
    --end_;
    if (end_ >= only_size_ && end_ + 2 * block_size == blocks_.size() * block_size) blocks_.pop_back();
  }

 private:
  void add_block(std::size_t size) {
    Block block(static_cast<T*>(::operator new(size * sizeof(T), line)));
    blocks_.push_back(std::move(block));
  }

  std::vector<Block> blocks_;
  std::size_t only_size_ = 0;  // of the single block, with a known capacity
  std::size_t end_ = first;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_BLOCK_VECTOR_HPP
