// SPDX-License-Identifier: MIT
//
// zstd_lines.cpp: `zstd_lines <file>...` prints lines of files in zstd, with little memory. What you learn here:
//
//   - without cursor() and seek(), a resume decompresses the file from its start: prefer files of modest size.

#include <zstd.h>  // Debian: libzstd-dev

#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <forebay/files.hpp>

class ZstdLines {
 public:
  explicit ZstdLines(const std::string& name) : file_(name) {}
  bool operator()(std::string& line) {
    for (line.clear();; next_ = 0) {
      const size_t end = text_.find('\n', next_);
      line.append(text_, next_, end - next_);
      next_ = end + 1;
      if (end != std::string::npos) return true;
      if (!decompress()) return !line.empty();
    }
  }
  [[nodiscard]] std::string location() const { return file_.name(); }

 private:
  bool decompress() {  // some more text; returns false at the end
    text_.resize(1 << 16);
    ZSTD_outBuffer output{text_.data(), text_.size(), 0};
    while (output.pos == 0 && (left_ > 0 || !file_.buffered().empty())) {
      const auto bytes = file_.buffered();
      ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
      left_ = ZSTD_decompressStream(context_.get(), &output, &input);
      if (ZSTD_isError(left_) != 0) throw std::runtime_error(ZSTD_getErrorName(left_));
      if (bytes.empty() && output.pos == 0) throw std::runtime_error("it is truncated");
      file_.consume(input.pos);
    }
    text_.resize(output.pos);
    return output.pos > 0;
  }
  forebay::File file_;
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context_{ZSTD_createDCtx(), &ZSTD_freeDCtx};
  std::string text_;
  size_t next_ = 0;  // in the text
  size_t left_ = 0;  // in the frame, as far as zstd knows; 0 between two frames
};

int main(int count, char** names) try {
  const auto files = forebay::from_slices(std::vector<std::string>(names + 1, names + count));
  const auto lines = files.flat_map([](const std::string& name) { return ZstdLines(name); });
  for (const std::string& line : lines.run()) std::cout << line << '\n';
} catch (const std::exception& error) {
  std::cerr << "zstd_lines: " << error.what() << '\n';
  return 1;
}
