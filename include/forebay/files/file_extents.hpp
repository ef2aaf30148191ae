// SPDX-License-Identifier: MIT
//
// file_extents.hpp: FileExtents, the elements of many files, each with its position and length: an index.

#ifndef FOREBAY_FILES_FILE_EXTENTS_HPP
#define FOREBAY_FILES_FILE_EXTENTS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

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

  /// An element, as it is in the file.
  struct Element {
    const std::string& file;
    std::uint64_t begin;
    std::string bytes;
    TarGlobals globals;
  };

  /// Requires number < size(). Throws a FileError.
  [[nodiscard]] Element read(std::size_t number) const {
    const auto file = std::upper_bound(ends_.begin(), ends_.end(), number) - ends_.begin();
    const FileExtent& extent = extents_[number];
    Element element{files_.file(static_cast<std::size_t>(file)).name, extent.begin, {}, globals_of(number)};
    element.bytes.resize(static_cast<std::size_t>(extent.length));
    files_.read(static_cast<std::size_t>(file), extent.begin, element.bytes, "an element");
    return element;
  }

 private:
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
