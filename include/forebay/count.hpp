// SPDX-License-Identifier: MIT
//
// count.hpp: how many of something. Count is a number from 0, checked by the function that receives it; Counts is a
// list of them; Capacity is the number of elements that a queue may hold; Dimension is one extent of a shape; Remainder
// says what to do with the last elements when there are too few for a batch.

#ifndef FOREBAY_COUNT_HPP
#define FOREBAY_COUNT_HPP

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "forebay/base/reject.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

namespace detail {

template <class Number>
concept BecomesInteger = requires(Number number) {
  { +number } -> std::integral;
};

}  // namespace detail

/// How many, made implicitly from any integer, an enumerator or an integral constant, and read as a std::size_t. As a
/// plain std::size_t, -1 would be the largest of all counts. It holds the number as it was given, so that the function
/// that it is given to can reject an impossible one by the name of the parameter.
class Count {
 public:
  template <detail::BecomesInteger Number>
  constexpr Count(Number number) noexcept
      : is_negative_(std::cmp_less(+number, 0)),
        magnitude_(is_negative_ ? 0 - static_cast<unsigned long long>(+number)
                                : static_cast<unsigned long long>(+number)) {}
  template <std::floating_point Number>
  Count(Number) = delete;  // forebay: a count is a whole number

  /// Returns the number. Throws std::invalid_argument that names `parameter` and the number if it is less than `least`,
  /// or more than a std::size_t can be: "forebay: map: threads must be at least 1, not -1".
  [[nodiscard]] constexpr std::size_t at_least(std::size_t least, const char* parameter) const {
    return between(least, std::numeric_limits<std::size_t>::max(), parameter);
  }

  /// The same, also if it is more than `most`.
  [[nodiscard]] constexpr std::size_t between(std::size_t least, std::size_t most, const char* parameter) const {
    if (is_negative_ || magnitude_ < least) reject(parameter, " must be at least ", least);
    if (magnitude_ > most) reject(parameter, " must be at most ", most);
    return static_cast<std::size_t>(magnitude_);
  }

  /// The same, where no name is known. Throws std::invalid_argument if the number is negative or too large.
  [[nodiscard]] constexpr operator std::size_t() const { return at_least(0, "a count"); }

 private:
  [[noreturn]] void reject(const char* parameter, const char* condition, std::size_t bound) const {
    detail::reject({parameter, condition, bound, ", not ", is_negative_ ? "-" : "", magnitude_});
  }

  bool is_negative_;
  unsigned long long magnitude_;
};

/// Counts in a list: `{16, 64}`, or any range of integers.
class Counts {
 public:
  Counts() = default;
  Counts(std::initializer_list<Count> counts) : counts_(counts) {}
  template <std::ranges::input_range Range>
  requires detail::BecomesInteger<std::ranges::range_value_t<Range>> Counts(const Range& range) {
    for (const auto& number : range) counts_.push_back(number);
  }

  [[nodiscard]] const std::vector<Count>& counts() const noexcept { return counts_; }

 private:
  std::vector<Count> counts_;
};

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

/// Made implicitly from any integer, or from std::nullopt, which is what TensorFlow spells None: any extent will do.
class Dimension {
 public:
  constexpr Dimension() noexcept = default;
  constexpr Dimension(std::nullopt_t) noexcept {}

  /// Throws std::invalid_argument unless 0 <= extent.
  template <std::integral Integer>
  constexpr Dimension(Integer extent) : extent_(static_cast<std::size_t>(extent)) {
    if (std::cmp_less(extent, 0) || !std::cmp_less(extent, variable_extent)) {
      detail::reject({"an extent must be at least 0, or std::nullopt for a variable one, not ", extent});
    }
  }

  [[nodiscard]] constexpr bool is_variable() const noexcept { return extent_ == variable_extent; }

  /// Requires that it is not variable.
  [[nodiscard]] constexpr std::size_t extent() const noexcept { return extent_; }

 private:
  static constexpr std::size_t variable_extent = std::numeric_limits<std::size_t>::max();

  std::size_t extent_ = variable_extent;
};

/// What to do with the last elements when there are too few for a batch.
enum class Remainder {
  deliver,  ///< they are a smaller batch
  drop,     ///< a data set leaves them out; batches() leaves them in the queue
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_COUNT_HPP
