// SPDX-License-Identifier: MIT
//
// images_from_files.cpp: reads images from disk into batches, each of them one array. What you learn here:
//
//   - shuffle the file names, which is cheap, and then read the images, with a thread for each core;
//   - an augmentation draws from the image's own random generator: epochs differ, and runs are reproducible;
//   - stacked_batch makes one array of each member, [n, 24, 24] pixels and [n] labels, with reused storage.
//
//   images_from_files <folder>   with images in PGM format (P5), in one subfolder for each class

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <forebay/dataset.hpp>

constexpr std::size_t side = 24;
struct Example {
  std::array<std::array<float, side>, side> pixels;  // 0 is black, 1 is white
  std::string label;
};

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  if (files.empty()) throw std::runtime_error(folder + " has no images");
  std::ranges::sort(files);  // the order of a directory differs between machines
  return files;
}

/// Crops the image at a random place, and mirrors it at random.
void load(const std::string& file, Example& into, forebay::Context& context) {
  std::ifstream stream(file, std::ios::binary);
  std::string format;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  int white = 0;
  stream >> format >> width >> height >> white;
  const std::uint64_t first = static_cast<std::uint64_t>(stream.tellg()) + 1;  // after one white space
  const bool good = stream && format == "P5" && white == 255 && width >= side && height >= side;
  if (!good || std::filesystem::file_size(file) < first + std::uint64_t{width} * height) {
    throw std::runtime_error("no PGM image of 24 x 24 bytes or more, or truncated");
  }
  const std::uint64_t left = context.draw().below(width - side + 1);
  const std::uint64_t top = context.draw().below(height - side + 1);
  const bool mirrored = context.draw().uniform() < 0.5;
  std::array<char, side> bytes{};
  for (std::size_t row = 0; row < side; ++row) {
    stream.seekg(static_cast<std::streamoff>(first + (top + row) * width + left)).read(bytes.data(), side);
    if (mirrored) std::ranges::reverse(bytes);
    std::ranges::transform(bytes, into.pixels[row].begin(),
                           [](unsigned char byte) { return static_cast<float>(byte) / 255; });
  }
  if (!stream) throw std::runtime_error(file + " cannot be read");
  into.label = std::filesystem::path(file).parent_path().filename().string();
}

int main(int argument_count, char** arguments) {
  try {
    if (argument_count != 2) throw std::runtime_error("give it a folder");
    const auto files = forebay::from_slices(files_in(arguments[1])).seed(7).shuffle().repeat(2);  // two epochs
    for (const auto& batch : files.map(forebay::usable_cores(), load).stacked_batch(32).run()) {
      const auto& pixels = batch.component<&Example::pixels>().values();  // train a model here
      const auto& labels = batch.component<&Example::label>().values();
      std::cout << labels.size() << " images, a " << labels.front() << " first, from " << pixels.front() << " on\n";
    }
  } catch (const std::exception& error) {
    std::cerr << "images_from_files: " << error.what() << '\n';
    return 1;
  }
}
