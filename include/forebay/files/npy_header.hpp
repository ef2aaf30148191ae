// SPDX-License-Identifier: MIT
//
// npy_header.hpp: parses the header of a .npy file, the format of numpy.save. It consists of a magic text, the version,
// the length of a dictionary, and the dictionary, which is a literal of Python:
//
//   {'descr': '<f4', 'fortran_order': False, 'shape': (60000, 28, 28), }

#ifndef FOREBAY_FILES_NPY_HEADER_HPP
#define FOREBAY_FILES_NPY_HEADER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "forebay/base/compression.hpp"
#include "forebay/files/array_header.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Where the dictionary of a .npy file is.
struct NpyDictionaryPlace {
  std::uint64_t begin = 0;
  std::uint64_t length = 0;
};

/// The bytes that precede the longest dictionary.
inline constexpr std::size_t npy_prefix_length = 12;

/// The maximum length of a dictionary. An array with 32 extents of 20 digits has a dictionary of 800 characters.
inline constexpr std::uint64_t longest_npy_dictionary = 1U << 16U;

/// The most dimensions of an array of NumPy.
inline constexpr std::size_t most_npy_extents = 64;

/// Returns where the dictionary is. `bytes` are the first npy_prefix_length bytes of the file, or the whole file if it
/// is shorter. Throws DamagedHeader.
[[nodiscard]] inline NpyDictionaryPlace npy_dictionary_place(std::string_view bytes) {
  using namespace std::string_view_literals;
  constexpr std::string_view magic = "\x93NUMPY"sv;
  if (bytes.substr(0, 2) == "PK"sv)
    throw DamagedHeader(0, "the file is a .npz archive: unzip it, and read its .npy files");
  if (const std::string fault = compression_fault(bytes); !fault.empty()) throw DamagedHeader(0, fault);
  if (bytes.substr(0, magic.size()) != magic.substr(0, bytes.size())) {
    throw DamagedHeader(0, "the file is no .npy file: it does not begin with \\x93NUMPY");
  }
  const auto byte = [bytes](std::size_t at) {
    if (at >= bytes.size()) throw DamagedHeader(bytes.size(), "the file is truncated: it ends within its header");
    return static_cast<unsigned char>(bytes[at]);
  };
  const unsigned version = byte(magic.size());
  if (version < 1 || version > 3 || byte(magic.size() + 1) != 0) {
    throw DamagedHeader(magic.size(), "version " + std::to_string(version) + "." +
                                          std::to_string(byte(magic.size() + 1)) +
                                          " of the format is unknown; 1.0, 2.0 and 3.0 are known");
  }
  const std::size_t length_at = magic.size() + 2;
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  NpyDictionaryPlace place{length_at + length_bytes, 0};
  for (std::size_t i = length_bytes; i-- > 0;) place.length = place.length << 8U | byte(length_at + i);
  if (place.length > longest_npy_dictionary) {
    throw DamagedHeader(length_at, "a header of " + std::to_string(place.length) + " bytes is too long");
  }
  return place;
}

/// Parses the dictionary of a .npy file.
class NpyDictionary {
 public:
  /// `begin` is the place of `text` in the file.
  NpyDictionary(std::string_view text, std::uint64_t begin) noexcept : text_(text), begin_(begin) {}

  /// Returns the header. Throws DamagedHeader if the text is no dictionary with the three keys, or describes what is
  /// not supported: Fortran order, objects, structures, and types other than bool, (u)int8 to 64 and float16 to 64.
  [[nodiscard]] ArrayHeader parse() {
    header_.data_at = begin_ + text_.size();
    expect('{');
    while (!accept('}')) {
      entry();
      if (accept(',')) continue;
      expect('}');
      break;
    }
    skip_spaces();
    if (next_ < text_.size()) fail("there is text after the dictionary");
    if (!has_type_ || !has_order_ || !has_shape_) fail("the header lacks 'descr', 'fortran_order' or 'shape'");
    check_order();
    return header_;
  }

 private:
  void entry() {
    skip_spaces();
    const std::size_t key_at = next_;
    const std::string_view key = quoted();
    expect(':');
    skip_spaces();
    if (key == "descr" && !has_type_) {
      has_type_ = true;
      type();
    } else if (key == "fortran_order" && !has_order_) {
      has_order_ = true;
      order();
    } else if (key == "shape" && !has_shape_) {
      has_shape_ = true;
      shape();
    } else {
      next_ = key_at;
      fail("the key '" + std::string(key) + "' is unknown or repeated");
    }
  }

  void type() {
    header_.type_at = begin_ + next_;
    if (peek() == '[' || peek() == '(') fail("arrays of structures are not supported: save each field as an array");
    const std::size_t at = next_;
    const std::string_view text = quoted();
    next_ = at;  // the place of a failure
    if (text.size() >= 2 && text[1] == 'O')
      fail("arrays of objects (dtype '" + std::string(text) + "') are not supported");
    if (!parse_type(text)) {
      fail("the dtype '" + std::string(text) +
           "' is not supported: use bool, int8 to int64, uint8 to uint64, or float16 to float64");
    }
    next_ = at + text.size() + 2;
  }

  /// Returns whether the text is a supported type, such as "<f4".
  [[nodiscard]] bool parse_type(std::string_view text) noexcept {
    if (text.size() != 3) return false;
    const char order = text[0];
    const char letter = text[1];
    const auto bytes = static_cast<std::size_t>(static_cast<unsigned char>(text[2])) - '0';
    const bool is_integer = (letter == 'i' || letter == 'u') && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8);
    const bool is_float = letter == 'f' && (bytes == 2 || bytes == 4 || bytes == 8);
    const bool is_bool = letter == 'b' && bytes == 1;
    if (!is_integer && !is_float && !is_bool) return false;
    if (order != '<' && order != '>' && (order != '|' || bytes > 1)) return false;
    header_.type = {letter, bytes};
    header_.is_big_endian = order == '>';
    return true;
  }

  void order() {
    const std::string_view rest = text_.substr(next_);
    order_at_ = next_;
    is_fortran_ = rest.starts_with("True");
    if (!is_fortran_ && !rest.starts_with("False")) fail("'fortran_order' is neither True nor False");
    next_ += is_fortran_ ? 4 : 5;
  }

  /// Both orders are the same if at most one extent is greater than 1, or one is 0.
  void check_order() {
    const auto is_long = [](std::uint64_t extent) { return extent > 1; };
    if (!is_fortran_ || std::count_if(header_.shape.begin(), header_.shape.end(), is_long) < 2) return;
    if (std::find(header_.shape.begin(), header_.shape.end(), 0U) != header_.shape.end()) return;
    next_ = order_at_;
    fail(
        "the array is in Fortran order; convert the file: "
        "numpy.save(name, numpy.ascontiguousarray(numpy.load(name)))");
  }

  void shape() {
    header_.shape_at = begin_ + next_;
    expect('(');
    while (!accept(')')) {
      if (header_.shape.size() == most_npy_extents) fail("the array has too many dimensions");
      header_.shape.push_back(number());
      if (accept(',')) continue;
      if (header_.shape.size() == 1) fail("a shape of one extent ends in a comma");  // (5) is a number in Python
      expect(')');
      break;
    }
  }

  [[nodiscard]] std::uint64_t number() {
    skip_spaces();
    const std::size_t begin = next_;
    std::uint64_t number = 0;
    while (next_ < text_.size() && text_[next_] >= '0' && text_[next_] <= '9') {
      const auto digit = static_cast<std::uint64_t>(text_[next_] - '0');
      if (number > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) fail("an extent is too large");
      number = 10 * number + digit;
      ++next_;
    }
    if (next_ == begin) fail("a number is expected");
    if (peek() == 'L') ++next_;  // written by Python 2
    return number;
  }

  /// Returns the text between quotes.
  [[nodiscard]] std::string_view quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("a quoted text is expected");
    const std::size_t end = text_.find(quote, next_ + 1);
    if (end == std::string_view::npos) fail("a quoted text does not end");
    const std::string_view found = text_.substr(next_ + 1, end - next_ - 1);
    next_ = end + 1;
    return found;
  }

  [[nodiscard]] char peek() const noexcept { return next_ < text_.size() ? text_[next_] : '\0'; }

  [[nodiscard]] bool accept(char letter) noexcept {
    skip_spaces();
    if (peek() != letter) return false;
    ++next_;
    return true;
  }

  void expect(char letter) {
    if (!accept(letter)) fail(std::string("'") + letter + "' is expected");
  }

  void skip_spaces() noexcept {
    while (peek() == ' ' || peek() == '\n') ++next_;
  }

  [[noreturn]] void fail(const std::string& reason) const { throw DamagedHeader(begin_ + next_, reason); }

  std::string_view text_;
  std::uint64_t begin_;
  std::size_t next_ = 0;
  ArrayHeader header_{};
  std::size_t order_at_ = 0;
  bool is_fortran_ = false;
  bool has_type_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_NPY_HEADER_HPP
