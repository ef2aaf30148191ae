// SPDX-License-Identifier: MIT
//
// Reads an IDX file, the format of the MNIST family: a magic number, the extents, then the records as bytes.

#ifndef FOREBAY_EXAMPLES_IDX_FILE_HPP
#define FOREBAY_EXAMPLES_IDX_FILE_HPP

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <ios>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

/// An open IDX file of unsigned bytes, read record by record. An error in the file is a std::runtime_error with a
/// one-line message that names the file. Not thread-safe.
class IdxFile {
 public:
  /// Opens the file and checks its magic number, the extents of one record ({28, 28} for images, {} for labels) and its
  /// length. So a truncated file is found before its first record is used.
  IdxFile(std::filesystem::path path, const std::vector<std::uint32_t>& record_extents) : path_(std::move(path)) {
    open();
    check_magic(static_cast<std::uint32_t>(unsigned_bytes_magic + 1 + record_extents.size()));
    record_count_ = read_number();
    for (const std::uint32_t extent : record_extents) check_extent(extent);
    if (record_count_ == 0) fail("holds no records");
    check_length();
  }

  std::size_t record_count() const { return record_count_; }
  std::size_t record_size() const { return record_size_; }

  /// Reads the next record; the span is record_size() bytes long.
  void read_record(std::span<std::uint8_t> record) {
    // A stream reads char; the bytes are the same.
    stream_.read(reinterpret_cast<char*>(record.data()), static_cast<std::streamsize>(record.size()));
    if (!stream_) fail("ended early: it shrank or became unreadable while it was being read");
  }

  /// Throws a std::runtime_error that names this file.
  [[noreturn]] void fail(const std::string& what) const { throw std::runtime_error(path_.string() + ": " + what); }

 private:
  static constexpr std::uint32_t unsigned_bytes_magic = 0x0800;  // 0x08 = unsigned byte; then the number of extents

  void open() {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path_, error);
    if (error) fail(error.message());  // no such file, or no permission for a directory
    // Checked before the file is opened, because opening a FIFO blocks until there is a writer.
    if (!std::filesystem::is_regular_file(status)) fail("is not a regular file");
    errno = 0;
    stream_.open(path_, std::ios::binary);
    if (!stream_) fail(errno != 0 ? std::generic_category().message(errno) : "cannot be opened");
  }

  /// Numbers in the header are four bytes, the most significant first.
  std::uint32_t read_number() {
    std::array<std::uint8_t, 4> bytes{};
    stream_.read(reinterpret_cast<char*>(bytes.data()), bytes.size());
    if (!stream_) fail("is truncated: it ends within its header");
    std::uint32_t number = 0;
    for (const std::uint8_t byte : bytes) number = number << 8 | byte;
    return number;
  }

  void check_magic(std::uint32_t wanted) {
    const std::uint32_t magic = read_number();
    if (magic == wanted) return;
    std::ostringstream message;
    message << std::hex << std::setfill('0') << "has magic number 0x" << std::setw(8) << magic << " instead of 0x"
            << std::setw(8) << wanted;
    if (magic >> 16 == 0x1f8b) message << " (it is still gzip-compressed)";
    fail(message.str());
  }

  void check_extent(std::uint32_t wanted) {
    const std::uint32_t extent = read_number();
    if (extent != wanted) {
      fail("has records with an extent of " + std::to_string(extent) + " instead of " + std::to_string(wanted));
    }
    record_size_ *= extent;
  }

  void check_length() {
    const auto header = static_cast<std::uintmax_t>(stream_.tellg());
    const std::uintmax_t promised = header + std::uintmax_t{record_count_} * record_size_;
    const std::uintmax_t length = std::filesystem::file_size(path_);
    if (length == promised) return;
    fail(std::string(length < promised ? "is truncated" : "is too long") + ": it has " + std::to_string(length) +
         " bytes, its header promises " + std::to_string(promised));
  }

  std::filesystem::path path_;
  std::ifstream stream_;
  std::size_t record_count_ = 0;
  std::size_t record_size_ = 1;
};

#endif  // FOREBAY_EXAMPLES_IDX_FILE_HPP
