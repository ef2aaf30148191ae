// SPDX-License-Identifier: MIT

/// @file
/// Defines the version of forebay, and checks the requirements on the compiler.
///
/// CMake and the tests read the version from this header, and every other header includes it.

#ifndef FOREBAY_VERSION_HPP
#define FOREBAY_VERSION_HPP

#include <version>

/// The first number of the version, 1 in 1.2.3.
#define FOREBAY_VERSION_MAJOR 0
/// The second number of the version, 2 in 1.2.3.
#define FOREBAY_VERSION_MINOR 1
/// The third number of the version, 3 in 1.2.3.
#define FOREBAY_VERSION_PATCH 0

/// The version as one number: 1.2.3 is 1002003, so `#if FOREBAY_VERSION >= 1002000` tests for 1.2.0 or later.
#define FOREBAY_VERSION (FOREBAY_VERSION_MAJOR * 1000000 + FOREBAY_VERSION_MINOR * 1000 + FOREBAY_VERSION_PATCH)

/// @cond
// MSVC reports the language version in __cplusplus only with /Zc:__cplusplus.
#if defined(_MSVC_LANG)
#define FOREBAY_DETAIL_LANGUAGE _MSVC_LANG
#else
#define FOREBAY_DETAIL_LANGUAGE __cplusplus
#endif

#if FOREBAY_DETAIL_LANGUAGE < 202002L
#error "forebay needs C++20: compile with -std=c++20 or /std:c++20"
#endif

#undef FOREBAY_DETAIL_LANGUAGE

#if !defined(__cpp_exceptions)
#error "forebay needs exceptions: compile without -fno-exceptions, or with /EHsc"
#endif

// All declarations are in an inline namespace, which programs need not name. Its name consists of the version
// (`v0_1_0`) and of everything else on which the layout of a class depends. If two translation units differ in these
// and exchange a class of forebay, they fail to link instead of crashing. (NDEBUG changes no layout.)
//
// All declarations are in it, not only the classes whose layout depends on the standard library: another version may
// differ in any class, and in any inline function that both units have. This includes exception types: catch an
// exception from a library with another configuration as std::exception.
//
// FOREBAY_ABI is `inline` and the name: `namespace forebay::FOREBAY_ABI {` opens every header.

// A BasicWait contains a stop token if the library has them: in libc++ with -fexperimental-library.
#if defined(__cpp_lib_jthread)
#define FOREBAY_DETAIL_ABI_STOPS
#else
#define FOREBAY_DETAIL_ABI_STOPS _no_stop_token
#endif

// The standard library whose containers and strings a Coordinator and a QueueRunner contain.
#if defined(_LIBCPP_VERSION)
#define FOREBAY_DETAIL_ABI_LIBRARY _libcxx
#elif defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#define FOREBAY_DETAIL_ABI_LIBRARY _old_strings
#else
#define FOREBAY_DETAIL_ABI_LIBRARY
#endif
#if defined(_GLIBCXX_DEBUG)
#define FOREBAY_DETAIL_ABI_CONTAINERS _debug_containers
#else
#define FOREBAY_DETAIL_ABI_CONTAINERS
#endif

#define FOREBAY_DETAIL_JOIN(major, minor, patch, stops, library, containers) \
  inline v##major##_##minor##_##patch##stops##library##containers
#define FOREBAY_DETAIL_JOIN_EXPANDED(...) FOREBAY_DETAIL_JOIN(__VA_ARGS__)
#define FOREBAY_ABI                                                                                 \
  FOREBAY_DETAIL_JOIN_EXPANDED(FOREBAY_VERSION_MAJOR, FOREBAY_VERSION_MINOR, FOREBAY_VERSION_PATCH, \
                               FOREBAY_DETAIL_ABI_STOPS, FOREBAY_DETAIL_ABI_LIBRARY, FOREBAY_DETAIL_ABI_CONTAINERS)
/// @endcond

#endif  // FOREBAY_VERSION_HPP
