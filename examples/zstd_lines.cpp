// SPDX-License-Identifier: MIT
//
// zstd_lines.cpp: reads lines of text files that zstd has compressed. What you learn here:
//
//   - a reader that decompresses as it reads needs little memory, however large the file is;
//   - without cursor() and seek(), a resume decompresses the file from its start: prefer files of modest size.
//
//   zstd_lines <file>...

#include <zstd.h>  // Debian: libzstd-dev

#include <cstddef>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <forebay/dataset.hpp>

class ZstdLines {
 public:
  explicit ZstdLines(const std::string& name) : name_(name), file_(name, std::ios::binary) {
    if (!file_ || !context_) throw std::runtime_error("cannot open " + name);
  }
  bool operator()(std::string& line) {
    for (line.clear();; next_ = 0) {
      const std::size_t end = text_.find('\n', next_);
      line.append(text_, next_, end - next_);
      next_ = end + 1;
      if (end != std::string::npos) return true;
      if (!decompress()) return !line.empty();
    }
  }
  [[nodiscard]] std::string location() const { return name_; }

 private:
  /// Decompresses some more text. Returns false at the end.
  bool decompress() {
    text_.resize(1 << 16);
    ZSTD_outBuffer output{text_.data(), text_.size(), 0};
    do {
      if (input_.pos == input_.size) file_.read(bytes_.data(), 1 << 16);
      if (input_.pos == input_.size) input_ = {bytes_.data(), static_cast<std::size_t>(file_.gcount()), 0};
      const std::size_t left = ZSTD_decompressStream(context_.get(), &output, &input_);
      if (file_.bad()) throw std::runtime_error("it cannot be read");
      if (ZSTD_isError(left) != 0) throw std::runtime_error(ZSTD_getErrorName(left));
      if (input_.size + output.pos > 0) is_in_frame_ = left > 0;
    } while (output.pos == 0 && input_.size > 0);
    if (output.pos == 0 && is_in_frame_) throw std::runtime_error("it is truncated");
    text_.resize(output.pos);
    return output.pos > 0;
  }

  std::string name_;
  std::ifstream file_;
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context_{ZSTD_createDCtx(), &ZSTD_freeDCtx};
  std::string bytes_ = std::string(1 << 16, '\0');  // of the file
  ZSTD_inBuffer input_{};
  std::string text_;
  std::size_t next_ = 0;
  bool is_in_frame_ = false;
};

int main(int count, char** names) try {
  const auto files = forebay::from_slices(std::vector<std::string>(names + 1, names + count));
  const auto lines = files.flat_map([](const std::string& name) { return ZstdLines(name); });
  for (const std::string& line : lines.run()) std::cout << line << '\n';
} catch (const std::exception& error) {
  std::cerr << "zstd_lines: " << error.what() << '\n';
  return 1;
}
