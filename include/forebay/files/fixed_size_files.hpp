// SPDX-License-Identifier: MIT
//
// fixed_size_files.hpp: opens files of records of the same size.

#ifndef FOREBAY_FILES_FIXED_SIZE_FILES_HPP
#define FOREBAY_FILES_FIXED_SIZE_FILES_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/describe/properties.hpp"
#include "forebay/file.hpp"
#include "forebay/files/file_reader.hpp"
#include "forebay/files/indexed_files.hpp"
#include "forebay/files/open_files.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

[[noreturn]] inline void reject_header(const File& file, std::uint64_t end, std::size_t header) {
  file.fail(end, "the file ends within its header of " + std::to_string(header) + " bytes" +
                     compression_hint_of(file, end, {}));
}

/// Throws the error of a file that ends with only `count` bytes of a record. `read` are bytes of it, at `begin`.
[[noreturn]] inline void reject_end(const File& file, std::uint64_t end, std::uint64_t count, std::size_t record_size,
                                    std::uint64_t begin = 0, std::string_view read = {}) {
  file.fail(end, "the file ends within a record: " + std::to_string(count) + " of " + std::to_string(record_size) +
                     " bytes are there" + compression_hint_of(file, begin, read));
}

/// Returns the records of `record_size` bytes that follow a header of `header` bytes. Throws a FileError if a file ends
/// within its header or a record.
[[nodiscard]] inline std::unique_ptr<const IndexedFiles> fixed_size_files(const std::vector<std::string>& names,
                                                                          std::size_t record_size,
                                                                          std::size_t header) {
  std::vector<RowsOfFile> files;
  files.reserve(names.size());
  for (const std::string& name : names) {
    const File file = open_regular_file(name);
    const std::uint64_t size = file.size();
    if (size < header) reject_header(file, size, header);
    const std::uint64_t rest = (size - header) % record_size;
    if (rest > 0) reject_end(file, size, rest, record_size);
    files.push_back({name, size, header, (size - header) / record_size});
  }
  return std::make_unique<const IndexedFiles>(files, record_size);
}

/// Returns the description of the data set: " of 3073 bytes, header 16".
[[nodiscard]] inline StageText text_of(const IndexedFiles& records, std::size_t header) {
  const std::string of = " of " + std::to_string(records.row_size()) + " bytes";
  return {"fixed_size_records", of + (header > 0 ? ", header " + std::to_string(header) : ""), records.buffer_bytes()};
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_FIXED_SIZE_FILES_HPP
