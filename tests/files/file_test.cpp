// SPDX-License-Identifier: MIT
//
// file_test.cpp: File reads sequentially and at positions, from files and pipes, and names what it cannot read.
// list_files lists names.

#include "forebay/file.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/file/file_handle.hpp"
#include "forebay/file/file_pattern.hpp"
#include "forebay/files/byte_order.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/thrown.hpp"

#if !defined(_WIN32) && __has_include(<unistd.h>)
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace forebay_test {
namespace {

using forebay::File;
using forebay::FileError;
using forebay::list_files;

using Names = std::vector<std::string>;

/// Returns `size` bytes, each of which depends on its position.
std::string counted_bytes(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>((i * 131) >> 3U);
  return bytes;
}

std::string read(File& file, std::size_t count) {
  std::string bytes(count, '\0');
  bytes.resize(file.read(bytes));
  return bytes;
}

std::string read_at(const File& file, std::uint64_t position, std::size_t count) {
  std::string bytes(count, '\0');
  bytes.resize(file.read_at(position, bytes));
  return bytes;
}

/// Returns what() and byte() of the FileError that `call` throws.
template <class Call>
std::string error_of(Call call) {
  return message_of<FileError>(call);
}

// ---- Sequential reads

TEST(File, ReadsAllBytesInPartsOfAnySizeWithBuffersOfAnySize) {
  const TemporaryDirectory directory;
  const std::string bytes = counted_bytes(10'000);
  const std::string name = directory.file("bytes", bytes);
  for (const std::size_t buffer : {1U, 2U, 7U, 4096U, 5000U, 10'000U, 100'000U}) {
    for (const std::size_t part : {1U, 3U, 7U, 4095U, 4096U, 4097U, 20'000U}) {
      File file(name, {.buffer_size = buffer});
      std::string all;
      for (std::string some = read(file, part); !some.empty(); some = read(file, part)) {
        all += some;
        EXPECT_EQ(file.position(), all.size());
      }
      EXPECT_TRUE(all == bytes) << buffer << ' ' << part;
    }
  }
}

TEST(File, GivesTheBytesOfItsBuffer) {
  const TemporaryDirectory directory;
  File file(directory.file("bytes", counted_bytes(10'000)), {.buffer_size = 4096});
  EXPECT_TRUE(file.buffered() == counted_bytes(4096));
  file.consume(4000);
  EXPECT_EQ(file.position(), 4000U);
  EXPECT_EQ(file.buffered().size(), 96U);
  file.consume(96);
  EXPECT_TRUE(file.buffered() == counted_bytes(8192).substr(4096));
  file.seek(10'000);
  EXPECT_TRUE(file.buffered().empty());
}

TEST(File, ContinuesWhereItIsTold) {
  const TemporaryDirectory directory;
  const std::string bytes = counted_bytes(20'000);
  File file(directory.file("bytes", bytes), {.buffer_size = 4096});
  for (const std::size_t position : {0U, 5000U, 4999U, 9095U, 9096U, 100U, 19'999U, 20'000U}) {
    file.seek(position);
    EXPECT_EQ(file.position(), position);
    EXPECT_TRUE(read(file, 10) == bytes.substr(position, 10)) << position;
  }
}

TEST(File, HasNoBytesBeyondItsEnd) {
  const TemporaryDirectory directory;
  File file(directory.file("bytes", "12345"));
  for (const std::uint64_t position : {std::uint64_t{6}, std::uint64_t{1} << 40U, ~std::uint64_t{0}}) {
    file.seek(position);
    EXPECT_EQ(read(file, 3), "");
    EXPECT_EQ(read_at(file, position, 3), "");
    EXPECT_EQ(file.skip(1), 0U);
  }
  file.seek(3);
  EXPECT_EQ(read(file, 3), "45");
}

TEST(File, SkipsBytesThatExist) {
  const TemporaryDirectory directory;
  const std::string bytes = counted_bytes(20'000);
  File file(directory.file("bytes", bytes), {.buffer_size = 4096});
  EXPECT_EQ(file.skip(10'000), 10'000U);
  EXPECT_TRUE(read(file, 10) == bytes.substr(10'000, 10));
  EXPECT_EQ(file.skip(20), 20U);
  EXPECT_TRUE(read(file, 10) == bytes.substr(10'030, 10));
  EXPECT_EQ(file.skip(~std::uint64_t{0}), 20'000U - 10'040U);
  EXPECT_EQ(file.position(), 20'000U);
}

TEST(File, ReportsThatItEndsWithinAPart) {
  const TemporaryDirectory directory;
  const std::string name = directory.file("bytes", "1234567");
  File file(name);
  std::array<char, 4> four{};
  file.read_exactly(four, "the header");
  EXPECT_EQ(error_of([&] { file.read_exactly(four, "the header"); }),
            name + ": byte 7: the file ends within the header");
}

TEST(File, ReadsWhatIsAppendedToIt) {
  const TemporaryDirectory directory;
  const std::string name = directory.file("bytes", "123");
  File file(name);
  EXPECT_EQ(read(file, 10), "123");
  std::ofstream(name, std::ios::app | std::ios::binary) << "45";
  EXPECT_EQ(file.size(), 5U);
  EXPECT_EQ(read(file, 10), "45");
}

TEST(File, EndsEarlyIfItIsTruncatedMeanwhile) {
  const TemporaryDirectory directory;
  File file(directory.file("bytes", counted_bytes(10'000)), {.buffer_size = 4096});
  EXPECT_EQ(read(file, 150).size(), 150U);
  std::filesystem::resize_file(file.name(), 120);
  EXPECT_EQ(read(file, 10'000).size(), 4096U - 150U);  // the rest of the buffer
  EXPECT_EQ(read_at(file, 100, 1000).size(), 20U);
}

TEST(File, CanBeMovedWhileItIsRead) {
  const TemporaryDirectory directory;
  File file(directory.file("bytes", "1234567"));
  EXPECT_EQ(read(file, 2), "12");
  File moved(std::move(file));
  EXPECT_EQ(read(moved, 2), "34");
  File other(directory.file("other", "abc"));
  EXPECT_EQ(read(other, 1), "a");
  other = std::move(moved);
  EXPECT_EQ(read(other, 2), "56");
}

// ---- Reads at any position

TEST(File, ReadsAtPositionsWithoutMoving) {
  const TemporaryDirectory directory;
  const std::string bytes = counted_bytes(10'000);
  File file(directory.file("bytes", bytes));
  EXPECT_TRUE(read(file, 10) == bytes.substr(0, 10));
  EXPECT_TRUE(read_at(file, 9000, 500) == bytes.substr(9000, 500));
  EXPECT_TRUE(read_at(file, 9990, 500) == bytes.substr(9990));
  EXPECT_TRUE(read(file, 10) == bytes.substr(10, 10));
}

template <class Handle>
void read_with_threads() {
  const TemporaryDirectory directory;
  const std::string bytes = counted_bytes(100'000);
  const Handle handle(directory.file("bytes", bytes).c_str());
  std::array<bool, 3> right{};
  {
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < right.size(); ++thread) {
      threads.emplace_back([&, thread] {
        right[thread] = true;
        for (std::size_t i = 0; i < 500; ++i) {
          const std::size_t position = (i * 7919 + thread * 101) % 99'000;
          std::string part(100, '\0');
          right[thread] = right[thread] && handle.read_some(position, part.data(), part.size()) == part.size() &&
                          part == bytes.substr(position, part.size());
        }
      });
    }
  }
  EXPECT_EQ(right, (std::array<bool, 3>{true, true, true}));
}

TEST(File, IsReadAtPositionsByThreads) { read_with_threads<forebay::detail::FileHandle>(); }
TEST(StandardFileHandle, IsReadAtPositionsByThreads) { read_with_threads<forebay::detail::StandardFileHandle>(); }

template <class Handle>
void read_beyond_4_gib() {
  const TemporaryDirectory directory;
  const std::string name = directory.file("large", "");
  const std::uint64_t size = (std::uint64_t{1} << 32U) + 10;
  std::error_code error;
  std::filesystem::resize_file(name, size, error);  // a hole, which takes no space
  if (error) GTEST_SKIP() << "the directory cannot hold a large file";
  std::fstream out(name, std::ios::in | std::ios::out | std::ios::binary);
  out.seekp(static_cast<std::streamoff>(size - 3));
  out << "end";
  out.close();
  const Handle handle(name.c_str());
  EXPECT_EQ(handle.size(), size);
  std::string end(10, '\0');
  end.resize(handle.read_some(size - 3, end.data(), end.size()));
  EXPECT_EQ(end, "end");
}

TEST(File, HasPositionsBeyond4GiB) { read_beyond_4_gib<forebay::detail::FileHandle>(); }
TEST(StandardFileHandle, HasPositionsBeyond4GiB) {
  if (sizeof(long) == 4) GTEST_SKIP() << "off_t may have 32 bits";
  read_beyond_4_gib<forebay::detail::StandardFileHandle>();
}

TEST(StandardFileHandle, ReadsNothingBeyondItsEnd) {
  const TemporaryDirectory directory;
  const forebay::detail::StandardFileHandle handle(directory.file("bytes", "12345").c_str());
  EXPECT_TRUE(handle.is_seekable());
  EXPECT_EQ(handle.size(), 5U);
  std::string part(4, '\0');
  EXPECT_EQ(handle.read_some(3, part.data(), part.size()), 2U);
  EXPECT_EQ(handle.read_some(5, part.data(), part.size()), 0U);
  EXPECT_EQ(handle.read_some(~std::uint64_t{0}, part.data(), part.size()), 0U);
  EXPECT_EQ(handle.read_some(0, part.data(), part.size()), 4U);
}

// ---- Files that cannot be read

TEST(File, NamesAFileThatIsMissing) {
  const TemporaryDirectory directory;
  const std::string name = directory.name("missing");
  EXPECT_TRUE(contains(error_of([&] { File{name}; }), name + ": cannot open: "));
}

TEST(File, RejectsADirectory) {
  const TemporaryDirectory directory;
  const std::string message = error_of([&] { File{directory.path()}; });
  EXPECT_TRUE(contains(message, directory.path() + ": cannot "));
}

TEST(File, RejectsANameWithANul) {
  EXPECT_TRUE(contains(error_of([] { File{std::string("a\0b", 3)}; }), "the name contains a NUL"));
}

TEST(File, RejectsABufferOfNoBytes) {
  EXPECT_EQ(rejection([] { File("x", {.buffer_size = 0}); }), "forebay: File: buffer_size must be at least 1, not 0");
}

TEST(FileError, NamesFileByteAndReason) {
  const FileError error("a.bin", 17, "the reason");
  EXPECT_STREQ(error.what(), "a.bin: byte 17: the reason");
  EXPECT_EQ(error.file(), "a.bin");
  EXPECT_EQ(error.byte(), 17U);
  EXPECT_STREQ(FileError("a.bin", "the reason").what(), "a.bin: the reason");
}

// ---- Pipes

#if !defined(_WIN32) && __has_include(<unistd.h>)

/// A named pipe into which a thread writes `bytes` in small parts.
class Pipe {
 public:
  Pipe(const TemporaryDirectory& directory, std::string bytes) : name_(directory.name("pipe")) {
    EXPECT_EQ(mkfifo(name_.c_str(), 0600), 0);
    writer_ = std::jthread([name = name_, bytes = std::move(bytes)] {
      std::ofstream out(name, std::ios::binary);
      for (std::size_t i = 0; i < bytes.size(); i += 700) out << bytes.substr(i, 700) << std::flush;
    });
  }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::jthread writer_;
};

TEST(FileOfAPipe, IsReadInOrder) {
  const TemporaryDirectory directory;
  const std::string bytes = counted_bytes(10'000);
  const Pipe pipe(directory, bytes);
  File file(pipe.name());
  EXPECT_FALSE(file.is_seekable());
  EXPECT_TRUE(read(file, 3000) == bytes.substr(0, 3000));
  EXPECT_EQ(file.skip(3000), 3000U);
  file.seek(7000);
  EXPECT_EQ(file.position(), 7000U);
  EXPECT_TRUE(read(file, 5000) == bytes.substr(7000));
  EXPECT_EQ(file.skip(5), 0U);
}

TEST(FileOfAPipe, HasNeitherASizeNorPositions) {
  const TemporaryDirectory directory;
  const Pipe pipe(directory, counted_bytes(10'000));
  File file(pipe.name(), {.buffer_size = 100});
  EXPECT_EQ(read(file, 500).size(), 500U);
  EXPECT_TRUE(contains(error_of([&] { return file.size(); }), "the file is not seekable"));
  EXPECT_TRUE(contains(error_of([&] { return read_at(file, 0, 1); }), "the file is not seekable"));
  EXPECT_TRUE(contains(error_of([&] { file.seek(0); }), "cannot go back"));
  EXPECT_TRUE(contains(error_of([&] { file.seek(10'001); }), "byte 10000: the file ends before byte 10001"));
}

TEST(FileOfAPipe, ContinuesAfterASignal) {
  const TemporaryDirectory directory;
  struct sigaction action {};
  action.sa_handler = [](int) {};  // without SA_RESTART, a signal interrupts a read
  struct sigaction before {};
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  const std::string name = directory.name("pipe");
  ASSERT_EQ(mkfifo(name.c_str(), 0600), 0);
  const pthread_t reader = pthread_self();
  const std::jthread writer([&] {
    std::ofstream out(name, std::ios::binary);
    for (int i = 0; i < 200; ++i) {
      pthread_kill(reader, SIGUSR1);
      out << "1234567890" << std::flush;
    }
  });
  File file(name);
  EXPECT_EQ(read(file, 5000).size(), 2000U);
  EXPECT_EQ(sigaction(SIGUSR1, &before, nullptr), 0);
}

TEST(File, ReadsAFileWithoutASize) {
  const std::string name = "/proc/self/status";
  if (!std::filesystem::exists(name)) GTEST_SKIP() << "there is no /proc";
  File file(name);
  EXPECT_TRUE(contains(read(file, 100), "Name:"));
}

#endif

// ---- list_files

TEST(ListFiles, SortsTheNamesThatMatch) {
  const TemporaryDirectory directory;
  const Names names{directory.file("train-1.bin", ""), directory.file("train-10.bin", ""),
                    directory.file("train-2.bin", "")};
  static_cast<void>(directory.file("test-1.bin", ""));
  static_cast<void>(directory.file(".train-3.bin", ""));
  std::filesystem::create_directory(directory.name("train-4.bin"));
  EXPECT_EQ(list_files(directory.name("train-*.bin")), names);
  EXPECT_EQ(list_files(directory.name("*n-?.bin")), (Names{names[0], names[2]}));
  EXPECT_EQ(list_files(names[0]), Names{names[0]});
  EXPECT_EQ(list_files(directory.name(".*")), Names{directory.name(".train-3.bin")});
}

TEST(ListFiles, ReportsThatNoFileMatches) {
  const TemporaryDirectory directory;
  EXPECT_EQ(error_of([&] { return list_files(directory.name("*.bin")); }),
            directory.name("*.bin") + ": no file matches");
  EXPECT_EQ(error_of([&] { return list_files(directory.name("a.bin")); }),
            directory.name("a.bin") + ": no file matches");
  EXPECT_TRUE(
      contains(error_of([&] { return list_files(directory.name("missing/*")); }), "cannot list the directory"));
}

TEST(ListFiles, RejectsWildcardsInDirectories) {
  EXPECT_TRUE(contains(rejection([] { return list_files("data*/a.bin"); }), "only the last component"));
  EXPECT_TRUE(contains(rejection([] { return list_files("data/**"); }), "data/**"));
}

TEST(FilePattern, MatchesStarsAndQuestionMarks) {
  using forebay::detail::matches_wildcards;
  EXPECT_TRUE(matches_wildcards("abc", "abc"));
  EXPECT_TRUE(matches_wildcards("abc", "a*"));
  EXPECT_TRUE(matches_wildcards("abc", "*"));
  EXPECT_TRUE(matches_wildcards("", "*"));
  EXPECT_TRUE(matches_wildcards("abcbc", "a*bc"));
  EXPECT_TRUE(matches_wildcards("abcbc", "*b*?"));
  EXPECT_FALSE(matches_wildcards("abc", "a?"));
  EXPECT_FALSE(matches_wildcards("abcb", "a*bc"));
  EXPECT_FALSE(matches_wildcards("", "?"));
}

// ---- Byte order

TEST(ByteOrder, OfANumberIsConverted) {
  using namespace forebay::detail;
  const char* const bytes = "\x01\x02\x03\x04\x05\x06\x07\x08";
  EXPECT_EQ(load_little<std::uint32_t>(bytes), 0x04030201U);
  EXPECT_EQ(load_big<std::uint32_t>(bytes), 0x01020304U);
  EXPECT_EQ(load_big<std::uint64_t>(bytes), 0x0102030405060708U);
  EXPECT_EQ(load_little<std::int16_t>(bytes), 0x0201);
  EXPECT_EQ(load_big<std::int8_t>("\xff"), -1);
  EXPECT_EQ(load_big<float>("\x3f\x80\x00\x00"), 1.0F);
  EXPECT_EQ(load_little<double>("\0\0\0\0\0\0\xf0\x3f"), 1.0);
}

}  // namespace
}  // namespace forebay_test
