// SPDX-License-Identifier: MIT
//
// random_bits.hpp: a random number generator and an unbiased bounded draw. Unlike the distributions of the standard
// library, they give the same numbers on every platform.

#ifndef FOREBAY_BASE_RANDOM_BITS_HPP
#define FOREBAY_BASE_RANDOM_BITS_HPP

#include <array>
#include <bit>
#include <cstdint>

#include "forebay/base/hash.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// xoshiro256** by David Blackman and Sebastiano Vigna, seeded through SplitMix64 as they advise.
class RandomBits {
 public:
  explicit constexpr RandomBits(std::uint64_t seed) noexcept
      : state_{splitmix64(seed), splitmix64(seed + mixed_step), splitmix64(seed + 2 * mixed_step),
               splitmix64(seed + 3 * mixed_step)} {}

  constexpr std::uint64_t operator()() noexcept {
    const std::uint64_t result = next();
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Predicts the next result of below(bound), except in the few cases in which it draws again. Requires bound > 0.
  [[nodiscard]] constexpr std::uint64_t expected_below(std::uint64_t bound) const noexcept {
    return multiply(next(), bound).high;
  }

  /// Returns a number below `bound`, uniformly distributed: the high half of a product, redrawn in the few cases that
  /// would favour some numbers (Daniel Lemire's method). Requires bound > 0.
  constexpr std::uint64_t below(std::uint64_t bound) noexcept {
    Product product = multiply((*this)(), bound);
    if (product.low >= bound) return product.high;
    const std::uint64_t threshold = (0 - bound) % bound;
    while (product.low < threshold) product = multiply((*this)(), bound);
    return product.high;
  }

 private:
  struct Product {
    std::uint64_t high;
    std::uint64_t low;
  };

  [[nodiscard]] constexpr std::uint64_t next() const noexcept { return std::rotl(state_[1] * 5, 7) * 9; }

  static constexpr Product multiply(std::uint64_t a, std::uint64_t b) noexcept {
#if defined(__SIZEOF_INT128__)
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
#else
    const std::uint64_t a_low = a & 0xffffffff;
    const std::uint64_t b_low = b & 0xffffffff;
    const std::uint64_t low = a_low * b_low;
    const std::uint64_t middle = (a >> 32) * b_low + (low >> 32);
    const std::uint64_t cross = a_low * (b >> 32) + (middle & 0xffffffff);
    return {(a >> 32) * (b >> 32) + (middle >> 32) + (cross >> 32), a * b};
#endif
  }

  std::array<std::uint64_t, 4> state_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_RANDOM_BITS_HPP
