// SPDX-License-Identifier: MIT
//
// record_file.hpp: RecordFile, a file in which each record begins with a header that states its length.

#ifndef FOREBAY_FILES_RECORD_FILE_HPP
#define FOREBAY_FILES_RECORD_FILE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/file.hpp"
#include "forebay/files/file_reader.hpp"
#include "forebay/files/read_bytes.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Reads the headers of the records, and knows where the next record begins. After a wrong header it cannot be found,
/// so the file has ended.
class RecordFile {
 public:
  RecordFile(std::string name, const FileOptions& options) : file_(std::move(name), options) {}

  /// Returns the file. After next_header() its position is that of the data.
  [[nodiscard]] File& file() noexcept { return file_; }

  /// Returns the position of the last header.
  [[nodiscard]] std::uint64_t begin() const noexcept { return begin_; }

  /// Sets `length` by length_of(header, length), which returns what is wrong with the `header_size` bytes, or null.
  /// Returns false at the end. Throws a FileError if the header is wrong or truncated, or the file has fewer bytes.
  template <class LengthOf>
  bool next_header(std::size_t header_size, std::uint64_t& length, const LengthOf& length_of) {
    if (ended_) return false;
    begin_ = file_.position();
    std::array<char, largest_header> storage;
    const std::string_view header = take_bytes(file_, std::span(storage).first(header_size));
    if (header.empty()) return false;
    ended_ = true;  // unless the header is right
    if (header.size() < header_size) {
      fail(file_.position(), "the file ends within the length of a record", header);
    }
    const char* const fault = length_of(header.data(), length);
    if (fault != nullptr) fail(begin_, fault, header);
    if (!left_.are_at_least(length, file_)) {
      fail(begin_, "the record has " + std::to_string(length) + " bytes, more than are left in the file", header);
    }
    ended_ = false;
    return true;
  }

  /// Moves on by the `count` bytes that are left of a record. Throws a FileError if the file has fewer.
  void pass(std::uint64_t count) {
    if (file_.skip(count) < count) file_.fail(file_.position(), "the file ends within a record");
  }

  /// Return, and go to, the position of the next record.
  [[nodiscard]] std::uint64_t cursor() const noexcept { return ended_ ? at_end : file_.position(); }
  void seek(std::uint64_t cursor) {
    ended_ = cursor == at_end;
    if (!ended_) resume_at(file_, cursor);
  }

  [[nodiscard]] std::string location() const { return file_.name() + ": byte " + std::to_string(begin_); }

 private:
  [[noreturn]] void fail(std::uint64_t byte, const std::string& reason, std::string_view header) const {
    file_.fail(byte, reason + compression_hint_of(file_, begin_, header));
  }

  static constexpr std::uint64_t at_end = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::size_t largest_header = 16;  // of all formats, in bytes

  File file_;
  BytesLeft left_;
  std::uint64_t begin_ = 0;
  bool ended_ = false;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_RECORD_FILE_HPP
