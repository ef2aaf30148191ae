// SPDX-License-Identifier: MIT
//
// made_element.hpp: one element that is made only when it is taken: what it is made from is untouched until then.

#ifndef FOREBAY_ENGINE_MADE_ELEMENT_HPP
#define FOREBAY_ENGINE_MADE_ELEMENT_HPP

#include <cstddef>
#include <iterator>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A range of one T, which `make()` returns. Refers to `make`.
template <class T, class Make>
class MadeElement {
 public:
  class Iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;

    explicit Iterator(const Make& make) noexcept : make_(&make) {}

    [[nodiscard]] T operator*() const { return (*make_)(); }
    Iterator& operator++() noexcept {
      make_ = nullptr;
      return *this;
    }
    void operator++(int) noexcept { ++*this; }
    [[nodiscard]] bool operator==(std::default_sentinel_t) const noexcept { return make_ == nullptr; }

   private:
    const Make* make_;
  };

  explicit MadeElement(const Make& make) noexcept : make_(make) {}

  [[nodiscard]] Iterator begin() const noexcept { return Iterator(make_); }
  [[nodiscard]] static std::default_sentinel_t end() noexcept { return {}; }

 private:
  const Make& make_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_MADE_ELEMENT_HPP
