// SPDX-License-Identifier: MIT
//
// row_chunk.hpp: Chunk<Row<T>>, whose elements are the rows of a batch, in which a map writes them.

#ifndef FOREBAY_FLOW_ROW_CHUNK_HPP
#define FOREBAY_FLOW_ROW_CHUNK_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/describe/described_stage.hpp"
#include "forebay/flow/chunk.hpp"
#include "forebay/padded_batch.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The size of the row, not of the reference to it.
template <class T>
inline constexpr std::size_t element_bytes<Row<T>> = sizeof(T);

/// Has those members of other chunks that a map and a batch stage use.
///
/// Invariant: the first size() rows of the batch are the elements. Later rows are removed before the next is added.
template <class T>
class Chunk<Row<T>> final : public AnyChunk {
 public:
  using Storage = PaddedBatch<T>;

  /// Returns row i, to be used before the next call.
  [[nodiscard]] Row<T>& operator[](std::size_t i) noexcept {
    row_.batch_ = batch_.get();
    row_.index_ = i;
    return row_;
  }

  /// Makes the first storage large enough for `size` rows.
  void reserve(std::size_t size) noexcept { room_ = larger(room_, size); }

  /// Adds a copy of a row of another chunk, which must not use it any more.
  void push(Row<T>&& row, std::uint64_t number) {
    if (batch_ == nullptr) {
      batch_ = std::make_unique<Storage>(std::move(*row.batch_));
      std::swap(*batch_, *row.batch_);  // the new batch is empty, and pads like the other one
    }
    make_room_for_number();
    batch_->open_row(size_, room_);
    batch_->close_row_with(*row.batch_, row.index_);
    push_filled(number);
  }
  void push_from(Chunk& other, std::size_t i, std::uint64_t number) { push(std::move(other[i]), number); }
  void push_all_from(Chunk& other, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) push_from(other, i, other.number(i));
  }

  /// Returns the next row, to be written. push_filled() then adds it.
  template <class Make>
  [[nodiscard]] Row<T>& next_storage(const Make& make) {
    if (batch_ == nullptr) batch_ = std::make_unique<Storage>(make());
    batch_->open_row(size_, room_);
    return (*this)[size_];
  }

  /// Completes the row that the function has written, and adds it.
  void push_written(std::uint64_t number) {
    make_room_for_number();
    batch_->close_row();
    push_filled(number);
  }

  /// Returns how many rows it has room for, or 0 if that is unknown.
  [[nodiscard]] std::size_t stored() const noexcept { return room_; }

  /// Swaps the rows with `batch`, which then holds exactly the rows of this chunk. The chunk keeps its size; the
  /// previous content of `batch` becomes its storage.
  void swap_elements(Storage& batch) {
    batch_->truncate(size_);
    std::swap(*batch_, batch);
    live_ = 0;
  }

 private:
  void push_filled(std::uint64_t number) {
    push_number(number);
    ++live_;
  }

  std::unique_ptr<Storage> batch_;
  std::size_t room_ = 0;
  Row<T> row_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FLOW_ROW_CHUNK_HPP
