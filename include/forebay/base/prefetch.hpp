// SPDX-License-Identifier: MIT
//
// prefetch.hpp: prefetch(), which loads an object into the cache that is needed soon, most likely from another core.

#ifndef FOREBAY_BASE_PREFETCH_HPP
#define FOREBAY_BASE_PREFETCH_HPP

#include <cstddef>
#include <memory>

#include "forebay/base/arithmetic.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Covers the first kilobyte; the hardware prefetches the rest. Has no effect with compilers that lack the builtin.
template <class T>
void prefetch(const T& object) noexcept {
#if defined(__GNUC__)
  constexpr std::size_t line = 64;
  const auto* bytes = static_cast<const char*>(static_cast<const void*>(std::addressof(object)));
  for (std::size_t i = 0; i < smaller<std::size_t>(sizeof(T), 1024); i += line) __builtin_prefetch(bytes + i);
#else
  static_cast<void>(object);
#endif
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_PREFETCH_HPP
