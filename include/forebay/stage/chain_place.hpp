// SPDX-License-Identifier: MIT
//
// chain_place.hpp: ChainPlace, where a chain is in its epoch: a resume point, and how much it has delivered since.

#ifndef FOREBAY_STAGE_CHAIN_PLACE_HPP
#define FOREBAY_STAGE_CHAIN_PLACE_HPP

#include <cstdint>

#include "forebay/stage/snapshot.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

struct ChainPlace {
  Snapshot base{};           // what the stages said at the resume point; empty: that is the beginning of the epoch
  std::uint64_t passed = 0;  // elements delivered since
  bool is_known = false;

  /// Makes it the beginning of an epoch. Keeps the storage.
  void begin_epoch() noexcept {
    base.clear();
    passed = 0;
    is_known = true;
  }

  /// Keeps the storage.
  void clear() noexcept {
    begin_epoch();
    is_known = false;
  }

  /// `scale` says for how many elements of all shards one stands here (see Opening::scale).
  void save(Snapshot& to, std::uint64_t scale) const {
    to.add(base.empty() ? 0 : 1);
    to.add(base);
    to.add(passed * scale);
  }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_CHAIN_PLACE_HPP
