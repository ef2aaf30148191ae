// SPDX-License-Identifier: MIT
//
// The same input as a training loop has it: records are read from a file on disk, and the step reads every float of the
// batch.

#ifndef FOREBAY_BENCHMARK_PIPELINE_FROM_DISK_HPP
#define FOREBAY_BENCHMARK_PIPELINE_FROM_DISK_HPP

#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../require.hpp"
#include "by_hand.hpp"
#include "forebay/dataset.hpp"
#include "records.hpp"
#include "tbb.hpp"

namespace forebay_benchmark::input {

// A file of records, removed at the end.
class DiskFile {
 public:
  static constexpr std::uint64_t record_count = 1 << 16;

  explicit DiskFile(const File& content)
      : path_(std::filesystem::temp_directory_path() / ("forebay_benchmark_" + std::to_string(getpid()))) {
    std::FILE* const file = std::fopen(path_.c_str(), "wb");
    require(file != nullptr, "the file of records cannot be created");
    for (std::uint64_t i = 0; i < record_count; ++i) std::fwrite(&content[i], sizeof(Record), 1, file);
    require(std::fclose(file) == 0, "the file of records cannot be written");
  }
  DiskFile(const DiskFile&) = delete;
  DiskFile& operator=(const DiskFile&) = delete;
  ~DiskFile() { std::filesystem::remove(path_); }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// A copy opens the file anew.
class PlainReader {
 public:
  PlainReader(std::filesystem::path path, std::uint64_t count)
      : path_(std::move(path)), count_(count), file_(open()) {}
  PlainReader(const PlainReader& other) : PlainReader(other.path_, other.count_) {}
  PlainReader(PlainReader&&) noexcept = default;
  PlainReader& operator=(const PlainReader&) = delete;
  PlainReader& operator=(PlainReader&&) noexcept = default;
  ~PlainReader() = default;

  bool operator()(Record& into) {
    if (next_ == count_ || std::fread(&into, sizeof(Record), 1, file_.get()) != 1) return false;
    ++next_;
    return true;
  }

 protected:
  std::uint64_t next() const { return next_; }
  void go_to(std::uint64_t number) {
    next_ = number;
    static_cast<void>(std::fseek(file_.get(), static_cast<long>(number * sizeof(Record)), SEEK_SET));
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
  };
  using Handle = std::unique_ptr<std::FILE, Close>;

  [[nodiscard]] Handle open() const {
    Handle file(std::fopen(path_.c_str(), "rb"));
    require(file != nullptr, "the file of records cannot be read");
    return file;
  }

  std::filesystem::path path_;
  std::uint64_t count_;
  std::uint64_t next_ = 0;
  Handle file_;
};

class SeekableReader : public PlainReader {
 public:
  using PlainReader::PlainReader;
  std::uint64_t cursor() const { return next(); }
  void seek(std::uint64_t cursor) { go_to(cursor); }
};

struct DiskTask {
  const DiskFile& file;
  const Decoder& decode;
  std::uint64_t count;

  [[nodiscard]] SeekableReader reader() const { return {file.path(), count}; }
  template <class Reader>
  [[nodiscard]] forebay::Dataset<Record> records() const {
    return forebay::from_callable(Reader(file.path(), count)).shuffle(window_size);
  }
};

using Rows = forebay::StackedBatch<Image>;

// A step that reads every float, as the first layer of a network does.
class ReadingStep {
 public:
  void step(std::span<const Image> batch) {
    for (const Image& image : batch) add(image.pixels.data(), image.label);
  }
  void step(const Rows& batch) {
    const float* pixels = batch.component<&Image::pixels>().data();
    for (std::size_t i = 0; i < batch.size(); ++i) add(pixels + i * pixel_count, batch.component<&Image::label>()[i]);
  }

  void add(const float* pixels, std::uint32_t label) {
    std::array<float, 16> sums{};  // as many as a processor adds at once
    for (std::size_t i = 0; i < pixel_count; i += sums.size()) {
      for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += pixels[i + j];
    }
    for (const float each : sums) sum_ += static_cast<double>(each);
    sum_ += label;
    ++images_;
  }

  [[nodiscard]] std::uint64_t images() const { return images_; }
  [[nodiscard]] double sum() const { return sum_; }

 private:
  std::uint64_t images_ = 0;
  double sum_ = 0;
};

#ifdef FOREBAY_BENCHMARK_HAS_TORCH
// PyTorch's C++ DataLoader with `workers` threads and batches of 32 stacked tensors. It shuffles all records, because
// it has no window. (torch.cpp; its headers take long to compile.)
void run_torch(const DiskTask& task, ReadingStep& training, std::size_t workers);
#endif

struct DiskContender {
  std::string name;
  std::function<void(const DiskTask&, ReadingStep&)> run;
};

// ---- The ways to make batches

struct Vectors {
  static constexpr const char* name = "vectors";
  static auto batches(const forebay::Dataset<Record>& records, const DiskTask& task, std::size_t workers) {
    return records.map(workers, [&decode = task.decode](const Record& record, Image& image) { decode(record, image); })
        .batch(images_of_a_batch);
  }
};

struct Stacked {
  static constexpr const char* name = "stacked";
  static auto batches(const forebay::Dataset<Record>& records, const DiskTask& task, std::size_t workers) {
    return records.map(workers, [&decode = task.decode](const Record& record, Image& image) { decode(record, image); })
        .stacked_batch(images_of_a_batch);
  }
};

struct InPlace {
  static constexpr const char* name = "in place";
  static auto batches(const forebay::Dataset<Record>& records, const DiskTask& task, std::size_t workers) {
    const auto write = [&decode = task.decode](const Record& record, forebay::Row<Image>& into) {
      into.component<&Image::label>() = decode(record, into.component<&Image::pixels>());
    };
    return records.stacked_batch<Image>(images_of_a_batch, workers, write);
  }
};

template <class Reader>
constexpr const char* name_of_reader = "plain";
template <>
inline constexpr const char* name_of_reader<SeekableReader> = "seekable";

template <class Reader, class Batches>
DiskContender with_range_for(std::size_t workers) {
  const std::string name = workers > 1 ? "range-for" : "one thread";
  return {"forebay, " + name + ", " + Batches::name + ", " + name_of_reader<Reader>,
          [workers](const DiskTask& task, ReadingStep& training) {
            for (const auto& batch : Batches::batches(task.records<Reader>(), task, workers).run())
              training.step(batch);
          }};
}

template <class Reader, class Batches>
DiskContender with_for_each() {
  return {std::string("forebay, for_each, ") + Batches::name + ", " + name_of_reader<Reader>,
          [](const DiskTask& task, ReadingStep& training) {
            Batches::batches(task.records<Reader>(), task, threads).run().for_each([&training](const auto& batch) {
              training.step(batch);
            });
          }};
}

template <class Reader, class Batches>
void add_loops(std::vector<DiskContender>& all) {
  all.push_back(with_range_for<Reader, Batches>(threads));
  all.push_back(with_for_each<Reader, Batches>());
}

// The first contender is the loop by hand; then, if there is oneTBB, its pipeline.
inline std::vector<DiskContender> disk_contenders() {
  std::vector<DiskContender> all{
      {"by hand, one thread", [](const DiskTask& task, ReadingStep& training) { run_by_hand(task, training); }},
#ifdef FOREBAY_BENCHMARK_HAS_TBB
      {"oneTBB, 2 threads, 8 tokens of 32 records",
       [](const DiskTask& task, ReadingStep& training) { run_batch_tokens(task, training); }},
#endif
  };
  add_loops<SeekableReader, Vectors>(all);
  add_loops<SeekableReader, Stacked>(all);
  add_loops<SeekableReader, InPlace>(all);
  add_loops<PlainReader, Vectors>(all);
  add_loops<PlainReader, Stacked>(all);
  add_loops<PlainReader, InPlace>(all);
  all.push_back(with_range_for<SeekableReader, Vectors>(1));
  all.push_back(with_range_for<SeekableReader, InPlace>(1));
#ifdef FOREBAY_BENCHMARK_HAS_TORCH
  all.push_back({"PyTorch DataLoader, 2 workers, shuffles all",
                 [](const DiskTask& task, ReadingStep& training) { run_torch(task, training, 2); }});
#endif
  return all;
}

}  // namespace forebay_benchmark::input

#endif  // FOREBAY_BENCHMARK_PIPELINE_FROM_DISK_HPP
