// SPDX-License-Identifier: MIT
//
// Checks the verdict on pipelines whose limiting part is known. Most of them wait where real ones compute, so neither
// the machine nor its neighbours affect the result. Also checks predictions: it runs a map with more threads, and a
// loop on one batch repeatedly.

#ifndef FOREBAY_BENCHMARK_PIPELINE_VERDICTS_HPP
#define FOREBAY_BENCHMARK_PIPELINE_VERDICTS_HPP

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../busy_work.hpp"
#include "../options.hpp"
#include "../run_together.hpp"
#include "forebay/dataset.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/from_queue.hpp"
#include "forebay/report.hpp"
#include "forebay/usable_cores.hpp"

namespace forebay_benchmark::input {

class Verdicts {
 public:
  explicit Verdicts(const Options& options) : options_(options) {}

  static constexpr const char* name = "pipeline, verdicts";

  template <class Judge>
  void run(const Judge& judge) {
    std::printf("\n%-40s%12s\n%s\n", name, "right", std::string(52, '-').c_str());
    for (const Case& each : cases()) {
      std::size_t right = 0;
      for (std::size_t i = 0; i < options_.repetitions(); ++i) {
        const std::string said = each.verdict();
        const bool is_right = said.find(each.says) != std::string::npos;
        right += is_right ? 1 : 0;
        if (!is_right) std::printf("  %s: %s\n", each.name, said.c_str());
      }
      std::printf("%-40s%5zu of %zu\n", each.name, right, options_.repetitions());
      std::fflush(stdout);
      judge(std::string("wrong verdicts, ") + each.name, static_cast<double>(options_.repetitions() - right), 0.0);
    }
    more_threads(judge);
    perfect_input(judge);
  }

 private:
  using Microseconds = std::chrono::microseconds;
  using Statistics = forebay::PipelineStatistics;
  using Numbers = forebay::Dataset<int>;

  static constexpr std::chrono::milliseconds warm_up{40};

  struct Case {
    const char* name;
    std::string says;
    std::function<std::string()> verdict;
  };

  // Waits this long. No thread computes meanwhile.
  static void wait(int microseconds) {
    if (microseconds > 0) std::this_thread::sleep_for(Microseconds(microseconds));
  }
  static auto waiting(int microseconds) {
    return [microseconds](int number) {
      wait(microseconds);
      return number;
    };
  }
  static forebay::MapOptions beside_the_loop(std::size_t threads) {
    return {.threads = threads, .chunk = 1, .loop_helps = false};
  }
  static Numbers source(int microseconds) {
    return forebay::range(1'000'000'000).map(waiting(microseconds)).take(1'000'000'000);
  }
  static Numbers two_maps(int first, int second) {
    return source(0)
        .map(beside_the_loop(2), waiting(first))
        .named("read")
        .map(beside_the_loop(2), waiting(second))
        .named("decode");
  }

  // Returns the statistics of a part of a run in whose loop each element takes the time of `body`.
  Statistics measured(const Numbers& data, const std::function<void()>& body, bool for_each = false) const {
    const auto time = std::chrono::milliseconds(options_.quick ? 60 : 200);
    auto pipeline = data.run();
    const Clock::time_point start = Clock::now();
    Statistics before;
    Statistics after;
    const auto step = [&](int) {
      body();
      const auto passed = Clock::now() - start;
      if (before.time.count() == 0 && passed > warm_up) before = pipeline.statistics();
      if (passed < warm_up + time || pipeline.should_stop()) return;
      after = pipeline.statistics();
      pipeline.stop();
    };
    if (for_each) {
      pipeline.for_each(step);
    } else {
      for (const int number : pipeline) step(number);
    }
    return after.since(before);
  }
  Statistics measured(const Numbers& data, int body, bool for_each = false) const {
    return measured(
        data, [body] { wait(body); }, for_each);
  }
  std::function<std::string()> verdict_of(Numbers data, int body, bool for_each = false) const {
    return [this, data, body, for_each] { return forebay::verdict(measured(data, body, for_each)); };
  }

  // Delivers 32 elements at once, and then none for a while.
  struct Bursts {
    int left = 0;
    bool operator()(int& into) {
      if (left == 0) wait(32'000);
      left = left == 0 ? 31 : left - 1;
      into = left;
      return true;
    }
  };

  std::vector<Case> cases() const {
    const auto uneven = [](int number) {
      wait(number % 8 == 0 ? 8000 : 200);
      return number;
    };
    return {
        {"the first map", "read limits", verdict_of(two_maps(4000, 500), 200)},
        {"the second map", "decode limits", verdict_of(two_maps(500, 4000), 200)},
        {"the loop", "The loop limits", verdict_of(two_maps(500, 500), 2000)},
        {"the loop, alone", "The loop limits", verdict_of(source(20), 4000)},
        {"all stages, alone", "All stages run in the thread of the loop", verdict_of(source(2000), 100)},
        {"a serial source", "before read limits: it is serial",
         verdict_of(source(2000).map(beside_the_loop(2), waiting(500)).named("read"), 200)},
        {"stages between two maps", "before decode limits: it is serial",
         verdict_of(source(0)
                        .map(beside_the_loop(2), waiting(300))
                        .filter([](int) {
                          wait(2000);
                          return true;
                        })
                        .map(beside_the_loop(2), waiting(300))
                        .named("decode"),
                    200)},
        {"a map that the loop helps", "decode limits",
         verdict_of(source(0).map({.threads = 2, .chunk = 1}, waiting(4000)).named("decode"), 200)},
        {"a map whose threads take steps", "decode limits",
         verdict_of(source(0).map({.threads = 2, .chunk = 1}, waiting(4000)).named("decode"), 200, true)},
        {"the steps", "The loop limits",
         verdict_of(source(0).map({.threads = 2, .chunk = 1}, waiting(300)).named("decode"), 3000, true)},
        {"threads that wait for a lock", "mostly they wait in your code", [this] { return lock_of_all(); }},
        {"interleaved inputs", "files limits",
         verdict_of(forebay::range(1'000'000)
                        .interleave({.cycle = 4, .prefetch = 8}, [](int) { return source(4000).take(100); })
                        .named("files"),
                    200)},
        {"before a prefetch", "before prefetch limits: it is serial", verdict_of(source(2000).prefetch(8), 200)},
        {"the machine", "The machine is full", [this] { return full_machine(); }},
        {"too little ahead", "Too little is read ahead",
         verdict_of(source(0).map({.threads = 4, .ahead = 4, .chunk = 1, .loop_helps = false}, uneven).named("decode"),
                    200)},
        {"bursts", "Work comes in bursts", verdict_of(forebay::from_callable(Bursts()).prefetch(8), 500)},
        {"a stall", "Nothing came out", [] { return stall(); }},
    };
  }

  std::string full_machine() const {
    const BusyWork busy(Microseconds(500));
    const std::size_t threads = forebay::usable_cores();
    const Numbers data = source(0)
                             .map(beside_the_loop(threads),
                                  [&busy](int number) {
                                    busy();
                                    return number;
                                  })
                             .named("decode");
    return forebay::verdict(measured(data, 0));
  }

  std::string lock_of_all() const {
    std::mutex mutex;
    const Numbers data = source(0)
                             .map(beside_the_loop(3),
                                  [&mutex](int number) {
                                    const std::lock_guard lock(mutex);
                                    wait(1000);
                                    return number;
                                  })
                             .named("decode");
    return forebay::verdict(measured(data, 0));
  }

  static std::string stall() {
    forebay::FIFOQueue<int> never(1);
    auto pipeline = forebay::from_queue(never).map({.threads = 2}, waiting(0)).named("decode").run();
    static_cast<void>(pipeline.next(std::chrono::milliseconds(20)));
    return forebay::verdict(pipeline.statistics());
  }

  // ---- Predictions

  // Returns the number after these words.
  static double number_behind(const std::string& text, const std::string& words) {
    const std::size_t place = text.find(words);
    return place == std::string::npos ? 0 : std::strtod(text.c_str() + place + words.size(), nullptr);
  }

  static double promised_with_a_perfect_input(const std::string& said) {
    return number_behind(
        said, said.find("A perfect") != std::string::npos ? "A perfect input would make it " : "a perfect input ");
  }

  static double rate(const Statistics& statistics) {
    return static_cast<double>(statistics.loop.elements) / std::chrono::duration<double>(statistics.time).count();
  }

  template <class Judge>
  void more_threads(const Judge& judge) const {
    std::printf("\n%-40s%12s%12s%12s\n%s\n", "more threads", "promised", "came", "off, %",
                std::string(76, '-').c_str());
    for (const int body : {100, 1500}) {
      for (const std::size_t threads : {1U, 2U, 3U}) {
        const auto with = [&](std::size_t count) {
          return measured(source(0).map(beside_the_loop(count), waiting(4000)).named("decode"), body);
        };
        const Statistics now = with(threads);
        const std::string said = forebay::verdict(now);
        const auto compare = [&](std::size_t count, double promised) {
          const double came = rate(with(count)) / rate(now);
          const double off = (promised / came - 1) * 100;
          const std::string change = std::to_string(threads) + " -> " + std::to_string(count) + " of 4 ms, a loop of ";
          std::printf("%-40s%12.2f%12.2f%12.1f\n", (change + std::to_string(body) + " us").c_str(), promised, came,
                      off);
          judge(std::to_string(count) + " threads in place of " + std::to_string(threads) + ", off by %",
                off < 0 ? -off : off, 15.0);
        };
        compare(threads + 1, number_behind(said, "would make it "));
        const auto all = static_cast<std::size_t>(number_behind(said, "times as fast, "));
        if (all > threads) compare(all, number_behind(said, std::to_string(all) + " threads "));
      }
    }
  }

  template <class Judge>
  void perfect_input(const Judge& judge) const {
    std::printf("\n%-40s%12s%12s%12s\n%s\n", "a perfect input", "promised", "came", "off, %",
                std::string(76, '-').c_str());
    for (const int source_time : {200, 1000, 1900}) {
      const int body = 2000;
      const Statistics now = measured(source(source_time), body);
      const double promised = promised_with_a_perfect_input(forebay::verdict(now));
      const double came = rate(measured(forebay::range(1'000'000'000).take(1'000'000'000), body)) / rate(now);
      const double off = (promised / came - 1) * 100;
      std::printf("%-40s%12.2f%12.2f%12.1f\n", ("a source of " + std::to_string(source_time) + " us").c_str(),
                  promised, came, off);
      judge("a perfect input, off by %", off < 0 ? -off : off, 10.0);
    }
  }

  const Options& options_;
};

}  // namespace forebay_benchmark::input

#endif  // FOREBAY_BENCHMARK_PIPELINE_VERDICTS_HPP
