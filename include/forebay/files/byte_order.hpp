// SPDX-License-Identifier: MIT
//
// byte_order.hpp: load_little() and load_big(), which read numbers of a given byte order from memory.

#ifndef FOREBAY_FILES_BYTE_ORDER_HPP
#define FOREBAY_FILES_BYTE_ORDER_HPP

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class T>
concept LoadableNumber = std::is_arithmetic_v<T> &&
    (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);

/// The unsigned integer with `size` bytes.
template <std::size_t size>
using UnsignedOf = std::conditional_t<
    size == 1, std::uint8_t,
    std::conditional_t<size == 2, std::uint16_t, std::conditional_t<size == 4, std::uint32_t, std::uint64_t>>>;

/// Reverses the bytes of a number. Compilers turn this into one instruction.
template <std::unsigned_integral Number>
[[nodiscard]] constexpr Number reversed_bytes(Number number) noexcept {
  Number reversed = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    reversed = static_cast<Number>((std::uint64_t{reversed} << 8U) | ((std::uint64_t{number} >> (8U * i)) & 0xffU));
  }
  return reversed;
}

/// Returns the number at `bytes`, which need not be aligned, in the byte order `order`.
template <LoadableNumber T>
[[nodiscard]] T load(const char* bytes, std::endian order) noexcept {
  UnsignedOf<sizeof(T)> bits{};
  std::memcpy(&bits, bytes, sizeof bits);
  if (order != std::endian::native) bits = reversed_bytes(bits);
  return std::bit_cast<T>(bits);
}

template <LoadableNumber T>
[[nodiscard]] T load_little(const char* bytes) noexcept {
  return load<T>(bytes, std::endian::little);
}
template <LoadableNumber T>
[[nodiscard]] T load_big(const char* bytes) noexcept {
  return load<T>(bytes, std::endian::big);
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_BYTE_ORDER_HPP
