// SPDX-License-Identifier: MIT
//
// boxed.hpp: the forms in which a queue stores an element: the element itself; behind a pointer, if the discipline
// moves elements and their move may throw; wrapped, because a std::vector<bool> cannot hold a bool; or together with
// data of the discipline.

#ifndef FOREBAY_ENGINE_BOXED_HPP
#define FOREBAY_ENGINE_BOXED_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// An element behind a pointer, which can change its place without being moved.
template <class T>
class Boxed {
 public:
  template <class... Arguments>
  explicit Boxed(Arguments&&... arguments) : element_(std::make_unique<T>(std::forward<Arguments>(arguments)...)) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(Boxed&&) noexcept = default;

  [[nodiscard]] T& get() noexcept { return *element_; }

 private:
  std::unique_ptr<T> element_;
};

/// A bool that a std::vector stores like any other type.
class Flag {
 public:
  explicit Flag(bool flag) noexcept : flag_(flag) {}

  [[nodiscard]] bool& get() noexcept { return flag_; }

 private:
  bool flag_;
};

/// The content of a cell for an element of type T, with a discipline that moves elements or does not.
template <class T, bool reorders>
using Stored =
    std::conditional_t<std::same_as<T, bool>, Flag,
                       std::conditional_t<reorders && !std::is_nothrow_move_constructible_v<T>, Boxed<T>, T>>;

/// A stored element with two numbers: its arrival, and the index of its place. The index stays in place when the
/// element is moved.
template <class Kept>
class Ranked {
 public:
  template <class... Arguments>
  explicit Ranked(Arguments&&... arguments) : kept_(std::forward<Arguments>(arguments)...) {}
  Ranked(Ranked&& other) noexcept : arrival_(other.arrival_), kept_(std::move(other.kept_)) {}
  Ranked& operator=(Ranked&&) = delete;

  [[nodiscard]] Kept& get() noexcept { return kept_; }
  [[nodiscard]] std::uint64_t arrival() const noexcept { return arrival_; }
  void set_arrival(std::uint64_t arrival) noexcept { arrival_ = arrival; }
  [[nodiscard]] std::size_t index() const noexcept { return index_; }
  void set_index(std::size_t index) noexcept { index_ = index; }

 private:
  std::uint64_t arrival_;
  std::size_t index_;
  Kept kept_;  // begins on the cache line of the numbers, because a comparison reads both
};

template <class T>
[[nodiscard]] T& unboxed(T& element) noexcept {
  return element;
}
template <class T>
[[nodiscard]] T& unboxed(Boxed<T>& box) noexcept {
  return box.get();
}
[[nodiscard]] inline bool& unboxed(Flag& flag) noexcept { return flag.get(); }
template <class Kept>
[[nodiscard]] auto& unboxed(Ranked<Kept>& ranked) noexcept {
  return unboxed(ranked.get());
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_BOXED_HPP
