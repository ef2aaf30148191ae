// SPDX-License-Identifier: MIT
//
// Whole input pipelines: the cost of the same work, written in different ways. The contenders take turns in each
// repetition, and each is compared with the others of the same repetition.

#ifndef FOREBAY_BENCHMARK_PIPELINE_SECTION_HPP
#define FOREBAY_BENCHMARK_PIPELINE_SECTION_HPP

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "../options.hpp"
#include "../report.hpp"
#include "../run_together.hpp"
#include "allocations.hpp"
#include "contenders.hpp"
#include "from_disk.hpp"
#include "large.hpp"
#include "records.hpp"
#include "training.hpp"
#include "verdicts.hpp"

namespace forebay_benchmark::input {

class Section {
 public:
  Section(const Options& options, Report& report) : options_(options), report_(report) {}

  // Returns whether any of its cells was selected. Calls `judge(what, value, limit)` with the figures that have a
  // target: value may be at most limit.
  template <class Judge>
  bool run(const Judge& judge) {
    bool any = false;
    for (const int work : {0, 1, 5, 50}) {
      const std::string name = "pipeline, " + std::to_string(work) + " us";
      if (!options_.selects(name)) continue;
      any = true;
      side_by_side(name, work, judge);
    }
    for (const int work : {0, 1, 5, 50}) {
      const std::string name = "pipeline from disk, " + std::to_string(work) + " us";
      if (!options_.selects(name)) continue;
      any = true;
      from_disk(name, work, judge);
    }
    if (options_.selects(checkpoint_name)) checkpoints(judge);
    if (options_.selects(slow_name)) slow_records(judge);
    if (options_.selects(files_name)) slow_files(judge);
    if (options_.selects(Large::name)) Large(options_).run();
    if (options_.selects(Verdicts::name)) Verdicts(options_).run(judge);
    return any || options_.selects(Large::name) || options_.selects(Verdicts::name) ||
           options_.selects(checkpoint_name) || options_.selects(slow_name) || options_.selects(files_name);
  }

 private:
  using Samples = std::vector<double>;

  static constexpr const char* checkpoint_name = "pipeline, checkpoint";
  static constexpr const char* slow_name = "pipeline, one slow record";
  static constexpr const char* files_name = "pipeline, slow files";
  static constexpr std::uint64_t slow_every = 10'000;
#ifdef FOREBAY_BENCHMARK_HAS_TBB
  static constexpr bool has_tbb = true;
#else
  static constexpr bool has_tbb = false;
#endif

  // The window, and twice the batches of the read-ahead.
  static constexpr double memory_limit =
      static_cast<double>(window_size * sizeof(Record) + 2 * 4 * threads * images_of_a_batch * sizeof(Image)) / 1e6;

  // The cost of one run of a contender.
  struct Cost {
    double nanoseconds;  // per record
    double switches;     // per batch
    double allocations;  // per batch, in the middle of the run
    double peak;         // megabytes beyond those allocated before
  };

  static Cost cost(const Contender& contender, const Task& task) {
    Training training(task);
    const long switches_before = voluntary_switches_of_all_threads();
    const Clock::time_point start = Clock::now();
    contender.run(task, training);
    const Nanoseconds elapsed = Clock::now() - start;
    const auto switches = static_cast<double>(voluntary_switches_of_all_threads() - switches_before);
    training.require_complete(contender.name);
    return {elapsed.count() / static_cast<double>(task.count), switches / training.batches(),
            training.allocations_a_batch(), 0};
  }

  // Not timed, because counting takes time.
  static Cost memory(const Contender& contender, const Task& task) {
    const Allocations allocations;
    Cost counted = cost(contender, task);
    counted.peak = static_cast<double>(allocations.peak()) / 1e6;
    return counted;
  }

  static long voluntary_switches_of_all_threads() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw;
  }

  // ---- Side by side

  template <class Judge>
  void side_by_side(const std::string& name, int work, const Judge& judge) {
    const Decoder decode(std::chrono::microseconds{work});
    const Task task{file_, decode, count_for(decode)};
    const std::vector<Contender> all = contenders();
    std::vector<Cost> memories;
    for (const Contender& contender : all) memories.push_back(memory(contender, task));
    const std::vector<Samples> switches = measure(all, {task});
    std::printf("\n%-40s%12s%12s%12s%12s%12s%12s\n%s\n", (name + " of work a record").c_str(), "us a record",
                "x by hand", "x oneTBB", "switches", "new", "peak MB", std::string(112, '-').c_str());
    const std::size_t tbb = index_of(all, batch_tokens_name);
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::printf("%-40s%12.3f%11.2fx", all[i].name, median(times_[i]) / 1000, speed(i, 0));
      report_.record(name, window_size, all[i].name, median(times_[i]), speed(i, 0));
      if (tbb < all.size()) {
        std::printf("%11.2fx", speed(i, tbb));
      } else {
        std::printf("%12s", "-");
      }
      std::printf("%12.2f%12.2f%12.2f\n", median(switches[i]), memories[i].allocations, memories[i].peak);
    }
    std::fflush(stdout);
    judge_all(all, work, switches, memories, judge);
  }

  template <class Judge>
  void judge_all(const std::vector<Contender>& all, int work, const std::vector<Samples>& switches,
                 const std::vector<Cost>& memories, const Judge& judge) const {
    const std::string at = ", " + std::to_string(work) + " us: ";
    const std::size_t tbb = index_of(all, batch_tokens_name);
    const std::size_t range_for = index_of(all, range_for_name);
    const std::size_t for_each = index_of(all, for_each_name);
    if (tbb < all.size()) {
      judge("for_each" + at + "oneTBB's speed", 1 / speed(for_each, tbb), 1.0);
      judge("range-for" + at + "oneTBB's speed", 1 / speed(range_for, tbb), 1.03);
    }
    if (work == 0) judge("for_each" + at + "by hand's speed", 1 / speed(for_each, 0), 1.0);
    if (work == 0) judge("one thread" + at + "by hand's speed", 1 / speed(index_of(all, one_thread_name), 0), 1 / 0.9);
    if (work == 5) judge("for_each" + at + "twice by hand's speed", 2 / speed(for_each, 0), 1 / 0.95);
    for (const std::size_t i : {range_for, for_each}) {
      const std::string name = i == for_each ? "for_each" : "range-for";
      judge(name + at + "switches a batch", median(switches[i]), 0.5);
      // Storage that is allocated late, because the readers run further ahead than before, does not count for each
      // batch.
      judge(name + at + "allocations a batch", memories[i].allocations, 0.5);
      judge(name + at + "MB beyond the data", memories[i].peak, memory_limit);
    }
  }

  // ---- From disk

  template <class Judge>
  void from_disk(const std::string& name, int work, const Judge& judge) {
    const Decoder decode(std::chrono::microseconds{work});
    const DiskFile file(file_);
    const std::vector<DiskContender> all = disk_contenders();
    const Nanoseconds taken = time_of(all[0], {file, decode, 4 * window_size});
    const Nanoseconds target = options_.quick ? std::chrono::milliseconds(10) : std::chrono::milliseconds(150);
    const auto wanted = std::max(4 * window_size, static_cast<std::uint64_t>(target / taken));
    const DiskTask task{file, decode, std::min(DiskFile::record_count, wanted)};
    times_.assign(all.size(), {});
    for (std::size_t repetition = 0; repetition < options_.pipeline_repetitions(); ++repetition) {
      for (std::size_t i = 0; i < all.size(); ++i) times_[i].push_back(time_of(all[i], task).count());
    }
    std::printf("\n%-50s%12s%12s%12s\n%s\n", (name + " of work a record").c_str(), "us a record", "x by hand",
                "x oneTBB", std::string(86, '-').c_str());
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::printf("%-50s%12.3f%11.2fx", all[i].name.c_str(), median(times_[i]) / 1000, speed(i, 0));
      report_.record(name, window_size, all[i].name, median(times_[i]), speed(i, 0));
      if (has_tbb) {
        std::printf("%11.2fx\n", speed(i, 1));
      } else {
        std::printf("%12s\n", "-");
      }
    }
    std::fflush(stdout);
    judge_disk(all, work, judge);
  }

  template <class Judge>
  void judge_disk(const std::vector<DiskContender>& all, int work, const Judge& judge) const {
    for (std::size_t i = has_tbb ? 2 : 1; i < all.size(); ++i) {
      if (all[i].name.find("forebay") == std::string::npos) continue;
      const std::string name = all[i].name + ", " + std::to_string(work) + " us: ";
      const bool is_for_each = name.find("for_each") != std::string::npos;
      if (name.find("one thread") != std::string::npos) {
        judge(name + "by hand's speed", 1 / speed(i, 0), 1 / 0.97);
      } else if (has_tbb) {
        judge(name + "oneTBB's speed", 1 / speed(i, 1), is_for_each ? 1.0 : 1 / 0.97);
      }
    }
  }

  // The time of a record.
  static Nanoseconds time_of(const DiskContender& contender, const DiskTask& task) {
    ReadingStep training;
    const Clock::time_point start = Clock::now();
    contender.run(task, training);
    const Nanoseconds elapsed = Clock::now() - start;
    require(training.images() == task.count && training.sum() > 0, contender.name + ": images are missing");
    return elapsed / static_cast<double>(task.count);
  }

  // ---- Checkpoints

  // Measures the cost of recording positions, the size of the text, and the time until the next batch after a resume.
  template <class Judge>
  void checkpoints(const Judge& judge) {
    std::printf("\n%-40s%12s%12s%12s%12s%12s\n%s\n", checkpoint_name, "without, us", "with, us", "cost, %", "bytes",
                "resume, us", std::string(100, '-').c_str());
    for (const int work : {0, 1, 5}) {
      const Decoder decode(std::chrono::microseconds{work});
      const Task task{file_, decode, count_for(decode)};
      measure(checkpoint_contenders(), {task});
      const double cost = (1 / speed(1, 0) - 1) * 100;
      const auto [bytes, resuming] = resumption(task);
      std::printf("%-40s%12.3f%12.3f%12.1f%12zu%12.0f\n", (std::to_string(work) + " us of work a record").c_str(),
                  median(times_[0]) / 1000, median(times_[1]) / 1000, cost, bytes, resuming / 1000);
      if (work == 5) judge("places, 5 us: %", cost, 1.0);
    }
    std::fflush(stdout);
  }

  // Returns the size of a checkpoint in the middle, and the nanoseconds from run() to the next batch.
  std::pair<std::size_t, double> resumption(const Task& task) {
    const auto data = dataset(task, {.threads = threads});
    auto pipeline = data.run();
    for (std::uint64_t batch = 0; batch < task.count / images_of_a_batch / 2; ++batch)
      static_cast<void>(pipeline.next());
    const std::string checkpoint = pipeline.checkpoint();
    pipeline.stop();
    Samples times;
    for (std::size_t repetition = 0; repetition < options_.pipeline_repetitions(); ++repetition) {
      const Clock::time_point start = Clock::now();
      auto resumed = data.run(checkpoint);
      static_cast<void>(resumed.next());
      times.push_back(Nanoseconds(Clock::now() - start).count());
    }
    return {checkpoint.size(), median(times)};
  }

  // ---- Slow records

  // Measures the loss through slow records beyond their own work, which the loop by hand shows.
  template <class Judge>
  void slow_records(const Judge& judge) {
    const Decoder decode(std::chrono::microseconds{5});
    const std::uint64_t count = options_.quick ? 2 * slow_every : 8 * slow_every;
    const std::vector<Contender> all = slow_record_contenders();
    measure(all, {Task{file_, decode, count}, Task{file_, decode, count, slow_every}});
    std::printf("\n%-40s%12s%12s%12s\n%s\n", slow_name, "without, us", "with, us", "loss, %",
                std::string(76, '-').c_str());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Samples& without = times_[i];
      const Samples& with = times_[all.size() + i];
      Samples losses;
      for (std::size_t k = 0; k < with.size(); ++k) {
        const double own_work = times_[all.size()][k] / times_[0][k];
        losses.push_back((with[k] / without[k] / own_work - 1) * 100);
      }
      std::printf("%-40s%12.3f%12.3f%12.1f\n", all[i].name, median(without) / 1000, median(with) / 1000,
                  median(losses));
      const std::string name = all[i].name;
      if (name.find("forebay") == 0) judge(name + ", %", median(losses), name.ends_with("16 a thread") ? 2.0 : 8.0);
    }
    std::fflush(stdout);
  }

  // ---- Slow files

  // Each record takes 2 ms in which no thread computes.
  struct SlowFile {
    int left;
    bool operator()(int& into) {
      if (left == 0) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      into = left--;
      return true;
    }
  };

  static Nanoseconds time_of(const forebay::Dataset<int>& data) {
    const Clock::time_point start = Clock::now();
    std::size_t records = 0;
    for ([[maybe_unused]] const int& record : data.run()) ++records;
    require(records == 32 * 25, "slow files: records are missing");
    return Clock::now() - start;
  }

  template <class Judge>
  void slow_files(const Judge& judge) {
    const auto files = forebay::range(32);
    const auto open = [](int /*file*/) { return SlowFile{25}; };
    Samples speeds;
    for (std::size_t repetition = 0; repetition < options_.pipeline_repetitions(); ++repetition) {
      const Nanoseconds one = time_of(files.flat_map(open));
      speeds.push_back(one / time_of(files.interleave({.cycle = 8, .prefetch = 64}, open)));
    }
    std::printf("\n%-40s%11.2fx\n", "pipeline, slow files: 8 at once", median(speeds));
    std::fflush(stdout);
    judge("interleave of 8: 7 times the speed of one", 7 / median(speeds), 1.0);
  }

  // ---- Repetitions

  // Fills times_ by task, contender and repetition. Returns the switches in the same order.
  std::vector<Samples> measure(const std::vector<Contender>& all, const std::vector<Task>& tasks) {
    times_.assign(all.size() * tasks.size(), {});
    std::vector<Samples> switches(times_.size());
    for (std::size_t repetition = 0; repetition < options_.pipeline_repetitions(); ++repetition) {
      for (std::size_t i = 0; i < times_.size(); ++i) {
        const Cost each = cost(all[i % all.size()], tasks[i / all.size()]);
        times_[i].push_back(each.nanoseconds);
        switches[i].push_back(each.switches);
      }
    }
    return switches;
  }

  // Returns the number of records that keep one thread busy for a while. It is several times the size of the window.
  std::uint64_t count_for(const Decoder& decode) const {
    constexpr std::uint64_t trial = 2 * window_size;
    const Task task{file_, decode, trial};
    const Nanoseconds taken{cost({by_hand_name, run_by_hand<Task, Training>}, task).nanoseconds};
    const Nanoseconds target = options_.quick ? std::chrono::milliseconds(10) : std::chrono::milliseconds(150);
    const std::uint64_t least = options_.quick ? trial : 4 * trial;
    return std::max(least, static_cast<std::uint64_t>(target / taken) / images_of_a_batch * images_of_a_batch);
  }

  // Returns the median of the ratio of speeds in the same repetition.
  double speed(std::size_t contender, std::size_t than) const {
    Samples speeds;
    for (std::size_t i = 0; i < times_[contender].size(); ++i) {
      speeds.push_back(times_[than][i] / times_[contender][i]);
    }
    return median(speeds);
  }

  static double median(Samples samples) {
    std::sort(samples.begin(), samples.end());
    return samples[samples.size() / 2];
  }

  static std::size_t index_of(const std::vector<Contender>& all, std::string_view name) {
    const auto is_it = [name](const Contender& contender) { return contender.name == name; };
    return static_cast<std::size_t>(std::find_if(all.begin(), all.end(), is_it) - all.begin());
  }

  const Options& options_;
  Report& report_;
  const File file_;
  std::vector<Samples> times_;
};

}  // namespace forebay_benchmark::input

#endif  // FOREBAY_BENCHMARK_PIPELINE_SECTION_HPP
