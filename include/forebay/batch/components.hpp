// SPDX-License-Identifier: MIT
//
// components.hpp: the components of an element, each of which a batch stores in one buffer.
//
// A std::tuple, a std::pair and an aggregate have one component per member; any other type is a single component.
// Members of members are not split. A string is a value; only an element that is itself a string is batched as a range
// of characters.

#ifndef FOREBAY_BATCH_COMPONENTS_HPP
#define FOREBAY_BATCH_COMPONENTS_HPP

#include <concepts>
#include <cstddef>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/batch/for_each_index.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class T>
inline constexpr bool is_string = false;
template <class Char, class Traits, class Allocator>
inline constexpr bool is_string<std::basic_string<Char, Traits, Allocator>> = true;
template <class Char, class Traits>
inline constexpr bool is_string<std::basic_string_view<Char, Traits>> = true;

template <class T>
concept String = is_string<T>;

/// A range of another type: not a std::filesystem::path, which is a range of paths, and not a string, which is a value.
template <class T>
concept Range = std::ranges::input_range<T> && !is_string<std::remove_cv_t<T>> &&
                !std::same_as<std::remove_cvref_t<std::ranges::range_reference_t<T>>, std::remove_cv_t<T>>;

template <class T>
inline constexpr bool is_tuple = false;
template <class... Members>
inline constexpr bool is_tuple<std::tuple<Members...>> = true;
template <class First, class Second>
inline constexpr bool is_tuple<std::pair<First, Second>> = true;

template <class T>
concept ClassType = std::is_class_v<T>;

/// Converts to any member of an aggregate, except a C array.
struct AnyMember {
  template <class Member>
  operator Member() const noexcept;
};
struct AnyMemberOfClassType {
  template <ClassType Member>
  operator Member() const noexcept;
};

/// The same for each index, to write a sequence of them.
template <std::size_t>
using AnyMemberAt = AnyMember;

/// Whether T can be initialised with that many members.
template <class T, std::size_t... indices>
constexpr bool takes_values(std::index_sequence<indices...>) {
  return requires { T{AnyMemberAt<indices>{}...}; };
}

/// Whether the member after those is a C array of scalars, which looks like several members.
template <class T, std::size_t... before>
constexpr bool has_array_behind(std::index_sequence<before...>) {
  constexpr bool takes_two_values = requires { T{AnyMemberAt<before>{}..., {AnyMember{}, AnyMember{}}}; };
  constexpr bool takes_class_type = requires { T{AnyMemberAt<before>{}..., AnyMemberOfClassType{}}; };
  return takes_two_values && !takes_class_type;
}
template <class T, std::size_t... indices>
constexpr bool has_array(std::index_sequence<indices...>) {
  return (has_array_behind<T>(std::make_index_sequence<indices>()) || ...);
}

inline constexpr std::size_t most_members = 16;

/// The number of members of the aggregate T.
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

/// An aggregate with separate members.
template <class T>
concept Record = std::is_class_v<T> && std::is_aggregate_v<T> && !Range<T> && !is_tuple<T> &&
                 (count_members<std::remove_cv_t<T>>() > 0);

/// References to the members of a record.
template <class T>
constexpr auto tie_members(T& record) noexcept {
  using Plain = std::remove_cv_t<T>;
  constexpr std::size_t count = count_members<Plain>();
  static_assert(count <= most_members,
                "forebay: a batched record must have at most 16 members and no C array: use std::array");
  static_assert(count > most_members || !has_array<Plain>(std::make_index_sequence<count>()),
                "forebay: a batched record must not have a C array: use std::array");
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

template <class T>
struct ComponentsIn : Untied<decltype(tie_components(std::declval<T&>()))> {};
/// For an element that is itself a string: its characters.
template <String T>
struct ComponentsIn<T> {
  using type = std::tuple<std::vector<typename T::value_type>>;
};

/// The types of the components of T, as a tuple.
template <class T>
using ComponentsOf = typename ComponentsIn<T>::type;

template <class T>
inline constexpr std::size_t component_count = std::tuple_size_v<ComponentsOf<T>>;

template <std::size_t index, class T>
using ComponentOf = std::tuple_element_t<index, ComponentsOf<T>>;

/// The component itself, const if the element is.
template <std::size_t index, class T>
[[nodiscard]] constexpr auto& component_of(T& element) noexcept {
  return std::get<index>(tie_components(element));
}

/// Whether the component at `index` is the one that `member` points to. Compares addresses at compile time, in storage
/// without a T.
template <class T, auto member, std::size_t index>
consteval bool is_component_at() {
  T* const place = std::allocator<T>().allocate(1);
  const auto& component = component_of<index>(*place);
  const auto& wanted = place->*member;
  bool same = false;
  if constexpr (std::same_as<decltype(component), decltype(wanted)>) {
    same = std::addressof(component) == std::addressof(wanted);
  }
  std::allocator<T>().deallocate(place, 1);
  return same;
}

/// Returns the index of the component that `member` points to; the number of components if there is none.
template <class T, auto member>
consteval std::size_t index_of_member() {
  std::size_t found = component_count<T>;
  for_each_index<component_count<T>>([&found]<std::size_t index>() {
    if (found == component_count<T> && is_component_at<T, member, index>()) found = index;
  });
  return found;
}

/// A pointer to a data member of T.
template <class Pointer, class T>
concept PointerToMemberOf = std::is_member_object_pointer_v<Pointer> && requires(T& element, Pointer member) {
  element.*member;
};

/// The name of a component of T: its index or the member.
template <class Name, class T>
concept NameOfComponent = std::integral<Name> || PointerToMemberOf<Name, T>;

/// The index of the named component.
template <class T, auto name>
consteval std::size_t index_of() {
  constexpr std::size_t count = component_count<T>;
  if constexpr (std::integral<decltype(name)>) {
    static_assert(std::in_range<std::size_t>(name) && static_cast<std::size_t>(name) < count,
                  "forebay: the element has fewer components");
    return name;
  } else {
    constexpr std::size_t index = index_of_member<T, name>();
    static_assert(index < count, "forebay: this member is not a component of the element");
    return index;
  }
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BATCH_COMPONENTS_HPP
