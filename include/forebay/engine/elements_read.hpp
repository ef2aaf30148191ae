// SPDX-License-Identifier: MIT
//
// elements_read.hpp: which ranges an enqueue_many reads while it holds a lock. It reads all other ranges before it
// takes a lock, so that user code delays other threads by one move at most.

#ifndef FOREBAY_ENGINE_ELEMENTS_READ_HPP
#define FOREBAY_ENGINE_ELEMENTS_READ_HPP

#include <concepts>
#include <cstddef>
#include <exception>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/element_ranges.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A range whose elements are stored somewhere: a container or a contiguous range. A view may compute its elements and
/// its sentinel.
template <class Range>
concept ShowsWhatIsStored = std::ranges::forward_range<Range> &&
    std::is_reference_v<std::ranges::range_reference_t<Range>> &&
    (std::ranges::contiguous_range<Range> || !std::ranges::view<std::remove_cvref_t<Range>>);

/// Whether a copy is as cheap as a move, and cannot fail.
template <class T>
inline constexpr bool copies_like_a_move = std::is_trivially_copyable_v<T>&& std::is_copy_constructible_v<T>;

/// Whether constructing a T from an element of a range is a move or as cheap as one; or has to wait until there is
/// room, because it moves from a container that must otherwise stay untouched.
template <class Range>
inline constexpr bool is_moved_from =
    gives_its_elements<Range> && !copies_like_a_move<std::ranges::range_value_t<Range>>;
template <class Range, class T, class Value = std::ranges::range_value_t<Range>>
inline constexpr bool is_copied_into = copies_like_a_move<T> &&
                                       (std::same_as<Value, T> || (std::is_scalar_v<Value> && std::is_scalar_v<T>));

/// Whether enqueue_many reads the range under the producers' lock.
template <class Range, class T>
inline constexpr bool read_in_place = ShowsWhatIsStored<Range> && (is_moved_from<Range> || is_copied_into<Range, T>);

/// The elements constructed from a range, and the exception that ended the construction, if any.
template <class T>
class ElementsRead {
 public:
  template <class Range>
  explicit ElementsRead(Range&& range) noexcept {
    try {
      read<Range>(range);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  [[nodiscard]] auto begin() noexcept { return elements_.begin(); }
  [[nodiscard]] auto end() noexcept { return elements_.end(); }
  [[nodiscard]] std::size_t size() const noexcept { return elements_.size(); }

  void rethrow_failure() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  template <class Range>
  void read(std::remove_reference_t<Range>& range) {
    if constexpr (std::ranges::sized_range<Range>) {
      elements_.reserve(static_cast<std::size_t>(std::ranges::size(range)));
    }
    const auto last = std::ranges::end(range);
    for (auto next = std::ranges::begin(range); next != last; ++next) {
      if constexpr (gives_its_elements<Range>) {
        elements_.emplace_back(std::ranges::iter_move(next));
      } else {
        elements_.emplace_back(*next);
      }
    }
  }

  std::vector<T> elements_;
  std::exception_ptr failure_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_ELEMENTS_READ_HPP
