// SPDX-License-Identifier: MIT
//
// file_extents.hpp: FileExtents, the elements of many files, each with its position and length: an index.

#ifndef FOREBAY_FILES_FILE_EXTENTS_HPP
#define FOREBAY_FILES_FILE_EXTENTS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/files/open_files.hpp"
#include "forebay/files/tar_header.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A range of bytes of a file.
struct FileExtent {
  std::uint64_t begin;
  std::uint64_t length;
};

/// The global headers of an archive that apply from the element with this number on.
struct GlobalsFrom {
  std::size_t number;
  TarGlobals globals;
};

/// Reads the elements by their numbers. Needs 16 bytes of memory for each.
///
/// Thread safety: any number of threads may read.
class FileExtents {
 public:
  /// The elements of a file end with number `ends[i]`, which is exclusive, in `extents`. `globals` has increasing
  /// numbers; up to the first one, there are no global headers.
  FileExtents(std::vector<KnownFile> files, std::vector<std::size_t> ends, std::vector<FileExtent> extents,
              std::vector<GlobalsFrom> globals) noexcept
      : files_(std::move(files)), ends_(std::move(ends)), extents_(std::move(extents)), globals_(std::move(globals)) {}

  [[nodiscard]] std::size_t size() const noexcept { return extents_.size(); }

  [[nodiscard]] std::uint64_t buffer_bytes() const { return files_.buffer_bytes(); }

  /// An element, as it is in the file, or its first bytes.
  struct Element {
    const std::string& file;
    std::uint64_t begin;
    std::uint64_t end;
    std::string bytes;
    TarGlobals globals;
  };

  /// Reads an element, or only its first `most` bytes. Requires number < size(). Throws a FileError.
  [[nodiscard]] Element read(std::size_t number, std::uint64_t most = unlimited) const {
    const FileExtent& extent = extents_[number];
    Element element{name_of(number), extent.begin, extent.begin + extent.length, {}, globals_of(number)};
    element.bytes.resize(static_cast<std::size_t>(smaller(extent.length, most)));
    read(number, extent.begin, element.bytes);
    return element;
  }

  /// Fills `into` with bytes of an element. `position` is that in the file.
  void read(std::size_t number, std::uint64_t position, std::span<char> into) const {
    files_.read(file_of(number), position, into, "an element");
  }

 private:
  static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

  [[nodiscard]] std::size_t file_of(std::size_t number) const noexcept { return place_in_files(ends_, number).file; }
  [[nodiscard]] const std::string& name_of(std::size_t number) const noexcept {
    return files_.file(file_of(number)).name;
  }

  [[nodiscard]] TarGlobals globals_of(std::size_t number) const noexcept {
    const auto is_before = [](std::size_t wanted, const GlobalsFrom& from) { return wanted < from.number; };
    const auto next = std::upper_bound(globals_.begin(), globals_.end(), number, is_before);
    return next == globals_.begin() ? nullptr : std::prev(next)->globals;
  }

  OpenFiles files_;
  std::vector<std::size_t> ends_;
  std::vector<FileExtent> extents_;
  std::vector<GlobalsFrom> globals_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_FILE_EXTENTS_HPP
