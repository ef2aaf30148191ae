// SPDX-License-Identifier: MIT
//
// reading_a_report.cpp: finds out which stage limits the loop, and what to change. What you learn here:
//
//   - report() says in a few sentences which stage limits, what would help and by how much, and lists all stages;
//   - if readers wait for a network or a disk, open more inputs at once; if a stage computes, give it more threads;
//   - if the loop limits, the input is fast enough;
//   - write_html_report() writes the report as a page for a browser: here the last one, if you name a file.
//
// The program simulates the files (5 ms a record), the decoding (0.5 ms of CPU time a record) and the device (12 ms a
// batch).

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <forebay/dataset.hpp>
#include <forebay/html_report.hpp>

using namespace std::chrono_literals;

struct Record {
  int file;
  int number;
};

/// A remote file of a hundred records.
class RemoteFile {
 public:
  explicit RemoteFile(int file) : file_(file) {}

  bool operator()(Record& into) {
    if (number_ == 100) return false;
    std::this_thread::sleep_for(5ms);
    into = {file_, number_++};
    return true;
  }

 private:
  int file_;
  int number_ = 0;
};

std::uint64_t decode(const Record& record) {
  std::uint64_t image = 1;
  for (const auto end = std::chrono::steady_clock::now() + 500us; std::chrono::steady_clock::now() < end;) ++image;
  return image + static_cast<std::uint64_t>(record.number);
}

/// Takes `most` batches, and prints the report. Also writes it as a page to the file `page`, unless that is null.
void train(const std::string& title, const forebay::Dataset<std::vector<std::uint64_t>>& batches, int most,
           const char* page = nullptr) {
  auto pipeline = batches.run();
  const auto before = pipeline.statistics();
  for ([[maybe_unused]] const auto& batch : pipeline) {
    std::this_thread::sleep_for(12ms);  // the device computes
    if (--most == 0) break;
  }
  std::cout << "---- " << title << "\n\n" << forebay::report(pipeline.statistics().since(before)) << '\n';
  if (page == nullptr) return;
  std::ofstream file(page);
  forebay::write_html_report(pipeline, file);
}

int main(int, char** arguments) {
  const auto files = forebay::range(64);
  const auto open = [](int file) { return RemoteFile(file); };
  const forebay::MapOptions beside_the_loop{.threads = 1, .loop_helps = false};

  train("one file after the other", files.flat_map(open).map(beside_the_loop, decode).named("decode").batch(32), 6);

  const auto several = files.interleave({.cycle = 16, .prefetch = 64}, open);
  train("16 files at once", several.map(beside_the_loop, decode).named("decode").batch(32), 60);

  const auto twice = several.map({.threads = 2, .loop_helps = false}, decode).named("decode").batch(32).traced();
  train("and a second thread", twice, 80, arguments[1]);
}
