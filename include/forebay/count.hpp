// SPDX-License-Identifier: MIT

/// @file
/// Defines the types of number parameters: Count, Counts, Capacity and Dimension; and Remainder.
///
/// All of them convert implicitly from integers and reject impossible numbers: `dequeue_many(-1)` throws
/// std::invalid_argument with a message that names the parameter. Programs rarely name these types.

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

/// A number of elements, threads or the like, from 0.
///
/// Converts implicitly from any integer, enumerator or integral constant, and to std::size_t. With a plain std::size_t,
/// -1 would be the largest number. A Count keeps the number as given, so that the called function can reject an
/// impossible number and name the parameter.
class Count {
 public:
  /// Creates a count of `number`, unchecked.
  template <detail::BecomesInteger Number>
  constexpr Count(Number number) noexcept
      : is_negative_(std::cmp_less(+number, 0)),
        magnitude_(is_negative_ ? 0 - static_cast<unsigned long long>(+number)
                                : static_cast<unsigned long long>(+number)) {}
  /// @cond
  template <std::floating_point Number>
  Count(Number) = delete;  // forebay: a count is a whole number
  /// @endcond

  /// Returns the number, which must be at least `least`.
  ///
  /// Otherwise, or if it does not fit into a std::size_t, throws std::invalid_argument with a message that names
  /// `parameter` and the number: "forebay: map: threads must be at least 1, not -1".
  [[nodiscard]] constexpr std::size_t at_least(std::size_t least, const char* parameter) const {
    return between(least, std::numeric_limits<std::size_t>::max(), parameter);
  }

  /// Returns the number, which must be from `least` to `most`. Otherwise throws like at_least().
  [[nodiscard]] constexpr std::size_t between(std::size_t least, std::size_t most, const char* parameter) const {
    if (is_negative_ || magnitude_ < least) reject(parameter, " must be at least ", least);
    if (magnitude_ > most) reject(parameter, " must be at most ", most);
    return static_cast<std::size_t>(magnitude_);
  }

  /// Returns the number. Throws std::invalid_argument if it is negative or does not fit into a std::size_t.
  [[nodiscard]] constexpr operator std::size_t() const { return at_least(0, "a count"); }

 private:
  [[noreturn]] void reject(const char* parameter, const char* condition, std::size_t bound) const {
    detail::reject({parameter, condition, bound, ", not ", is_negative_ ? "-" : "", magnitude_});
  }

  bool is_negative_;
  unsigned long long magnitude_;
};

/// A list of counts, such as `{16, 64}`, or any range of integers.
class Counts {
 public:
  /// Creates an empty list.
  Counts() = default;
  /// Creates a list of the numbers in braces: `{16, 64}`.
  Counts(std::initializer_list<Count> counts) : counts_(counts) {}
  /// Creates a list of the integers in `range`.
  template <std::ranges::input_range Range>
  requires detail::BecomesInteger<std::ranges::range_value_t<Range>> Counts(const Range& range) {
    for (const auto& number : range) counts_.push_back(number);
  }

  /// Returns the numbers in the list, which are not checked yet.
  [[nodiscard]] const std::vector<Count>& counts() const noexcept { return counts_; }

 private:
  std::vector<Count> counts_;
};

/// The type of `unbounded`, the capacity of a queue that grows without a limit.
///
/// The queue allocates memory as it grows, in blocks of about 32 kB, and frees the blocks as it is drained. A drained
/// queue keeps two blocks, and 8 to 16 bytes for each block of its largest size. That makes 70 kB after 10^6 longs, and
/// 131 kB after 10^7. (A PriorityQueue keeps 0.3 MB after 10^7.)
///
/// The allocator decides how much memory the process returns to the system. With glibc, a process that stored 10^7
/// longs keeps 160 MB until it calls malloc_trim(0).
struct Unbounded {
  /// Creates the tag; use the constant `unbounded` instead.
  explicit constexpr Unbounded() = default;
  /// Returns the capacity() of an unbounded queue: the largest std::size_t.
  constexpr operator std::size_t() const noexcept { return std::numeric_limits<std::size_t>::max(); }
};
/// The capacity of a queue that grows without a limit: `FIFOQueue<int>(unbounded)`. (TensorFlow: -1.)
inline constexpr Unbounded unbounded{};

/// The capacity of a queue. Converts implicitly from any integer and from `unbounded`.
class Capacity {
 public:
  /// Creates a capacity of `elements`, at least 1. Otherwise throws std::invalid_argument.
  ///
  /// There is no rendezvous: a queue of capacity 0, which TensorFlow accepts, could never accept an element.
  template <std::integral Integer>
  constexpr Capacity(Integer elements) : elements_(static_cast<std::size_t>(elements)) {
    if (std::cmp_less(elements, 1) || std::cmp_greater(elements, std::numeric_limits<std::size_t>::max())) {
      detail::reject({"capacity must be at least 1 or `unbounded`, not ", elements});
    }
  }

  /// @cond
  template <std::floating_point Number>
  Capacity(Number) = delete;  // forebay: a capacity is a whole number, or unbounded
  /// @endcond

  /// Creates the capacity of a queue that grows without a limit.
  constexpr Capacity(Unbounded) noexcept : elements_(unbounded), is_unbounded_(true) {}

  /// Returns the number of elements; the largest std::size_t if unbounded.
  [[nodiscard]] constexpr std::size_t elements() const noexcept { return elements_; }
  /// Returns whether the queue grows without a limit.
  [[nodiscard]] constexpr bool is_unbounded() const noexcept { return is_unbounded_; }

 private:
  std::size_t elements_;
  bool is_unbounded_ = false;  // the largest std::size_t, given as a number, is a capacity that is rejected later
};

/// One extent of a shape: a fixed number, or any.
///
/// Converts implicitly from an integer (fixed) and from std::nullopt (any extent; TensorFlow: `None`).
class Dimension {
 public:
  /// Creates a variable dimension.
  constexpr Dimension() noexcept = default;
  /// Creates a variable dimension.
  constexpr Dimension(std::nullopt_t) noexcept {}

  /// Creates a fixed dimension of at least 0. Otherwise throws std::invalid_argument.
  template <std::integral Integer>
  constexpr Dimension(Integer extent) : extent_(static_cast<std::size_t>(extent)) {
    if (std::cmp_less(extent, 0) || !std::cmp_less(extent, variable_extent)) {
      detail::reject({"an extent must be at least 0, or std::nullopt for a variable one, not ", extent});
    }
  }

  /// Returns whether any extent is allowed.
  [[nodiscard]] constexpr bool is_variable() const noexcept { return extent_ == variable_extent; }

  /// Returns the fixed extent. Requires that the dimension is not variable.
  [[nodiscard]] constexpr std::size_t extent() const noexcept { return extent_; }

 private:
  static constexpr std::size_t variable_extent = std::numeric_limits<std::size_t>::max();

  std::size_t extent_ = variable_extent;
};

/// Says what happens to the last elements if they are too few for a batch.
enum class Remainder {
  deliver,  ///< They form a smaller batch.
  drop,     ///< A data set drops them; BlockingQueue::batches() leaves them in the queue.
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_COUNT_HPP
