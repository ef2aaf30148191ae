// SPDX-License-Identifier: MIT
//
// on_error.hpp: OnError, what becomes of an element that a stage of a data set fails at: by default the data set
// fails, with skip(limit) the element is left out, with redirect(f) its failure is given to f.
//
//   files.flat_map({.on_error = forebay::skip(3)}, open).map({.threads = 4, .on_error = forebay::skip(100)}, decode)
//
// Lifetime: a value, cheap to copy.

#ifndef FOREBAY_ON_ERROR_HPP
#define FOREBAY_ON_ERROR_HPP

#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "forebay/count.hpp"
#include "forebay/position.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Applies to what user code throws: a function, a reader, an element's own copy. A failure of the library, such as an
/// allocation that fails, always ends the run.
class OnError {
 public:
  /// The first failure is thrown, at its place.
  OnError() noexcept = default;

  /// How many may fail in an epoch; none if the first failure is thrown. With redirect(f) it is the largest number.
  [[nodiscard]] std::optional<std::size_t> limit() const noexcept { return limit_; }

  /// Gives a failure to the function of redirect; if there is none, does nothing. Throws what that throws.
  void hand_over(Position position, const std::exception_ptr& failure) const {
    if (function_ != nullptr) (*function_)(position, failure);
  }

 private:
  friend OnError skip(Count limit);
  template <class F>
  friend OnError redirect(F&& f);

  std::optional<std::size_t> limit_;
  std::shared_ptr<const std::function<void(Position, std::exception_ptr)>> function_;
};

/// In each epoch, leaves out up to `limit` elements that fail; the next one that does is thrown. They are counted in
/// the order of the elements, so which one that is does not depend on timing.
[[nodiscard]] inline OnError skip(Count limit) {
  OnError on_error;
  on_error.limit_ = limit.at_least(0, "skip: limit");
  return on_error;
}

/// Leaves out all elements that fail, and calls `f(Position, std::exception_ptr)` for each of them: where it stood, and
/// the DatasetError with its cause. (The element itself was moved.) f is called by whoever takes what the stage makes,
/// in the order of the elements, one at a time; through a const reference, and by all stages and pipelines that it is
/// given to. What f throws is a failure of the data set, at the place of that element.
template <class F>
[[nodiscard]] OnError redirect(F&& f) {
  static_assert(
      std::invocable<const std::decay_t<F>&, Position, std::exception_ptr>,
      "forebay: the function given to redirect is called with a Position and a std::exception_ptr, through a "
      "const reference: it cannot be mutable");
  OnError on_error;
  on_error.limit_ = std::numeric_limits<std::size_t>::max();
  on_error.function_ = std::make_shared<const std::function<void(Position, std::exception_ptr)>>(std::forward<F>(f));
  return on_error;
}

/// The options of flat_map, text_lines and from_callable: `{.on_error = skip(100)}`. A reader that fails has the next
/// element asked for; one that fails twice in a row is taken to be at its end.
struct ReadOptions {
  OnError on_error{};
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_ON_ERROR_HPP
