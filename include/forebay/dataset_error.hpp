// SPDX-License-Identifier: MIT

/// @file
/// Defines DatasetError, the exception that a data set throws after one of its stages or sources has failed.
///
/// @code
/// try {
///   for (Price& price : prices.run()) add(price);
/// } catch (const forebay::DatasetError& error) {
///   std::cerr << error.what() << "\n";   // forebay: parse, epoch 0, number 204 (prices.csv:205): not a number: "n/a"
/// }
/// @endcode
///
/// Lifetime: a value, like every exception.
///
/// Thread safety: immutable; any number of threads may use it.

#ifndef FOREBAY_DATASET_ERROR_HPP
#define FOREBAY_DATASET_ERROR_HPP

#include <algorithm>
#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "forebay/position.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Reports the failure of a stage.
///
/// what() names the stage, the position and the location, and quotes the cause. The cause itself is the nested
/// exception: `error.nested_ptr()`, or std::rethrow_if_nested(error).
class DatasetError : public std::runtime_error, public std::nested_exception {
 public:
  /// Captures the exception that is being handled as the cause. Outside of a handler there is no cause.
  DatasetError(std::string stage, Position position, std::string location = {})
      : std::runtime_error("forebay: " + stage + ", " + position.text() +
                           with_location(location, text_of(std::current_exception()))),
        stage_(std::move(stage)),
        location_(std::move(location)),
        position_(position) {}

  /// Returns the name of the stage that failed: the one set by named(), or else its kind, such as "map".
  [[nodiscard]] const std::string& stage() const noexcept { return stage_; }

  /// Returns the position of the element at which the stage failed. If that element did not exist yet, it is the
  /// position that the element would have had.
  [[nodiscard]] Position position() const noexcept { return position_; }

  /// Returns where the element comes from or, for a batch that could not be made, where its first element comes from.
  /// Empty if unknown.
  ///
  /// If a reader has failed, this is its location() (see from_callable). If a stage downstream of a source has failed,
  /// it is
  ///
  ///  - the element itself, if the source is from_slices, and its elements are texts or paths, or tuples with one
  ///    (at most 200 characters of it); and
  ///  - "file:line", if the source is text_lines, indexed_text_lines or csv_rows,
  ///
  /// unless a stage between them renumbers the elements or makes batches of them.
  [[nodiscard]] const std::string& location() const noexcept { return location_; }

 private:
  /// Names the file once: the text of a FileError begins with it, and a location is "FILE", "FILE:LINE" or
  /// "FILE: byte BYTE".
  static std::string with_location(const std::string& location, const std::string& cause) {
    const std::size_t end = std::min(location.rfind(':'), location.size());  // of the name of the file
    const std::string file = location.substr(0, end);
    const bool names_byte = location.substr(end).starts_with(": byte ") && cause.starts_with(file + ": byte ");
    if (location.empty() || names_byte) return ": " + cause;
    std::size_t named = 0;
    for (const std::string& name : {location, file}) {
      if (named == 0 && cause.starts_with(name + ": ")) named = name.size() + 2;
    }
    return " (" + location + "): " + cause.substr(named);
  }

  static std::string text_of(const std::exception_ptr& cause) {
    if (cause == nullptr) return "no cause";
    try {
      std::rethrow_exception(cause);
    } catch (const std::exception& exception) {
      return exception.what();
    } catch (...) {
      return "an exception that is not a std::exception";
    }
  }

  std::string stage_;
  std::string location_;
  Position position_;
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_DATASET_ERROR_HPP
