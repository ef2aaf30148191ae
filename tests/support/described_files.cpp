// SPDX-License-Identifier: MIT
//
// described_files.cpp: the data sets of files in described_data.hpp, one or more of each format. It is compiled once,
// because all formats together take long.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "forebay/files.hpp"
#include "tests/support/described_data.hpp"
#include "tests/support/tar_archive.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tfrecord_bytes.hpp"

namespace forebay_test {
namespace {

using Names = std::vector<std::string>;

constexpr Number numbers = 19;  // in each file

std::string npy_header() {
  std::string text = "{'descr': '<u8', 'fortran_order': False, 'shape': (" + std::to_string(numbers) + ",), }";
  text.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text + '\n';
}

/// Two files of each format, the second of which has greater numbers.
class Files {
 public:
  Files() {
    for (const Number first : {Number{0}, numbers}) add(first);
  }

  Names lines, csv, tfrecords, damaged_tfrecords, numbers_in_memory, prefixed, tar, npy, idx;

 private:
  void add(Number first) {
    std::string rows = "name,number\n";
    std::string text;
    std::string records;
    std::string memory;
    std::string with_lengths;
    std::string archive;
    std::string array = npy_header();
    std::string bytes{"\0\0\x08\x01\0\0\0", 7};
    bytes += static_cast<char>(numbers);
    for (Number number = first; number < first + numbers; ++number) {
      const std::string digits = std::to_string(number);
      text += digits + (number % 2 == 0 ? "\n" : "\r\n");
      rows += (number % 7 == 3 ? "\"a\n\"\"b\"," : "a,") + (number % 8 == 5 ? "damaged" : digits) + "\n";
      records += tfrecord(digits);
      std::array<char, sizeof number> in_memory{};
      std::memcpy(in_memory.data(), &number, sizeof number);
      memory.append(in_memory.data(), in_memory.size());
      with_lengths += little_endian(digits.size(), 4) + digits;
      if (number % 6 == 2)
        archive += tar_entry(TarFields{.type = 'g'}, pax_record("size", number % 4 == 0 ? "" : "1"));
      archive += tar_entry(std::to_string(number / 2) + (number % 2 == 0 ? ".x" : ".y"), digits);
      array += little_endian(number, 8);
      bytes += static_cast<char>(number);
    }
    const std::string name = first == 0 ? "a." : "b.";
    lines.push_back(directory_.file(name + "txt", text));
    csv.push_back(directory_.file(name + "csv", rows));
    tfrecords.push_back(directory_.file(name + "tfrecord", records));
    records[13] = static_cast<char>(records[13] ^ 1);  // in the data of the first record
    damaged_tfrecords.push_back(directory_.file(name + "damaged", records));
    numbers_in_memory.push_back(directory_.file(name + "bin", memory));
    prefixed.push_back(directory_.file(name + "prefixed", with_lengths));
    tar.push_back(directory_.file(name + "tar", archive + tar_end()));
    npy.push_back(directory_.file(name + "npy", array));
    idx.push_back(directory_.file(name + "idx", bytes));
  }

  TemporaryDirectory directory_;
};

Number number_of(const std::string& digits) { return std::stoull(digits); }
Number number_of_entry(const forebay::TarEntry& entry) { return entry.name.size() * 100 + number_of(entry.bytes); }
Number number_of_sample(const forebay::WebSample& sample) {
  Number number = number_of(sample.key);
  for (const auto& [extension, bytes] : sample.bytes) number = number * 100 + number_of(bytes);
  return number;
}

}  // namespace

Data data_of_files(std::uint64_t kind) {
  static const Files files;
  switch (kind % 16) {
    case 0: return forebay::text_lines(files.lines).map(number_of);
    case 1:
      return forebay::csv_rows<std::tuple<Number>>(
                 files.csv, {.header = true, .columns = {"number"}, .on_error = forebay::skip(9)})
          .map([](std::tuple<Number> row) { return std::get<0>(row); });
    case 2: return forebay::tfrecords(files.damaged_tfrecords, {forebay::skip(kind / 16 % 3)}).map(number_of);
    case 3: return forebay::tfrecords(files.tfrecords).map(number_of);
    case 4: return forebay::indexed_tfrecords(files.tfrecords).shuffle().map(number_of);
    case 5: return forebay::fixed_size_records<Number>(files.numbers_in_memory, {.header = 16}).shuffle_pages(4);
    case 6: return forebay::fixed_size_records<Number>(files.numbers_in_memory);
    case 7: return forebay::length_prefixed_records(files.prefixed).map(number_of);
    case 8: return forebay::tar_entries(files.tar).map(number_of_entry);
    case 9: return forebay::indexed_tar_entries(files.tar).step_by(2).map(number_of_entry);
    case 10: return forebay::webdataset(files.tar).map(number_of_sample);
    case 11: return forebay::indexed_webdataset(files.tar).shuffle().map(number_of_sample);
    case 12: return forebay::npy_rows<Number>(files.npy);
    case 13: return forebay::indexed_text_lines(files.lines).shuffle_pages(3).map(number_of);
    case 14: return forebay::indexed_length_prefixed_records(files.prefixed).skip(1).shuffle().map(number_of);
    default: return forebay::idx_rows<std::uint8_t>(files.idx).map([](std::uint8_t number) { return Number{number}; });
  }
}

}  // namespace forebay_test
