// SPDX-License-Identifier: MIT
//
// gzip_records.cpp: `gzip_records <file>...` prints TFRecords from files in gzip. What you learn here:
//
//   - a resume decompresses the file from its start, to the position that cursor() gave: prefer files of modest size;
//   - gzip verifies the data, so this reader does not verify the checksums of the records.

#include <zlib.h>  // Debian: zlib1g-dev

#include <cstdint>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <forebay/dataset.hpp>

class GzipRecords {
 public:
  explicit GzipRecords(const std::string& name) : name_(name), file_(gzopen(name.c_str(), "rb"), &gzclose) {
    if (!file_) throw std::runtime_error("cannot open " + name);
  }
  bool operator()(std::string& record) {
    std::string header = read(12);  // the length, least significant byte first, and its checksum
    if (header.empty()) return false;
    header.resize(12);
    std::uint64_t length = 0;
    for (auto i = header.rbegin() + 4; i != header.rend(); ++i) length = length << 8 | static_cast<unsigned char>(*i);
    if (length > 1 << 26) throw std::runtime_error("a record of more than 64 MiB");
    record = read(static_cast<unsigned>(length));
    if (read(4).size() < 4) throw std::runtime_error("the data end within a record");
    return true;
  }
  [[nodiscard]] std::int64_t cursor() const { return gztell(file_.get()); }  // in the decompressed data
  void seek(std::int64_t cursor) { gzseek(file_.get(), static_cast<z_off_t>(cursor), SEEK_SET); }
  [[nodiscard]] std::string location() const { return name_; }

 private:
  [[nodiscard]] std::string read(unsigned count) {  // returns fewer bytes at the end
    std::string bytes(count, '\0');
    bytes.resize(gzfread(bytes.data(), 1, count, file_.get()));
    int error = Z_OK;
    if (const char* const reason = gzerror(file_.get(), &error); error != Z_OK) throw std::runtime_error(reason);
    return bytes;
  }
  std::string name_;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
};

int main(int count, char** names) try {
  const auto files = forebay::from_slices(std::vector<std::string>(names + 1, names + count));
  const auto records = files.flat_map([](const std::string& name) { return GzipRecords(name); });
  auto run = records.run();
  for (int i = 0; i < 2; ++i) std::cout << run.next().value() << '\n';
  for (const std::string& record : records.run(run.checkpoint())) std::cout << record << '\n';
} catch (const std::exception& error) {
  std::cerr << "gzip_records: " << error.what() << '\n';
  return 1;
}
