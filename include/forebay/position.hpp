// SPDX-License-Identifier: MIT

/// @file
/// Defines Position, which identifies an element of a data set by its epoch and number.
///
/// When to use: in a function that logs or selects elements (Context::position()), and to find the element that a
/// DatasetError reports.
///
/// @code
/// forebay::Pipeline<int> numbers(forebay::range(10));
/// numbers.next();
/// std::cout << numbers.position();   // epoch 0, number 1
/// @endcode
///
/// Lifetime: a value.

#ifndef FOREBAY_POSITION_HPP
#define FOREBAY_POSITION_HPP

#include <cstdint>
#include <iosfwd>
#include <string>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Identifies an element of a data set by its epoch and its number in that epoch.
///
/// filter, split, take, skip, step_by, shard, shuffle, shuffle_pages, map and prefetch keep the position of an element.
/// Every other stage renumbers its outputs within the epoch.
struct Position {
  /// Counts epochs, from 0.
  std::uint64_t epoch = 0;
  /// Counts elements within the epoch, from 0.
  std::uint64_t number = 0;

  /// Returns text such as "epoch 2, number 17". The message of a DatasetError contains it.
  [[nodiscard]] std::string text() const {
    return "epoch " + std::to_string(epoch) + ", number " + std::to_string(number);
  }

  /// Returns whether both members are equal.
  friend bool operator==(const Position&, const Position&) = default;
  /// Writes text().
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                      const Position& position) {
    return out << position.text().c_str();
  }
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_POSITION_HPP
