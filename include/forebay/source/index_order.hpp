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

#include "forebay/base/address.hpp"
#include "forebay/base/arithmetic.hpp"
#include "forebay/describe/facts.hpp"
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
  Facts facts{};  // at the stage, if it shuffles
};

using IndexStages = std::vector<IndexStage>;

class IndexOrder {
 public:
  IndexOrder(IndexStages stages, const Opening& opening) : stages_(std::move(stages)) {
    for (const IndexStage& stage : stages_) {
      streams_.push_back(opening.stream(stage.facts));
      permutations_.emplace_back(1, 1, 0);
    }
  }

  /// Switches to the order of the given epoch.
  void begin(const Epoch& epoch) noexcept {
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      const IndexStage& stage = stages_[i];
      if (!stage.shuffles) continue;
      permutations_[i] = PagedPermutation(stage.count, stage.page, joined(epoch.stream_of(streams_[i]), epoch.number));
    }
  }

  /// Returns the index in the source of the element at `place`.
  [[nodiscard]] std::uint64_t at(std::uint64_t place) noexcept {
    for (std::size_t i = stages_.size(); i > 0; --i) {
      const IndexStage& stage = stages_[i - 1];
      place = stage.shuffles ? permutations_[i - 1].at(place) : (stage.first + place * stage.stride) % stage.count;
    }
    return place;
  }

 private:
  IndexStages stages_;
  std::vector<std::uint64_t> streams_;
  std::vector<PagedPermutation> permutations_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_SOURCE_INDEX_ORDER_HPP
