// SPDX-License-Identifier: MIT

/// @file
/// Defines drop_newest and drop_oldest, which say what an enqueue into a full queue drops instead of waiting.
///
/// @code
/// if (queue.enqueue(frame, drop_newest) == QueueStatus::full) ++skipped;  // keeps the elements that are stored
/// queue.enqueue(frame, drop_oldest);                                      // keeps the latest elements
/// std::cout << queue.statistics().dropped;                                // counts both
/// @endcode
///
/// When to use: for telemetry, logs and live streams, whose producers must not wait. When not: if every element counts.
/// A FIFOQueue and a PaddingFIFOQueue accept these arguments. Other queues have no oldest element to drop.

#ifndef FOREBAY_OVERFLOW_HPP
#define FOREBAY_OVERFLOW_HPP

#include <concepts>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Tag type for an enqueue that drops its own element if the queue is full.
struct DropNewest {
  /// Creates the tag; use the constant `drop_newest` instead.
  explicit constexpr DropNewest() = default;
};
/// Says that an enqueue into a full queue drops its own element: `queue.enqueue(frame, drop_newest)` returns `full`.
inline constexpr DropNewest drop_newest{};

/// Tag type for an enqueue that removes the oldest element if the queue is full.
struct DropOldest {
  /// Creates the tag; use the constant `drop_oldest` instead.
  explicit constexpr DropOldest() = default;
};
/// Says that an enqueue into a full queue removes the oldest element: `queue.enqueue(frame, drop_oldest)` returns `ok`.
inline constexpr DropOldest drop_oldest{};

namespace detail {

template <class Policy>
concept OverflowPolicy = std::same_as<Policy, DropNewest> || std::same_as<Policy, DropOldest>;

}  // namespace detail
}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_OVERFLOW_HPP
