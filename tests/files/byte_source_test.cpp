// SPDX-License-Identifier: MIT
//
// byte_source_test.cpp: every reader that reads in order, of sources that deliver few bytes at a time, cannot seek, or
// fail.

#include "forebay/byte_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <fstream>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/dataset_error.hpp"
#include "forebay/files.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/pipeline_output.hpp"
#include "tests/support/resume_points.hpp"
#include "tests/support/tar_archive.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tfrecord_bytes.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::ByteSource;
using forebay::DatasetError;
using forebay::FileError;
using forebay::OpenByteSource;
using forebay::skip;

using Strings = std::vector<std::string>;
using Row = std::tuple<std::string, int>;

std::string contents(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) throw std::runtime_error("it is not there");
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

/// How a source behaves.
struct Manner {
  std::size_t at_once = 1'000'000;  // bytes that a call delivers
  bool seeks = false;
  std::size_t fails_at = static_cast<std::size_t>(-1);  // from this byte on
};

/// Delivers the bytes of a file, in which each bit is inverted.
class InvertedSource : public ByteSource {
 public:
  InvertedSource(const std::string& name, const Manner& manner) : bytes_(contents(name)), manner_(manner) {
    for (char& byte : bytes_) byte = static_cast<char>(~byte);
  }

  std::size_t read(std::span<char> into) override {
    EXPECT_FALSE(into.empty());
    if (next_ >= manner_.fails_at) throw std::domain_error("the bytes are damaged");
    const std::size_t most = std::min({into.size(), manner_.at_once, manner_.fails_at - next_});
    const std::size_t count = bytes_.copy(into.data(), most, next_);
    next_ += count;
    return count;
  }

  bool seek(std::uint64_t position) override {
    if (manner_.seeks) next_ = static_cast<std::size_t>(std::min<std::uint64_t>(position, bytes_.size()));
    return manner_.seeks;
  }

 private:
  std::string bytes_;
  Manner manner_;
  std::size_t next_ = 0;
};

OpenByteSource inverted(const Manner& manner) {
  return [manner](const std::string& name) { return std::make_unique<InvertedSource>(name, manner); };
}

/// Files in each format, and the same with each bit inverted.
class Files {
 public:
  Files() {
    for (const std::string number : {"1", "2"}) {
      add("txt", number, "one\r\ntwo\n" + std::string(70'000, 'x') + "\n\nlast " + number);
      add("csv", number, "name,size\na,1\n\"b\n\",2\n" + std::string(5000, 'c') + ",3\n");
      add("tfrecord", number, tfrecord("one") + tfrecord("") + tfrecord(std::string(40'000, 'y')));
      std::string prefixed;
      for (const std::string record : {"one", "", "three"}) prefixed += little_endian(record.size(), 4) + record;
      add("prefixed", number, prefixed);
      add("tar", number,
          tar_entry("a.txt", "1") + tar_entry("a.cls", "22") + tar_entry("b.txt", std::string(100'000, 'z')) +
              tar_end());
    }
  }

  /// Returns the names of the files of a format, or of the inverted ones.
  [[nodiscard]] Strings of(const std::string& format) const {
    return {directory_.name("1." + format), directory_.name("2." + format)};
  }

 private:
  static std::string tfrecord(const std::string& data) {
    return tfrecord_header(data.size()) + data + checksum_bytes(data);
  }

  void add(const std::string& format, const std::string& number, std::string bytes) {
    static_cast<void>(directory_.file(number + "." + format, bytes));
    for (char& byte : bytes) byte = static_cast<char>(~byte);
    static_cast<void>(directory_.file(number + ".inverted." + format, bytes));
  }

  TemporaryDirectory directory_;
};

/// Returns whether the elements are the same as without a source, in any manner, and after every resume.
template <class T, class Read>
void expect_same(const Strings& plain, const Strings& files, const Read& read) {
  const std::vector<T> expected = outputs_of<T>(read(plain, OpenByteSource()));
  ASSERT_GE(expected.size(), 4U);
  for (const std::size_t at_once : {1U, 7U, 600U, 1'000'000U}) {
    for (const bool seeks : {false, true}) {
      const forebay::Dataset<T> data = read(files, inverted({.at_once = at_once, .seeks = seeks}));
      EXPECT_TRUE(outputs_of<T>(data) == expected) << at_once << seeks;
      if (at_once >= 600) check_every_resume_point<T>(data.repeat(2));
    }
  }
}

TEST(ByteSources, AreReadByEachReaderThatReadsInOrder) {
  const Files files;
  const auto of = [&](const std::string& format) {
    return std::pair(files.of(format), files.of("inverted." + format));
  };
  const auto [text, inverted_text] = of("txt");
  expect_same<std::string>(text, inverted_text, [](const Strings& names, const OpenByteSource& open) {
    return forebay::text_lines(names, {.open = open});
  });
  const auto [csv, inverted_csv] = of("csv");
  expect_same<Row>(csv, inverted_csv, [](const Strings& names, const OpenByteSource& open) {
    return forebay::csv_rows<Row>(names, {.header = true, .open = open});
  });
  const auto [records, inverted_records] = of("tfrecord");
  expect_same<std::string>(records, inverted_records, [](const Strings& names, const OpenByteSource& open) {
    return forebay::tfrecords(names, {.open = open});
  });
  const auto [prefixed, inverted_prefixed] = of("prefixed");
  expect_same<std::string>(prefixed, inverted_prefixed, [](const Strings& names, const OpenByteSource& open) {
    return forebay::length_prefixed_records(names, {}, {.open = open});
  });
  const auto [tar, inverted_tar] = of("tar");
  expect_same<forebay::TarEntry>(tar, inverted_tar, [](const Strings& names, const OpenByteSource& open) {
    return forebay::tar_entries(names, {.open = open});
  });
  expect_same<forebay::WebSample>(tar, inverted_tar, [](const Strings& names, const OpenByteSource& open) {
    return forebay::webdataset(names, {.open = open});
  });
}

/// What a reader reports of a source: the elements before it fails, and the failure.
template <class Data>
std::pair<std::size_t, std::string> output_before_failure(const Data& data) {
  std::size_t count = 0;
  const std::string message = message_of<DatasetError>([&] {
    for (const auto& element : data.run()) {
      static_cast<void>(element);
      ++count;
    }
    return 0;
  });
  return {count, message};
}

// proves: file-damage
TEST(ByteSources, ThatFailAreFailuresThatNameTheFile) {
  const Files files;
  const OpenByteSource open = inverted({.fails_at = 27});
  const auto name = [&](const std::string& format) { return files.of("inverted." + format).front(); };
  using Output = std::pair<std::size_t, std::string>;
  EXPECT_EQ(
      output_before_failure(forebay::tfrecords(name("tfrecord"), {.open = open})),
      Output(1, "forebay: tfrecords, epoch 0, number 1: " + name("tfrecord") + ": byte 27: the bytes are damaged"));
  const OpenByteSource sooner = inverted({.fails_at = 13});
  EXPECT_EQ(output_before_failure(forebay::length_prefixed_records(name("prefixed"), {}, {.open = sooner})),
            Output(2, "forebay: length_prefixed_records, epoch 0, number 2: " + name("prefixed") +
                          ": byte 13: the bytes are damaged"));
  EXPECT_EQ(output_before_failure(forebay::text_lines(name("txt"), {.open = open})),
            Output(2, "forebay: text_lines, epoch 0, number 2 (" + name("txt") + ":3): the bytes are damaged"));
  EXPECT_EQ(output_before_failure(forebay::csv_rows<Row>(name("csv"), {.header = true, .open = open})),
            Output(2, "forebay: csv_rows, epoch 0, number 2 (" + name("csv") + ":5): byte 27: the bytes are damaged"));
  const auto [count, message] = output_before_failure(forebay::tar_entries(name("tar"), {.open = open}));
  EXPECT_EQ(count, 0U);
  EXPECT_EQ(message, "forebay: tar_entries, epoch 0, number 0: " + name("tar") + ": byte 27: the bytes are damaged");
}

// Found by a program that read short files: the first ten bytes are read at once, to find out whether they are those of
// a compressed file.
// proves: file-damage
TEST(ByteSources, ThatFailDeliverTheLinesInFront) {
  const TemporaryDirectory directory;
  std::string bytes;
  for (int i = 0; i < 20; ++i) bytes += "ab\n";
  for (char& byte : bytes) byte = static_cast<char>(~byte);
  const std::string name = directory.file("a", bytes);
  for (std::size_t fails_at = 0; fails_at < bytes.size(); ++fails_at) {
    for (const std::size_t at_once : {1U, 2U, 3U, 100U}) {
      const OpenByteSource open = inverted({.at_once = at_once, .fails_at = fails_at});
      const std::string place = "(" + name + ':' + std::to_string(fails_at / 3 + 1) + "): ";
      const auto expect = [&](const auto& data) {
        const auto [count, message] = output_before_failure(data);
        EXPECT_EQ(count, fails_at / 3);
        EXPECT_TRUE(contains(message, place)) << message;
      };
      expect(forebay::text_lines(name, {.open = open}));
      expect(forebay::csv_rows(name, {.open = open}));
      EXPECT_EQ(outputs_of(forebay::text_lines(name, {.on_error = skip(1), .open = open})),
                Strings(fails_at / 3, "ab"));
    }
  }
}

// proves: file-damage
TEST(ByteSources, ThatFailEndTheirFileIfFailuresAreSkipped) {
  const Files files;
  for (const std::size_t fails_at : {0U, 5U, 9U, 30U, 600U, 2000U, 60'000U}) {
    for (const std::size_t at_once : {1U, 100'000U}) {
      const OpenByteSource open = inverted({.at_once = at_once, .fails_at = fails_at});
      const auto expect_end = [](const auto& data) { EXPECT_LE(outputs_of(data).size(), 10U); };
      expect_end(forebay::text_lines(files.of("inverted.txt"), {.on_error = skip(2), .open = open}));
      expect_end(forebay::tfrecords(files.of("inverted.tfrecord"), {.on_error = skip(2), .open = open}));
      expect_end(
          forebay::length_prefixed_records(files.of("inverted.prefixed"), {}, {.on_error = skip(2), .open = open}));
      expect_end(forebay::tar_entries(files.of("inverted.tar"), {.on_error = skip(6), .open = open}));
      expect_end(forebay::webdataset(files.of("inverted.tar"), {.on_error = skip(6), .open = open}));
      expect_end(
          forebay::csv_rows<Row>(files.of("inverted.csv"), {.header = true, .on_error = skip(6), .open = open}));
    }
  }
}

// Found by the test above: the sample was read again and again, for ever with redirect().
// proves: file-damage
TEST(ByteSources, ThatFailWithinASampleAreOneFailure) {
  const Files files;
  int failures = 0;
  const auto count = forebay::redirect([&](forebay::Position, const std::exception_ptr&) { ++failures; });
  Strings keys;
  for (const std::size_t fails_at : {3000U, 60'000U}) {
    const OpenByteSource open = inverted({.fails_at = fails_at});
    for (const auto& sample : forebay::webdataset(files.of("inverted.tar"), {.on_error = count, .open = open}).run()) {
      keys.push_back(sample.key);
    }
  }
  EXPECT_EQ(keys, Strings(4, "a"));
  EXPECT_EQ(failures, 4);
}

class FailsToSeek : public ByteSource {
 public:
  std::size_t read(std::span<char> into) override {
    std::ranges::fill(into, 'x');
    return into.size();
  }
  bool seek(std::uint64_t /*position*/) override { throw std::domain_error("the tape is torn"); }
};

// proves: file-damage
TEST(ByteSources, ThatFailToSeekHaveEnded) {
  forebay::File file("a", {.open = [](const std::string&) { return std::make_unique<FailsToSeek>(); }});
  EXPECT_EQ(file.buffered().front(), 'x');
  EXPECT_EQ(message_of<FileError>([&] { file.seek(1'000'000); }), "a: byte 262144: the tape is torn");
  EXPECT_TRUE(file.buffered().empty());
}

class TooMuch : public ByteSource {
 public:
  std::size_t read(std::span<char> into) override { return into.size() + 1; }
};

// proves: file-damage
TEST(ByteSources, ThatReturnMoreThanWasRequestedAreFailures) {
  const OpenByteSource open = [](const std::string&) { return std::make_unique<TooMuch>(); };
  EXPECT_TRUE(contains(message_of<DatasetError>([&] { return outputs_of(forebay::text_lines("a", {.open = open})); }),
                       "(a:1): the source has returned 65537 bytes instead of at most 65536"));
  EXPECT_EQ(message_of<FileError>([&] {
              std::string record;
              return forebay::TFRecordReader("a", {.open = open})(record);
            }),
            "a: byte 0: the source has returned 262145 bytes instead of at most 262144");
}

// proves: file-damage
TEST(ByteSources, ThatCannotBeOpenedAreFailures) {
  const OpenByteSource none = [](const std::string&) { return nullptr; };
  const OpenByteSource failing = [](const std::string& name) -> std::unique_ptr<ByteSource> {
    throw std::domain_error(name + ": it is locked");
  };
  for (const auto& [open, reason] :
       {std::pair(none, "cannot open: the option .open has returned no source"), std::pair(failing, "it is locked")}) {
    EXPECT_EQ(message_of<FileError>([&open = open] { return forebay::File("a.gz", {.open = open}); }),
              std::string("a.gz: ") + reason);
    EXPECT_EQ(
        message_of<DatasetError>([&open = open] { return outputs_of(forebay::text_lines("a.gz", {.open = open})); }),
        std::string("forebay: text_lines, epoch 0, number 0 (a.gz): ") + reason);
    EXPECT_EQ(outputs_of(forebay::text_lines({"a.gz", "b.gz"}, {.on_error = skip(2), .open = open})), Strings());
  }
}

class NoMemory : public ByteSource {
 public:
  std::size_t read(std::span<char> /*into*/) override { throw std::bad_alloc(); }
};

TEST(ByteSources, ThatRunOutOfMemoryEndTheRun) {
  const OpenByteSource open = [](const std::string&) { return std::make_unique<NoMemory>(); };
  const auto is_bad_alloc = [](const auto& data) {
    try {
      static_cast<void>(outputs_of(data));
    } catch (const DatasetError& error) {
      return contains(error.what(), "bad_alloc");
    } catch (const std::bad_alloc&) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << "nothing was thrown";
  };
  EXPECT_TRUE(is_bad_alloc(forebay::text_lines("a", {.on_error = skip(5), .open = open})));
  EXPECT_TRUE(is_bad_alloc(forebay::tfrecords("a", {.on_error = skip(5), .open = open})));
}

TEST(ByteSources, AreFilesWithoutASize) {
  const Files files;
  const std::string name = files.of("inverted.prefixed").front();
  for (const bool seeks : {false, true}) {
    forebay::File file(name, {.buffer_size = 4, .open = inverted({.at_once = 3, .seeks = seeks})});
    EXPECT_FALSE(file.is_seekable());
    EXPECT_EQ(message_of<FileError>([&] { return file.size(); }), name + ": the file is not seekable");
    file.seek(4);
    std::string record(3, ' ');
    file.read_exactly(record, "a record");
    EXPECT_EQ(record, "one");
    EXPECT_EQ(file.position(), 7U);
    if (seeks) {
      file.seek(0);
      EXPECT_EQ(file.buffered()[0], '\3');
    } else {
      EXPECT_TRUE(contains(message_of<FileError>([&] {
                             file.seek(0);
                             return 0;
                           }),
                           "cannot go back"));
    }
  }
}

}  // namespace
}  // namespace forebay_test
