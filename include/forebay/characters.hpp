// SPDX-License-Identifier: MIT
//
// characters.hpp: Characters, a std::string that is batched as a range of characters.
//
//   struct Sentence { std::string author; Characters text; };
//   PaddedBatch<Sentence> batch;   // component<&Sentence::author>(): n strings
//                                  // component<&Sentence::text>(): [n, longest] chars, and the lengths
//
// When to use: for a component of strings whose characters a step wants in one array. When not: for strings that are
// names, labels or texts to be kept whole; those are std::strings. An element that is a std::string itself, not a
// member of one, is batched as a range of characters anyway.

#ifndef FOREBAY_CHARACTERS_HPP
#define FOREBAY_CHARACTERS_HPP

#include <string>
#include <utility>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// A std::string in every other respect; made implicitly from one. Other ranges of characters, such as
/// std::vector<char> or std::span<const wchar_t>, are batched in the same way.
struct Characters : std::string {
  using std::string::string;
  Characters() = default;
  Characters(std::string text) noexcept : std::string(std::move(text)) {}
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_CHARACTERS_HPP
