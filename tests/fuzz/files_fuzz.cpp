// SPDX-License-Identifier: MIT
//
// files_fuzz.cpp: reads arbitrary bytes as files of every format. The result is data that fits into the file, or a
// FileError; and a reader that returns to a cursor reads the same again. README.md says how an input is read.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "forebay/files.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/support/tar_archive.hpp"
#include "tests/support/tfrecord_bytes.hpp"

namespace forebay_fuzz {
namespace {

/// A file in memory.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
    require(descriptor_ >= 0, "memfd_create failed");
    while (!bytes.empty()) {
      const auto written = write(descriptor_, bytes.data(), bytes.size());
      require(written > 0, "write failed");
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] std::string name() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

/// Reads the next record; none at the end or after a failure. Sets `failed` after a failure.
template <class Reader>
std::optional<std::string> next(Reader& reader, bool& failed) {
  failed = false;
  try {
    std::string record;
    if (reader(record)) return record;
  } catch (const forebay::FileError& error) {
    require(!error.file().empty(), "the error names no file");
    failed = true;
  }
  return std::nullopt;
}

/// Reads a file to its end, across failures. Then returns to each record.
template <class Reader>
void read_all(Reader reader, std::size_t file_size) {
  struct Read {
    decltype(reader.cursor()) cursor;
    std::string record;
  };
  std::vector<Read> records;
  std::size_t bytes = 0;
  std::size_t calls = 0;
  for (bool failed = false;;) {
    const auto cursor = reader.cursor();
    std::optional<std::string> record = next(reader, failed);
    require(++calls <= file_size + 2, "the reader does not come to an end");
    if (!record && !failed) break;
    if (!record) continue;
    bytes += record->size();
    require(bytes <= file_size, "the records are larger than the file");
    records.push_back({cursor, std::move(*record)});
  }
  for (const Read& read : records) {
    bool failed = false;
    reader.seek(read.cursor);
    require(next(reader, failed) == read.record, "the reader does not return to a cursor");
  }
}

/// Reads all records through an index.
template <class Create>
void read_indexed(Create create, std::size_t file_size) {
  try {
    const auto records = create();
    require(records.size() <= file_size, "there are more records than bytes");
    for (std::size_t i = 0; i < std::min<std::size_t>(records.size(), 100); ++i) {
      require(records[i].size() <= file_size, "a record is larger than the file");
    }
  } catch (const forebay::FileError& error) {
    require(!error.file().empty(), "the error names no file");
  }
}

/// Returns TFRecords whose lengths have right checksums: random bytes have none.
std::string tfrecords_of(std::string_view bytes) {
  std::string file;
  while (bytes.size() >= 8) {
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < 8; ++i) length |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    bytes.remove_prefix(8);
    const std::string_view data = bytes.substr(0, static_cast<std::size_t>(length % 32));
    bytes.remove_prefix(data.size());
    file += forebay_test::tfrecord_header(length) + std::string(data) + forebay_test::checksum_bytes(data);
  }
  return file + std::string(bytes);
}

void read_tfrecords(std::string_view bytes) {
  const MemoryFile file(bytes);
  read_all(forebay::TFRecordReader(file.name(), {.buffer_size = 16}), bytes.size());
  read_indexed([&] { return forebay::indexed_tfrecords(file.name()); }, bytes.size());
}

void read_length_prefixed(std::string_view bytes, std::size_t prefix, std::endian order) {
  const MemoryFile file(bytes);
  const forebay::LengthPrefixOptions options{.bytes = prefix, .byte_order = order};
  read_all(forebay::LengthPrefixedReader(file.name(), options, {.buffer_size = 16}), bytes.size());
  read_indexed([&] { return forebay::indexed_length_prefixed_records(file.name(), options); }, bytes.size());
}

/// Reads the files of an archive as records.
struct TarEntriesAsText : forebay::TarEntryReader {
  using TarEntryReader::TarEntryReader;
  bool operator()(std::string& into) {
    forebay::TarEntry entry;
    if (!TarEntryReader::operator()(entry)) return false;
    into = entry.name + entry.bytes;
    return true;
  }
};

/// Reads the samples of an archive as records.
struct WebSamplesAsText : forebay::WebSampleReader {
  using WebSampleReader::WebSampleReader;
  bool operator()(std::string& into) {
    forebay::WebSample sample;
    if (!WebSampleReader::operator()(sample)) return false;
    into = sample.key;
    for (const auto& [extension, bytes] : sample.bytes) into += extension + bytes;
    return true;
  }
};

/// Returns a tar archive whose headers have right checksums. Of each entry, the input has the type, the first two
/// characters of the size, a name of four characters, a number of blocks, and four bytes that the blocks repeat.
std::string tar_of(std::string_view bytes) {
  std::string file;
  for (; bytes.size() >= 12; bytes.remove_prefix(12)) {
    const auto block = forebay_test::tar_block({.name = std::string(bytes.substr(3, 4)),
                                                .size = "000000000" + std::string(bytes.substr(1, 2)),
                                                .type = bytes[0]});
    file.append(block.data(), block.size());
    std::string data;
    for (int blocks = bytes[7] & 3; blocks > 0; --blocks) data.append(512, bytes[8]);
    data.replace(0, std::min<std::size_t>(data.size(), 4), bytes.substr(8, std::min<std::size_t>(data.size(), 4)));
    file += data;
  }
  return file + std::string(bytes);
}

void read_tar(std::string_view bytes) {
  const MemoryFile file(bytes);
  read_all(TarEntriesAsText(file.name(), forebay::FileOptions{.buffer_size = 100}), bytes.size());
  read_all(WebSamplesAsText(file.name(), forebay::FileOptions{.buffer_size = 100}), bytes.size());
  try {
    const auto entries = forebay::indexed_tar_entries(file.name());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      require(entries[i].bytes.size() <= bytes.size(), "an entry is larger than the file");
    }
    const auto samples = forebay::indexed_webdataset(file.name());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      require(!samples[i].bytes.empty(), "a sample has no files");
    }
  } catch (const forebay::FileError& error) {
    require(!error.file().empty(), "the error names no file");
  }
}

/// Reads the rows of a CSV file as texts.
class CsvTexts {
 public:
  CsvTexts(const std::string& name, char quote, std::size_t buffer_size)
      : reader_(name,
                {.quote = quote, .keep_empty_lines = quote == '\0', .largest_row = 50, .buffer_size = buffer_size}) {}

  bool operator()(std::string& into) {
    forebay::CsvRow row;
    if (!reader_(row)) return false;
    into.clear();
    for (std::size_t i = 0; i < row.size(); ++i) into += row[i];
    return true;
  }
  [[nodiscard]] auto cursor() const { return reader_.cursor(); }
  void seek(const std::pair<std::uint64_t, std::uint64_t>& cursor) { reader_.seek(cursor); }

 private:
  forebay::CsvReader<> reader_;
};

/// Also checks that the rows and failures do not depend on the size of the buffer.
void read_csv(std::string_view bytes, char quote) {
  const MemoryFile file(bytes);
  read_all(CsvTexts(file.name(), quote, 7), bytes.size());
  CsvTexts small(file.name(), quote, 3);
  CsvTexts large(file.name(), quote, 4096);
  for (bool is_there = true; is_there;) {
    bool small_failed = false;
    bool large_failed = false;
    const std::optional<std::string> row = next(small, small_failed);
    require(next(large, large_failed) == row && small_failed == large_failed, "the buffer changes a row");
    require(small.cursor() == large.cursor(), "the buffer changes a cursor");
    is_there = row || small_failed;
  }
}

}  // namespace
}  // namespace forebay_fuzz

/// libFuzzer calls this with each input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {  // NOLINT
  using namespace forebay_fuzz;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'a': read_tfrecords(bytes); break;
    case 'b': read_tfrecords(tfrecords_of(bytes)); break;
    case 'c': read_length_prefixed(bytes, 4, std::endian::little); break;
    case 'd': read_length_prefixed(bytes, 8, std::endian::big); break;
    case 't': read_tar(bytes); break;
    case 'u': read_tar(tar_of(bytes)); break;
    case 'm':
      read_csv(bytes, '"');
      read_csv(bytes, '\0');
      break;
    case 'n':
    case 'o': {
      const MemoryFile file(bytes);
      read_indexed(
          [&] {
            using Row = std::vector<std::int16_t>;
            return data[0] == 'n' ? forebay::npy_rows<Row>(file.name()) : forebay::idx_rows<Row>(file.name());
          },
          bytes.size());
      break;
    }
    default: break;
  }
  return 0;
}
