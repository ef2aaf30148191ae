// SPDX-License-Identifier: MIT
//
// reorder_buffer.hpp: ReorderBuffer, where the outputs of a parallel stage wait for earlier ones. They leave in the
// order of their sequence numbers, or, in any order, as Overtaking decides.
//
// Algorithm: `ring_` has a place for the output of each sequence number that is in flight. The next output may be taken
// when its place is filled.

#ifndef FOREBAY_PARALLEL_REORDER_BUFFER_HPP
#define FOREBAY_PARALLEL_REORDER_BUFFER_HPP

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/flow/chunk.hpp"
#include "forebay/parallel/chunk_types.hpp"
#include "forebay/parallel/overtaking.hpp"
#include "forebay/parallel/parallel_settings.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Thread safety: none; the lock of the stage's Schedule guards it.
class ReorderBuffer {
 public:
  explicit ReorderBuffer(const ParallelSettings& settings)
      : any_order_(settings.order == any_order),
        ring_(smaller(settings.ahead, made_at_once)),
        overtaking_(any_order_ ? ring_.size() : 0) {}

  /// A sequence number is in flight, with `end` behind its elements. Requires that it is larger than all before.
  void begin(std::uint64_t number, End end) {
    if (any_order_) overtaking_.begin(number, end);
  }

  void add(std::uint64_t number, ChunkPointer output) {
    if (!any_order_) return put(number, std::move(output));
    overtaking_.add(number, std::move(output), [this](ChunkPointer ready) { put(last_++, std::move(ready)); });
  }

  /// Whether an output may be taken.
  [[nodiscard]] bool has_next() const noexcept { return ring_[place(next_)] != nullptr; }

  /// Takes it. Requires has_next().
  [[nodiscard]] ChunkPointer take() noexcept { return std::exchange(ring_[place(next_++)], nullptr); }

  /// How many outputs have been taken; in order, the sequence number of the next one.
  [[nodiscard]] std::uint64_t taken() const noexcept { return next_; }

  /// How many outputs may be taken.
  [[nodiscard]] std::size_t ready() const noexcept {
    std::size_t count = 0;
    while (count < ring_.size() && ring_[place(next_ + count)] != nullptr) ++count;
    return count;
  }

 private:
  static constexpr std::size_t made_at_once = 1024;  // places; a larger ring is made when it is needed

  void put(std::uint64_t number, ChunkPointer output) {
    while (number - next_ >= ring_.size()) double_ring();
    ring_[place(number)] = std::move(output);
  }

  void double_ring() {
    std::vector<ChunkPointer> larger_ring(2 * ring_.size());
    for (std::uint64_t number = next_; number < next_ + ring_.size(); ++number) {
      larger_ring[static_cast<std::size_t>(number % larger_ring.size())] = std::move(ring_[place(number)]);
    }
    ring_ = std::move(larger_ring);
  }

  [[nodiscard]] std::size_t place(std::uint64_t number) const noexcept {
    return static_cast<std::size_t>(number % ring_.size());
  }

  const bool any_order_;
  std::vector<ChunkPointer> ring_;
  std::uint64_t next_ = 0;
  std::uint64_t last_ = 0;  // in any order: how many outputs have come out of overtaking_
  Overtaking overtaking_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_REORDER_BUFFER_HPP
