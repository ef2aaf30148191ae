// SPDX-License-Identifier: MIT
//
// array_rows.hpp: ArrayRows<T>, the rows of array files as elements of type T.

#ifndef FOREBAY_FILES_ARRAY_ROWS_HPP
#define FOREBAY_FILES_ARRAY_ROWS_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "forebay/file.hpp"
#include "forebay/files/array_header.hpp"
#include "forebay/files/byte_order.hpp"
#include "forebay/files/idx_header.hpp"
#include "forebay/files/indexed_files.hpp"
#include "forebay/files/npy_header.hpp"
#include "forebay/files/open_files.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The rows that a T can hold. The primary template is for a single number.
template <class T>
struct ArrayRow {
  using Number = T;
  static constexpr bool is_right = NumberInFile<T>;
  [[nodiscard]] static Shape shape() { return {}; }
  [[nodiscard]] static bool accepts(const Shape& row) { return row.empty(); }
  [[nodiscard]] static std::string text_of_wanted_shape() { return "without a shape"; }
  [[nodiscard]] static std::span<Number> numbers(T& into, std::size_t /*count*/) noexcept { return {&into, 1}; }
};

/// A std::array of numbers holds rows of any shape with as many numbers. Nested arrays need the same extents.
template <class Element, std::size_t extent>
struct ArrayRow<std::array<Element, extent>> {
  using Inner = ArrayRow<Element>;
  using Number = typename Inner::Number;
  static constexpr bool is_nested = !std::is_arithmetic_v<Element>;
  static constexpr bool is_right = Inner::is_right && extent > 0 &&
                                   sizeof(std::array<Element, extent>) == extent * sizeof(Element);

  [[nodiscard]] static Shape shape() {
    Shape shape = Inner::shape();
    shape.insert(shape.begin(), extent);
    return shape;
  }
  [[nodiscard]] static bool accepts(const Shape& row) {
    if (is_nested || row.empty()) return row == shape();
    std::uint64_t count = 1;
    for (const std::uint64_t length : row) count *= length;
    return count == extent;
  }
  [[nodiscard]] static std::string text_of_wanted_shape() {
    return is_nested ? "of shape " + text_of_shape(shape()) : "of " + std::to_string(extent) + " numbers";
  }
  [[nodiscard]] static std::span<Number> numbers(std::array<Element, extent>& into, std::size_t count) noexcept {
    return {Inner::numbers(into.front(), 1).data(), count};
  }
};

/// A std::vector holds rows of any shape but that of a single number.
template <class Element>
struct ArrayRow<std::vector<Element>> {
  using Number = Element;
  static constexpr bool is_right = NumberInFile<Element>;
  [[nodiscard]] static bool accepts(const Shape& row) { return !row.empty(); }
  [[nodiscard]] static std::string text_of_wanted_shape() { return "of any shape"; }
  [[nodiscard]] static std::span<Number> numbers(std::vector<Element>& into, std::size_t count) {
    into.resize(count);
    return into;
  }
};

/// Reads the rows of array files.
///
/// Thread safety: any number of threads may read.
template <class T>
class ArrayRows {
  using Row = ArrayRow<T>;
  using Number = typename Row::Number;

 public:
  /// Requires that all files have rows of the same size and byte order.
  ArrayRows(const std::vector<RowsOfFile>& files, std::size_t row_bytes, bool is_big_endian)
      : files_(files, row_bytes),
        numbers_(row_bytes / sizeof(Number)),
        order_(is_big_endian ? std::endian::big : std::endian::little) {}

  [[nodiscard]] std::uint64_t size() const noexcept { return files_.size(); }

  [[nodiscard]] std::uint64_t buffer_bytes() const { return files_.buffer_bytes(); }

  /// Fills `into` with a row. Requires row < size(). Throws a FileError.
  void read(std::uint64_t row, T& into) const {
    if constexpr (std::is_same_v<Number, bool>) {  // a byte of the file may have other values than 0 and 1
      std::vector<char> bytes(numbers_);
      files_.read(row, bytes);
      fill(into, bytes);
    } else {
      const std::span<Number> numbers = Row::numbers(into, numbers_);
      files_.read(row, {reinterpret_cast<char*>(numbers.data()), numbers.size_bytes()});
      if (sizeof(Number) > 1 && order_ != std::endian::native) {
        for (Number& number : numbers) number = load<Number>(reinterpret_cast<const char*>(&number), order_);
      }
    }
  }

 private:
  static void fill(T& into, const std::vector<char>& bytes) {
    const auto is_true = [](char byte) { return byte != 0; };
    if constexpr (std::is_same_v<T, std::vector<bool>>) {  // it has no span
      into.resize(bytes.size());
      std::transform(bytes.begin(), bytes.end(), into.begin(), is_true);
    } else {
      std::transform(bytes.begin(), bytes.end(), Row::numbers(into, bytes.size()).begin(), is_true);
    }
  }

  IndexedFiles files_;
  std::size_t numbers_;  // of a row
  std::endian order_;
};

[[nodiscard]] inline std::string bytes_at(const File& file, std::uint64_t position, std::size_t count) {
  std::string bytes(count, '\0');
  bytes.resize(file.read_at(position, bytes));
  return bytes;
}

[[nodiscard]] inline ArrayHeader read_npy_header(const File& file) {
  const NpyDictionaryPlace place = npy_dictionary_place(bytes_at(file, 0, npy_prefix_length));
  const std::string text = bytes_at(file, place.begin, static_cast<std::size_t>(place.length));
  if (text.size() < place.length) {
    throw DamagedHeader(place.begin + text.size(), "the file is truncated: it ends within its header");
  }
  return NpyDictionary(text, place.begin).parse();
}

[[nodiscard]] inline ArrayHeader read_idx_header(const File& file) {
  return parse_idx_header(bytes_at(file, 0, longest_idx_header));
}

/// Throws a DamagedHeader unless T can hold the rows. Requires check_extents().
template <class T>
void check_row_type(const ArrayHeader& header) {
  using Row = ArrayRow<T>;
  const NumberType wanted = number_type<typename Row::Number>();
  const bool is_half = header.type == half_type;
  const bool is_type = header.type == wanted || (is_half && wanted == number_type<std::uint16_t>());
  if (is_type && Row::accepts(header.row_shape())) return;
  throw DamagedHeader(is_type ? header.shape_at : header.type_at,
                      "the rows are " + header.type.name() + " of shape " + text_of_shape(header.row_shape()) +
                          ", but T holds " + wanted.name() + " " + Row::text_of_wanted_shape() +
                          (is_half && !is_type ? "; the bits of float16 can be read into std::uint16_t" : ""));
}

/// Checks the headers of all files and returns their rows. Throws a FileError.
template <class T, class ReadHeader>
[[nodiscard]] std::shared_ptr<const ArrayRows<T>> array_rows(const std::vector<std::string>& names,
                                                             const ReadHeader& read_header) {
  std::vector<RowsOfFile> files;
  ArrayHeader first;
  for (const std::string& name : names) {
    const File file = open_regular_file(name);
    try {
      const std::uint64_t size = file.size();
      const ArrayHeader header = read_header(file);
      check_extents(header);
      check_row_type<T>(header);
      check_array_length(header, size);
      if (files.empty()) first = header;
      if (header.rows() > 0 && header.row_bytes() > std::numeric_limits<std::size_t>::max()) {
        throw DamagedHeader(header.shape_at, "a row is larger than the memory of this system");
      }
      if (header.type != first.type) {
        throw DamagedHeader(header.type_at, "the numbers are " + header.type.name() + ", but those of " +
                                                names.front() + " are " + first.type.name());
      }
      if (header.row_shape() != first.row_shape()) {
        throw DamagedHeader(header.shape_at, "the rows have the shape " + text_of_shape(header.row_shape()) +
                                                 ", but those of " + names.front() + " have " +
                                                 text_of_shape(first.row_shape()));
      }
      if (header.is_big_endian != first.is_big_endian) {
        throw DamagedHeader(header.type_at, "the byte order is not that of " + names.front());
      }
      files.push_back({name, size, header.data_at, header.rows()});
    } catch (const DamagedHeader& damage) {
      file.fail(damage.byte(), damage.what());
    }
  }
  const auto row_bytes = static_cast<std::size_t>(first.row_bytes());
  return std::make_shared<const ArrayRows<T>>(files, row_bytes, first.is_big_endian);
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_ARRAY_ROWS_HPP
