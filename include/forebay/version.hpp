// SPDX-License-Identifier: MIT
//
// version.hpp: the version of forebay, written down once. CMake and the tests read it from here.

#ifndef FOREBAY_VERSION_HPP
#define FOREBAY_VERSION_HPP

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

#endif  // FOREBAY_VERSION_HPP
