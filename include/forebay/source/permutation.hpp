// SPDX-License-Identifier: MIT
//
// permutation.hpp: Permutation, a random order of the numbers below n that needs no memory: it computes each position
// on request, in either direction.
//
// Algorithm: a Feistel network over the bits of n - 1, whose halves may differ by one bit, with cycle walking: a result
// of n or more is encrypted again. The walk terminates, because the network permutes all numbers with that many bits. A
// network of few bits is far from a random permutation, so the smallest orders are drawn and stored.

#ifndef FOREBAY_SOURCE_PERMUTATION_HPP
#define FOREBAY_SOURCE_PERMUTATION_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "forebay/base/hash.hpp"
#include "forebay/base/random_bits.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

class Permutation {
 public:
  /// Chooses an order of the numbers below `count`. A key gives the same order on every platform.
  Permutation(std::uint64_t count, std::uint64_t key) noexcept : count_(count) {
    if (count <= stored_.size()) {
      store(key);
      return;
    }
    const auto bits = static_cast<int>(std::bit_width(count - 1));
    low_bits_ = bits / 2;
    high_bits_ = bits - low_bits_;
    rounds_ = bits < 16 ? 24 : 8;
    for (std::size_t i = 0; i < rounds_; ++i) keys_[i] = hash_combine(key, i);
  }

  /// Returns the number at `place`. Requires place < count.
  [[nodiscard]] std::uint64_t at(std::uint64_t place) const noexcept {
    if (count_ <= stored_.size()) return stored_[static_cast<std::size_t>(place)];
    do {
      place = encrypt(place);
    } while (place >= count_);
    return place;
  }

  /// Returns the place of `number`. Requires number < count.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t number) const noexcept {
    if (count_ <= stored_.size()) {
      std::size_t place = 0;
      while (stored_[place] != number) ++place;
      return place;
    }
    do {
      number = decrypt(number);
    } while (number >= count_);
    return number;
  }

 private:
  void store(std::uint64_t key) noexcept {
    RandomBits bits(key);
    for (std::size_t i = 0; i < count_; ++i) {
      const auto other = static_cast<std::size_t>(bits.below(i + 1));
      stored_[i] = stored_[other];
      stored_[other] = static_cast<std::uint8_t>(i);
    }
  }

  [[nodiscard]] static constexpr std::uint64_t mask(int bits) noexcept { return (std::uint64_t{1} << bits) - 1; }

  /// Every second round changes the high bits by the low ones, the others the low bits by the high ones.
  [[nodiscard]] std::uint64_t encrypt(std::uint64_t value) const noexcept {
    std::uint64_t high = value >> low_bits_;
    std::uint64_t low = value & mask(low_bits_);
    for (std::size_t i = 0; i < rounds_; i += 2) {
      high ^= scrambled(low, keys_[i]) & mask(high_bits_);
      low ^= scrambled(high, keys_[i + 1]) & mask(low_bits_);
    }
    return high << low_bits_ | low;
  }

  [[nodiscard]] std::uint64_t decrypt(std::uint64_t value) const noexcept {
    std::uint64_t high = value >> low_bits_;
    std::uint64_t low = value & mask(low_bits_);
    for (std::size_t i = rounds_; i > 0; i -= 2) {
      low ^= scrambled(high, keys_[i - 1]) & mask(low_bits_);
      high ^= scrambled(low, keys_[i - 2]) & mask(high_bits_);
    }
    return high << low_bits_ | low;
  }

  /// Half a step of SplitMix64; the high bits are the better ones.
  [[nodiscard]] static constexpr std::uint64_t scrambled(std::uint64_t half, std::uint64_t key) noexcept {
    std::uint64_t z = (half + key) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 32)) * 0x94d049bb133111eb;
    return z >> 32;
  }

  std::uint64_t count_;
  int low_bits_ = 0;
  int high_bits_ = 0;
  std::size_t rounds_ = 0;
  std::array<std::uint64_t, 24> keys_{};
  std::array<std::uint8_t, 64> stored_{};
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_SOURCE_PERMUTATION_HPP
