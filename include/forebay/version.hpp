// SPDX-License-Identifier: MIT
//
// version.hpp: the version of forebay, written down once, and what has to be so wherever forebay is compiled. CMake
// and the tests read the version from here. Every header includes this one.

#ifndef FOREBAY_VERSION_HPP
#define FOREBAY_VERSION_HPP

#include <version>

#define FOREBAY_VERSION_MAJOR 0
#define FOREBAY_VERSION_MINOR 1
#define FOREBAY_VERSION_PATCH 0

/// One number to compare: version 1.2.3 is 1002003, so `#if FOREBAY_VERSION >= 1002000` asks for 1.2.0 or later.
#define FOREBAY_VERSION (FOREBAY_VERSION_MAJOR * 1000000 + FOREBAY_VERSION_MINOR * 1000 + FOREBAY_VERSION_PATCH)

// MSVC reports the language version in __cplusplus only when asked to with /Zc:__cplusplus.
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

// Everything in forebay is in an inline namespace, which nobody needs to name: `v0_1_0`, and behind it what the layout
// of a class depends on besides the version. So translation units that disagree about that, and give each other a
// class of forebay, do not link, instead of crashing. (NDEBUG changes no layout.) Everything is in it, not only the
// classes whose layout depends on the standard library: another version may differ in any class, and in any function
// that both units have inline. An exception from a library that was built in another way is another type, too: catch
// it as std::exception.
//
// FOREBAY_ABI is `inline` and its name: `namespace forebay::FOREBAY_ABI {` opens every header.

// A BasicWait has a stop token in it where there are any: in libc++ with -fexperimental-library.
#if defined(__cpp_lib_jthread)
#define FOREBAY_DETAIL_ABI_STOPS
#else
#define FOREBAY_DETAIL_ABI_STOPS _no_stop_token
#endif

// Whose containers and strings there are in a Coordinator, or a QueueRunner.
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

#endif  // FOREBAY_VERSION_HPP
