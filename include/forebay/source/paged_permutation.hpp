// SPDX-License-Identifier: MIT
//
// paged_permutation.hpp: PagedPermutation, a random order of the numbers below n that keeps neighbours together: it
// shuffles pages of neighbouring numbers, and the numbers within each page. It needs no memory.

#ifndef FOREBAY_SOURCE_PAGED_PERMUTATION_HPP
#define FOREBAY_SOURCE_PAGED_PERMUTATION_HPP

#include <cstdint>

#include "forebay/base/hash.hpp"
#include "forebay/base/arithmetic.hpp"
#include "forebay/source/permutation.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

class PagedPermutation {
 public:
  /// Chooses an order of the numbers below `count`, in pages of `page` numbers; the last page may be shorter. If a page
  /// has one number or all of them, the order is that of Permutation(count, key). Requires page > 0 unless count is 0.
  PagedPermutation(std::uint64_t count, std::uint64_t page, std::uint64_t key) noexcept
      : page_(page), key_(key), pages_(1, 0), within_(1, 0) {
    if (page <= 1 || page >= count) {
      length_ = count;
      within_ = Permutation(count, key);
      return;
    }
    const std::uint64_t pages = divided_up(count, page);
    pages_ = Permutation(pages, key);
    shortest_ = pages - 1;
    length_of_shortest_ = count - shortest_ * page;
    place_of_shortest_ = pages_.place_of(shortest_) * page;
  }

  /// Returns the number at `place`, fastest if it is in the same page as in the previous call. Requires place < count.
  [[nodiscard]] std::uint64_t at(std::uint64_t place) noexcept {
    if (place - begin_ >= length_) turn_to(place);  // also if place < begin_
    return first_ + within_.at(place - begin_);
  }

 private:
  void turn_to(std::uint64_t place) noexcept {
    const bool is_later = place >= place_of_shortest_ + length_of_shortest_;
    const std::uint64_t missing = is_later ? page_ - length_of_shortest_ : 0;  // to a full page
    const std::uint64_t index = is_later ? (place - length_of_shortest_) / page_ + 1 : place / page_;
    const std::uint64_t number = pages_.at(index);
    begin_ = index * page_ - missing;
    length_ = number == shortest_ ? length_of_shortest_ : page_;
    first_ = number * page_;
    within_ = Permutation(length_, hash_combine(key_, number, 1));
  }

  std::uint64_t page_;
  std::uint64_t key_;
  Permutation pages_;
  std::uint64_t shortest_ = 0;  // the number of the last page, which may be shorter
  std::uint64_t length_of_shortest_ = 0;
  std::uint64_t place_of_shortest_ = 0;

  // The page that contains the place of the previous call
  std::uint64_t begin_ = 0;   // its first place
  std::uint64_t length_ = 0;  // 0 before the first call
  std::uint64_t first_ = 0;   // its first number
  Permutation within_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_SOURCE_PAGED_PERMUTATION_HPP
