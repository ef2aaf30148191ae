// SPDX-License-Identifier: MIT
//
// element_ranges.hpp: which ranges can be put into a queue of T, and whether their elements are moved or copied.

#ifndef FOREBAY_BASE_ELEMENT_RANGES_HPP
#define FOREBAY_BASE_ELEMENT_RANGES_HPP

#include <ranges>
#include <type_traits>

#include "forebay/base/conversion.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Whether enqueue_many moves from the elements of a range: it does so for an rvalue container.
template <class Range>
inline constexpr bool gives_its_elements = !std::is_lvalue_reference_v<Range> && !std::ranges::borrowed_range<Range> &&
                                           !std::ranges::view<std::remove_cvref_t<Range>>;

template <class Range>
using GivenBy = std::conditional_t<gives_its_elements<Range>, std::ranges::range_rvalue_reference_t<Range>,
                                   std::ranges::range_reference_t<Range>>;

/// A range whose elements become elements of type T.
template <class Range, class T>
concept RangeOfElementsFor = std::ranges::input_range<Range> && BecomesElement<GivenBy<Range>, T>;

/// A range whose elements do not convert to T.
template <class Range, class T>
concept RangeOfNoElementsFor = std::ranges::input_range<Range> && !BecomesElement<GivenBy<Range>, T>;

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_ELEMENT_RANGES_HPP
