// SPDX-License-Identifier: MIT
//
// compressed_files_test.cpp: every reader names the format of a compressed file.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/base/compression.hpp"
#include "forebay/dataset.hpp"
#include "forebay/files.hpp"
#include "forebay/sources.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/pipeline_output.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/thrown.hpp"

#if __has_include(<sys/stat.h>) && __has_include(<unistd.h>)
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/background.hpp"
#endif

namespace forebay_test {
namespace {

using namespace std::string_view_literals;
using forebay::skip;
using forebay::detail::compressor_of;

struct Compressed {
  const char* format;
  std::string_view magic;
};
constexpr Compressed formats[]{{"gzip", "\x1f\x8b\x08"sv},
                               {"zstd", "\x28\xb5\x2f\xfd"sv},
                               {"xz", "\xfd\x37\x7a\x58\x5a\x00"sv},
                               {"lz4", "\x04\x22\x4d\x18"sv},
                               {"bzip2", "BZh9\x31\x41\x59\x26\x53\x59"sv}};

/// Returns a file that begins with the magic number. It has a header's worth of lines, fields and blocks.
std::string file_of(const Compressed& format, std::size_t size) {
  std::string bytes(format.magic);
  while (bytes.size() < size) bytes += "\xf1,x\n\x01\x7f";
  bytes.resize(size);
  return bytes;
}

/// Reads a file with each reader. Returns the messages.
std::vector<std::string> faults_of(const std::string& name) {
  const auto fault_of = [](auto data) { return message_of<std::exception>([&] { return outputs_of(data()); }); };
  return {fault_of([&] { return forebay::text_lines(name); }),
          fault_of([&] { return forebay::csv_rows(name); }),
          fault_of([&] { return forebay::csv_rows(name, {.header = true}); }),
          fault_of([&] { return forebay::csv_rows<std::tuple<std::string, int>>(name); }),
          fault_of([&] { return forebay::tfrecords(name); }),
          fault_of([&] { return forebay::Dataset(forebay::indexed_tfrecords(name)); }),
          fault_of([&] { return forebay::length_prefixed_records(name); }),
          fault_of([&] { return forebay::length_prefixed_records(name, {.bytes = 8}); }),
          fault_of([&] { return forebay::Dataset(forebay::indexed_length_prefixed_records(name)); }),
          fault_of([&] { return forebay::Dataset(forebay::indexed_text_lines(name)); }),
          fault_of([&] { return forebay::Dataset(forebay::fixed_size_records(name, 997)); }),
          fault_of([&] { return forebay::Dataset(forebay::fixed_size_records(name, 8, {.header = 100'000})); }),
          fault_of([&] { return forebay::tar_entries(name); }),
          fault_of([&] { return forebay::webdataset(name); }),
          fault_of([&] { return forebay::Dataset(forebay::indexed_tar_entries(name)); }),
          fault_of([&] { return forebay::Dataset(forebay::indexed_webdataset(name)); }),
          fault_of([&] { return forebay::Dataset(forebay::npy_rows<float>(name)); }),
          fault_of([&] { return forebay::Dataset(forebay::idx_rows<float>(name)); })};
}

// proves: compressed-file
TEST(CompressedFile, IsNamedByEveryReader) {
  const TemporaryDirectory directory;
  for (const Compressed& format : formats) {
    for (const std::size_t size : {11U, 300U, 511U, 5000U}) {
      const std::string name = directory.file("file", file_of(format, size));
      for (const std::string& fault : faults_of(name)) {
        EXPECT_TRUE(contains(fault, std::string("the file is compressed by ") + format.format + ": decompress it"))
            << format.format << ", " << size << " bytes: " << fault;
      }
    }
  }
}

TEST(CompressedFile, IsToldByItsWholeMagicNumber) {
  for (const Compressed& format : formats) {
    EXPECT_STREQ(compressor_of(format.magic), format.format);
    for (std::size_t length = 0; length < format.magic.size(); ++length) {
      EXPECT_EQ(compressor_of(format.magic.substr(0, length)), nullptr) << format.format << ' ' << length;
      std::string other(format.magic);
      other[length] = 'x';
      EXPECT_EQ(compressor_of(other), nullptr) << format.format << ' ' << length;
    }
  }
  EXPECT_STREQ(compressor_of("BZh1\x17\x72\x45\x38\x50\x90"), "bzip2") << "an empty file";
  EXPECT_EQ(compressor_of("BZh0\x31\x41\x59\x26\x53\x59"), nullptr);
}

TEST(CompressedFile, IsOneFailureThatCanBeSkipped) {
  const TemporaryDirectory directory;
  const std::vector<std::string> names{directory.file("a", file_of(formats[0], 5000)), directory.file("b", "1\n2\n")};
  EXPECT_EQ(outputs_of(forebay::text_lines(names, {.on_error = skip(1)})), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(outputs_of(forebay::csv_rows<std::tuple<int>>(names, {.on_error = skip(1)})).size(), 2U);
}

TEST(CompressedFile, IsNamedWhateverTheSizeOfTheBuffer) {
  const TemporaryDirectory directory;
  const std::string name = directory.file("file", file_of(formats[0], 300));
  const auto read = [&] { return outputs_of(forebay::csv_rows(name, {.buffer_size = 1})); };
  EXPECT_TRUE(contains(message_of<std::exception>(read), "the file is compressed by gzip"));
}

// Records may have any bytes.
TEST(CompressedFile, MayBeTheBeginningOfRightRecords) {
  const TemporaryDirectory directory;
  const std::string name = directory.file("file", file_of(formats[1], 5000));
  EXPECT_EQ(forebay::fixed_size_records(name, 5).size(), 1000U);
  const std::string prefixed = directory.file("prefixed", "\x1f\x8b\x08\x00"sv);
  write_file(prefixed, std::string("\x1f\x8b\x08\x00"sv) + std::string(0x88b1f, 'x'));
  EXPECT_EQ(outputs_of(forebay::length_prefixed_records(prefixed)).front().size(), 0x88b1fU);
}

TEST(CompressedFile, IsNamedBehindRightRecords) {
  const TemporaryDirectory directory;
  const std::string name =
      directory.file("file", std::string("\x1f\x8b\x08\x00"sv) + std::string(0x88b1f, 'x') + "xxxxxx");
  EXPECT_TRUE(contains(message_of<std::exception>([&] { return outputs_of(forebay::length_prefixed_records(name)); }),
                       "perhaps the file is compressed by gzip"));
}

#if __has_include(<sys/stat.h>) && __has_include(<unistd.h>)
TEST(CompressedFile, IsNamedInAPipe) {
  const TemporaryDirectory directory;
  const std::string name = directory.name("pipe");
  ASSERT_EQ(::mkfifo(name.c_str(), 0600), 0);
  const auto fault_of = [&](auto data) {
    Background writer([&] {
      write_file(name, file_of(formats[0], 300));  // in one write
      return 0;
    });
    std::string message = message_of<std::exception>([&] { return outputs_of(data()); });
    writer.get();
    return message;
  };
  const std::string named = "the file is compressed by gzip";
  EXPECT_TRUE(contains(fault_of([&] { return forebay::text_lines(name); }), named));
  EXPECT_TRUE(contains(fault_of([&] { return forebay::csv_rows(name); }), named));
  EXPECT_TRUE(contains(fault_of([&] { return forebay::tfrecords(name); }), named));
  EXPECT_TRUE(contains(fault_of([&] { return forebay::tar_entries(name); }), named));
}

TEST(ByteOrderMark, IsLeftOutOfAPipeThatDeliversSingleBytes) {
  const TemporaryDirectory directory;
  const std::string name = directory.name("pipe");
  ASSERT_EQ(::mkfifo(name.c_str(), 0600), 0);
  Background writer([&] {
    const int pipe = ::open(name.c_str(), O_WRONLY);
    for (const char letter : std::string_view("\xEF\xBB\xBF,1234567890\n")) {
      static_cast<void>(::write(pipe, &letter, 1));
      for (int unread = 1; unread > 0 && ::ioctl(pipe, FIONREAD, &unread) == 0;) {
      }
    }
    return ::close(pipe);
  });
  using Row = std::tuple<std::string, std::uint64_t>;
  EXPECT_EQ(outputs_of(forebay::csv_rows<Row>(name)).front(), Row("", 1'234'567'890));
  EXPECT_EQ(writer.get(), 0);
}
#endif

}  // namespace
}  // namespace forebay_test
