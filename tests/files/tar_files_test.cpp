// SPDX-License-Identifier: MIT
//
// tar_files_test.cpp: tar_entries, its reader and its index: archives of other programs, every kind of header, damaged
// archives, pipes and resuming.

#include "forebay/tar_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "tests/support/archive.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/damaged_files.hpp"
#include "tests/support/pipeline_output.hpp"
#include "tests/support/repository.hpp"
#include "tests/support/resume_points.hpp"
#include "tests/support/tar_archive.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/thrown.hpp"

#if __has_include(<sys/stat.h>) && __has_include(<unistd.h>)
#include <sys/stat.h>

#include "tests/support/background.hpp"
#endif

namespace forebay_test {
namespace {

using forebay::DatasetError;
using forebay::FileError;
using forebay::indexed_tar_entries;
using forebay::tar_entries;
using forebay::TarEntry;
using forebay::TarEntryReader;

using Entries = std::vector<TarEntry>;
using Names = std::vector<std::string>;

/// Reads the rest of an archive. Stops at a failure.
Entries rest_of(TarEntryReader& reader) {
  Entries entries;
  for (TarEntry entry; reader(entry);) entries.push_back(entry);
  return entries;
}

Entries entries_of(const std::string& name) {
  TarEntryReader reader(name);
  return rest_of(reader);
}

std::string fault_of(const std::string& name) {
  return message_of<FileError>([&] { return entries_of(name); });
}

Names names_of(const Entries& entries) {
  Names names;
  for (const TarEntry& entry : entries) names.push_back(entry.name);
  return names;
}

/// Returns an entry whose name fits into its header.
std::string tar_entry_of(TarFields fields, std::string_view bytes) { return tar_entry(std::move(fields), bytes); }

Entries entries_in(std::string_view bytes) { return entries_of(Archive(bytes).name); }

/// Returns why the archive cannot be read, without its name.
std::string fault_in(std::string_view bytes) {
  const Archive archive(bytes);
  const std::string fault = fault_of(archive.name);
  return fault.starts_with(archive.name) ? fault.substr(archive.name.size()) : fault;
}

std::string pax(const std::string& records) {
  return tar_entry(TarFields{.name = "PaxHeaders/x", .type = 'x'}, records);
}

std::string global(const std::string& records) { return tar_entry(TarFields{.name = "global", .type = 'g'}, records); }

/// An archive with global headers between its files.
std::string archive_with_globals() {
  const std::string no_path = pax_record("path", "") + pax_record("size", "");
  return tar_entry("a", "1") + global(pax_record("path", "everywhere")) + tar_entry("b", "22") +
         global(pax_record("size", "1")) + tar_entry("c", "33") + pax(pax_record("path", "own")) +
         tar_entry("d", "44") + pax(no_path) + tar_entry("e", "55") + tar_entry("f", "66") + global(no_path) +
         tar_entry("g", "77") + tar_end();
}
const Entries entries_with_globals{{"a", "1"},  {"everywhere", "22"}, {"everywhere", "3"}, {"own", "4"},
                                   {"e", "55"}, {"everywhere", "6"},  {"g", "77"}};

// ---- Archives of other programs

std::string written_by(const std::string& program) { return data_file("tar/" + program + ".tar"); }

TEST(TarOfOtherPrograms, HasLongNamesInEveryFormat) {
  const std::string long_name =
      "directory-" + std::string(60, '0') + "/directory-" + std::string(30, '0') + "/\xc3\xb6.txt";
  const Entries expected{{"a.txt", "abc"}, {long_name, ""}};
  for (const char* name :
       {"gnu-ustar-names", "gnu-gnu-names", "gnu-pax-names", "bsdtar-ustar-names", "bsdtar-gnutar-names",
        "bsdtar-paxr-names", "python-ustar-names", "python-gnu-names", "python-pax-names"}) {
    EXPECT_EQ(entries_of(written_by(name)), expected) << name;
  }
}

TEST(TarOfOtherPrograms, HasOnlyItsFilesAsEntries) {
  for (const char* name : {"gnu-gnu-types", "bsdtar-paxr-types", "python-pax-types"}) {
    EXPECT_EQ(entries_of(written_by(name)), (Entries{{"d/file", "data"}})) << name;
  }
}

TEST(TarOfOtherPrograms, MayHaveAGlobalHeader) {
  EXPECT_EQ(entries_of(written_by("git-pax-global")), (Entries{{"a.txt", "abc"}}));
}

TEST(TarOfOtherPrograms, MayHaveGlobalHeadersWithThePathAndTheSize) {
  EXPECT_EQ(entries_of(written_by("gnu-pax-globals")),
            (Entries{{"everywhere", std::string("abc\0", 4)}, {"everywhere", "data"}}));
  EXPECT_EQ(entries_of(written_by("python-pax-globals")), (Entries{{"everywhere", "abc"}, {"everywhere", "dat"}}));
}

TEST(TarOfOtherPrograms, WithSparseFilesIsRejected) {
  for (const char* name : {"gnu-gnu-sparse", "gnu-pax-sparse"}) {
    EXPECT_TRUE(contains(fault_of(written_by(name)), "GNU sparse files are not supported")) << name;
  }
}

TEST(TarOfOtherPrograms, HasSizesOfMoreThan8GiB) {
  EXPECT_TRUE(contains(fault_of(written_by("gnu-gnu-large")), "ends at byte " + std::to_string((9ULL << 30U) + 512)));
  EXPECT_TRUE(contains(fault_of(written_by("gnu-pax-large")), "ends at byte " + std::to_string((9ULL << 30U) + 1536)));
}

// ---- The end

TEST(TarEnd, IsOneBlockOfZerosTwoOrTheEndOfTheFile) {
  const std::string entries = tar_entry("a", "1") + tar_entry("b", "2");
  const Entries expected{{"a", "1"}, {"b", "2"}};
  for (const std::size_t zeros : {0U, 512U, 1024U, 10240U}) {
    EXPECT_EQ(entries_in(entries + std::string(zeros, '\0')), expected) << zeros;
  }
  EXPECT_EQ(entries_in(entries + std::string(512, '\0') + "not a header"), expected);
}

TEST(TarEnd, MayFollowDataWithoutPadding) {
  const std::string entry = tar_entry("a", "data");
  EXPECT_EQ(entries_in(entry.substr(0, 516)), (Entries{{"a", "data"}}));
}

TEST(TarEnd, MayBeTheBeginning) { EXPECT_EQ(entries_in(tar_end()), Entries()); }

// proves: file-damage
TEST(TarEnd, IsNotThatOfAFileWithoutBytes) {
  const std::string fault = ": byte 0: the file is empty, so it is no tar archive";
  EXPECT_EQ(fault_in(""), fault);
  const Archive archive("");
  EXPECT_EQ(message_of<FileError>([&] { return indexed_tar_entries(archive.name); }), archive.name + fault);
}

TEST(TarEnd, MayNotFollowAnExtendedHeader) {
  const std::string fault = ": byte 0: the archive ends before the entry that this extended header describes";
  EXPECT_EQ(fault_in(pax(pax_record("path", "a"))), fault);
  EXPECT_EQ(fault_in(pax(pax_record("path", "a")) + tar_end()), fault);
}

TEST(TarEnd, IsRepeated) {
  const Archive archive(tar_entry("a", "1") + tar_end());
  TarEntryReader reader(archive.name);
  EXPECT_EQ(rest_of(reader).size(), 1U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(rest_of(reader).size(), 0U);
}

// ---- Headers

TEST(TarEntries, KeepNamesThatAreAbsoluteOrLeaveTheirDirectory) {
  for (const char* name : {"/etc/passwd", "../../a", "a/../../b", "C:\\a", "./a", "", "a\nb"}) {
    EXPECT_EQ(entries_in(tar_entry(name, "1")), (Entries{{name, "1"}}));
  }
}

TEST(TarEntries, LeaveOutOtherTypesBySize) {
  const std::string label = tar_entry(TarFields{.name = "label", .type = 'V'}, std::string(600, 'x'));
  const std::string directory = tar_entry(TarFields{.name = "old/", .type = '\0'}, std::string(600, 'x'));
  EXPECT_EQ(entries_in(label + directory + tar_entry("a", "1")), (Entries{{"a", "1"}}));
}

TEST(TarEntries, TakeNoDataOfLinksAndDirectories) {
  std::string archive;
  for (char type = '1'; type <= '6'; ++type) {
    const auto block = tar_block({.size = tar_octal(1000), .type = type});
    archive.append(block.data(), block.size());
  }
  EXPECT_EQ(entries_in(archive + tar_entry("a", "1")), (Entries{{"a", "1"}}));
}

TEST(TarEntries, HaveThePathAndSizeOfThePaxHeader) {
  std::string entry = tar_entry("short", "data");
  const auto block = tar_block({.name = "short", .size = tar_octal(0)});
  entry.replace(0, block.size(), block.data(), block.size());
  const std::string header =
      pax(pax_record("path", "long/name") + pax_record("linkpath", "x") + pax_record("size", "4"));
  EXPECT_EQ(entries_in(header + entry + tar_entry("b", "2")), (Entries{{"long/name", "data"}, {"b", "2"}}));
}

TEST(TarEntries, TakeThePaxHeaderOnlyForTheNextEntry) {
  const std::string link = tar_entry(TarFields{.name = "link", .type = '2'}, "");
  EXPECT_EQ(entries_in(pax(pax_record("path", "x")) + link + tar_entry("a", "1")), (Entries{{"a", "1"}}));
}

TEST(TarEntries, HaveTheGnuLongName) {
  const std::string name(300, 'n');
  const std::string long_name = tar_entry(TarFields{.name = "././@LongLink", .type = 'L'}, name + '\0');
  const std::string long_link = tar_entry(TarFields{.name = "././@LongLink", .type = 'K'}, std::string(200, 'k'));
  EXPECT_EQ(entries_in(long_link + long_name + tar_entry("n", "1")), (Entries{{name, "1"}}));
}

/// Names of files of every length from 90 to 270 with slashes anywhere. Of each length, most have a slash where writers
/// cut the name.
Names long_names() {
  std::minstd_rand random;
  const auto up_to = [&random](std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most)(random);
  };
  Names names;
  for (std::size_t length = 90; length <= 270; ++length) {
    for (int i = 0; i < 5; ++i) {
      std::string name(length, static_cast<char>('a' + i));
      for (std::size_t slashes = up_to(8); slashes > 0; --slashes) name[up_to(length - 2)] = '/';
      if (i > 0 && length > 100) name[99] = '/';
      names.push_back(name);
    }
  }
  return names;
}

// proves: tar-names
TEST(TarEntries, HaveNamesOfEveryLengthInEveryFormat) {
  for (const auto& entry : {gnu_entry, pax_entry, ustar_entry}) {
    for (const char type : {'0', '\0', '7'}) {
      std::string archive;
      Entries expected;
      for (const std::string& name : long_names()) {
        const std::string made = entry({.name = name, .type = type}, std::to_string(expected.size()));
        if (made.empty()) continue;
        archive += made;
        expected.push_back({name, std::to_string(expected.size())});
      }
      const Archive file(archive);
      EXPECT_EQ(entries_of(file.name), expected);
      EXPECT_EQ(outputs_of<TarEntry>(indexed_tar_entries(file.name)), expected);
    }
  }
}

// proves: tar-names
TEST(TarEntries, LeaveOutDirectoriesByTheSlashAtTheEndOfTheirWholeName) {
  const Names directories{"d/", std::string(150, 'd') + '/', std::string(99, 'd') + "/e/"};
  for (const auto& entry : {gnu_entry, pax_entry, tar_entry_of}) {
    for (const char type : {'0', '\0', '5'}) {
      for (const std::string& name : directories) {
        if (entry == tar_entry_of && name.size() > 100) continue;
        EXPECT_EQ(entries_in(entry({.name = name, .type = type}, "") + tar_entry("a", "1")), (Entries{{"a", "1"}}));
      }
    }
    EXPECT_EQ(entries_in(entry({.name = "d/"}, std::string(513, 'd')) + tar_entry("a", "1")), (Entries{{"a", "1"}}))
        << "old directories may have data";
  }
}

TEST(TarEntries, HaveThePathAndTheSizeOfTheGlobalHeadersInFrontOfThem) {
  EXPECT_EQ(entries_in(archive_with_globals()), entries_with_globals);
  EXPECT_EQ(entries_in(global(pax_record("linkpath", "x")) + tar_entry("a", "1")), (Entries{{"a", "1"}}));
}

TEST(TarEntries, OfOtherTypesHaveTheSizeOfTheGlobalHeader) {
  EXPECT_EQ(entries_in(global(pax_record("size", "513")) + tar_entry(TarFields{.type = 'V'}, std::string(513, 'v')) +
                       tar_entry(TarFields{.type = '5'}, "") + tar_entry("a", std::string(600, 'a'))),
            (Entries{{"a", std::string(513, 'a')}}));
}

// proves: file-damage
TEST(TarEntries, AfterADamagedGlobalHeaderAreRejected) {
  EXPECT_EQ(fault_in(global("9 size=x\n") + tar_entry("a", "1")),
            ": byte 0: the size in the pax header is no number from 0 to 2^63 - 1");
  EXPECT_EQ(fault_in(global(pax_record("size", "514")) + tar_entry("a", "1")),
            ": byte 1024: the entry ends at byte 2050, beyond the end of the file");
  EXPECT_EQ(fault_in(global(pax_record("GNU.sparse.major", "1")) + tar_entry("a", "1")),
            ": byte 0: GNU sparse files are not supported");
}

TEST(TarEntries, MayBeLargerThanTheBuffer) {
  std::string archive;
  Entries expected;
  for (const std::size_t size : {0U, 1U, 511U, 512U, 513U, 32767U, 32768U, 32769U, 300000U, 1U, 40000U}) {
    expected.push_back({std::to_string(size), std::string(size, static_cast<char>('a' + size % 23))});
    archive += tar_entry(expected.back().name, expected.back().bytes);
  }
  const Archive file(archive);
  EXPECT_EQ(entries_of(file.name), expected);
  TarEntryReader reader(file.name, {.buffer_size = 100});
  EXPECT_EQ(rest_of(reader), expected);
}

// ---- Damage

TEST(DamagedTar, NamesTheByte) {
  EXPECT_EQ(fault_in(tar_entry("a", "1") + std::string(512, 'x')),
            ": byte 1024: the checksum of the tar header is wrong");
  EXPECT_EQ(fault_in(tar_entry("a", "1").substr(0, 512)),
            ": byte 0: the entry ends at byte 513, beyond the end of the file");
  EXPECT_EQ(fault_in(tar_entry("a", "1") + "abc"), ": byte 1027: the file ends within a tar header");
}

// proves: file-damage
TEST(DamagedTar, OfAnImpossibleSizeIsRejected) {
  const auto with_size = [](const std::string& size) {
    const auto block = tar_block({.size = size});
    return fault_in(std::string(block.data(), block.size()) + std::string(512, 'x'));
  };
  const std::string no_number = ": byte 0: the size in the tar header is no number from 0 to 2^63 - 1";
  const std::string zeros(3, '\0');
  EXPECT_EQ(with_size("\x80" + zeros + "\x80" + std::string(7, '\0')), no_number);
  EXPECT_EQ(with_size(std::string(12, '\xff')), no_number);
  EXPECT_EQ(with_size("\x80" + zeros + "\x7f" + std::string(7, '\xff')),
            ": byte 0: the entry ends at byte 9223372036854776319, beyond the end of the file");
}

TEST(DamagedTar, OfAnImpossibleExtensionAllocatesNothing) {
  for (const char type : {'x', 'g', 'L', 'K', 'V'}) {
    const auto block = tar_block({.size = "777777777777", .type = type});
    EXPECT_TRUE(contains(fault_in(std::string(block.data(), block.size())), "beyond the end of the file")) << type;
  }
}

/// An archive with every kind of header.
std::string mixed_archive() {
  return tar_entry("a", "1") + pax(pax_record("path", "pax") + pax_record("size", "3")) + tar_entry("short", "123") +
         tar_entry(TarFields{.name = "././@LongLink", .type = 'L'}, std::string("gnu\0", 4)) + tar_entry("g", "22") +
         tar_entry(TarFields{.name = "d", .type = '5'}, "") + tar_entry("z", "3") + tar_end();
}

// proves: file-damage
TEST(DamagedTar, ThatIsTruncatedAnywhereHasRightEntriesOrAnError) {
  check_truncated_files(mixed_archive().substr(0, 3072), entries_of);
}

TEST(DamagedTar, WithAFlippedBitInAHeaderHasRightEntriesOrAnError) {
  check_flipped_bits(mixed_archive(), 2048 + 120, 2048 + 160, entries_of);  // size, time, checksum and type
}

TEST(DamagedTar, WithAFlippedBitInAnExtensionDoesNotCrash) {
  check_flipped_bits(mixed_archive(), 1536, 1560, entries_of, MayReturn::any_data);
}

/// Reads all entries of an archive in memory, and goes on after failures, which it counts.
Entries entries_in_memory(const std::string& bytes, std::size_t& failures) {
  const std::string name = "memory";
  forebay::detail::TarScanner<forebay::detail::FilePart> files(forebay::detail::FilePart(name, 0, bytes));
  Entries entries;
  for (forebay::detail::TarFile file;;) {
    try {
      if (!files.next(file)) return entries;
      entries.push_back({file.name, ""});
      files.read(file, entries.back().bytes);
    } catch (const FileError&) {
      ++failures;
    }
  }
}

// proves: file-damage
TEST(DamagedTar, WithAnyFlippedBitInAHeaderHasOnlyRightEntriesThen) {
  const std::string archive = mixed_archive();
  const Entries right = entries_in(archive);
  for (const std::size_t begin : {0U, 1024U, 2048U, 3072U, 4096U, 5120U, 5632U}) {
    for (std::size_t bit = 0; bit < 8U * 512U; ++bit) {
      std::string damaged = archive;
      char& byte = damaged[begin + bit / 8];
      byte = static_cast<char>(static_cast<unsigned char>(byte) ^ 1U << bit % 8);
      std::size_t failures = 0;
      const Entries entries = entries_in_memory(damaged, failures);
      ASSERT_TRUE(failures == 1 || entries == right) << begin << ", bit " << bit;
      auto next = right.begin();
      for (const TarEntry& entry : entries) {
        next = std::find(next, right.end(), entry);
        ASSERT_NE(next, right.end()) << entry.name << " is wrong; " << begin << ", bit " << bit;
      }
      ASSERT_GE(entries.size() + 1, right.size());
    }
  }
}

/// Reads all entries, and goes on after failures, which it counts.
Entries entries_without_damage(const std::string& name, std::size_t& failures) {
  TarEntryReader reader(name);
  Entries entries;
  for (;;) {
    try {
      TarEntry entry;
      if (!reader(entry)) return entries;
      entries.push_back(entry);
    } catch (const FileError&) {
      ++failures;
    }
  }
}

TEST(DamagedTar, ContinuesAtTheNextHeader) {
  const Entries right = entries_in(mixed_archive());
  const TemporaryDirectory directory;
  std::string damaged = mixed_archive();
  const std::vector<std::pair<std::size_t, Names>> cases = {
      {0, {"pax", "gnu", "z"}},          // a
      {1024, {"a", "gnu", "z"}},         // the pax header: its file would have a wrong name
      {2048, {"a", "gnu", "z"}},         // the file with the pax header
      {3072, {"a", "pax", "z"}},         // the long name
      {4096, {"a", "pax", "z"}},         // the file with the long name
      {5120, {"a", "pax", "gnu", "z"}},  // a directory
      {5632, {"a", "pax", "gnu"}},
  };
  for (const auto& [position, names] : cases) {
    for (const std::size_t byte : {0U, 124U, 150U, 156U}) {
      std::string bytes = damaged;
      bytes[position + byte] = static_cast<char>(bytes[position + byte] ^ 0x20);
      std::size_t failures = 0;
      EXPECT_EQ(names_of(entries_without_damage(directory.file("a.tar", bytes), failures)), names) << position;
      EXPECT_EQ(failures, 1U);
    }
  }
}

TEST(DamagedTar, ContinuesAfterADamagedPaxHeaderWithoutItsFile) {
  std::string archive = mixed_archive();
  archive[1536] = 'x';
  std::size_t failures = 0;
  EXPECT_EQ(names_of(entries_without_damage(Archive(archive).name, failures)), (Names{"a", "gnu", "z"}));
  EXPECT_EQ(failures, 1U);
}

TEST(DamagedTar, EndsWithADamagedGlobalHeader) {
  const Archive archive(tar_entry("a", "1") + global("9 size=x\n") + tar_entry("b", "2") + tar_entry("c", "3"));
  std::size_t failures = 0;
  EXPECT_EQ(names_of(entries_without_damage(archive.name, failures)), (Names{"a"}));
  EXPECT_EQ(failures, 1U);

  TarEntryReader reader(archive.name);
  TarEntry entry;
  ASSERT_TRUE(reader(entry));
  EXPECT_THROW(reader(entry), FileError);
  TarEntryReader resumed(archive.name);
  resumed.seek(reader.cursor());
  EXPECT_FALSE(resumed(entry));
}

TEST(DamagedTar, ContinuesAfterASparseFile) {
  const std::string sparse = tar_entry(TarFields{.name = "sparse", .type = 'S'}, "data");
  std::size_t failures = 0;
  EXPECT_EQ(names_of(entries_without_damage(Archive(sparse + sparse + mixed_archive()).name, failures)),
            (Names{"a", "pax", "gnu", "z"}));
  EXPECT_EQ(failures, 2U);
}

TEST(DamagedTar, IsSkippedAsConfigured) {
  std::string archive = mixed_archive();
  archive[0] = 'x';
  archive[4096] = 'x';
  const Archive file(archive + tar_end());
  EXPECT_EQ(names_of(outputs_of(tar_entries(file.name, {.on_error = forebay::skip(2)}))), (Names{"pax", "z"}));
  EXPECT_TRUE(contains(message_of<DatasetError>([&] { return outputs_of(tar_entries(file.name)); }),
                       "forebay: tar_entries, epoch 0, number 0: "));
}

// ---- Skipping and resuming

TEST(TarEntryReader, SkipsEntries) {
  const Archive archive(mixed_archive());
  const Entries all = entries_of(archive.name);
  for (std::uint64_t count = 0; count <= all.size() + 1; ++count) {
    TarEntryReader reader(archive.name);
    EXPECT_EQ(reader.skip(count), std::min<std::uint64_t>(count, all.size()));
    const auto skipped = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(count, all.size()));
    EXPECT_EQ(rest_of(reader), Entries(all.begin() + skipped, all.end()));
  }
}

// proves: file-resume
TEST(TarEntryReader, ContinuesAtEachCursor) {
  const Archive archive(mixed_archive());
  TarEntryReader reader(archive.name);
  for (;;) {
    TarEntryReader resumed(archive.name);
    resumed.seek(reader.cursor());
    TarEntryReader copy(archive.name);
    copy.seek(reader.cursor());
    const Entries rest = rest_of(copy);
    EXPECT_EQ(rest_of(resumed), rest);
    TarEntry entry;
    if (!reader(entry)) break;
    ASSERT_FALSE(rest.empty());
    EXPECT_EQ(rest.front(), entry);
  }
  TarEntryReader ended(archive.name);
  ended.seek(reader.cursor());
  EXPECT_EQ(rest_of(ended), Entries());
}

TEST(TarEntryReader, ContinuesAfterDamageAtItsCursor) {
  std::string bytes = mixed_archive();
  bytes[1024] = 'x';
  const Archive archive(bytes);
  TarEntryReader reader(archive.name);
  EXPECT_THROW(static_cast<void>(rest_of(reader)), FileError);
  TarEntryReader resumed(archive.name);
  resumed.seek(reader.cursor());
  EXPECT_EQ(names_of(rest_of(resumed)), (Names{"gnu", "z"}));
}

// proves: file-resume
TEST(TarEntryReader, RejectsACursorBeyondTheEndOfTheFile) {
  const Archive archive(tar_entry("a", "1"));
  TarEntryReader reader(archive.name);
  EXPECT_TRUE(contains(message_of<FileError>([&] {
                         reader.seek("10240");
                         return 0;
                       }),
                       "the file ends before byte 10240, where the run should resume"));
  EXPECT_EQ(rest_of(reader), Entries());
}

// proves: file-resume
TEST(TarEntryReader, RejectsACursorOfAnotherReader) {
  const Archive archive(tar_entry("a", "1"));
  TarEntryReader reader(archive.name);
  EXPECT_TRUE(contains(message_of<FileError>([&] {
                         reader.seek("first");
                         return 0;
                       }),
                       "this is no position in an archive: first"));
}

TEST(TarEntryReader, KnowsWhereTheLastEntryBegins) {
  const Archive archive(mixed_archive());
  TarEntryReader reader(archive.name);
  EXPECT_EQ(reader.skip(2), 2U);
  EXPECT_EQ(reader.location(), archive.name + ": byte 1024");
}

// proves: file-resume
TEST(TarEntries, ResumeAtEachEntry) {
  std::string damaged = mixed_archive();
  damaged[4096] = 'x';
  const Archive a(mixed_archive());
  const Archive b(damaged);
  const auto data = tar_entries({a.name, b.name, a.name}, {.on_error = forebay::skip(1)});
  EXPECT_EQ(outputs_of(data).size(), 11U);
  check_every_resume_point(data);
}

// proves: file-resume
TEST(TarEntries, ResumeBetweenGlobalHeaders) {
  const Archive archive(archive_with_globals());
  check_every_resume_point(tar_entries({archive.name, archive.name}));
}

TEST(TarEntries, AreSharded) {
  const Archive archive(mixed_archive());
  EXPECT_EQ(names_of(outputs_of(tar_entries(archive.name).shard(1, 2))), (Names{"pax", "z"}));
  EXPECT_EQ(names_of(outputs_of(tar_entries(archive.name).skip(2))), (Names{"gnu", "z"}));
}

// ---- Random access

TEST(IndexedTarEntries, AreThoseInOrder) {
  const Archive a(mixed_archive());
  const Archive empty(tar_end());
  const auto data = indexed_tar_entries({a.name, empty.name, written_by("gnu-pax-names")});
  EXPECT_EQ(data.size(), 6U);
  EXPECT_EQ(outputs_of<TarEntry>(data), outputs_of(tar_entries({a.name, empty.name, written_by("gnu-pax-names")})));
  EXPECT_EQ(data[1], (TarEntry{"pax", "123"}));
  EXPECT_EQ(data[4], (TarEntry{"a.txt", "abc"}));
}

TEST(IndexedTarEntries, HaveTheGlobalHeadersInFrontOfThem) {
  const Archive archive(archive_with_globals());
  const Archive plain(tar_entry("a", "1") + tar_entry("b", "2"));
  Entries expected = entries_with_globals;
  for (const TarEntry& entry : entries_in(tar_entry("a", "1") + tar_entry("b", "2"))) expected.push_back(entry);
  const auto data = indexed_tar_entries({archive.name, plain.name});
  EXPECT_EQ(outputs_of<TarEntry>(data), expected);
  for (std::size_t i = data.size(); i-- > 0;) EXPECT_EQ(data[i], expected[i]) << i;
}

TEST(IndexedTarEntries, AreReadIntoStorageThatIsReused) {
  std::string bytes;
  Entries expected;
  for (const std::size_t size : {0U, 1U, 511U, 512U, 3583U, 3584U, 3585U, 4096U, 70'000U, 1'000'000U, 5U}) {
    expected.push_back({std::string(size % 90 + 1, 'n'), std::string(size, static_cast<char>('a' + size % 26))});
    bytes += tar_entry(expected.back().name, expected.back().bytes);
  }
  // headers of more than is read at first
  expected.push_back({"long", "data"});
  bytes += tar_entry(TarFields{.name = "PaxHeaders/x", .type = 'x'}, pax_record("comment", std::string(20'000, 'c')));
  bytes += tar_entry("long", "data");
  const Archive archive(bytes);
  const auto data = indexed_tar_entries(archive.name);
  ASSERT_EQ(data.size(), expected.size());
  TarEntry entry{"", std::string(1'000'000, 'x')};
  const char* const memory = entry.bytes.data();
  for (std::size_t i = data.size(); i-- > 0;) {
    data.read(i, entry);
    EXPECT_TRUE(entry == expected[i]) << i;
    EXPECT_EQ(entry.bytes.data(), memory);
  }
  EXPECT_TRUE(outputs_of<TarEntry>(data) == expected);
}

TEST(IndexedTarEntries, AreSelectedByTheirNames) {
  const Archive a(mixed_archive());
  const Archive globals(archive_with_globals());
  const auto select_of = [&](const std::string& without) {
    return indexed_tar_entries({a.name, globals.name},
                               {.select = [without](const std::string& name) { return name != without; }});
  };
  Entries all = outputs_of(tar_entries({a.name, globals.name}));
  for (const TarEntry& left_out : Entries(all)) {
    Entries others;
    for (const TarEntry& entry : all) {
      if (entry.name != left_out.name) others.push_back(entry);
    }
    const auto data = select_of(left_out.name);
    EXPECT_EQ(outputs_of<TarEntry>(data), others);
    auto pipeline = data.run();
    while (pipeline.next()) continue;
    EXPECT_EQ(pipeline.statistics().loop.left_out, 0U);
  }
  EXPECT_EQ(indexed_tar_entries(a.name, {.select = [](const std::string&) { return false; }}).size(), 0U);
  EXPECT_THROW(static_cast<void>(indexed_tar_entries(
                   a.name, {.select = [](const std::string&) -> bool { throw std::domain_error("select"); }})),
               std::domain_error);
}

TEST(IndexedTarEntries, AreReadByThreads) {
  const Archive a(mixed_archive());
  const Archive b(tar_entry("large", std::string(100000, 'x')));
  const auto names = indexed_tar_entries({a.name, b.name}).shuffle().repeat(20).map(3, [](const TarEntry& entry) {
    return entry.name.size();
  });
  std::size_t sum = 0;
  for (const std::size_t size : names.run()) sum += size;
  EXPECT_EQ(sum, 20U * (1 + 3 + 3 + 1 + 5));
}

TEST(IndexedTarEntries, OfADamagedArchiveAreRejectedAtOnce) {
  std::string bytes = mixed_archive();
  bytes[3072] = 'x';
  const Archive archive(bytes);
  EXPECT_EQ(message_of<FileError>([&] { return indexed_tar_entries(archive.name); }),
            archive.name + ": byte 3072: the checksum of the tar header is wrong");
}

// proves: file-changed
TEST(IndexedTarEntries, OfAnArchiveThatChangedFail) {
  const Archive archive(mixed_archive());
  const auto same_size = indexed_tar_entries(archive.name);
  write_file(archive.name, std::string(mixed_archive().size(), 'x'));
  EXPECT_THROW(static_cast<void>(same_size[0]), FileError);
  write_file(archive.name, tar_entry("other", "data and more") + mixed_archive().substr(1024));
  EXPECT_TRUE(contains(message_of<FileError>([&] { return same_size[0]; }), "beyond the end of the file"));
  write_file(archive.name, tar_entry("a", "") + mixed_archive().substr(512));
  EXPECT_TRUE(contains(message_of<FileError>([&] { return same_size[0]; }),
                       "the file has changed since the data set was created"));
  EXPECT_THROW(static_cast<void>(outputs_of<TarEntry>(same_size)), DatasetError);
}

// ---- Pipes

#if __has_include(<sys/stat.h>) && __has_include(<unistd.h>)
/// Writes the bytes to a named pipe, and calls `read(name)` meanwhile.
template <class Read>
auto through_pipe(const std::string& bytes, const Read& read) {
  const TemporaryDirectory directory;
  const std::string name = directory.name("pipe");
  EXPECT_EQ(mkfifo(name.c_str(), 0600), 0);
  Background write([&] {
    write_file(name, bytes);
    return 0;
  });
  auto result = read(name);
  write.get();
  return result;
}

TEST(TarInAPipe, IsReadInOrder) {
  const std::string bytes = mixed_archive() + tar_end();
  EXPECT_EQ(through_pipe(bytes, entries_of), entries_in(bytes));
  const auto after_skip = [](const std::string& name) {
    TarEntryReader reader(name);
    EXPECT_EQ(reader.skip(2), 2U);
    return names_of(rest_of(reader));
  };
  EXPECT_EQ(through_pipe(bytes, after_skip), (Names{"gnu", "z"}));
}

TEST(TarInAPipe, HasNoIndex) {
  const TemporaryDirectory directory;
  const std::string name = directory.name("pipe");
  EXPECT_EQ(mkfifo(name.c_str(), 0600), 0);
  EXPECT_EQ(message_of<FileError>([&] { return indexed_tar_entries(name); }), name + ": is not a regular file");
}

TEST(TarInAPipe, ContinuesAfterDamage) {
  std::string bytes = mixed_archive();
  bytes[1024] = 'x';
  std::size_t failures = 0;
  const auto read = [&](const std::string& name) { return names_of(entries_without_damage(name, failures)); };
  EXPECT_EQ(through_pipe(bytes, read), (Names{"a", "gnu", "z"}));
  EXPECT_EQ(failures, 1U);
}

TEST(TarInAPipe, ThatEndsWithinAnEntryFails) {
  const auto block = tar_block({.size = "777777777777"});
  const std::string bytes = std::string(block.data(), block.size()) + "the only data";
  EXPECT_TRUE(contains(through_pipe(bytes, fault_of), "beyond the end of the file"));
  const auto skip = [](const std::string& name) {
    TarEntryReader reader(name);
    return message_of<FileError>([&] { return reader.skip(2); });
  };
  EXPECT_TRUE(contains(through_pipe(bytes, skip), "beyond the end of the file"));
}
#endif

}  // namespace
}  // namespace forebay_test
