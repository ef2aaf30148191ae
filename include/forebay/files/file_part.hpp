// SPDX-License-Identifier: MIT
//
// file_part.hpp: FilePart, a part of a file that was read into memory. It has the members of File that readers need.

#ifndef FOREBAY_FILES_FILE_PART_HPP
#define FOREBAY_FILES_FILE_PART_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "forebay/file.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Positions are those in the file. The file seems to end where the part ends.
class FilePart {
 public:
  /// `bytes` are those of the file from `begin` on. They and `name` outlive the part.
  FilePart(const std::string& name, std::uint64_t begin, std::string_view bytes) noexcept
      : FilePart(name, begin, bytes, begin + bytes.size()) {}

  /// The part ends at `end`, but only the bytes in front can be read.
  FilePart(const std::string& name, std::uint64_t begin, std::string_view bytes, std::uint64_t end) noexcept
      : name_(&name), begin_(begin), end_(end), bytes_(bytes) {}

  [[nodiscard]] static constexpr bool is_seekable() noexcept { return true; }
  [[nodiscard]] std::uint64_t size() const noexcept { return end_; }
  [[nodiscard]] std::uint64_t position() const noexcept { return begin_ + next_; }

  /// Requires that `position` is not before the part. A position beyond the end is the end.
  void seek(std::uint64_t position) noexcept {
    next_ = static_cast<std::size_t>(std::min<std::uint64_t>(position - begin_, bytes_.size()));
  }

  [[nodiscard]] std::string_view buffered() const noexcept { return bytes_.substr(next_); }
  void consume(std::size_t count) noexcept { next_ += count; }

  std::size_t read(std::span<char> into) noexcept {
    const std::size_t count = bytes_.copy(into.data(), into.size(), next_);
    next_ += count;
    return count;
  }

  [[nodiscard]] std::size_t read_at(std::uint64_t position, std::span<char> into) const noexcept {
    const std::uint64_t at = std::min<std::uint64_t>(position - begin_, bytes_.size());
    return bytes_.copy(into.data(), into.size(), static_cast<std::size_t>(at));
  }

  std::uint64_t skip(std::uint64_t count) noexcept {
    const std::uint64_t skipped = std::min<std::uint64_t>(count, bytes_.size() - next_);
    next_ += static_cast<std::size_t>(skipped);
    return skipped;
  }

  [[noreturn]] void fail(std::uint64_t byte, const std::string& reason) const {
    throw FileError(*name_, byte, reason);
  }

 private:
  const std::string* name_;
  std::uint64_t begin_;
  std::uint64_t end_;
  std::string_view bytes_;
  std::size_t next_ = 0;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_FILE_PART_HPP
