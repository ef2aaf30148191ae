// SPDX-License-Identifier: MIT

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <forebay/dataset.hpp>

struct Sample {
  std::int32_t label;
  float value;
};

/// Reads the records of one binary file.
class SampleReader {
 public:
  explicit SampleReader(const std::string& name) : name_(name), file_(name, std::ios::binary) {
    if (!file_) throw std::runtime_error("cannot open " + name);
  }

  /// Fills `into` with the next record. Returns false at the end of the file.
  bool operator()(Sample& into) {
    file_.read(reinterpret_cast<char*>(&into), sizeof into);
    if (file_.gcount() == 0) return false;
    if (!file_) throw std::runtime_error("the file ends within a record");
    ++count_;
    return true;
  }

  /// Optional: where it is, for the message of a failure.
  [[nodiscard]] std::string location() const { return name_ + ", record " + std::to_string(count_); }

 private:
  std::string name_;
  std::ifstream file_;
  std::uint64_t count_ = 0;
};

int main() {
  const auto folder = std::filesystem::temp_directory_path() / ("guide-" + std::to_string(std::random_device()()));
  std::filesystem::create_directory(folder);
  std::vector<std::string> files;
  for (const int file : {0, 1}) {
    files.push_back((folder / (std::to_string(file) + ".bin")).string());
    const std::vector<Sample> samples{{file, 0.5F}, {file, 1.5F}, {file, 2.5F}};
    std::ofstream(files.back(), std::ios::binary)
        .write(reinterpret_cast<const char*>(samples.data()), sizeof(Sample) * 3);
  }

  const auto samples =
      forebay::from_slices(files).flat_map([](const std::string& file) { return SampleReader(file); });
  for (const Sample& sample : samples.run()) std::cout << sample.label << ": " << sample.value << '\n';

  std::filesystem::remove_all(folder);
}
