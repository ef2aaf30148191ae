// SPDX-License-Identifier: MIT
//
// scalar_buffer.hpp: ScalarBuffer, reusable contiguous storage for the scalars of a batch.
//
// Unlike a std::vector, it does not initialise scalars that will be overwritten, and stores bool as bool.

#ifndef FOREBAY_BATCH_SCALAR_BUFFER_HPP
#define FOREBAY_BATCH_SCALAR_BUFFER_HPP

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Invariant: the first `size_` of `capacity_` places contain scalars.
template <class Scalar>
class ScalarBuffer {
 public:
  ScalarBuffer() = default;
  ScalarBuffer(ScalarBuffer&& other) noexcept { swap(other); }
  ScalarBuffer& operator=(ScalarBuffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~ScalarBuffer() {
    clear();
    if (places_ != nullptr) std::allocator<Scalar>().deallocate(places_, capacity_);
  }

  [[nodiscard]] Scalar* data() noexcept { return places_; }
  [[nodiscard]] const Scalar* data() const noexcept { return places_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  /// Destroys the scalars and keeps the storage.
  void clear() noexcept {
    std::destroy_n(places_, size_);
    size_ = 0;
  }

  /// Reserves room for `count` scalars; somewhat more if it grows repeatedly. Requires an empty buffer. If the
  /// allocation throws, nothing has changed.
  void reserve(std::size_t count) {
    if (count <= capacity_) return;
    const std::size_t grown = capacity_ + capacity_ / 2;
    const std::size_t wanted = count < grown ? grown : count;
    Scalar* const places = std::allocator<Scalar>().allocate(wanted);
    if (places_ != nullptr) std::allocator<Scalar>().deallocate(places_, capacity_);
    places_ = places;
    capacity_ = wanted;
  }

  /// Reserves room for `count` scalars, and keeps those that there are. If the allocation throws, nothing has changed.
  /// Room for trivially copyable scalars is value-initialised.
  void grow(std::size_t count) {
    if (count <= capacity_) return;
    ScalarBuffer larger;
    larger.reserve(count < 2 * capacity_ ? 2 * capacity_ : count);
    std::uninitialized_move_n(places_, size_, larger.places_);
    larger.size_ = size_;
    if constexpr (std::is_trivially_copyable_v<Scalar>) {
      std::uninitialized_value_construct(larger.places_ + size_, larger.places_ + larger.capacity_);
    }
    swap(larger);
  }

  /// Removes the scalars from index `count` on.
  void truncate(std::size_t count) noexcept {
    if (count >= size_) return;
    std::destroy(places_ + count, places_ + size_);
    size_ = count;
  }

  /// Changes the number of scalars to `count`. Requires room. New scalars that are trivially copyable have the values
  /// that were last in their place; others are value-initialised. If that throws, nothing has changed.
  void resize(std::size_t count) {
    truncate(count);
    if constexpr (!std::is_trivially_copyable_v<Scalar>) {
      std::uninitialized_value_construct(places_ + size_, places_ + count);
    }
    size_ = count;
  }

  /// Adds `count` scalars to be written before they are read. Requires room.
  void extend(std::size_t count) noexcept {
    static_assert(std::is_trivially_copyable_v<Scalar>);
    size_ += count;
  }

  /// Adds `count` copies. Requires room. If a copy throws, nothing has changed.
  void append_copies(std::size_t count, const Scalar& scalar) {
    std::uninitialized_fill_n(places_ + size_, count, scalar);
    size_ += count;
  }

  /// Adds one scalar. Requires room.
  template <class Argument>
  void append(Argument&& argument) noexcept {
    static_assert(std::is_nothrow_constructible_v<Scalar, Argument>,
                  "forebay: a batched scalar must have a copy or move constructor that does not throw");
    std::construct_at(places_ + size_, std::forward<Argument>(argument));
    ++size_;
  }

 private:
  void swap(ScalarBuffer& other) noexcept {
    std::swap(places_, other.places_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  Scalar* places_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BATCH_SCALAR_BUFFER_HPP
