// SPDX-License-Identifier: MIT
//
// zstd_lines.cpp: `zstd_lines <file>...` prints lines of files in zstd, with little memory. What you learn here:
//
//   - the option .open lets any reader of files.hpp that reads in order read other bytes: csv_rows, tfrecords, ...;
//   - without seek(), a resume decompresses the file from its start: prefer files of modest size.

#include <zstd.h>  // Debian: libzstd-dev

#include <iostream>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <forebay/files.hpp>

class ZstdSource : public forebay::ByteSource {
 public:
  explicit ZstdSource(const std::string& name) : file_(name) {}

  std::size_t read(std::span<char> into) override {
    ZSTD_outBuffer output{into.data(), into.size(), 0};
    while (output.pos == 0 && (left_ > 0 || !file_.buffered().empty())) {
      const auto bytes = file_.buffered();
      ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
      left_ = ZSTD_decompressStream(context_.get(), &output, &input);
      if (ZSTD_isError(left_) != 0) throw std::runtime_error(ZSTD_getErrorName(left_));
      if (bytes.empty() && output.pos == 0) throw std::runtime_error("it is truncated");
      file_.consume(input.pos);
    }
    return output.pos;
  }

 private:
  forebay::File file_;
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context_{ZSTD_createDCtx(), &ZSTD_freeDCtx};
  size_t left_ = 0;  // in the frame, as far as zstd knows; 0 between two frames
};

int main(int count, char** names) try {
  const auto open = [](const std::string& name) { return std::make_unique<ZstdSource>(name); };
  const std::vector<std::string> files(names + 1, names + count);
  for (const std::string& line : forebay::text_lines(files, {.open = open}).run()) std::cout << line << '\n';
} catch (const std::exception& error) {
  std::cerr << "zstd_lines: " << error.what() << '\n';
  return 1;
}
