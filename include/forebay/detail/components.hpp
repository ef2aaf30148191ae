// SPDX-License-Identifier: MIT
//
// components.hpp: the components of an element: what a batch keeps in one buffer each.
//
// A std::tuple, a std::pair and an aggregate have one component per member, everything else is one by itself. The
// members of members are not looked into.

#ifndef FOREBAY_DETAIL_COMPONENTS_HPP
#define FOREBAY_DETAIL_COMPONENTS_HPP

#include <concepts>
#include <cstddef>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A range of something else: a std::filesystem::path, a range of paths, is none.
template <class T>
concept Range = std::ranges::input_range<T> &&
    !std::same_as<std::remove_cvref_t<std::ranges::range_reference_t<T>>, std::remove_cv_t<T>>;

template <class T>
inline constexpr bool is_tuple = false;
template <class... Members>
inline constexpr bool is_tuple<std::tuple<Members...>> = true;
template <class First, class Second>
inline constexpr bool is_tuple<std::pair<First, Second>> = true;

/// Becomes any member of an aggregate, but for a C array.
struct AnyMember {
  template <class Member>
  operator Member() const noexcept;
};
struct AnyMemberOfClassType {
  template <class Member>
  requires std::is_class_v<Member>
  operator Member() const noexcept;
};

/// The same, whatever the index: to write a number of them.
template <std::size_t>
using AnyMemberAt = AnyMember;

/// Whether so many members of T can be initialised.
template <class T, std::size_t... indices>
constexpr bool takes_values(std::index_sequence<indices...>) {
  return requires { T{AnyMemberAt<indices>{}...}; };
}

/// Whether the member behind those is a C array of scalars, which looks like several members from outside.
template <class T, std::size_t... before>
constexpr bool has_array_behind(std::index_sequence<before...>) {
  return requires { T{AnyMemberAt<before>{}..., {AnyMember{}, AnyMember{}}}; }
  &&!requires { T{AnyMemberAt<before>{}..., AnyMemberOfClassType{}}; };
}
template <class T, std::size_t... indices>
constexpr bool has_array(std::index_sequence<indices...>) {
  return (has_array_behind<T>(std::make_index_sequence<indices>()) || ...);
}

inline constexpr std::size_t most_members = 16;

/// How many members the aggregate T has.
template <class T, std::size_t at_most = most_members + 1>
constexpr std::size_t count_members() {
  if constexpr (at_most == 0) {
    return 0;
  } else if constexpr (takes_values<T>(std::make_index_sequence<at_most>())) {
    return at_most;
  } else {
    return count_members<T, at_most - 1>();
  }
}

/// An aggregate with members to tell apart.
template <class T>
concept Record = std::is_class_v<T> && std::is_aggregate_v<T> && !Range<T> && !is_tuple<T> &&
                 (count_members<std::remove_cv_t<T>>() > 0);

/// References to the members of a record.
template <class T>
constexpr auto tie_members(T& record) noexcept {
  using Plain = std::remove_cv_t<T>;
  constexpr std::size_t count = count_members<Plain>();
  static_assert(count <= most_members,
                "forebay: a record to be batched has at most 16 members, and no C array: use std::array");
  static_assert(count > most_members || !has_array<Plain>(std::make_index_sequence<count>()),
                "forebay: a record to be batched has no C array: use std::array");
  if constexpr (count == 1) {
    auto& [a] = record;
    return std::tie(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = record;
    return std::tie(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = record;
    return std::tie(a, b, c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = record;
    return std::tie(a, b, c, d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = record;
    return std::tie(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, f] = record;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, f, g] = record;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (count == 8) {
    auto& [a, b, c, d, e, f, g, h] = record;
    return std::tie(a, b, c, d, e, f, g, h);
  } else if constexpr (count == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = record;
    return std::tie(a, b, c, d, e, f, g, h, i);
  } else if constexpr (count == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = record;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (count == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = record;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (count == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = record;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (count == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = record;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (count == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = record;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  } else if constexpr (count == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = record;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  } else if constexpr (count == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = record;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  }
}

/// References to the components of an element.
template <class T>
constexpr auto tie_components(T& element) noexcept {
  using Plain = std::remove_cv_t<T>;
  if constexpr (is_tuple<Plain>) {
    return std::apply([](auto&... members) { return std::tie(members...); }, element);
  } else if constexpr (Record<Plain>) {
    return tie_members(element);
  } else {
    return std::tie(element);
  }
}

template <class Tied>
struct Untied;
template <class... Components>
struct Untied<std::tuple<Components&...>> {
  using type = std::tuple<std::remove_cv_t<Components>...>;
};

/// The types of the components of T, as a tuple.
template <class T>
using ComponentsOf = typename Untied<decltype(tie_components(std::declval<T&>()))>::type;

template <class T>
inline constexpr std::size_t component_count = std::tuple_size_v<ComponentsOf<T>>;

template <std::size_t index, class T>
using ComponentOf = std::tuple_element_t<index, ComponentsOf<T>>;

/// The component itself, const if the element is.
template <std::size_t index, class T>
[[nodiscard]] constexpr auto& component_of(T& element) noexcept {
  return std::get<index>(tie_components(element));
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_DETAIL_COMPONENTS_HPP
