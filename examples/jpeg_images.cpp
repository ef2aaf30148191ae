// SPDX-License-Identifier: MIT
//
// jpeg_images.cpp: `jpeg_images <file>...` decodes JPEG files on all cores, with libjpeg-turbo. What you learn here:
//
//   - shuffle the names of the files; a map with threads reads and decodes them, in that order;
//   - each thread has a decoder of its own;
//   - a damaged image is a failure; skip(1) leaves out one in each epoch.

#include <turbojpeg.h>  // Debian: libturbojpeg0-dev

#include <cstddef>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <forebay/files.hpp>

struct Image {
  int width = 0;
  int height = 0;
  std::vector<unsigned char> pixels;  // red, green and blue, row by row
};

class Decoder {
 public:
  Image operator()(const std::string& name) const {
    forebay::File file(name);
    std::string bytes(static_cast<std::size_t>(file.size()), '\0');
    file.read_exactly(bytes, "the image");
    const auto* const data = reinterpret_cast<const unsigned char*>(bytes.data());
    Image image;
    int sampling = 0;
    int colours = 0;
    check(name,
          tjDecompressHeader3(jpeg_.get(), data, bytes.size(), &image.width, &image.height, &sampling, &colours));
    if (image.width > 8192 || image.height > 8192) throw std::runtime_error(name + " is too large");
    image.pixels.resize(std::size_t{3} * static_cast<unsigned>(image.width) * static_cast<unsigned>(image.height));
    check(name, tjDecompress2(jpeg_.get(), data, bytes.size(), image.pixels.data(), image.width, 0, 0, TJPF_RGB, 0));
    return image;
  }

 private:
  void check(const std::string& name, int status) const {
    if (status != 0) throw std::runtime_error(name + ": " + tjGetErrorStr2(jpeg_.get()));
  }
  std::unique_ptr<void, int (*)(tjhandle)> jpeg_{tjInitDecompress(), &tjDestroy};
};

int main(int count, char** names) try {
  const auto files = forebay::from_slices(std::vector<std::string>(names + 1, names + count)).seed(7).shuffle();
  const auto decoders = forebay::per_thread([] { return Decoder(); });
  const forebay::MapOptions options{.threads = forebay::usable_cores(), .on_error = forebay::skip(1)};
  const auto images = files.map(options, decoders);
  for (const Image& image : images.run()) std::cout << image.width << " x " << image.height << '\n';
} catch (const std::exception& error) {
  std::cerr << "jpeg_images: " << error.what() << '\n';
  return 1;
}
