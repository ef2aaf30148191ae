// SPDX-License-Identifier: MIT
//
// gzip_records.cpp: `gzip_records <file>...` prints TFRecords from files in gzip. What you learn here:
//
//   - the option .open lets any reader of files.hpp that reads in order read other bytes: text_lines, csv_rows, ...;
//   - a resume decompresses the file from its start, to where the run was: prefer files of modest size.

#include <zlib.h>  // Debian: zlib1g-dev

#include <cstdint>
#include <iostream>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <forebay/files.hpp>

class GzipSource : public forebay::ByteSource {
 public:
  explicit GzipSource(const std::string& name) : file_(gzopen(name.c_str(), "rb"), &gzclose) {
    if (!file_) throw std::runtime_error("cannot open");
    gzbuffer(file_.get(), 1 << 17);
  }
  std::size_t read(std::span<char> into) override {
    const std::size_t count = gzfread(into.data(), 1, into.size(), file_.get());
    int error = Z_OK;
    if (const char* const reason = gzerror(file_.get(), &error); error != Z_OK) throw std::runtime_error(reason);
    return count;
  }
  bool seek(std::uint64_t position) override {  // decompresses what it passes
    return gzseek(file_.get(), static_cast<z_off_t>(position), SEEK_SET) >= 0;
  }

 private:
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
};

int main(int count, char** names) try {
  const auto open = [](const std::string& name) { return std::make_unique<GzipSource>(name); };
  const auto records = forebay::tfrecords(std::vector<std::string>(names + 1, names + count), {.open = open});
  auto run = records.run();
  for (int i = 0; i < 2; ++i) std::cout << run.next().value() << '\n';
  for (const std::string& record : records.run(run.checkpoint())) std::cout << record << '\n';
} catch (const std::exception& error) {
  std::cerr << "gzip_records: " << error.what() << '\n';
  return 1;
}
