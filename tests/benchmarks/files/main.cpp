// SPDX-License-Identifier: MIT
//
// Compares the readers of files.hpp with loops written by hand that make the same checks, and with libraries.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "../options.hpp"
#include "../require.hpp"
#include "by_hand.hpp"
#include "forebay/files.hpp"
#include "peers.hpp"
#include "sample_files.hpp"
#include "slow_device.hpp"

namespace forebay_benchmark::files {
namespace {

/// One way to read a file.
struct Contender {
  std::string name;
  std::function<Sum()> read;
  bool is_by_hand = false;
};

/// The processor time of all threads of this program, which other programs hardly affect.
double processor_seconds() {
  timespec time{};
  require(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0, "there is no processor time");
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Prints the processor time of each contender for an element, and its speed relative to the best loop by hand of the
/// same repetition. Contenders take turns.
void compare(const std::string& cell, const std::vector<Contender>& contenders, std::size_t repetitions) {
  std::vector<std::vector<double>> times(contenders.size());
  const Sum expected = contenders.front().read();  // the first read brings the file into memory
  for (std::size_t repetition = 0; repetition < repetitions; ++repetition) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const std::size_t turn = (i + repetition) % contenders.size();
      const double begin = processor_seconds();
      const Sum sum = contenders[turn].read();
      times[turn].push_back(processor_seconds() - begin);
      require(sum == expected, "a contender has read something else: " + cell + ", " + contenders[turn].name);
    }
  }
  std::printf("\n%-48s%14s%14s\n", cell.c_str(), "ns an element", "speed");
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    std::vector<double> ratios;
    for (std::size_t repetition = 0; repetition < repetitions; ++repetition) {
      double best = times[i][repetition];
      bool is_first = true;
      for (std::size_t other = 0; other < contenders.size(); ++other) {
        if (!contenders[other].is_by_hand) continue;
        best = is_first ? times[other][repetition] : std::min(best, times[other][repetition]);
        is_first = false;
      }
      ratios.push_back(best / times[i][repetition]);
    }
    std::printf("  %-46s%14.1f%14.2f\n", contenders[i].name.c_str(),
                1e9 * median(times[i]) / static_cast<double>(expected.elements), median(ratios));
  }
}

template <class T, class Size>
Sum sum_of(const forebay::Dataset<T>& data, const Size& size) {
  Sum sum;
  for (const T& element : data.run()) sum.add(size(element));
  return sum;
}

/// Reads by index, without the loop of a data set.
template <class T, class Size>
Sum sum_of_indices(const forebay::IndexedDataset<T>& data, const Size& size) {
  Sum sum;
  for (std::size_t i = 0; i < data.size(); ++i) sum.add(size(data[i]));
  return sum;
}

template <class Element, class Reader, class Size>
Sum sum_of_reader(Reader reader, const Size& size) {
  Sum sum;
  for (Element element; reader(element);) sum.add(size(element));
  return sum;
}

std::size_t size_of_text(const std::string& text) { return text.size(); }
std::size_t size_of_entry(const forebay::TarEntry& entry) { return entry.name.size() + entry.bytes.size(); }
std::size_t size_of_sample(const forebay::WebSample& sample) {
  std::size_t size = sample.key.size();
  for (const auto& [extension, bytes] : sample.bytes) size += bytes.size();
  return size;
}
std::size_t size_of_csv_row(const forebay::CsvRow& row) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < row.size(); ++i) size += row[i].size();
  return size;
}

using CsvTuple = std::tuple<std::uint32_t, std::string, double, std::uint32_t>;
std::size_t size_of_tuple(const CsvTuple& row) {
  const auto& [id, name, price, stock] = row;
  return id + name.size() + static_cast<std::size_t>(price) + stock;
}

class Benchmark {
 public:
  explicit Benchmark(const Options& options) : options_(options), files_(options.quick ? 2'000'000 : 48'000'000) {}

  void run() {
    for (const std::size_t size : {std::size_t{16}, std::size_t{3000}, std::size_t{200'000}}) fixed_size(size);
    prefixed();
    tfrecords();
    for (const std::size_t size : {std::size_t{2000}, std::size_t{100'000}}) {
      tar(size, false);
      tar(size, true);
    }
    webdataset();
    lines();
    csv();
    npy();
    idx();
    slow_device();
    if (!anything_selected_) throw std::invalid_argument("no cell has " + options_.filter + " in its name");
  }

 private:
  bool begin(const std::string& cell) {
    anything_selected_ = anything_selected_ || options_.selects(cell);
    return options_.selects(cell);
  }

  void compare(const std::string& cell, const std::vector<Contender>& contenders) const {
    files::compare(cell, contenders, options_.pipeline_repetitions());
  }

  void fixed_size(std::size_t size) {
    const std::string cell = "fixed_size_records of " + std::to_string(size) + " bytes";
    if (!begin(cell)) return;
    const std::string file = files_.bytes();
    compare(
        cell,
        {{"by hand: read() for each record", [=] { return plain_read(file, size); }, true},
         {"data set", [=] { return sum_of<std::string>(forebay::fixed_size_records(file, size), size_of_text); }},
         {"data[i]", [=] { return sum_of_indices(forebay::fixed_size_records(file, size), size_of_text); }},
         {"reader", [=] { return sum_of_reader<std::string>(forebay::FixedSizeReader(file, size), size_of_text); }}});
  }

  void prefixed() {
    if (!begin("length_prefixed_records of 500 bytes")) return;
    const std::string file = files_.prefixed(500);
    compare(
        "length_prefixed_records of 500 bytes",
        {{"by hand", [=] { return prefixed_by_hand(file); }, true},
         {"data set", [=] { return sum_of(forebay::length_prefixed_records(file), size_of_text); }},
         {"reader", [=] { return sum_of_reader<std::string>(forebay::LengthPrefixedReader(file), size_of_text); }}});
  }

  void tfrecords() {
    if (!begin("tfrecords of 2000 bytes")) return;
    const std::string file = files_.tfrecords(2000);
    compare("tfrecords of 2000 bytes",
            {{"by hand", [=] { return tfrecords_by_hand(file); }, true},
             {"data set", [=] { return sum_of(forebay::tfrecords(file), size_of_text); }},
             {"data set with random access, and its index",
              [=] { return sum_of<std::string>(forebay::indexed_tfrecords(file), size_of_text); }},
             {"reader", [=] { return sum_of_reader<std::string>(forebay::TFRecordReader(file), size_of_text); }}});
  }

  void tar(std::size_t size, bool has_labels) {
    const std::string cell = "tar_entries of " + std::to_string(size) + " bytes" + (has_labels ? ", and of 1" : "");
    if (!begin(cell)) return;
    const std::string file = files_.tar(size, has_labels);
    std::vector<Contender> contenders = {
        {"by hand", [=] { return tar_by_hand(file); }, true},
        {"data set", [=] { return sum_of(forebay::tar_entries(file), size_of_entry); }},
        {"reader", [=] { return sum_of_reader<forebay::TarEntry>(forebay::TarEntryReader(file), size_of_entry); }}};
    if (has_libarchive) contenders.push_back({"libarchive", [=] { return tar_by_libarchive(file); }});
    compare(cell, contenders);
  }

  void webdataset() {
    if (!begin("webdataset of 2000 bytes, and 1")) return;
    const std::string file = files_.tar(2000, true);
    compare("webdataset of 2000 bytes, and 1",
            {{"by hand", [=] { return samples_by_hand(file); }, true},
             {"data set", [=] { return sum_of(forebay::webdataset(file), size_of_sample); }},
             {"reader",
              [=] { return sum_of_reader<forebay::WebSample>(forebay::WebSampleReader(file), size_of_sample); }}});
  }

  void lines() {
    if (!begin("text_lines of 42 bytes")) return;
    const std::string file = files_.lines();
    compare("text_lines of 42 bytes", {{"by hand", [=] { return lines_by_hand(file); }, true},
                                       {"std::getline", [=] { return lines_by_getline(file); }},
                                       {"data set", [=] { return sum_of(forebay::text_lines(file), size_of_text); }}});
  }

  void csv() {
    if (!begin("csv_rows")) return;
    const std::string file = files_.csv();
    const forebay::CsvOptions options{.header = true};
    compare("csv_rows as tuples of 4 fields",
            {{"by hand", [=] { return tuples_by_hand(file); }, true},
             {"data set", [=] { return sum_of(forebay::csv_rows<CsvTuple>(file, options), size_of_tuple); }},
             {"reader",
              [=] { return sum_of_reader<CsvTuple>(forebay::CsvReader<CsvTuple>(file, options), size_of_tuple); }}});
    compare("csv_rows as 4 texts",
            {{"by hand, std::vector<std::string>", [=] { return strings_by_hand(file); }, true},
             {"by hand, a copy of the line and views of it", [=] { return texts_by_hand(file); }, true},
             {"data set", [=] { return sum_of(forebay::csv_rows(file, options), size_of_csv_row); }},
             {"reader",
              [=] { return sum_of_reader<forebay::CsvRow>(forebay::CsvReader<>(file, options), size_of_csv_row); }}});
  }

  static Sum tuples_by_hand(const std::string& file) {
    Sum sum;
    CsvTuple row;
    csv_by_hand(file, [&](const auto& fields) {
      parse(fields[0], std::get<0>(row));
      std::get<1>(row) = fields[1];
      parse(fields[2], std::get<2>(row));
      parse(fields[3], std::get<3>(row));
      sum.add(size_of_tuple(row));
    });
    return sum;
  }

  static Sum strings_by_hand(const std::string& file) {
    Sum sum;
    std::vector<std::string> row(4);
    csv_by_hand(file, [&](const auto& fields) {
      std::size_t size = 0;
      for (std::size_t i = 0; i < fields.size(); ++i) {
        row[i] = fields[i];
        size += row[i].size();
      }
      sum.add(size);
    });
    return sum;
  }

  static Sum texts_by_hand(const std::string& file) {
    Sum sum;
    std::string line;
    std::array<std::string_view, 4> row;
    csv_by_hand(file, [&](const auto& fields) {
      line.assign(fields.front().data(), fields.back().data() + fields.back().size());
      std::size_t size = 0;
      for (std::size_t i = 0; i < fields.size(); ++i) {
        const auto at = static_cast<std::size_t>(fields[i].data() - fields.front().data());
        row[i] = std::string_view(line).substr(at, fields[i].size());
        size += row[i].size();
      }
      sum.add(size);
    });
    return sum;
  }

  void npy() {
    using Row = std::array<float, 784>;
    if (!begin("npy_rows of 784 floats")) return;
    const std::string file = files_.npy();
    const auto size = [](const Row& row) { return sizeof row; };
    compare("npy_rows of 784 floats",
            {{"by hand", [=] { return rows_by_hand<Row>(file, 128); }, true},
             {"data set", [=] { return sum_of<Row>(forebay::npy_rows<Row>(file), size); }},
             {"data[i]", [=] { return sum_of_indices(forebay::npy_rows<Row>(file), size); }}});
    if (const double seconds = seconds_by_numpy(file, options_.quick ? 1 : 5); seconds > 0) {
      const auto rows = static_cast<double>(forebay::npy_rows<Row>(file).size());
      std::printf("  %-46s%14.1f\n", "numpy.load, and a copy of each row", 1e9 * seconds / rows);
    }
  }

  void idx() {
    using Row = std::array<std::uint8_t, 784>;
    if (!begin("idx_rows of 784 bytes")) return;
    const std::string file = files_.idx();
    const auto size = [](const Row& row) { return sizeof row; };
    compare("idx_rows of 784 bytes",
            {{"by hand", [=] { return rows_by_hand<Row>(file, 16); }, true},
             {"data set", [=] { return sum_of<Row>(forebay::idx_rows<Row>(file), size); }},
             {"data[i]", [=] { return sum_of_indices(forebay::idx_rows<Row>(file), size); }}});
  }

  /// Compares times on the clock, since nothing computes.
  void slow_device() {
    if (!begin("interleave of 8 files, 2 ms a block")) return;
    const std::size_t blocks = options_.quick ? 5 : 100;
    std::vector<std::string> names(8, "device");
    const auto data = forebay::from_slices(names);
    const auto open = [blocks](const std::string& /*name*/) { return SlowReader(blocks); };
    const std::vector<std::pair<const char*, std::function<std::uint64_t()>>> ways = {
        {"by hand: 8 threads, each with a file", [&] { return read_by_threads(names.size(), blocks); }},
        {"flat_map", [&] { return records_of(data.flat_map(open)); }},
        {"interleave({.cycle = 8, .prefetch = 64})",
         [&] { return records_of(data.interleave({.cycle = 8, .prefetch = 64}, open)); }}};
    std::printf("\n%-48s%14s%14s\n", "interleave of 8 files, 2 ms a block", "ms", "speed");
    double by_hand = 0;
    for (const auto& [name, way] : ways) {
      std::vector<double> times;
      for (std::size_t i = 0; i < (options_.quick ? 1U : 5U); ++i) {
        const auto begin = std::chrono::steady_clock::now();
        require(way() == names.size() * blocks * SlowReader::records_in_block, "a record is missing");
        times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
      }
      if (by_hand == 0) by_hand = median(times);
      std::printf("  %-46s%14.0f%14.2f\n", name, median(times), by_hand / median(times));
    }
  }

  static std::uint64_t records_of(const forebay::Dataset<std::uint64_t>& data) {
    std::uint64_t count = 0;
    for ([[maybe_unused]] const std::uint64_t record : data.run()) ++count;
    return count;
  }

  const Options options_;
  const SampleFiles files_;
  bool anything_selected_ = false;
};

}  // namespace
}  // namespace forebay_benchmark::files

int main(int count, char** arguments) {
  using forebay_benchmark::Options;
  try {
    const Options options = Options::parse(count, arguments);
    if (options.help) {
      std::puts(
          "usage: forebay_files_benchmark [--quick] [--filter SUBSTRING] [--repetitions N]\n"
          "  --quick only shows that everything runs; --filter selects cells by their names");
      return EXIT_SUCCESS;
    }
    std::printf("medians of %zu repetitions; speed: relative to the best loop by hand\n",
                options.pipeline_repetitions());
    forebay_benchmark::files::Benchmark(options).run();
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "forebay_files_benchmark: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
