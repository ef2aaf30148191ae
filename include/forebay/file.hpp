// SPDX-License-Identifier: MIT

/// @file
/// Defines File, which reads a file by bytes, with 64-bit positions on every system; FileError; and list_files.
///
/// @code
/// forebay::File file("train.bin");
/// std::array<char, 16> header{};
/// file.read_exactly(header, "the header");     // FileError "train.bin: byte 9: the file ends within the header"
/// file.seek(1'000'000'000'000);
/// @endcode
///
/// When to use: in a reader for a file format of your own. The functions of files.hpp read common formats.
///
/// Lifetime: a File owns its open file and its buffer. It can be moved.
///
/// Thread safety: any number of threads may call the const members of a File; only one thread at a time may call the
/// others.

#ifndef FOREBAY_FILE_HPP
#define FOREBAY_FILE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/compression.hpp"
#include "forebay/byte_source.hpp"
#include "forebay/count.hpp"
#include "forebay/file/file_handle.hpp"
#include "forebay/file/file_pattern.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

namespace detail {

/// Returns the bytes of the buffer of a file of `size` bytes. Even that of an empty file has some: the file may grow.
[[nodiscard]] inline std::uint64_t buffer_of(std::uint64_t size, std::uint64_t most) noexcept {
  return smaller<std::uint64_t>(std::max<std::uint64_t>(size, 4096), most);
}

}  // namespace detail

/// Reports a file that cannot be read or that is damaged: "train.bin: byte 9: the file ends within the header".
class FileError : public std::runtime_error {
 public:
  /// Creates the error of a byte of a file.
  FileError(std::string file, std::uint64_t byte, const std::string& reason)
      : std::runtime_error(file + ": byte " + std::to_string(byte) + ": " + reason),
        file_(std::move(file)),
        byte_(byte) {}

  /// Creates the error of a whole file: "train.bin: cannot open: No such file or directory".
  FileError(std::string file, const std::string& reason)
      : std::runtime_error(file + ": " + reason), file_(std::move(file)) {}

  /// Returns the name of the file, as it was given to File.
  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  /// Returns the offset of the byte at which the file is damaged or cannot be read; 0 if the error is of the whole
  /// file.
  [[nodiscard]] std::uint64_t byte() const noexcept { return byte_; }

 private:
  std::string file_;
  std::uint64_t byte_ = 0;
};

/// Holds the options of File: `File("train.bin", {.buffer_size = 1 << 20})`.
struct FileOptions {
  /// Limits the buffer, in bytes. A small file gets a smaller one. Reads of more than 32 KiB bypass it.
  Count buffer_size = default_buffer_size;
  /// Opens the file as a source of bytes, for example to decompress it. By default, it is read as it is.
  OpenByteSource open{};

  /// @cond
  static constexpr std::size_t default_buffer_size = 262'144;
  /// @endcond
};

/// Reads a file: sequentially through a buffer, or at any position from any number of threads.
///
/// Guarantees:
///  - Positions have 64 bits, on 32-bit systems and on Windows, too.
///  - A read that the system splits or that a signal interrupts continues.
///  - Every failure is a FileError that names the file, the reason and, unless it concerns the whole file, the byte.
///
/// A pipe can be read sequentially. Opening a named pipe blocks until another program writes to it. The same holds for
/// a ByteSource: it has no size, and reads at any position are not possible. What it throws becomes a FileError; only
/// std::bad_alloc is passed on.
class File {
 public:
  /// @name Opening
  /// @{

  /// Opens the file. Throws a FileError if it does not exist, is a directory or may not be read, and
  /// std::invalid_argument for a buffer of 0 bytes.
  explicit File(std::string name, const FileOptions& options = {})
      : name_(std::move(name)), most_buffered_(options.buffer_size.at_least(1, "File: buffer_size")) {
    if (options.open) {
      source_ = open_source(options.open);
    } else {
      handle_.emplace(open(name_));
    }
  }

  /// Returns the name, as given.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// Returns whether the file has a size and positions; false for a pipe, another device, and a ByteSource.
  [[nodiscard]] bool is_seekable() const noexcept { return handle_ && handle_->is_seekable(); }

  /// Returns the current size in bytes. Throws a FileError if the file is not seekable.
  [[nodiscard]] std::uint64_t size() const {
    require_seekable();
    return checked(0, [&] { return handle_->size(); });
  }

  /// @}
  /// @name Sequential reads
  /// @{

  /// Returns the position of the next byte.
  [[nodiscard]] std::uint64_t position() const noexcept { return end_position_ - (end_ - next_); }

  /// Continues at `position`, which may be beyond the end. In a pipe, and in a ByteSource that cannot seek, it only
  /// moves forward, and reads the bytes in between; otherwise it throws a FileError.
  void seek(std::uint64_t position) {
    const std::uint64_t begin = end_position_ - end_;  // of the buffer
    if (position >= begin && position <= end_position_) {
      next_ = static_cast<std::size_t>(position - begin);
    } else if (is_seekable() || (source_ && of_source([&] { return source_->seek(position); }))) {
      end_position_ = position;
      next_ = end_ = 0;
      failure_ = nullptr;
    } else {
      if (position < begin) fail(position, "cannot go back: the file is not seekable");
      const std::uint64_t missing = position - this->position();
      if (skip(missing) < missing) fail(this->position(), "the file ends before byte " + std::to_string(position));
    }
  }

  /// Fills `into` and returns its size, or the smaller number of bytes that are left. Throws a FileError.
  std::size_t read(std::span<char> into) {
    if (into.size() > end_ - next_) return read_past_buffer(into);
    if (!into.empty()) std::memcpy(into.data(), buffer_.get() + next_, into.size());
    next_ += into.size();
    return into.size();
  }

  /// Fills `into`. Throws a FileError "the file ends within WHAT" if fewer bytes are left.
  void read_exactly(std::span<char> into, const char* what) {
    if (read(into) < into.size()) fail(position(), std::string("the file ends within ") + what);
  }

  /// Returns the unread bytes of the buffer, and reads some if there are none. The result is empty only at the end of
  /// the file. It is valid until the next call of a member that is not const.
  ///
  /// @code
  /// for (std::string_view some = file.buffered(); !some.empty(); some = file.buffered()) {
  ///   sum += count_lines(some);
  ///   file.consume(some.size());
  /// }
  /// @endcode
  [[nodiscard]] std::string_view buffered() {
    if (next_ == end_) fill();
    return {buffer_.get() + next_, end_ - next_};
  }

  /// Moves on by `count` bytes. Requires that buffered() has them.
  void consume(std::size_t count) noexcept { next_ += count; }

  /// Moves on by `count` bytes, fewer only at the end of the file, and returns their number. Reads them only in a pipe
  /// or a ByteSource.
  std::uint64_t skip(std::uint64_t count) {
    const auto there = detail::smaller<std::uint64_t>(count, end_ - next_);
    next_ += static_cast<std::size_t>(there);
    if (there == count) return count;
    return there + (is_seekable() ? skip_by_seeking(count - there) : skip_by_reading(count - there));
  }

  /// @}
  /// @name Reads at any position
  /// @{

  /// Fills `into` with the bytes from `position` on, and returns their number, which is smaller only at the end of the
  /// file. Does not move position(). Throws a FileError, also if the file is not seekable.
  [[nodiscard]] std::size_t read_at(std::uint64_t position, std::span<char> into) const {
    require_seekable();
    std::size_t count = 0;
    while (count < into.size()) {
      const std::uint64_t from = position + count;
      const std::size_t read =
          checked(from, [&] { return handle_->read_some(from, into.data() + count, into.size() - count); });
      if (read == 0) break;
      count += read;
    }
    return count;
  }

  /// @}

  /// Throws a FileError that names this file.
  [[noreturn]] void fail(std::uint64_t byte, const std::string& reason) const { throw FileError(name_, byte, reason); }

 private:
  [[nodiscard]] static detail::FileHandle open(const std::string& name) {
    if (const std::size_t nul = name.find('\0'); nul != std::string::npos) {
      throw FileError(name.substr(0, nul), "cannot open: the name contains a NUL");
    }
    try {
      return detail::FileHandle(name.c_str());
    } catch (const std::system_error& error) {
      throw FileError(name, error.what());
    }
  }

  [[nodiscard]] std::unique_ptr<ByteSource> open_source(const OpenByteSource& open) const {
    return detail::call_source(
        name_, [&] { return detail::open_source(open, name_); },
        [&](const std::string& reason) { throw FileError(name_, reason); });
  }

  /// Returns the result of a call of the handle, and converts its failures.
  template <class Call>
  [[nodiscard]] auto checked(std::uint64_t byte, const Call& call) const -> decltype(call()) {
    try {
      return call();
    } catch (const std::system_error& error) {
      fail(byte, error.what());
    }
  }

  /// Does the same for a call of the source, from which nothing more is read after a failure.
  template <class Call>
  [[nodiscard]] auto of_source(const Call& call) -> decltype(call()) {
    return detail::call_source(name_, call, [this](const std::string& reason) {
      source_.reset();
      next_ = end_;  // otherwise the bytes in front would be a file that ends too early, another failure
      fail(end_position_, reason);
    });
  }

  void require_seekable() const {
    if (!is_seekable()) throw FileError(name_, "the file is not seekable");
  }

  /// Reads behind the buffer, which thereby becomes invalid.
  std::size_t read_some(char* into, std::size_t most) {
    if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
    std::size_t read = 0;
    if (handle_) {
      read = checked(end_position_, [&] { return handle_->read_some(end_position_, into, most); });
    } else if (source_ != nullptr) {
      read = of_source([&] { return detail::read_source(*source_, {into, most}); });
    }
    end_position_ += read;
    return read;
  }

  /// Continues read() if the buffer has too few bytes. Not inlined, so that read() is.
  [[gnu::noinline]] std::size_t read_past_buffer(std::span<char> into) {
    std::size_t count = 0;
    while (count < into.size()) {
      if (next_ == end_ && into.size() - count >= detail::smaller(most_buffered_, large)) {
        next_ = end_ = 0;
        const std::size_t read = read_some(into.data() + count, into.size() - count);
        if (read == 0) break;
        count += read;
        continue;
      }
      const std::string_view some = buffered().substr(0, into.size() - count);
      if (some.empty()) break;
      std::memcpy(into.data() + count, some.data(), some.size());
      consume(some.size());
      count += some.size();
    }
    return count;
  }

  /// Fills the empty buffer.
  void fill() {
    if (buffer_ == nullptr) allocate();
    next_ = end_ = 0;
    // A pipe may deliver one byte, which does not tell whether the file is compressed.
    const std::size_t least =
        end_position_ == 0 ? detail::smaller(buffer_size_, detail::compression_magic_size) : std::size_t{1};
    std::size_t read = 1;
    try {
      while (read > 0 && end_ < least) {
        read = read_some(buffer_.get() + end_, buffer_size_ - end_);
        end_ += read;
      }
    } catch (const FileError&) {
      if (end_ == 0) throw;
      next_ = 0;
      failure_ = std::current_exception();
    }
  }

  /// Allocates the buffer at the first read, so that a File for reads at any position has none.
  void allocate() {
    buffer_size_ = most_buffered_;
    if (is_seekable()) {
      const std::uint64_t size = this->size();
      buffer_size_ = static_cast<std::size_t>(detail::buffer_of(size, most_buffered_));
      if (size > most_buffered_) handle_->expect_sequential_reads();
    }
    buffer_.reset(new char[buffer_size_]);
  }

  std::uint64_t skip_by_seeking(std::uint64_t count) {
    const std::uint64_t size = this->size();
    const std::uint64_t left = size > end_position_ ? size - end_position_ : 0;
    const auto skipped = detail::smaller<std::uint64_t>(count, left);
    end_position_ += skipped;
    next_ = end_ = 0;
    return skipped;
  }

  std::uint64_t skip_by_reading(std::uint64_t count) {
    std::uint64_t skipped = 0;
    while (skipped < count && !buffered().empty()) {
      const auto some = detail::smaller<std::uint64_t>(count - skipped, end_ - next_);
      next_ += static_cast<std::size_t>(some);
      skipped += some;
    }
    return skipped;
  }

  static constexpr std::size_t large = 32'768;  // bytes that are worth a system call

  std::string name_;
  std::size_t most_buffered_;
  std::optional<detail::FileHandle> handle_;  // nothing if there is a source
  std::unique_ptr<ByteSource> source_;        // null also after a failure
  std::exception_ptr failure_;                // of the read behind the buffer; its bytes come first
  std::unique_ptr<char[]> buffer_;
  std::size_t buffer_size_ = 0;
  std::size_t next_ = 0;            // in the buffer: the next byte
  std::size_t end_ = 0;             // in the buffer: the end of what was read
  std::uint64_t end_position_ = 0;  // in the file: the end of what was read
};

/// Returns the names of the files that match `pattern`, sorted by bytes, so that they have the same order on every
/// machine.
///
/// In the last component, `*` stands for any characters and `?` for one. As in a shell, neither matches a leading dot.
/// Directories are left out. A pattern without wildcards is the name of one file. (TensorFlow: Dataset.list_files.)
///
/// Throws a FileError if no file matches or the directory cannot be read, and std::invalid_argument for wildcards in a
/// directory and for `**`.
///
/// @code
/// list_files("data/train-*.tfrecord")   // "data/train-0.tfrecord", "data/train-1.tfrecord"
/// @endcode
[[nodiscard]] inline std::vector<std::string> list_files(const std::string& pattern) {
  const detail::FilePattern files(pattern);
  std::vector<std::string> names;
  std::error_code error;
  if (!files.has_wildcards()) {
    if (std::filesystem::exists(pattern, error)) names.push_back(pattern);
  } else {
    const std::string directory = files.directory().empty() ? "." : files.directory();
    std::filesystem::directory_iterator entry(directory, error);
    if (error) throw FileError(directory, "cannot list the directory: " + error.message());
    for (const std::filesystem::directory_iterator end; entry != end; entry.increment(error)) {
      std::string name = entry->path().filename().string();
      std::error_code ignored;  // a link to nothing: opening it reports the failure
      if (files.matches(name) && !entry->is_directory(ignored)) names.push_back(files.directory() + name);
    }
    if (error) throw FileError(directory, "cannot list the directory: " + error.message());
  }
  if (names.empty()) throw FileError(pattern, "no file matches");
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_FILE_HPP
