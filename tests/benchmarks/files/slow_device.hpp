// SPDX-License-Identifier: MIT
//
// A simulated device, which answers each request for a block after 2 ms.

#ifndef FOREBAY_BENCHMARK_FILES_SLOW_DEVICE_HPP
#define FOREBAY_BENCHMARK_FILES_SLOW_DEVICE_HPP

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace forebay_benchmark::files {

/// Reads the records of one file.
class SlowReader {
 public:
  static constexpr std::uint64_t records_in_block = 32;

  explicit SlowReader(std::size_t blocks) : records_(blocks * records_in_block) {}

  bool operator()(std::uint64_t& into) {
    if (next_ == records_) return false;
    if (next_ % records_in_block == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    into = next_++;
    return true;
  }

 private:
  std::uint64_t records_;
  std::uint64_t next_ = 0;
};

/// Returns the number of records that as many threads have read from a file each.
inline std::uint64_t read_by_threads(std::size_t files, std::size_t blocks) {
  std::atomic<std::uint64_t> records{0};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < files; ++i) {
    threads.emplace_back([&] {
      SlowReader reader(blocks);
      std::uint64_t count = 0;
      for (std::uint64_t record = 0; reader(record);) ++count;
      records += count;
    });
  }
  for (std::thread& thread : threads) thread.join();
  return records;
}

}  // namespace forebay_benchmark::files

#endif  // FOREBAY_BENCHMARK_FILES_SLOW_DEVICE_HPP
