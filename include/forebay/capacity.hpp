// SPDX-License-Identifier: MIT
//
// capacity.hpp: how many elements a queue may hold: a number from 1, or `unbounded`.

#ifndef FOREBAY_CAPACITY_HPP
#define FOREBAY_CAPACITY_HPP

#include <concepts>
#include <cstddef>
#include <limits>
#include <utility>

#include "forebay/base/reject.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// The capacity of a queue that grows as it must. TensorFlow spells it -1.
///
/// The queue takes memory from the allocator as it grows, in blocks of about 32 kB, and gives the blocks back as it is
/// drained. A drained queue keeps two blocks, and 8 to 16 bytes for each block that there was at once: 70 kB after 10^6
/// longs, 131 kB after 10^7. (A PriorityQueue keeps 0.3 MB after 10^7.)
///
/// The allocator decides what the process gives back to the system. With glibc, a process that stored 10^7 longs stays
/// at 160 MB until it calls malloc_trim(0).
struct Unbounded {
  explicit constexpr Unbounded() = default;
  /// What capacity() of such a queue returns.
  constexpr operator std::size_t() const noexcept { return std::numeric_limits<std::size_t>::max(); }
};
inline constexpr Unbounded unbounded{};

/// The capacity of a queue, made implicitly from any integer.
class Capacity {
 public:
  /// Throws std::invalid_argument unless 1 <= elements. There is no rendezvous: a queue of capacity 0, which the
  /// original accepts, could never take an element.
  template <std::integral Integer>
  constexpr Capacity(Integer elements) : elements_(static_cast<std::size_t>(elements)) {
    if (std::cmp_less(elements, 1) || std::cmp_greater(elements, std::numeric_limits<std::size_t>::max())) {
      detail::reject({"capacity must be at least 1 or `unbounded`, not ", elements});
    }
  }

  template <std::floating_point Number>
  Capacity(Number) = delete;  // forebay: a capacity is a whole number, or unbounded

  constexpr Capacity(Unbounded) noexcept : elements_(unbounded), is_unbounded_(true) {}

  [[nodiscard]] constexpr std::size_t elements() const noexcept { return elements_; }
  [[nodiscard]] constexpr bool is_unbounded() const noexcept { return is_unbounded_; }

 private:
  std::size_t elements_;
  bool is_unbounded_ = false;  // the largest number alone is a capacity that cannot be had
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_CAPACITY_HPP
