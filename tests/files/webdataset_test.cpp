// SPDX-License-Identifier: MIT
//
// webdataset_test.cpp: webdataset, its reader and its index: how files form samples, damaged archives, and resuming.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/dataset.hpp"
#include "forebay/tar_files.hpp"
#include "tests/support/archive.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/damaged_files.hpp"
#include "tests/support/pipeline_output.hpp"
#include "tests/support/resume_points.hpp"
#include "tests/support/tar_archive.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::DatasetError;
using forebay::FileError;
using forebay::indexed_webdataset;
using forebay::webdataset;
using forebay::WebSample;
using forebay::WebSampleReader;

using Samples = std::vector<WebSample>;
using Keys = std::vector<std::string>;

Samples rest_of(WebSampleReader& reader) {
  Samples samples;
  for (WebSample sample; reader(sample);) samples.push_back(sample);
  return samples;
}

Samples samples_of(const std::string& name) {
  WebSampleReader reader(name);
  return rest_of(reader);
}

Keys keys_of(const Samples& samples) {
  Keys keys;
  for (const WebSample& sample : samples) keys.push_back(sample.key);
  return keys;
}

Samples samples_in(std::string_view bytes) { return samples_of(Archive(bytes).name); }

/// Returns an archive with a file for each name, whose bytes are its name.
std::string archive_of(const std::vector<std::string>& names) {
  std::string archive;
  for (const std::string& name : names) archive += tar_entry(name, name);
  return archive + tar_end();
}

Keys keys_in(const std::vector<std::string>& names) { return keys_of(samples_in(archive_of(names))); }

/// Returns an archive with global headers between samples and within one.
std::string with_globals() {
  const auto size = [](const std::string& text) {
    return tar_entry(TarFields{.name = "global", .type = 'g'}, pax_record("size", text));
  };
  return tar_entry("a.x", "11") + tar_entry("a.y", "22") + size("1") + tar_entry("b.x", "33") +
         tar_entry("b.y", "44") + tar_entry("c.x", "55") + size("2") + tar_entry("c.y", "66") +
         tar_entry("d.x", "77") + tar_end();
}
const Samples samples_with_globals{{"a", {{"x", "11"}, {"y", "22"}}},
                                   {"b", {{"x", "3"}, {"y", "4"}}},
                                   {"c", {{"x", "5"}, {"y", "66"}}},
                                   {"d", {{"x", "77"}}}};

// ---- How files form samples

TEST(WebDataset, JoinsNeighboursWithTheSameKey) {
  const Samples expected{{"a", {{"cls", "a.cls"}, {"jpg", "a.jpg"}}}, {"b", {{"cls", "b.cls"}}}};
  EXPECT_EQ(samples_in(archive_of({"a.jpg", "a.cls", "b.cls"})), expected);
  EXPECT_EQ(keys_in({"a.x", "b.x", "a.y"}), (Keys{"a", "b", "a"}));
}

TEST(WebDataset, HasKeysThatEndAtTheFirstDotOfTheLastComponent) {
  const Samples expected{{"v1.0/a", {{"tar.gz", "v1.0/a.tar.gz"}, {"x", "v1.0/a.x"}}}};
  EXPECT_EQ(samples_in(archive_of({"v1.0/a.tar.gz", "v1.0/a.x"})), expected);
  EXPECT_EQ(keys_in({"./a.x", "../b.x", "/c.x"}), (Keys{"./a", "../b", "/c"}));
}

TEST(WebDataset, HasExtensionsInLowerCase) {
  EXPECT_EQ(samples_in(archive_of({"A.JpEg"})), (Samples{{"A", {{"jpeg", "A.JpEg"}}}}));
}

TEST(WebDataset, LeavesOutFilesWithoutAKeyOrAnExtension) {
  EXPECT_EQ(keys_in({"README", "a.x", "dir/LICENSE", "a.", "dir/.hidden", ".x", "a.y", "dir.x/"}), (Keys{"a"}));
  EXPECT_EQ(samples_in(archive_of({"a.x", "README", "a.y"})).front().bytes.size(), 2U);
}

TEST(WebDataset, LeavesOutDirectoriesBetweenUnderscores) {
  EXPECT_EQ(keys_in({"__index__/a.x", "__index__", "a.x", "____/b.x"}), (Keys{"a"}));
  EXPECT_EQ(keys_in({"__init__.py", "dir/__index__/a.x", "___/b.x", "__a/c.x"}),
            (Keys{"__init__", "dir/__index__/a", "___/b", "__a/c"}));
}

// proves: tar-names
TEST(WebDataset, HasFilesWhoseNameIsCutBehindASlash) {
  const std::string key = std::string(99, 'd') + "/a";
  for (const auto& entry : {gnu_entry, pax_entry}) {
    const Archive archive(entry({.name = key + ".x"}, "1") + entry({.name = key + ".y", .type = '\0'}, "2"));
    const Samples expected{{key, {{"x", "1"}, {"y", "2"}}}};
    EXPECT_EQ(outputs_of(webdataset(archive.name)), expected);
    EXPECT_EQ(outputs_of<WebSample>(indexed_webdataset(archive.name)), expected);
  }
}

TEST(WebDataset, LeavesOutEntriesThatAreNoFiles) {
  const std::string link = tar_entry(TarFields{.name = "a.link", .type = '2'}, "");
  EXPECT_EQ(samples_in(tar_entry("a.x", "1") + link + tar_entry("a.y", "2")),
            (Samples{{"a", {{"x", "1"}, {"y", "2"}}}}));
}

TEST(WebDataset, HasNoSampleInTwoArchives) {
  const Archive a(archive_of({"a.x"}));
  const Archive b(archive_of({"a.y"}));
  EXPECT_EQ(keys_of(outputs_of(webdataset({a.name, b.name}))), (Keys{"a", "a"}));
}

TEST(WebDataset, MayBeEmpty) {
  EXPECT_EQ(keys_in({}), Keys());
  EXPECT_EQ(keys_in({"README"}), Keys());
}

TEST(WebDataset, RejectsTwoFilesWithTheSameExtension) {
  const Archive archive(archive_of({"a.x", "b.JPG", "b.jpg", "b.y", "c.x"}));
  WebSampleReader reader(archive.name);
  WebSample sample;
  EXPECT_TRUE(reader(sample));
  EXPECT_EQ(message_of<FileError>([&] { return reader(sample); }),
            archive.name + ": byte 2048: the sample \"b\" has two files with the extension \"jpg\"");
  EXPECT_EQ(keys_of(rest_of(reader)), (Keys{"c"}));
}

TEST(WebSampleReader, ReusesASampleWithoutItsOldFiles) {
  const Archive archive(archive_of({"a.x", "a.y", "b.y", "b.z", "c.x", "c.y", "c.z"}));
  WebSampleReader reader(archive.name);
  WebSample sample;
  EXPECT_TRUE(reader(sample));
  EXPECT_TRUE(reader(sample));
  EXPECT_EQ(sample, (WebSample{"b", {{"y", "b.y"}, {"z", "b.z"}}}));
  EXPECT_TRUE(reader(sample));
  EXPECT_EQ(sample, (WebSample{"c", {{"x", "c.x"}, {"y", "c.y"}, {"z", "c.z"}}}));
}

TEST(WebSample, FindsItsFilesByExtension) {
  const WebSample sample{"a", {{"cls", "1"}}};
  EXPECT_EQ(sample["cls"], "1");
  EXPECT_EQ(message_of<std::out_of_range>([&] { return sample["jpg"]; }), "forebay: the sample \"a\" has no \"jpg\"");
}

// ---- Damage

std::string four_samples() { return archive_of({"a.x", "a.y", "b.x", "b.y", "c.x", "c.y", "d.x", "d.y"}); }

// proves: file-damage
TEST(DamagedWebDataset, ThatIsTruncatedAnywhereHasRightSamplesOrAnErrorOrEndsWithinASample) {
  const std::string archive = four_samples().substr(0, 4096);
  const TemporaryDirectory directory;
  const Samples right = samples_in(archive);
  for (std::size_t size = 0; size < archive.size(); ++size) {
    const bool ends_after_a_file = size % 1024 == 0 || size % 1024 >= 515;
    const std::string name = directory.file(std::to_string(size), archive.substr(0, size));
    const auto samples = elements_or_error(samples_of, name, size);
    if (!samples || (ends_after_a_file && size / 512 % 4 != 0)) continue;
    ASSERT_TRUE(std::equal(samples->begin(), samples->end(), right.begin())) << size;
  }
}

// proves: file-damage
TEST(DamagedWebDataset, WithAnyFlippedBitInAHeaderLosesAtMostTwoSamples) {
  const std::string archive = four_samples();
  const Samples right = samples_in(archive);
  const std::string name = "memory";
  for (std::size_t begin = 0; begin < 8192; begin += 1024) {
    for (std::size_t bit = 0; bit < 8U * 512U; ++bit) {
      std::string damaged = archive;
      char& byte = damaged[begin + bit / 8];
      byte = static_cast<char>(static_cast<unsigned char>(byte) ^ 1U << bit % 8);
      forebay::detail::WebSamples<forebay::detail::FilePart> samples(forebay::detail::FilePart(name, 0, damaged));
      auto next = right.begin();
      std::ptrdiff_t lost = 0;
      for (WebSample sample;;) {
        try {
          if (!samples.next(sample.key, sample.bytes)) break;
        } catch (const FileError&) {
          continue;
        }
        const auto found = std::find(next, right.end(), sample);
        ASSERT_NE(found, right.end()) << sample.key << " is wrong; " << begin << ", bit " << bit;
        lost += found - next;
        next = found + 1;
      }
      ASSERT_LE(lost + (right.end() - next), 2);
    }
  }
}

TEST(DamagedWebDataset, LeavesOutTheSamplesNextToTheDamage) {
  for (const auto& [position, keys] : {std::pair<std::size_t, Keys>{0, {"b", "c", "d"}},
                                       {1024, {"c", "d"}},
                                       {2048, {"c", "d"}},
                                       {3072, {"a", "d"}},
                                       {6144, {"a", "b"}},
                                       {7168, {"a", "b", "c"}}}) {
    std::string damaged = four_samples();
    damaged[position] = '!';
    const Archive archive(damaged);
    EXPECT_EQ(keys_of(outputs_of(webdataset(archive.name, {.on_error = forebay::skip(1)}))), keys) << position;
    EXPECT_THROW(static_cast<void>(samples_of(archive.name)), FileError);
  }
}

// ---- Skipping and resuming

TEST(WebSampleReader, SkipsSamples) {
  const Archive archive(four_samples());
  const Samples all = samples_of(archive.name);
  for (std::uint64_t count = 0; count <= 5; ++count) {
    WebSampleReader reader(archive.name);
    const std::uint64_t there = std::min<std::uint64_t>(count, 4);
    EXPECT_EQ(reader.skip(count), there);
    EXPECT_EQ(rest_of(reader), Samples(all.begin() + static_cast<std::ptrdiff_t>(there), all.end()));
  }
}

// proves: file-resume
TEST(WebSampleReader, ContinuesAtEachCursor) {
  std::string damaged = four_samples() + four_samples();
  damaged.erase(8192, 1024);  // the end of the first archive
  damaged[1024] = '!';
  const Archive archive(damaged);
  WebSampleReader reader(archive.name);
  for (bool is_over = false; !is_over;) {
    WebSampleReader resumed(archive.name);
    resumed.seek(reader.cursor());
    WebSample expected;
    WebSample sample;
    std::optional<bool> result;
    const std::string failure = message_of<FileError>([&] { return result = reader(expected); });
    EXPECT_EQ(message_of<FileError>([&] { return is_over = !resumed(sample); }), failure);
    EXPECT_EQ(!result || *result, !is_over);
    if (result == true) {
      EXPECT_EQ(sample, expected);
    }
  }
}

TEST(WebSampleReader, KnowsWhereTheLastSampleBegins) {
  const Archive archive(four_samples());
  WebSampleReader reader(archive.name);
  WebSample sample;
  EXPECT_TRUE(reader(sample));
  EXPECT_TRUE(reader(sample));
  EXPECT_EQ(reader.location(), archive.name + ": byte 2048");
}

// proves: file-resume
TEST(WebDataset, ResumesAtEachSample) {
  std::string damaged = four_samples();
  damaged[1024] = '!';
  const Archive a(four_samples());
  const Archive b(damaged);
  const auto data = webdataset({b.name, a.name}, {.on_error = forebay::skip(1)});
  EXPECT_EQ(keys_of(outputs_of(data)), (Keys{"c", "d", "a", "b", "c", "d"}));
  check_every_resume_point(data);
}

// proves: file-resume
TEST(WebDataset, ResumesBetweenGlobalHeaders) {
  const Archive archive(with_globals());
  EXPECT_EQ(outputs_of(webdataset(archive.name)), samples_with_globals);
  check_every_resume_point(webdataset(archive.name));
}

TEST(WebDataset, IsSharded) {
  const Archive archive(four_samples());
  EXPECT_EQ(keys_of(outputs_of(webdataset(archive.name).shard(1, 2))), (Keys{"b", "d"}));
  EXPECT_EQ(keys_of(outputs_of(webdataset(archive.name).step_by(3))), (Keys{"a", "d"}));
}

// ---- Random access

TEST(IndexedWebDataset, HasTheSamplesInOrder) {
  const Archive a(four_samples());
  const Archive b(tar_end());
  const Archive c(archive_of({"README", "a.x", "e.x", "LICENSE", "e.y"}));
  const auto data = indexed_webdataset({a.name, b.name, c.name});
  EXPECT_EQ(data.size(), 6U);
  EXPECT_EQ(outputs_of<WebSample>(data), outputs_of(webdataset({a.name, b.name, c.name})));
  EXPECT_EQ(data[5], (WebSample{"e", {{"x", "e.x"}, {"y", "e.y"}}}));
}

TEST(IndexedWebDataset, HasTheGlobalHeadersInFrontOfTheSamples) {
  const Archive archive(with_globals());
  const auto data = indexed_webdataset(archive.name);
  ASSERT_EQ(data.size(), samples_with_globals.size());
  for (std::size_t i = data.size(); i-- > 0;) EXPECT_EQ(data[i], samples_with_globals[i]) << i;
}

TEST(IndexedWebDataset, OfADamagedArchiveIsRejectedAtOnce) {
  std::string damaged = four_samples();
  damaged[1024] = '!';
  const Archive archive(damaged);
  EXPECT_EQ(message_of<FileError>([&] { return indexed_webdataset(archive.name); }),
            archive.name + ": byte 1024: the checksum of the tar header is wrong");
  const Archive duplicate(archive_of({"a.x", "a.x"}));
  EXPECT_TRUE(contains(message_of<FileError>([&] { return indexed_webdataset(duplicate.name); }), "two files"));
}

// proves: file-changed
TEST(IndexedWebDataset, OfAnArchiveThatChangedFails) {
  const Archive archive(four_samples());
  const auto data = indexed_webdataset(archive.name);
  write_file(archive.name, archive_of({"a.x", "b.y", "b.x", "b.y", "c.x", "c.y", "d.x", "d.y"}));
  EXPECT_TRUE(
      contains(message_of<FileError>([&] { return data[0]; }), "the file has changed since the data set was created"));
  EXPECT_THROW(static_cast<void>(outputs_of<WebSample>(data)), DatasetError);
}

}  // namespace
}  // namespace forebay_test
