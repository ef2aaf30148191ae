// SPDX-License-Identifier: MIT
//
// interleave_options.hpp: InterleaveOptions, how an interleave of a data set takes turns at its inputs.
//
//   files.interleave({.cycle = 8, .prefetch = 64, .on_error = forebay::skip(3)}, open)

#ifndef FOREBAY_INTERLEAVE_OPTIONS_HPP
#define FOREBAY_INTERLEAVE_OPTIONS_HPP

#include <optional>

#include "forebay/count.hpp"
#include "forebay/on_error.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

struct InterleaveOptions {
  /// The number of inputs that are open at once: at least 1, and with prefetch at most 65,536.
  Count cycle = 8;
  /// So many elements are taken of each when it is its turn, from 1.
  Count block = 1;
  /// With a number, from 1, each open input is read by a thread of its own, up to so many elements ahead: `cycle`
  /// threads. Without, whoever asks for an element reads.
  std::optional<Count> prefetch{};
  /// What becomes of inputs that cannot be opened, and of elements that cannot be read.
  OnError on_error{};
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_INTERLEAVE_OPTIONS_HPP
