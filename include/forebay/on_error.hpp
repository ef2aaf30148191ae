// SPDX-License-Identifier: MIT
//
// on_error.hpp: OnError, what becomes of an element that a stage of a data set fails at: by default the data set
// fails, with skip(limit) the element is left out.
//
//   files.flat_map({.on_error = forebay::skip(3)}, open).map({.threads = 4, .on_error = forebay::skip(100)}, decode)

#ifndef FOREBAY_ON_ERROR_HPP
#define FOREBAY_ON_ERROR_HPP

#include <cstddef>
#include <optional>

#include "forebay/count.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

class OnError {
 public:
  /// The first failure is thrown, at its place.
  constexpr OnError() noexcept = default;

  /// How many may fail in an epoch; none if the first failure is thrown.
  [[nodiscard]] constexpr std::optional<std::size_t> limit() const noexcept { return limit_; }

 private:
  friend constexpr OnError skip(Count limit);

  std::optional<std::size_t> limit_;
};

/// In each epoch, leaves out up to `limit` elements that fail; the next one that does is thrown. They are counted in
/// the order of the elements, so which one that is does not depend on timing.
[[nodiscard]] constexpr OnError skip(Count limit) {
  OnError on_error;
  on_error.limit_ = limit;
  return on_error;
}

/// The options of flat_map, text_lines and from_callable: `{.on_error = skip(100)}`. A reader that fails has the next
/// element asked for; one that fails twice in a row is taken to be at its end.
struct ReadOptions {
  OnError on_error{};
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_ON_ERROR_HPP
