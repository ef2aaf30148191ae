// SPDX-License-Identifier: MIT
//
// Archives of games that arrive while a program learns, and a pool of the newest games.

#ifndef FOREBAY_EXAMPLES_NEWEST_GAMES_HPP
#define FOREBAY_EXAMPLES_NEWEST_GAMES_HPP

#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include <forebay/coordinator.hpp>
#include <forebay/fifo_queue.hpp>
#include <forebay/files.hpp>

using Names = forebay::FIFOQueue<std::string>;

/// Passes on the names of the archives in `directory`, the oldest first, until there is a file `end`. Other programs
/// rename an archive when it is whole. Names of newer archives sort later.
inline void watch(const std::string& directory, Names::Producer& names, forebay::Coordinator& coordinator) {
  std::string last;
  bool is_end = false;
  do {
    is_end = std::filesystem::exists(directory + "/end");
    std::set<std::string> arrived;
    for (const auto& file : std::filesystem::directory_iterator(directory)) {
      if (file.path().extension() == ".tar" && file.path().string() > last) arrived.insert(file.path().string());
    }
    for (const std::string& name : arrived) {
      if (names.enqueue(last = name, coordinator) != forebay::QueueStatus::ok) return;
    }
  } while (!is_end && !coordinator.wait_for_stop(std::chrono::milliseconds(100)));
}

/// A reader that draws games from the newest 10,000. The archives keep the bytes.
///
/// After eight reads for each game of an archive, it waits for the next one. So the archives decide which games are
/// read, not the time at which they arrive, and a run resumes exactly, as long as the archives of the pool exist.
class NewestGames {
 public:
  explicit NewestGames(Names& names) : names_(&names) {}

  bool operator()(forebay::TarEntry& game, forebay::Context& context) {
    while (left_ == 0) {
      if (!add_archive(context.until_stop())) return false;
    }
    --left_;
    const auto& [archive, number] = pool_[context.draw().below(pool_.size())];
    archive.read(number, game);
    return true;
  }

  [[nodiscard]] std::string cursor() const { return std::to_string(left_) + ' ' + last_; }
  void seek(const std::string& cursor) {
    const std::string name = cursor.substr(cursor.find(' ') + 1);
    while (last_ < name && add_archive({})) continue;
    if (last_ != name) throw std::runtime_error(name + " is missing, so the run cannot resume");
    left_ = std::stoull(cursor);
  }

 private:
  bool add_archive(const forebay::Wait& wait) {
    const auto name = names_->dequeue(wait);
    if (!name) return false;
    const auto archive = forebay::indexed_tar_entries(*name);
    for (std::size_t number = 0; number < archive.size(); ++number) pool_.emplace_back(archive, number);
    while (pool_.size() > 10'000) pool_.pop_front();
    left_ = 8 * archive.size();
    last_ = *name;
    return true;
  }

  Names* names_;
  std::string last_;      // the archive that was added last
  std::size_t left_ = 0;  // reads until the next one is due
  std::deque<std::pair<forebay::IndexedDataset<forebay::TarEntry>, std::size_t>> pool_;
};

#endif  // FOREBAY_EXAMPLES_NEWEST_GAMES_HPP
