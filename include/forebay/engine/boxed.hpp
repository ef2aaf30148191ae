// SPDX-License-Identifier: MIT
//
// boxed.hpp: how a queue keeps an element: by itself, or behind a pointer where the order moves elements about and
// moving this type may throw; or as the member of something, because a std::vector<bool> holds no bool; or beside
// what an order notes on it.

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

/// An element whose place can be changed without touching it.
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

/// A bool that a std::vector holds like anything else.
class Flag {
 public:
  explicit Flag(bool flag) noexcept : flag_(flag) {}

  [[nodiscard]] bool& get() noexcept { return flag_; }

 private:
  bool flag_;
};

/// What a cell holds for an element of type T under an order that moves elements about or does not.
template <class T, bool reorders>
using Stored =
    std::conditional_t<std::same_as<T, bool>, Flag,
                       std::conditional_t<reorders && !std::is_nothrow_move_constructible_v<T>, Boxed<T>, T>>;

/// What is kept for an element, with two numbers: when it arrived, and which index its place has. That one stays where
/// it is when the element is moved.
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
  Kept kept_;  // begins on the cache line of the numbers: who compares elements reads both
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
