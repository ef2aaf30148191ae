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
