// SPDX-License-Identifier: MIT
//
// epoch.hpp: Epoch, which identifies a pass over the data, and EpochCount, a number of epochs.

#ifndef FOREBAY_DESCRIBE_EPOCH_HPP
#define FOREBAY_DESCRIBE_EPOCH_HPP

#include <cstdint>
#include <limits>

#include "forebay/base/hash.hpp"
#include "forebay/base/arithmetic.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Identifies a pass over the data. The outputs of a stage in an epoch are a function of this value. Consecutive epochs
/// have consecutive numbers. The round is 0, except in parts of a joined epoch that restart numbering (first_part_of).
struct Epoch {
  std::uint64_t number = 0;
  std::uint64_t round = 0;

  friend bool operator==(const Epoch&, const Epoch&) = default;

  [[nodiscard]] constexpr Epoch next() const noexcept { return {number + 1, round}; }

  /// Returns the random stream in this round of a stage whose own stream is `stage`.
  [[nodiscard]] constexpr std::uint64_t stream_of(std::uint64_t stage) const noexcept {
    return round == 0 ? stage : hash_combine(stage, round);
  }
};

/// The number of epochs that a description has or is opened for, or endlessly many.
class EpochCount {
 public:
  constexpr EpochCount() noexcept = default;
  constexpr explicit EpochCount(std::uint64_t count) noexcept : count_(count) {}
  [[nodiscard]] static constexpr EpochCount endless() noexcept {
    EpochCount made;
    made.is_endless_ = true;
    return made;
  }

  [[nodiscard]] constexpr bool is_endless() const noexcept { return is_endless_; }
  [[nodiscard]] constexpr bool is_one() const noexcept { return !is_endless_ && count_ == 1; }

  /// Requires !is_endless().
  [[nodiscard]] constexpr std::uint64_t number() const noexcept { return count_; }

  /// Returns whether the epoch is one of them, counted from 0.
  [[nodiscard]] constexpr bool includes(const Epoch& epoch) const noexcept {
    return is_endless_ || epoch.number < count_;
  }

  /// Multiplies the counts. A product that overflows becomes the largest number, which no run reaches.
  [[nodiscard]] friend constexpr EpochCount operator*(const EpochCount& one, const EpochCount& other) noexcept {
    if (one.is_endless_ || other.is_endless_) return endless();
    return EpochCount(saturating_multiply(one.count_, other.count_));
  }

 private:
  std::uint64_t count_ = 1;
  bool is_endless_ = false;
};

/// Returns the first of the `parts` epochs that are joined into `whole`. The parts are numbered consecutively through
/// all joined epochs. If `parts` is endless or the product overflows, they count from 0 in a separate round instead.
[[nodiscard]] constexpr Epoch first_part_of(const Epoch& whole, const EpochCount& parts) noexcept {
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  if (!parts.is_endless() && whole.number < largest / parts.number()) {
    return {whole.number * parts.number(), whole.round};
  }
  if (whole == Epoch()) return {};
  return {0, larger<std::uint64_t>(hash_combine(whole.round, whole.number), 1)};
}

/// Returns whether `part`, one of the `parts` of `whole`, is the last one.
[[nodiscard]] constexpr bool is_last_part(const Epoch& part, const Epoch& whole, const EpochCount& parts) noexcept {
  return !parts.is_endless() && part.number - first_part_of(whole, parts).number + 1 == parts.number();
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_DESCRIBE_EPOCH_HPP
