// SPDX-License-Identifier: MIT
//
// epoch.hpp: Epoch, which pass over the data an element belongs to; and EpochCount, how many there are.

#ifndef FOREBAY_DESCRIBE_EPOCH_HPP
#define FOREBAY_DESCRIBE_EPOCH_HPP

#include <cstdint>
#include <limits>

#include "forebay/base/address.hpp"
#include "forebay/base/arithmetic.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A value: what a stage delivers in an epoch is a function of it. Epochs follow one another by their numbers. The
/// round is 0, unless the epochs are parts of a joined one that leaves them no numbers of their own (first_part_of).
struct Epoch {
  std::uint64_t number = 0;
  std::uint64_t round = 0;

  friend bool operator==(const Epoch&, const Epoch&) = default;

  [[nodiscard]] constexpr Epoch next() const noexcept { return {number + 1, round}; }

  /// What a stage draws from in this round, out of the stream that it has of its own.
  [[nodiscard]] constexpr std::uint64_t stream_of(std::uint64_t stage) const noexcept {
    return round == 0 ? stage : joined(stage, round);
  }
};

/// How many epochs a description has, or is opened for: a number, or endlessly many.
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

  /// Whether it is one of them, counted from 0.
  [[nodiscard]] constexpr bool includes(const Epoch& epoch) const noexcept {
    return is_endless_ || epoch.number < count_;
  }

  /// So many times so many. A product beyond all numbers is the largest one: nobody comes to its end.
  [[nodiscard]] friend constexpr EpochCount operator*(const EpochCount& one, const EpochCount& other) noexcept {
    if (one.is_endless_ || other.is_endless_) return endless();
    return EpochCount(saturating_multiply(one.count_, other.count_));
  }

 private:
  std::uint64_t count_ = 1;
  bool is_endless_ = false;
};

/// The first of the `parts` epochs that are joined into one. They are numbered through all joined epochs. Where there
/// are no such numbers, since they are endlessly many or the product is too large, they are counted from 0 in a round
/// of their own.
[[nodiscard]] constexpr Epoch first_part_of(const Epoch& whole, const EpochCount& parts) noexcept {
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  if (!parts.is_endless() && whole.number < largest / parts.number()) {
    return {whole.number * parts.number(), whole.round};
  }
  if (whole == Epoch()) return {};
  return {0, larger<std::uint64_t>(joined(whole.round, whole.number), 1)};
}

/// Whether `part`, one of the `parts` of `whole`, is the last one.
[[nodiscard]] constexpr bool is_last_part(const Epoch& part, const Epoch& whole, const EpochCount& parts) noexcept {
  return !parts.is_endless() && part.number - first_part_of(whole, parts).number + 1 == parts.number();
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_DESCRIBE_EPOCH_HPP
