// SPDX-License-Identifier: MIT
//
// tf_examples.cpp: prints features of the tf.train.Examples in TFRecord files: tf_examples a.tfrecord b.tfrecord. Parse
// in a map with threads; copy tf_example.hpp for your own program.

#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <forebay/files.hpp>

#include "tf_example.hpp"

namespace {

struct Image {
  std::string name;
  std::int64_t width;
  std::string encoded;
};

Image parse(const std::string& record) {
  const TfExample example(record);
  return {std::string(example.bytes("image/filename").at(0)), example.integers("image/width").at(0),
          std::string(example.bytes("image/encoded").at(0))};
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> files(argv + 1, argv + argc);
    for (const Image& image : forebay::tfrecords(files).map(2, parse).run()) {
      std::cout << image.name << ": width " << image.width << ", " << image.encoded.size() << " bytes\n";
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
