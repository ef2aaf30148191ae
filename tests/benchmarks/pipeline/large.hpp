// SPDX-License-Identifier: MIT
//
// Large sizes, one line each: many elements, files, inputs, stages or pipelines; large windows, batches and elements.
// Where a few lines of standard C++ do the same in one thread, their time stands beside it.

#ifndef FOREBAY_BENCHMARK_PIPELINE_LARGE_HPP
#define FOREBAY_BENCHMARK_PIPELINE_LARGE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../options.hpp"
#include "../require.hpp"
#include "../run_together.hpp"
#include "allocations.hpp"
#include "forebay/dataset.hpp"

namespace forebay_benchmark::input {

class Large {
 public:
  static constexpr const char* name = "pipeline, large sizes";

  explicit Large(const Options& options) : share_(options.quick ? 1000 : 1) {}

  void run() {
    std::printf("\n%-50s%12s%12s%12s%12s\n%s\n", name, "ms", "textbook, ms", "x textbook", "MB beyond",
                std::string(98, '-').c_str());
    many_elements();
    large_window();
    many_files();
    many_inputs();
    many_stages();
    many_pipelines();
    large_batch();
    large_elements();
    runs_of_elements();
    batches_by_cost();
    checkpoint();
    std::fflush(stdout);
  }

 private:
  using Numbers = std::vector<std::uint64_t>;

  // Returns a number that stands for a size, or its thousandth part in a quick run.
  [[nodiscard]] std::size_t of(std::size_t size) const { return std::max<std::size_t>(size / share_, 1); }

  struct Taken {
    double milliseconds;
    double megabytes;  // peak beyond what was allocated before
  };

  template <class Work>
  static Taken take(const Work& work) {
    const Allocations allocations;
    const Clock::time_point start = Clock::now();
    work();
    const Nanoseconds elapsed = Clock::now() - start;
    return {elapsed.count() / 1e6, static_cast<double>(allocations.peak()) / 1e6};
  }

  // Prints a line. `own` are the MB that the elements themselves need.
  template <class Work>
  static void line(const std::string& what, const Work& work, double own = 0) {
    const Taken taken = take(work);
    std::printf("%-50s%12.1f%12s%12s%12.1f\n", what.c_str(), taken.milliseconds, "-", "-",
                std::max(0.0, taken.megabytes - own));
  }
  template <class Work, class Textbook>
  static void line(const std::string& what, const Work& work, const Textbook& textbook, double own = 0) {
    const Taken taken = take(work);
    const Taken other = take(textbook);
    std::printf("%-50s%12.1f%12.1f%11.2fx%12.1f\n", what.c_str(), taken.milliseconds, other.milliseconds,
                other.milliseconds / taken.milliseconds, std::max(0.0, taken.megabytes - own));
  }

  template <class Data>
  static std::uint64_t count_of(const Data& data) {
    std::uint64_t count = 0;
    for ([[maybe_unused]] const auto& output : data.run()) ++count;
    return count;
  }

  void many_elements() const {
    const std::size_t count = of(100'000'000);
    constexpr std::size_t batch_size = 1024;
    line(
        "range(1e8).shuffle().batch(1024)",
        [&] {
          const auto data = forebay::range<std::uint64_t>(0, count).shuffle().batch(batch_size);
          require(count_of(data) == (count + batch_size - 1) / batch_size, "large: batches are missing");
        },
        [&] {
          Numbers all(count);
          std::iota(all.begin(), all.end(), 0U);
          std::shuffle(all.begin(), all.end(), std::mt19937_64(1));
          Numbers batch;
          for (std::size_t i = 0; i < count; i += batch_size) {
            const auto first = all.begin() + static_cast<std::ptrdiff_t>(i);
            batch.assign(first, first + static_cast<std::ptrdiff_t>(std::min(batch_size, count - i)));
          }
        });
  }

  void large_window() const {
    const std::size_t window = of(10'000'000);
    line(
        "shuffle(1e7), time to fill", [&] { static_cast<void>(unindexed(2 * window).shuffle(window).run().next()); },
        [&] {
          Numbers all;
          for (std::uint64_t i = 0; i < window; ++i) all.push_back(i);
        },
        static_cast<double>(window * sizeof(std::uint64_t)) / 1e6);
  }

  void many_files() const {
    const std::size_t count = of(1'000'000);
    std::vector<std::string> files;
    for (std::size_t i = 0; i < count; ++i) files.push_back("/data/images/part-" + std::to_string(i) + ".records");
    line(
        "from_slices(1e6 names).shuffle()",
        [&] { require(count_of(forebay::from_slices(files).shuffle()) == count, "large: files are missing"); },
        [&] {
          Numbers order(count);
          std::iota(order.begin(), order.end(), 0U);
          std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
          std::size_t length = 0;
          for (const std::uint64_t i : order) length += std::string(files[i]).size();
          require(length > 0, "large: files are missing");
        },
        static_cast<double>(count * sizeof(std::string)) / 1e6);
  }

  void many_inputs() const {
    const std::size_t inputs = 1000;
    const std::size_t each = of(1'000'000) / 1000 + 1;
    const auto open = [each](std::uint64_t) { return forebay::range<std::uint64_t>(0, each); };
    line(
        "interleave(1000, 1, f), 1e6 elements",
        [&] {
          const auto data = forebay::range<std::uint64_t>(0, inputs).interleave(inputs, 1, open);
          require(count_of(data) == inputs * each, "large: elements are missing");
        },
        [&] {
          Numbers next(inputs);
          std::uint64_t sum = 0;
          for (std::size_t i = 0; i < each; ++i) {
            for (std::uint64_t& input : next) sum += input++;
          }
          require(each == 1 || sum > 0, "large: elements are missing");
        });
  }

  void many_stages() const {
    const std::size_t count = of(1'000'000);
    auto data = unindexed(count);
    std::vector<std::function<std::uint64_t(std::uint64_t)>> stages;
    for (int i = 0; i < 100; ++i) {
      const auto next = [i](std::uint64_t number) { return number + static_cast<std::uint64_t>(i); };
      data = data.map(next);
      stages.emplace_back(next);
    }
    line(
        "100 x map(f), 1e6 elements", [&] { require(count_of(data) == count, "large: elements are missing"); },
        [&] {
          std::uint64_t sum = 0;
          for (std::uint64_t i = 0; i < count; ++i) {
            std::uint64_t number = i;
            for (const auto& stage : stages) number = stage(number);
            sum += number;
          }
          require(sum > 0, "large: elements are missing");
        });
  }

  void many_pipelines() const {
    const std::size_t count = of(1000) + 9;
    const auto data = forebay::range<std::uint64_t>(0, 1000).map(2, [](std::uint64_t number) { return number; });
    line(
        "1000 pipelines with two threads, at once",
        [&] {
          std::deque<forebay::Pipeline<std::uint64_t>> pipelines;
          for (std::size_t i = 0; i < count; ++i) pipelines.emplace_back(data);
          for (auto& pipeline : pipelines) require(pipeline.next().has_value(), "large: an output is missing");
        },
        [&] {
          std::vector<std::jthread> all;
          for (std::size_t i = 0; i < 2 * count; ++i) all.emplace_back([] {});
        });
  }

  void large_batch() const {
    const std::size_t size = of(1'000'000);
    line(
        "batch(1e6), 10 batches",
        [&] { require(count_of(unindexed(10 * size).batch(size)) == 10, "large: batches are missing"); },
        [&] {
          Numbers batch;
          for (std::uint64_t i = 0; i < 10 * size; ++i) {
            if (batch.size() == size) batch.clear();
            batch.push_back(i);
          }
        },
        static_cast<double>(size * sizeof(std::uint64_t)) / 1e6);
  }

  void large_elements() const {
    const std::size_t size = of(10'000'000);
    const auto make = [size](std::uint64_t i) { return std::string(size, static_cast<char>(i)); };
    line(
        "map(2, f).batch(4), 100 elements of 10 MB",
        [&] {
          const auto data = forebay::range<std::uint64_t>(0, 100).map(2, make).batch(4);
          require(count_of(data) == 25, "large: batches are missing");
        },
        [&] {
          std::vector<std::string> batch;
          for (std::uint64_t i = 0; i < 100; ++i) {
            if (batch.size() == 4) batch.clear();
            batch.push_back(make(i));
          }
        },
        static_cast<double>(4 * size) / 1e6);
  }

  // Serial work for small elements that come in groups.
  void runs_of_elements() const {
    const std::size_t groups = of(40'000);
    constexpr std::size_t of_group = 500;
    constexpr std::size_t batch_size = 16'384;
    struct Position {
      std::uint64_t words[5];
    };
    const auto make = [](std::uint64_t i) {
      std::vector<Position> group(of_group);
      for (Position& position : group) position.words[0] = i;
      return group;
    };
    const auto made = unindexed(groups).map(make);
    const auto by_hand = [&] {
      std::vector<Position> batch;
      std::uint64_t sum = 0;
      for (std::uint64_t i = 0; i < groups; ++i) {
        for (const Position& position : make(i)) {
          batch.push_back(position);
          if (batch.size() < batch_size) continue;
          sum += batch.front().words[0];
          batch.clear();
        }
      }
      require(groups < 100 || sum > 0, "large: batches are missing");
    };
    line(
        "unbatch().batch(16384), 2e7 elements of 40 bytes",
        [&] { require(count_of(made.unbatch().batch(batch_size)) > 0, "large: batches are missing"); }, by_hand);
    line(
        "flat_map(f).batch(16384), 2e7 elements of 40 bytes",
        [&] {
          require(count_of(unindexed(groups).flat_map(make).batch(batch_size)) > 0, "large: batches are missing");
        },
        by_hand);
    line(
        "flat_map(f), 2e7 single elements of 40 bytes",
        [&] {
          require(count_of(unindexed(groups).flat_map(make)) == groups * of_group, "large: elements are missing");
        },
        by_hand);
  }

  void batches_by_cost() const {
    const std::size_t count = of(1'000'000);
    constexpr std::size_t window = 1000;
    constexpr std::size_t limit = 2000;
    const auto cost = [](std::uint64_t i) { return 3 + (i * 0x9e3779b97f4a7c15 >> 58); };
    line(
        "batch_by_cost, sorted in windows of 1000, 1e6",
        [&] {
          const auto data = unindexed(count).batch_by_cost(cost, {.limit = limit, .sort_window = window});
          require(count_of(data) > 0, "large: batches are missing");
        },
        [&] {
          std::vector<Numbers> batches;
          Numbers sorted;
          for (std::uint64_t i = 0; i < count; ++i) {
            sorted.push_back(i);
            if (sorted.size() < window) continue;
            std::stable_sort(sorted.begin(), sorted.end(), [&](auto a, auto b) { return cost(a) < cost(b); });
            std::uint64_t sum = limit;
            for (const std::uint64_t number : sorted) {
              if (sum + cost(number) > limit) {
                batches.emplace_back();
                sum = 0;
              }
              batches.back().push_back(number);
              sum += cost(number);
            }
            sorted.clear();
            batches.clear();
          }
        });
  }

  void checkpoint() const {
    const std::size_t window = of(1'000'000);
    const auto data = unindexed(3 * window).shuffle(window);
    auto pipeline = data.run();
    for (std::size_t i = 0; i < window; ++i) require(pipeline.next().has_value(), "large: an element is missing");
    std::string text;
    line("checkpoint() with shuffle(1e6)", [&] { text = pipeline.checkpoint(); });
    line("its resume, " + std::to_string(text.size()) + " bytes", [&] {
      auto resumed = data.run(text);
      require(resumed.next().value() == pipeline.next().value(), "large: the resumed run differs");
    });
  }

  // Without random access, so that a shuffle needs a window.
  static forebay::Dataset<std::uint64_t> unindexed(std::uint64_t count) {
    struct Reader {
      std::uint64_t count;
      std::uint64_t next = 0;
      bool operator()(std::uint64_t& into) {
        into = next;
        return next++ < count;
      }
      std::uint64_t cursor() const { return next; }
      void seek(std::uint64_t cursor) { next = cursor; }
    };
    return forebay::from_callable(Reader{count});
  }

  std::size_t share_;
};

}  // namespace forebay_benchmark::input

#endif  // FOREBAY_BENCHMARK_PIPELINE_LARGE_HPP
