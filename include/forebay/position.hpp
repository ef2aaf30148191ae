// SPDX-License-Identifier: MIT
//
// position.hpp: Position, which element of a data set this is.

#ifndef FOREBAY_POSITION_HPP
#define FOREBAY_POSITION_HPP

#include <cstdint>
#include <iosfwd>
#include <string>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// The element `number` of the epoch `epoch`, both counted from 0. filter, take, skip, shuffle, shard, map and
/// prefetch keep the position of an element; every other stage numbers its outputs anew within the epoch.
struct Position {
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;

  /// Returns "epoch 2, number 17", as it is in the text of a DatasetError.
  [[nodiscard]] std::string text() const {
    return "epoch " + std::to_string(epoch) + ", number " + std::to_string(number);
  }

  friend bool operator==(const Position&, const Position&) = default;
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                      const Position& position) {
    return out << position.text().c_str();
  }
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_POSITION_HPP
