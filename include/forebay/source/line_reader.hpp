// SPDX-License-Identifier: MIT
//
// line_reader.hpp: LineReader, which reads a text file line by line.

#ifndef FOREBAY_SOURCE_LINE_READER_HPP
#define FOREBAY_SOURCE_LINE_READER_HPP

#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/compression.hpp"
#include "forebay/base/text_fields.hpp"
#include "forebay/byte_source.hpp"
#include "forebay/flow/errors.hpp"
#include "forebay/source/reader.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A string or a path.
template <class File>
concept FileName = std::constructible_from<std::string, const File&> || requires(const File& file) {
  file.string();
};

template <class Files>
concept FileNames = std::ranges::input_range<Files> && FileName<std::ranges::range_value_t<Files>>;

template <FileName File>
[[nodiscard]] std::string file_name(const File& file) {
  if constexpr (std::constructible_from<std::string, const File&>) {
    return std::string(file);
  } else {
    return file.string();
  }
}

/// Returns the names: of one file, or of a range of files.
template <class Files>
[[nodiscard]] std::vector<std::string> file_names(Files& files) {
  std::vector<std::string> names;
  if constexpr (FileName<Files>) {  // checked first, because a path is a range, too
    names.push_back(file_name(files));
  } else {
    for (auto&& file : files) names.push_back(file_name(file));
  }
  return names;
}

/// The failure of a ByteSource, with its text alone.
class SourceError : public std::system_error {
 public:
  explicit SourceError(const std::string& text)
      : std::system_error(std::make_error_code(std::errc::io_error)), text_(text) {}

  [[nodiscard]] const char* what() const noexcept override { return text_.what(); }

 private:
  std::runtime_error text_;  // can be copied without failing
};

/// A reader (see from_callable).
class LineReader {
 public:
  static constexpr std::size_t buffer_size = 65'536;

  /// Opens the file, as a source if `open_bytes` is set. Throws std::system_error, which names the file, if it cannot
  /// be opened.
  explicit LineReader(std::string name, OpenByteSource open_bytes = {})
      : name_(std::move(name)), open_bytes_(std::move(open_bytes)) {
    open();
  }

  /// Fills `line` with the next line, without "\n" or "\r\n". Returns false at the end. Throws std::system_error if the
  /// file cannot be read.
  bool operator()(std::string& line) {
    line.clear();
    ++line_;
    for (;;) {
      if (next_ == read_ && !read()) return !line.empty();
      const char* const begin = buffer_.data() + next_;
      const auto* const end = static_cast<const char*>(std::memchr(begin, '\n', read_ - next_));
      if (end == nullptr) {
        line.append(begin, read_ - next_);
        next_ = read_;
        continue;
      }
      line.append(begin, end);
      next_ += static_cast<std::size_t>(end - begin) + 1;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      return true;
    }
  }

  /// Returns the location of the line that was read last or could not be read: its number in the file, from 1.
  [[nodiscard]] std::uint64_t line() const noexcept { return line_; }
  [[nodiscard]] const std::string& file() const noexcept { return name_; }
  [[nodiscard]] std::string location() const { return name_ + ':' + std::to_string(line_); }

  /// Return, and go to, the position of the next line: its offset in bytes, and the number of preceding lines. Throw
  /// std::system_error.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> cursor() const noexcept {
    return {begin_of_buffer_ + next_, line_};
  }
  void seek(const std::pair<std::uint64_t, std::uint64_t>& cursor) {
    failure_ = nullptr;
    if (open_bytes_) {
      seek_source(cursor.first);
    } else if (cursor.first > std::numeric_limits<long>::max() ||
               std::fseek(file_.get(), static_cast<long>(cursor.first), SEEK_SET) != 0) {
      fail(": cannot go back");
    }
    begin_of_buffer_ = cursor.first;
    line_ = cursor.second;
    next_ = read_ = 0;
  }

 private:
  void open() {
    if (open_bytes_) {
      source_ = of_source([this] { return open_source(open_bytes_, name_); });
    } else {
      file_.reset(std::fopen(name_.c_str(), "rb"));
      if (file_ == nullptr) fail(": cannot open");
    }
  }

  /// Fills the buffer. Returns false at the end of the file.
  bool read() {
    const bool is_beginning = begin_of_buffer_ + read_ == 0;
    begin_of_buffer_ += read_;
    next_ = read_ = 0;
    // A source may deliver one byte, which does not tell whether the file is compressed.
    try {
      for (std::size_t read = 1; read > 0 && read_ < (is_beginning ? compression_magic_size : 1); read_ += read) {
        read = read_some(buffer_size - read_);
      }
    } catch (const std::system_error&) {
      if (read_ == 0) throw;
      failure_ = std::current_exception();
    }
    if (is_beginning) check_beginning();
    return read_ > 0;
  }

  /// Reads at most `most` bytes behind those in the buffer. Returns how many; 0 at the end of the file.
  std::size_t read_some(std::size_t most) {
    if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
    buffer_.resize(buffer_size);
    char* const into = buffer_.data() + read_;
    if (source_ != nullptr) return of_source([&] { return read_source(*source_, {into, most}); });
    if (file_ == nullptr) return 0;  // the source has failed
    const std::size_t read = std::fread(into, 1, most, file_.get());
    if (read == 0 && std::ferror(file_.get()) != 0) fail(": cannot read");
    return read;
  }

  void seek_source(std::uint64_t position) {
    if (source_ == nullptr || begin_of_buffer_ + read_ > 0) open();
    if (of_source([&] { return source_->seek(position); })) return;
    read_ = 0;
    for (std::uint64_t left = position; left > 0;) {
      const std::size_t read = read_some(static_cast<std::size_t>(smaller<std::uint64_t>(left, buffer_size)));
      if (read == 0) fail_source("it ends before byte " + std::to_string(position) + ", where the run should resume");
      left -= read;
    }
  }

  /// Returns the result of a call of the source, from which nothing more is read after a failure.
  template <class Call>
  auto of_source(const Call& call) -> decltype(call()) {
    return call_source(name_, call, [this](const std::string& reason) {
      source_.reset();
      fail_source(reason);
    });
  }

  /// Skips a byte order mark. Throws std::system_error if the file is compressed.
  void check_beginning() {
    const std::string_view some(buffer_.data(), read_);
    if (const std::string fault = compression_fault(some); !fault.empty()) {
      read_ = 0;
      throw std::system_error(std::make_error_code(std::errc::not_supported), name_ + ": " + fault);
    }
    if (some.starts_with("\xEF\xBB\xBF")) next_ = 3;
  }

  [[noreturn]] void fail(const char* what) const {
    throw std::system_error(errno, std::generic_category(), name_ + what);
  }
  [[noreturn]] void fail_source(const std::string& what) const { throw SourceError(name_ + ": " + what); }

  std::string name_;
  OpenByteSource open_bytes_;
  FilePointer file_;                    // null if a source is read
  std::unique_ptr<ByteSource> source_;  // null also after a failure
  std::exception_ptr failure_;          // of the read behind the buffer; its bytes come first
  std::vector<char> buffer_;
  std::size_t next_ = 0;
  std::size_t read_ = 0;
  std::uint64_t begin_of_buffer_ = 0;
  std::uint64_t line_ = 0;
};

/// The failures of a LineReader. Running out of memory is none of them. A file that cannot be read is one failure, and
/// is not read any further.
template <>
struct FailureOf<LineReader> {
  using type = std::system_error;
  static constexpr bool is_end = true;
  static constexpr bool goes_on = false;
};

template <>
inline constexpr std::uint64_t usual_buffer<LineReader> = LineReader::buffer_size;

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_SOURCE_LINE_READER_HPP
