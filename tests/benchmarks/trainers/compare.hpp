// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_TRAINERS_COMPARE_HPP
#define FOREBAY_BENCHMARK_TRAINERS_COMPARE_HPP

#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "../textbook_queue.hpp"
#include "examples/saved_model.hpp"

namespace forebay_benchmark {

// Seconds: until the program has ended, and of processor time.
struct Cost {
  double passed;
  double used;
};

inline double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

inline void keep_cores(int count) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &allowed) && --count < 0) CPU_CLR(core, &allowed);
  }
  sched_setaffinity(0, sizeof allowed, &allowed);
}

// Runs the program in a process of its own, without its output.
inline Cost cost_of(int cores, const std::function<int()>& program) {
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    keep_cores(cores);
    const bool is_silent = std::freopen("/dev/null", "w", stdout) != nullptr;
    _exit(is_silent ? program() : 1);
  }
  int status = 1;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
    throw std::runtime_error("a program that is measured has failed");
  }
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  return {passed.count(), seconds(usage.ru_utime) + seconds(usage.ru_stime)};
}

inline Cost median(std::vector<Cost> costs) {
  const auto of = [&](double Cost::*member) {
    std::sort(costs.begin(), costs.end(), [&](const Cost& a, const Cost& b) { return a.*member < b.*member; });
    return costs[costs.size() / 2].*member;
  };
  return {of(&Cost::passed), of(&Cost::used)};
}

// A directory that is removed with its files.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / ("forebay-" + std::string(6, 'X'))).string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no directory for the files can be created");
    path_ = name;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline bool is_quick(int argument_count, char** arguments) {
  return argument_count > 1 && std::string_view(arguments[1]) == "--quick";
}

// Calls the main function of an example.
inline int call_main(int (*main)(int, char**), std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "example");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  return main(static_cast<int>(pointers.size()), pointers.data());
}

// A model that is learned by hand, and saved as often as the example saves its own.
class ModelByHand {
 public:
  ModelByHand(SavedModel model, std::string file) : model_(std::move(model)), file_(std::move(file)) {}

  template <class Batch, class Learn>
  void learn_from(const Batch& batch, const Learn& learn) {
    learn(batch, model_.parameters);
    if (++steps_ % 10 == 0) save();
  }
  void save() const { model_.write(file_); }

 private:
  SavedModel model_;
  std::string file_;
  std::size_t steps_ = 0;
};

// Prepares each batch that read(use) passes on, and learns from it: in this thread, or while another one prepares the
// next batches in storage that is used again.
template <class Prepared, class Batch, class Read, class Learn>
void learn_prepared(ModelByHand& trained, int threads, const Read& read,
                    void (*prepare)(const std::vector<Batch>&, Prepared&), const Learn& learn) {
  if (threads == 0) {
    Prepared prepared;
    return read([&](const std::vector<Batch>& batch) {
      prepare(batch, prepared);
      trained.learn_from(prepared, learn);
    });
  }
  TextbookQueue<Prepared> made(4);
  TextbookQueue<Prepared> used(8);
  for (int i = 0; i < 6; ++i) used.push({});
  std::jthread reader([&] {
    read([&](const std::vector<Batch>& batch) {
      std::optional<Prepared> into = used.pop();
      prepare(batch, *into);
      made.push(std::move(*into));
    });
    made.close();
  });
  while (std::optional<Prepared> prepared = made.pop()) {
    trained.learn_from(*prepared, learn);
    used.push(std::move(*prepared));
  }
}

// An example, and the same work by hand with a number of threads that prepare the batches: 0, the loop's own, or 1.
struct Trainer {
  std::string name;
  int (*main)(int, char**);  // of the example
  std::vector<std::string> arguments;
  std::string model;  // removed before each run
  std::function<void(int threads)> by_hand;
};

inline void compare(const Trainer& trainer, bool is_quick) {
  const auto example = [&] {
    std::filesystem::remove(trainer.model);
    return call_main(trainer.main, trainer.arguments);
  };
  const auto by_hand = [&](int threads) {
    return [&, threads] {
      trainer.by_hand(threads);
      return 0;
    };
  };
  std::vector<Cost> one_core;
  std::vector<Cost> two_cores;
  std::vector<Cost> hand_one_core;
  std::vector<Cost> hand_two_cores;
  for (int i = 0; i < (is_quick ? 1 : 7); ++i) {
    one_core.push_back(cost_of(1, example));
    hand_one_core.push_back(cost_of(1, by_hand(0)));
    two_cores.push_back(cost_of(2, example));
    hand_two_cores.push_back(cost_of(2, by_hand(1)));
  }
  const auto print = [&](const char* cores, const std::vector<Cost>& ours, const std::vector<Cost>& theirs) {
    const Cost forebay = median(ours);
    const Cost hand = median(theirs);
    std::printf("%-16s %-10s %8.3f s %8.3f s %8.2f %10.3f s %8.3f s %8.2f\n", trainer.name.c_str(), cores,
                forebay.passed, hand.passed, hand.passed / forebay.passed, forebay.used, hand.used,
                forebay.used / hand.used);
  };
  std::printf("%-16s %-10s %10s %10s %8s %12s %10s %8s\n", "", "", "forebay", "by hand", "speed", "CPU", "by hand",
              "CPU");
  print("one core", one_core, hand_one_core);
  print("two cores", two_cores, hand_two_cores);
}

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_TRAINERS_COMPARE_HPP
