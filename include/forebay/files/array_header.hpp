// SPDX-License-Identifier: MIT
//
// array_header.hpp: ArrayHeader, which says what an array file contains, whatever its format; and DamagedHeader, which
// the parsers of such headers throw.

#ifndef FOREBAY_FILES_ARRAY_HEADER_HPP
#define FOREBAY_FILES_ARRAY_HEADER_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Reports what is wrong with a header, and at which byte of the file. The caller adds the name of the file.
class DamagedHeader : public std::runtime_error {
 public:
  DamagedHeader(std::uint64_t byte, const std::string& reason) : std::runtime_error(reason), byte_(byte) {}
  [[nodiscard]] std::uint64_t byte() const noexcept { return byte_; }

 private:
  std::uint64_t byte_;
};

/// The type of a number in a file. The letter is that of NumPy: b(ool), i(nteger), u(nsigned), f(loat).
struct NumberType {
  char letter = 'u';
  std::size_t bytes = 1;

  [[nodiscard]] bool operator==(const NumberType&) const noexcept = default;

  /// Returns NumPy's name of the type, such as "float32".
  [[nodiscard]] std::string name() const {
    if (letter == 'b') return "bool";
    const char* const kind = letter == 'i' ? "int" : letter == 'u' ? "uint" : "float";
    return kind + std::to_string(8 * bytes);
  }
};

/// The type float16, whose bits are read as a std::uint16_t.
inline constexpr NumberType half_type{'f', 2};

/// An arithmetic type that array files contain. A long double has a different format on each platform.
template <class Number>
concept NumberInFile = std::is_arithmetic_v<Number> && !std::same_as<Number, long double> &&
                       std::same_as<Number, std::remove_cv_t<Number>>;

template <NumberInFile Number>
[[nodiscard]] constexpr NumberType number_type() noexcept {
  if constexpr (std::same_as<Number, bool>) {
    return {'b', 1};
  } else if constexpr (std::floating_point<Number>) {
    return {'f', sizeof(Number)};
  } else {
    return {std::is_signed_v<Number> ? 'i' : 'u', sizeof(Number)};
  }
}

/// The extents of an array, the slowest first.
using Shape = std::vector<std::uint64_t>;

/// Returns the shape in NumPy's notation: "(28, 28)", "(28,)" or "()".
[[nodiscard]] inline std::string text_of_shape(const Shape& shape) {
  std::string text = "(";
  for (const std::uint64_t extent : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + (shape.size() == 1 ? ",)" : ")");
}

struct ArrayHeader {
  NumberType type;
  bool is_big_endian = false;
  Shape shape;                 // the first extent counts the rows
  std::uint64_t type_at = 0;   // the byte at which the header states the type
  std::uint64_t shape_at = 0;  // and the shape
  std::uint64_t data_at = 0;   // the first byte of the data

  [[nodiscard]] std::uint64_t rows() const noexcept { return shape.front(); }
  [[nodiscard]] Shape row_shape() const { return {shape.begin() + 1, shape.end()}; }

  /// Returns how many bytes a row has. Requires check_extents().
  [[nodiscard]] std::uint64_t row_bytes() const noexcept {
    std::uint64_t bytes = type.bytes;
    for (std::size_t i = 1; i < shape.size(); ++i) bytes *= shape[i];
    return bytes;
  }
};

/// Throws a DamagedHeader unless the array has rows of at least one number. Afterwards no product of extents can
/// overflow.
inline void check_extents(const ArrayHeader& header) {
  if (header.shape.empty()) throw DamagedHeader(header.shape_at, "the array has no dimension, so it has no rows");
  std::uint64_t row_bytes = header.type.bytes;
  const auto require_factor = [&](std::uint64_t extent) {
    if (extent <= std::numeric_limits<std::uint64_t>::max() / 2 / row_bytes) return;
    throw DamagedHeader(header.shape_at,
                        "an array of shape " + text_of_shape(header.shape) + " is larger than any file");
  };
  for (const std::uint64_t extent : header.row_shape()) {
    if (extent == 0) {
      throw DamagedHeader(header.shape_at, "the rows of shape " + text_of_shape(header.row_shape()) + " are empty");
    }
    require_factor(extent);
    row_bytes *= extent;
  }
  require_factor(header.rows());
}

/// Throws a DamagedHeader unless a file of `size` bytes contains exactly this array. Requires check_extents().
inline void check_array_length(const ArrayHeader& header, std::uint64_t size) {
  const std::uint64_t expected = header.data_at + header.row_bytes() * header.rows();
  if (size < expected) {
    throw DamagedHeader(size, "the file is truncated: its header promises " + std::to_string(expected) + " bytes");
  }
  if (size > expected) {
    throw DamagedHeader(expected, "the file is too long: it has " + std::to_string(size) +
                                      " bytes, its header promises " + std::to_string(expected));
  }
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_ARRAY_HEADER_HPP
