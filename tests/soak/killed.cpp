// SPDX-License-Identifier: MIT
//
// killed.cpp: a training that is killed with SIGKILL at a random moment, again and again, and each time resumes from
// the last file that it has saved, sees the same batches in the same order as an undisturbed one.
//
//   forebay_killed [kills]                                 // 200 without a number

#include <poll.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "forebay/dataset.hpp"

namespace {

namespace fs = std::filesystem;

/// The progress of the training: a number that depends on every batch and on their order.
struct State {
  std::uint64_t seen = 0;
  std::uint64_t batches = 0;
  bool is_over = false;
  std::optional<std::string> checkpoint{};

  friend bool operator==(const State& a, const State& b) {
    return a.seen == b.seen && a.batches == b.batches && a.is_over == b.is_over;
  }
};

class Folder {
 public:
  explicit Folder(fs::path path) : path_(std::move(path)) {
    fs::create_directory(path_);
    for (int file = 0; file < 4; ++file) {
      std::ofstream out(path_ / std::to_string(file));
      for (int line = 0; line < 300; ++line) out << file * 1000 + line << '\n';
    }
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }

  [[nodiscard]] std::vector<fs::path> data() const { return {path_ / "0", path_ / "1", path_ / "2", path_ / "3"}; }

  /// Writes a new file and then renames it, so a process that is killed meanwhile leaves the older file intact.
  void save(const State& state) const {
    std::ofstream out(path_ / "saved.new");
    out << state.seen << ' ' << state.batches << ' ' << state.is_over << '\n' << state.checkpoint.value_or("") << '\n';
    out.close();
    fs::rename(path_ / "saved.new", path_ / "saved");
  }

  [[nodiscard]] State load() const {
    State state;
    std::ifstream in(path_ / "saved");
    if (!(in >> state.seen >> state.batches >> state.is_over)) return {};
    in.ignore();
    std::string checkpoint;
    std::getline(in, checkpoint);
    state.checkpoint = checkpoint;
    return state;
  }

  void forget() const { fs::remove(path_ / "saved"); }

 private:
  fs::path path_;
};

/// Continues from the saved state to the end.
void train(const Folder& folder, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  const auto some = [&bits](std::uint64_t most) { return 1 + bits() % most; };
  State state = folder.load();
  auto batches = forebay::text_lines(folder.data())
                     .seed(3)
                     .repeat(3)
                     .shuffle(64)
                     .map({.threads = some(4), .ahead = some(8)},
                          [](std::string&& line, forebay::Context& context) {
                            return std::stoull(line) + context.draw().below(100);
                          })
                     .batch(8)
                     .run(state.checkpoint);
  for (const auto& batch : batches) {
    for (const std::uint64_t number : batch) state.seen = state.seen * 0x9e3779b97f4a7c15 + number;
    ++state.batches;
    state.checkpoint = batches.checkpoint();
    folder.save(state);
  }
  state.is_over = true;
  folder.save(state);
}

/// Runs the training in another process.
pid_t begin_training(const Folder& folder, std::uint64_t seed) {
  const pid_t process = fork();
  if (process < 0) throw std::runtime_error("fork failed");
  if (process > 0) return process;
  try {
    train(folder, seed);
    _exit(EXIT_SUCCESS);
  } catch (const std::exception& error) {
    std::cerr << "killed: " << error.what() << '\n';
    _exit(EXIT_FAILURE);
  }
}

/// Returns whether the process ended by itself. Otherwise it was killed.
bool has_ended(pid_t process) {
  int status = 0;
  if (waitpid(process, &status, 0) != process) throw std::runtime_error("waitpid failed");
  if (WIFEXITED(status) && WEXITSTATUS(status) != EXIT_SUCCESS) throw std::runtime_error("a training failed");
  return WIFEXITED(status);
}

std::size_t run(std::size_t kills) {
  const Folder folder(fs::temp_directory_path() / ("forebay_killed_" + std::to_string(getpid())));
  has_ended(begin_training(folder, 1));
  const State undisturbed = folder.load();
  folder.forget();

  std::mt19937_64 bits(kills);
  std::size_t trainings = 0;
  for (std::size_t killed = 0; killed < kills;) {
    const pid_t process = begin_training(folder, bits());
    static_cast<void>(poll(nullptr, 0, static_cast<int>(bits() % 12)));
    kill(process, SIGKILL);
    if (!has_ended(process)) ++killed;
    if (!folder.load().is_over) continue;
    if (!(folder.load() == undisturbed)) throw std::runtime_error("the batches were not the same");
    folder.forget();
    ++trainings;
  }
  has_ended(begin_training(folder, bits()));
  if (!(folder.load() == undisturbed)) throw std::runtime_error("the batches were not the same");
  return trainings + 1;
}

}  // namespace

int main(int argument_count, char** arguments) {
  try {
    const std::size_t kills = argument_count > 1 ? std::stoul(arguments[1]) : 200;
    const std::size_t trainings = run(kills);
    std::cout << "ok: killed " << kills << " times, " << trainings << " trainings saw the same batches\n";
  } catch (const std::exception& error) {
    std::cerr << "killed: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
