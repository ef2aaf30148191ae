// SPDX-License-Identifier: MIT
//
// position.hpp: Position, which element of a data set this is.

#ifndef FOREBAY_POSITION_HPP
#define FOREBAY_POSITION_HPP

#include <cstdint>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// The element `number` of the epoch `epoch`, both counted from 0. filter, take, skip, shuffle, shard, map and
/// prefetch keep the position of an element; every other stage numbers its outputs anew within the epoch.
struct Position {
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;

  friend bool operator==(const Position&, const Position&) = default;
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_POSITION_HPP
