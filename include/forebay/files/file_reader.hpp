// SPDX-License-Identifier: MIT
//
// file_reader.hpp: FileReader, the base of the readers of files, and resume_at().

#ifndef FOREBAY_FILES_FILE_READER_HPP
#define FOREBAY_FILES_FILE_READER_HPP

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/base/compression.hpp"
#include "forebay/file.hpp"
#include "forebay/flow/errors.hpp"
#include "forebay/source/reader.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Marks a reader that reports damage as a FileError. Any other exception, such as memory that has run out, is not a
/// failure of the data and ends the run.
///
/// After a failure the reader is asked for the next element. If it cannot go on, it returns false.
struct FileReader {};

template <std::derived_from<FileReader> Reader>
struct FailureOf<Reader> {
  using type = FileError;
  static constexpr bool is_end = false;
  static constexpr bool goes_on = true;
};

template <std::derived_from<FileReader> Reader>
inline constexpr std::uint64_t usual_buffer<Reader> = FileOptions::default_buffer_size;

/// Returns "; perhaps the file is compressed ..." if the beginning of the file looks so, otherwise "". `read` are bytes
/// that were read at `position`: the beginning of a pipe cannot be read again.
[[nodiscard]] inline std::string compression_hint_of(const File& file, std::uint64_t position, std::string_view read) {
  std::array<char, compression_magic_size> begin{};
  if (file.is_seekable()) return compression_hint({begin.data(), file.read_at(0, begin)});
  return position == 0 ? compression_hint(read) : std::string();
}

/// Throws the FileError of a file, a File or a FilePart, that ends before a position that a checkpoint has saved.
template <class Source>
[[noreturn]] void fail_to_resume(const Source& source, std::uint64_t position) {
  source.fail(source.size(),
              "the file ends before byte " + std::to_string(position) + ", where the run should resume");
}

/// Continues at a position that a checkpoint has saved. Throws a FileError if the file is shorter now.
inline void resume_at(File& file, std::uint64_t position) {
  if (file.is_seekable() && position > file.size()) fail_to_resume(file, position);
  file.seek(position);
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_FILE_READER_HPP
