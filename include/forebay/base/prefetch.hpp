// SPDX-License-Identifier: MIT
//
// prefetch.hpp: prefetch(), which asks for an object that is needed soon, most likely from the cache of another core.

#ifndef FOREBAY_BASE_PREFETCH_HPP
#define FOREBAY_BASE_PREFETCH_HPP

#include <cstddef>
#include <memory>

#include "forebay/base/arithmetic.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// What is behind the first kilobyte the processor sees coming. No effect with compilers that have no word for it.
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
