// SPDX-License-Identifier: MIT
//
// dataset_error.hpp: DatasetError, what a data set throws when code of the user's has thrown in one of its stages.

#ifndef FOREBAY_DATASET_ERROR_HPP
#define FOREBAY_DATASET_ERROR_HPP

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "forebay/position.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// A failure of a stage. what() names the stage, the position, the location and what the cause says. The cause itself
/// is the nested exception: `error.nested_ptr()`, or std::rethrow_if_nested(error).
///
///   forebay: parse, epoch 0, number 204, prices.csv:205: no number: "n/a"
class DatasetError : public std::runtime_error, public std::nested_exception {
 public:
  /// Made while the cause is handled. (Outside of a handler there is none.)
  DatasetError(std::string stage, Position position, std::string location = {})
      : std::runtime_error("forebay: " + stage + ", " + position.text() + (location.empty() ? "" : ", " + location) +
                           ": " + text_of(std::current_exception())),
        stage_(std::move(stage)),
        location_(std::move(location)),
        position_(position) {}

  /// The stage that failed: what named() called it, or what it is, such as "map".
  [[nodiscard]] const std::string& stage() const noexcept { return stage_; }

  /// Of the element at which it failed; of one that was still to be made, of the place where it would have been.
  [[nodiscard]] Position position() const noexcept { return position_; }

  /// Where the element was read; of a batch, its first one. If a reader has failed, this is what its location() said
  /// (from_callable). If a stage downstream of text_lines has failed, it is "file:line", unless a stage between them
  /// has numbered the elements anew. Empty if it is not known.
  [[nodiscard]] const std::string& location() const noexcept { return location_; }

 private:
  static std::string text_of(const std::exception_ptr& cause) {
    if (cause == nullptr) return "no cause";
    try {
      std::rethrow_exception(cause);
    } catch (const std::exception& exception) {
      return exception.what();
    } catch (...) {
      return "an exception that is no std::exception";
    }
  }

  std::string stage_;
  std::string location_;
  Position position_;
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_DATASET_ERROR_HPP
