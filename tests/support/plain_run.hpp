// SPDX-License-Identifier: MIT
//
// plain_run.hpp: runs a data set in a plain loop without threads or a Pipeline. This tests its stages as sequential
// code.

#ifndef FOREBAY_TESTS_SUPPORT_PLAIN_RUN_HPP
#define FOREBAY_TESTS_SUPPORT_PLAIN_RUN_HPP

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/checkpoint/snapshot.hpp"
#include "forebay/coordinator.hpp"
#include "forebay/dataset.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/pull_wait.hpp"
#include "forebay/flow/stream.hpp"
#include "forebay/wait.hpp"

namespace forebay_test {

using forebay::Dataset;
using forebay::DatasetError;
using forebay::Position;
using forebay::detail::PullResult;

/// Runs a data set. At the end of each epoch it begins the next one. The clock of `Sync` paces the notes of its stages.
template <class T, class Sync = forebay::StdSync>
class PlainRun {
 public:
  using Wait = forebay::BasicWait<Sync>;

  explicit PlainRun(const Dataset<T>& dataset)
      : epochs_(dataset.node()->properties().epochs), input_(forebay::detail::open_run(*dataset.node(), runtime_)) {
    begin({});
  }

  /// Pulls at most `most` elements into chunk(). Throws a failure that follows them.
  PullResult pull(std::size_t most, const Wait& wait = Wait::forever) {
    chunk_.clear();
    const PullResult answer = input_.pull(chunk_, most, forebay::detail::PullWaitOf<Sync>(coordinator_, wait));
    if (answer == PullResult::failed) forebay::detail::throw_failure(chunk_);
    if (is_end(answer)) begin(epoch_.next());
    return answer;
  }
  [[nodiscard]] forebay::detail::Chunk<T>& chunk() { return chunk_; }

  /// Returns whether `answer` ends an epoch.
  [[nodiscard]] static bool is_end(PullResult answer) {
    return answer == PullResult::last || answer == PullResult::ended;
  }

  /// Returns whether the last epoch has ended.
  [[nodiscard]] bool is_over() const { return !epochs_.includes(epoch_); }

  void begin(const forebay::detail::Epoch& epoch) {
    epoch_ = epoch;
    if (!is_over()) input_.begin(epoch);
  }
  [[nodiscard]] const forebay::detail::Epoch& epoch() const { return epoch_; }

  /// Saves the position in the current epoch.
  void save(forebay::detail::Snapshot& to) { input_.save(to); }
  void restore(forebay::detail::SnapshotReader& from) { input_.restore(from); }

 private:
  forebay::BasicCoordinator<Sync> coordinator_;
  forebay::detail::PlainRuntime runtime_;
  forebay::detail::EpochCount epochs_;
  forebay::detail::Input<T> input_;
  forebay::detail::Epoch epoch_;
  forebay::detail::Chunk<T> chunk_;
};

/// The outputs of a run: elements and positions by epoch, and the failure.
template <class T>
struct Output {
  std::vector<std::vector<T>> epochs;  // if the run failed, the last epoch is incomplete
  std::vector<std::vector<Position>> positions;
  std::string failure;  // the message of the DatasetError
  Position failed_at;
  std::string failed_stage;

  [[nodiscard]] std::vector<T> all() const {
    std::vector<T> joined;
    for (const auto& epoch : epochs) joined.insert(joined.end(), epoch.begin(), epoch.end());
    return joined;
  }
};

/// Runs `dataset` to its end, or until `most_epochs` have ended, pulling `most` elements at a time.
template <class T>
Output<T> output_of(const Dataset<T>& dataset, std::size_t most = 7, std::size_t most_epochs = 1000) {
  PlainRun<T> run(dataset);
  Output<T> output;
  bool in_epoch = false;
  PullResult answer = PullResult::more;
  const auto take = [&] {
    if (!in_epoch) {
      output.epochs.emplace_back();
      output.positions.emplace_back();
    }
    in_epoch = !PlainRun<T>::is_end(answer);
    for (std::size_t i = 0; i < run.chunk().size(); ++i) {
      output.positions.back().push_back(run.chunk().position(i));
      output.epochs.back().push_back(std::move(run.chunk()[i]));
    }
  };
  try {
    while (!run.is_over() && output.epochs.size() - (in_epoch ? 1 : 0) < most_epochs) {
      answer = run.pull(most);
      take();
    }
  } catch (const DatasetError& error) {
    answer = PullResult::more;
    if (!run.chunk().empty()) take();
    output.failure = error.what();
    output.failed_at = error.position();
    output.failed_stage = error.stage();
  }
  return output;
}

/// Returns the elements of all epochs.
template <class T>
std::vector<T> elements_of(const Dataset<T>& dataset) {
  return output_of(dataset).all();
}

template <class T>
std::vector<std::vector<T>> epochs_of(const Dataset<T>& dataset, std::size_t most_epochs = 1000) {
  return output_of(dataset, 7, most_epochs).epochs;
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_PLAIN_RUN_HPP
