// SPDX-License-Identifier: MIT
//
// index_order.hpp: IndexStages, the stages of an indexed data set as functions of the indices of its source, and
// IndexOrder, which applies them in one epoch.

#ifndef FOREBAY_SOURCE_INDEX_ORDER_HPP
#define FOREBAY_SOURCE_INDEX_ORDER_HPP

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "forebay/base/hash.hpp"
#include "forebay/base/arithmetic.hpp"
#include "forebay/describe/properties.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/source/paged_permutation.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Each stage maps positions downstream to positions upstream: p to (first + p * stride) mod count, or by a permutation
/// of the `count` positions, in pages of `page` positions.
struct IndexStage {
  std::uint64_t count;  // of the positions upstream
  std::uint64_t first = 0;
  std::uint64_t stride = 1;
  bool shuffles = false;
  std::uint64_t page = 1;
  Properties properties{};  // at the stage, if it shuffles

  // In a run:
  std::uint64_t stream = 0;                  // of its random numbers
  PagedPermutation permutation = {1, 1, 0};  // of the epoch, if it shuffles
};

using IndexStages = std::vector<IndexStage>;

class IndexOrder {
 public:
  IndexOrder(IndexStages stages, const OpenContext& opening) : stages_(std::move(stages)) {
    for (IndexStage& stage : stages_) stage.stream = opening.stream(stage.properties);
  }

  /// Switches to the order of the given epoch.
  void begin(const Epoch& epoch) noexcept {
    for (IndexStage& stage : stages_) {
      if (!stage.shuffles) continue;
      const std::uint64_t seed = hash_combine(epoch.stream_of(stage.stream), epoch.number);
      stage.permutation = PagedPermutation(stage.count, stage.page, seed);
    }
  }

  /// Returns the index in the source of the element at `place`.
  [[nodiscard]] std::uint64_t at(std::uint64_t place) noexcept {
    for (std::size_t i = stages_.size(); i > 0; --i) {
      IndexStage& stage = stages_[i - 1];
      place = stage.shuffles ? stage.permutation.at(place) : (stage.first + place * stage.stride) % stage.count;
    }
    return place;
  }

  /// Returns how many elements from `place` on, at most `most`, are known to be neighbours in the source without a look
  /// at each. Requires most > 0.
  [[nodiscard]] std::uint64_t run(std::uint64_t place, std::uint64_t most) const noexcept {
    for (std::size_t i = stages_.size(); i > 0 && most > 1; --i) {
      const IndexStage& stage = stages_[i - 1];
      if (stage.shuffles || stage.stride != 1) return 1;
      place = (stage.first + place) % stage.count;
      most = smaller(most, stage.count - place);
    }
    return most;
  }

 private:
  IndexStages stages_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_SOURCE_INDEX_ORDER_HPP
