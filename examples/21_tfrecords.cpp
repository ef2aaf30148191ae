// SPDX-License-Identifier: MIT
//
// 21_tfrecords.cpp: writes two TFRecord files, damages one and reads them. What you learn here:
//
//   - list_files(pattern) returns the names in the same order on every machine;
//   - tfrecords(files) reads the records one after the other, and checks their checksums;
//   - a damaged record is a DatasetError that names file and byte, or is skipped;
//   - indexed_tfrecords(files) has random access, so shuffle() mixes the records of all files.

#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <string>

#include <forebay/files.hpp>

#include "tfrecord_writer.hpp"

namespace fs = std::filesystem;

int main() {
  const fs::path folder = fs::temp_directory_path() / ("forebay_" + std::to_string(std::random_device()()));
  fs::create_directory(folder);
  fs::current_path(folder);
  for (const std::string file : {"a", "b"}) {
    TFRecordWriter writer(file + ".tfrecord");
    for (int i = 1; i <= 3; ++i) writer.write("record " + file + std::to_string(i));
  }

  const auto files = forebay::list_files("*.tfrecord");
  for (const std::string& record : forebay::tfrecords(files).run()) std::cout << record << '\n';

  std::cout << "mixed:";
  for (const std::string& record : forebay::indexed_tfrecords(files).seed(3).shuffle().run()) {
    std::cout << ' ' << record.substr(7);
  }

  std::fstream damaged("a.tfrecord", std::ios::in | std::ios::out | std::ios::binary);
  damaged.seekp(40);  // in the data of the second record
  damaged.put('X');
  damaged.close();
  std::cout << "\nwithout the damaged one:";
  for (const std::string& record : forebay::tfrecords(files, {.on_error = forebay::skip(10)}).run()) {
    std::cout << ' ' << record.substr(7);
  }
  try {
    for (const std::string& record : forebay::tfrecords(files).run()) static_cast<void>(record);
  } catch (const forebay::DatasetError& error) {
    std::cout << '\n' << error.what() << '\n';
  }
  fs::current_path(folder.parent_path());
  fs::remove_all(folder);
}

// Prints:
//
//   record a1
//   record a2
//   record a3
//   record b1
//   record b2
//   record b3
//   mixed: a1 a3 b3 b2 a2 b1
//   without the damaged one: a1 a3 b1 b2 b3
//   forebay: tfrecords, epoch 0, number 1: a.tfrecord: byte 25: the data of the record has a wrong checksum
