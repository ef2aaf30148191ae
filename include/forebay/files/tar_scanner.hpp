// SPDX-License-Identifier: MIT
//
// tar_scanner.hpp: TarScanner, which finds the files in a tar archive one after the other.

#ifndef FOREBAY_FILES_TAR_SCANNER_HPP
#define FOREBAY_FILES_TAR_SCANNER_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/base/compression.hpp"
#include "forebay/files/file_reader.hpp"
#include "forebay/files/read_bytes.hpp"
#include "forebay/files/tar_header.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A file in an archive.
struct TarFile {
  std::string name;
  std::uint64_t begin = 0;      // of its first header
  std::uint64_t data = 0;       // where its bytes begin
  std::uint64_t size = 0;       // the number of its bytes
  TarGlobals globals{};         // that apply to it
  bool follows_damage = false;  // whether other entries may be missing in front of it

  [[nodiscard]] std::uint64_t end() const noexcept { return data + size; }
};

/// Reads the headers of an archive, and the data if asked to. Source is File or FilePart.
///
/// After a FileError, next() goes on at the next block that is a header. If there can be none, such as in an archive
/// that ends too early, it returns false.
template <class Source>
class TarScanner {
 public:
  /// The archive begins at the position of the source, where the given global headers apply.
  explicit TarScanner(Source source, TarGlobals globals = nullptr)
      : source_(std::move(source)), next_(source_.position()), globals_(std::move(globals)) {}

  /// Finds the next file. Returns false at the end of the archive: at a block of zeros, or at the end of the file.
  bool next(TarFile& file) {
    const std::uint64_t from = std::exchange(next_, ended);  // stays so if reading fails
    if (from == ended) return false;
    file.follows_damage = from % tar_block_size != 0;
    if (!file.follows_damage) go_to(from);
    const std::optional<TarBlockView> block = file.follows_damage ? search() : read_block();
    if (!block && block_position_ == 0) fail(0, "the file is empty, so it is no tar archive", ended);
    return block && find(*block, file);
  }

  /// Reads the bytes of the file that next() found last, once.
  void read(const TarFile& file, std::string& bytes) {
    const std::uint64_t after = std::exchange(next_, ended);
    read_data(file.size, bytes);
    next_ = after;
  }

  /// Returns where next() goes on. In a block that is damaged, this is its second byte: next() then searches the next
  /// header.
  [[nodiscard]] std::uint64_t position() const noexcept { return next_; }

  /// Returns the text of position() and the global headers that apply there.
  [[nodiscard]] std::string cursor() const { return TarCursor{next_, globals_}.text(); }

  /// Throws a FileError if the file has no such position.
  void seek(const std::string& text) {
    next_ = ended;
    std::optional<TarCursor> parsed = TarCursor::parse(text);
    if (!parsed) source_.fail(0, "this is no position in an archive: " + text);
    globals_ = std::move(parsed->globals);
    const std::uint64_t cursor = parsed->position;
    if (cursor == ended) return;
    const std::uint64_t begin = cursor - cursor % tar_block_size;
    if (source_.is_seekable() && begin >= source_.size() + tar_block_size) fail_to_resume(source_, cursor);
    source_.seek(begin);
    data_end_ = block_position_ = begin;
    misses_extension_ = false;
    if (cursor != begin) {
      const std::optional<TarBlockView> block = next_block();
      if (!block) return;
      misses_extension_ = resembles_tar_extension(*block);
    }
    next_ = cursor;
  }

  [[nodiscard]] const std::string& name() const noexcept { return source_.name(); }

  /// Throws a FileError. Reading goes on at `next`.
  [[noreturn]] void fail(std::uint64_t byte, const std::string& reason, std::uint64_t next) {
    next_ = next;
    source_.fail(byte, reason);
  }

 private:
  static constexpr std::uint64_t ended = std::numeric_limits<std::uint64_t>::max();

  /// What the extended headers in front of a file say, and whether they are damaged.
  struct Extensions {
    TarExtension values{};  // beginning with those of global headers
    bool are_there = false;
    const char* fault = nullptr;
    std::uint64_t fault_position = 0;
  };

  /// Reads headers, beginning with this one, up to that of a file.
  bool find(TarBlockView first, TarFile& file) {
    file.begin = block_position_;
    Extensions extensions = of_globals();
    for (std::optional<TarBlockView> block = first; block; block = read_block()) {
      if (is_tar_end(*block)) break;
      const TarHeader header = checked_header(*block);
      if (header.kind == TarKind::file && found(header, extensions, file)) return true;
      extensions.are_there = pass(header, extensions);
      if (!extensions.are_there) {
        extensions = of_globals();
        file.begin = source_.position();
      }
    }
    if (extensions.are_there) {
      fail(file.begin, "the archive ends before the entry that this extended header describes", ended);
    }
    return false;
  }

  [[nodiscard]] Extensions of_globals() const {
    return globals_ == nullptr ? Extensions() : Extensions{.values = *globals_};
  }

  [[nodiscard]] TarHeader checked_header(TarBlockView block) {
    TarHeader header;
    const char* const fault = read_tar_header(block, header);
    if (fault == nullptr) return header;
    reject_compressed({block.data(), block.size()});
    misses_extension_ = resembles_tar_extension(block);
    fail_at_block(fault);
  }

  /// Passes over a header that is not that of a file, and its data. Returns whether it belongs to the next file.
  bool pass(const TarHeader& header, Extensions& extensions) {
    switch (header.kind) {
      case TarKind::sparse: fail_at_block("GNU sparse files are not supported");
      case TarKind::pax:
        read_data(header.size, text_);
        note(extensions, extensions.values.read_pax(text_));
        break;
      case TarKind::pax_global:
        read_global(header);
        extensions.values = of_globals().values;  // a header of one file directly precedes that file
        break;
      case TarKind::gnu_name:
        read_data(header.size, text_);
        extensions.values.path = tar_text(text_);
        break;
      default: {
        const bool has_data = header.kind != TarKind::no_data;
        expect_data(has_data ? extensions.values.size.value_or(header.size) : 0);
        break;
      }
    }
    const bool extends_next = header.kind == TarKind::pax || header.kind == TarKind::pax_global ||
                              header.kind == TarKind::gnu_name || header.kind == TarKind::gnu_link_name;
    go_to(data_end_ + padding(data_end_));
    return extends_next;
  }

  /// A damaged extension is reported when the file is found: its name or its size may be missing.
  void note(Extensions& extensions, const char* fault) const noexcept {
    if (fault == nullptr || extensions.fault != nullptr) return;
    extensions.fault = fault;
    extensions.fault_position = block_position_;
  }

  void read_global(const TarHeader& header) {
    read_data(header.size, text_);
    TarExtension values = of_globals().values;
    // All files that follow may then have another name and size.
    if (const char* const fault = values.read_pax(text_)) fail(block_position_, fault, ended);
    if (values.is_sparse) fail(block_position_, "GNU sparse files are not supported", ended);
    const bool says_something = values.path || values.size;
    globals_ = says_something ? std::make_shared<const TarExtension>(std::move(values)) : nullptr;
  }

  /// Returns whether the header is that of a file. Its own name may be cut behind any slash, so only the whole name
  /// tells whether it is a directory.
  bool found(const TarHeader& header, Extensions& extensions, TarFile& file) {
    if (extensions.fault != nullptr) fail(extensions.fault_position, extensions.fault, block_position_ + 1);
    if (extensions.values.is_sparse) fail_at_block("GNU sparse files are not supported");
    if (extensions.values.path) {
      file.name = std::move(*extensions.values.path);
    } else {
      header.path(file.name);
    }
    if (file.name.ends_with('/')) return false;
    file.size = extensions.values.size.value_or(header.size);
    file.data = source_.position();
    file.globals = globals_;
    expect_data(file.size);
    reads_directly_ = source_.is_seekable() && file.size >= large;
    next_ = data_end_ + padding(data_end_);
    return true;
  }

  /// Searches the block of the next header, behind the damage.
  std::optional<TarBlockView> search() {
    reads_directly_ = false;
    bool misses_extension = std::exchange(misses_extension_, false);
    while (const std::optional<TarBlockView> block = next_block()) {
      TarHeader header;
      if (read_tar_header(*block, header) != nullptr) continue;
      if (!misses_extension || header.kind != TarKind::file) return block;
      misses_extension = false;
    }
    return std::nullopt;
  }

  /// Returns the next block; nothing at the end of the file. It is valid until the next read.
  std::optional<TarBlockView> read_block() {
    const std::optional<TarBlockView> block = next_block();
    const std::uint64_t read = source_.position() - block_position_;
    if (block || read == 0) return block;
    reject_compressed({block_.data(), static_cast<std::size_t>(read)});
    fail(block_position_ + read, "the file ends within a tar header", ended);
  }

  /// Fails if these bytes, which are no header, begin a compressed file.
  void reject_compressed(std::string_view bytes) {
    const std::string fault = block_position_ == 0 ? compression_fault(bytes) : std::string();
    if (!fault.empty()) fail(0, fault, ended);
  }

  /// Does the same, and ignores the bytes behind the last block.
  std::optional<TarBlockView> next_block() {
    block_position_ = source_.position();
    const std::string_view read =
        reads_directly_ ? std::string_view(block_.data(), read_directly(block_)) : take_bytes(source_, block_);
    if (read.size() < tar_block_size) return std::nullopt;
    return TarBlockView(read.data(), tar_block_size);
  }

  /// Goes to a block behind the data. These end there, so that an end of the file in between is one of the padding.
  void go_to(std::uint64_t position) {
    if (source_.is_seekable()) {
      source_.seek(position);
      return;
    }
    if (source_.position() < data_end_) {
      const std::uint64_t missing = data_end_ - source_.position();
      if (source_.skip(missing) < missing) fail_at_end();
    }
    source_.skip(position - source_.position());
  }

  /// Checks that the file has `size` more bytes, as far as this is known.
  void expect_data(std::uint64_t size) {
    data_end_ = source_.position() + size;
    if (!source_.is_seekable() || data_end_ <= size_) return;
    size_ = source_.size();  // it may have grown
    if (data_end_ > size_) fail_at_end();
  }

  void read_data(std::uint64_t size, std::string& bytes) {
    expect_data(size);
    if (size > bytes.max_size()) fail(block_position_, "the entry is too large for the memory of this system", ended);
    const auto length = static_cast<std::size_t>(size);
    if (source_.is_seekable()) {
      if (length >= large && bytes.size() >= length / 2) {  // otherwise resize() would set much memory first
        bytes.resize(length);
        if (read_directly(bytes) < length) fail_at_end();
        return;
      }
      if (bytes.capacity() < length) bytes.reserve(length);
    }
    reads_directly_ = false;
    bytes.clear();
    while (bytes.size() < length) {  // without a size, the memory grows with what was read
      const std::string_view some = source_.buffered().substr(0, length - bytes.size());
      if (some.empty()) fail_at_end();
      bytes.append(some);
      source_.consume(some.size());
    }
  }

  /// Reads past the buffer, so that the bytes of large files are copied once.
  std::size_t read_directly(std::span<char> into) {
    const std::uint64_t position = source_.position();
    const std::size_t read = source_.read_at(position, into);
    source_.seek(position + read);
    return read;
  }

  [[nodiscard]] static std::uint64_t padding(std::uint64_t end) noexcept { return (0 - end) % tar_block_size; }

  [[noreturn]] void fail_at_block(const char* reason) { fail(block_position_, reason, block_position_ + 1); }
  [[noreturn]] void fail_at_end() {
    fail(block_position_, "the entry ends at byte " + std::to_string(data_end_) + ", beyond the end of the file",
         ended);
  }

  static constexpr std::size_t large = 1U << 15U;  // bytes that are worth a system call

  Source source_;
  std::uint64_t next_;
  std::uint64_t size_ = 0;      // of the file, as far as is known
  std::uint64_t data_end_ = 0;  // of the last header
  std::uint64_t block_position_ = 0;
  bool reads_directly_ = false;    // the next header: the last file was large, so the next one is probably large, too
  bool misses_extension_ = false;  // the damage at next_ may be in one, so the next file may have a wrong name or size
  TarBlock block_{};               // if the buffer does not have the whole block
  std::string text_;
  TarGlobals globals_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_TAR_SCANNER_HPP
