// SPDX-License-Identifier: MIT
//
// element_ranges.hpp: which ranges have elements of type T, and whether these are moved or copied.

#ifndef FOREBAY_BASE_ELEMENT_RANGES_HPP
#define FOREBAY_BASE_ELEMENT_RANGES_HPP

#include <concepts>
#include <ranges>
#include <type_traits>
#include <utility>

#include "forebay/base/conversion.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Whether enqueue_many and emit_all move from the elements of a range: they do so for an rvalue container.
template <class Range>
inline constexpr bool gives_its_elements = !std::is_lvalue_reference_v<Range> && !std::ranges::borrowed_range<Range> &&
                                           !std::ranges::view<std::remove_cvref_t<Range>>;

template <class Range>
using GivenBy = std::conditional_t<gives_its_elements<Range>, std::ranges::range_rvalue_reference_t<Range>,
                                   std::ranges::range_reference_t<Range>>;

/// A range whose elements become elements of type T.
template <class Range, class T>
concept RangeOfElementsFor = std::ranges::input_range<Range> && BecomesElement<GivenBy<Range>, T>;

/// Whether a run of elements is copied at once, because that is the same as moving one after the other.
template <class T>
concept CopiedInRuns = std::copyable<T> && std::is_trivially_copyable_v<T> && !std::same_as<T, bool>;

/// A range in memory whose elements are copied in runs.
template <class Range>
concept RunOfElements = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
    CopiedInRuns<std::ranges::range_value_t<Range>> &&
    noexcept(std::ranges::data(std::declval<Range&>())) && noexcept(std::ranges::size(std::declval<Range&>()));

/// A range whose elements do not convert to T.
template <class Range, class T>
concept RangeOfNoElementsFor = std::ranges::input_range<Range> && !BecomesElement<GivenBy<Range>, T>;

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_ELEMENT_RANGES_HPP
