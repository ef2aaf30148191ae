// SPDX-License-Identifier: MIT
//
// signature.hpp: traits that deduce the parameters of a callable, if its type determines them.

#ifndef FOREBAY_FLOW_SIGNATURE_HPP
#define FOREBAY_FLOW_SIGNATURE_HPP

#include <type_traits>

#include "forebay/context.hpp"
#include "forebay/factories.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class... Parameters>
struct ParameterList {};

/// The parameters of a function, or of the only call operator of an object; void if there is none or several.
template <class F>
struct SignatureOf {
  using type = void;
};
template <class F>
requires requires { &F::operator(); }
struct SignatureOf<F> : SignatureOf<decltype(&F::operator())> {};

template <class R, class... P>
struct SignatureOf<R (*)(P...)> {
  using type = ParameterList<P...>;
};
template <class R, class... P>
struct SignatureOf<R (*)(P...) noexcept> {
  using type = ParameterList<P...>;
};
template <class C, class R, class... P>
struct SignatureOf<R (C::*)(P...)> {
  using type = ParameterList<P...>;
};
template <class C, class R, class... P>
struct SignatureOf<R (C::*)(P...) const> {
  using type = ParameterList<P...>;
};
template <class C, class R, class... P>
struct SignatureOf<R (C::*)(P...) noexcept> {
  using type = ParameterList<P...>;
};
template <class C, class R, class... P>
struct SignatureOf<R (C::*)(P...) const noexcept> {
  using type = ParameterList<P...>;
};

/// The callable that a thread of map calls, and how the thread refers to it. Threads share it through a const
/// reference, or each thread has its own.
template <class F>
struct CalledOf {
  using type = F;
  using Reference = const F&;
};
template <class Factory>
struct CalledOf<PerThread<Factory>> {
  using type = typename PerThread<Factory>::Callable;
  using Reference = type&;
};

/// The type of the storage to fill, if the first parameter is a mutable reference to anything but a Context; otherwise
/// void.
template <class List>
struct FilledBy {
  using type = void;
};
template <class Into, class... Rest>
requires(!std::is_const_v<Into> && !std::is_same_v<Into, Context>) struct FilledBy<ParameterList<Into&, Rest...>> {
  using type = Into;
};

template <class List>
struct RestOf {
  using type = void;
};
template <class First, class... Rest>
struct RestOf<ParameterList<First, Rest...>> {
  using type = ParameterList<Rest...>;
};

/// Whether a parameter list ends with a reference to a Context. False if the parameters cannot be deduced.
template <class List>
inline constexpr bool ends_with_context = false;
template <class C>
requires std::is_same_v<std::remove_const_t<C>, Context>
inline constexpr bool ends_with_context<ParameterList<C&>> = true;
template <class First, class C>
requires std::is_same_v<std::remove_const_t<C>, Context>
inline constexpr bool ends_with_context<ParameterList<First, C&>> = true;

/// The type that `bool next(T& into)` or `bool next(T& into, Context&)` fills.
template <class F>
using FilledByReader = typename FilledBy<typename SignatureOf<F>::type>::type;

/// The type that `void f(T, U& into)` fills.
template <class F>
using FilledByMap = typename FilledBy<typename RestOf<typename SignatureOf<F>::type>::type>::type;

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FLOW_SIGNATURE_HPP
