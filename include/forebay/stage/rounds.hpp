// SPDX-License-Identifier: MIT
//
// rounds.hpp: Rounds, which epoch it is of those that repeats make: an odometer.

#ifndef FOREBAY_STAGE_ROUNDS_HPP
#define FOREBAY_STAGE_ROUNDS_HPP

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Which epoch, counted from 0 through all repeats. A stage that leaves a round of several epochs early goes on with
/// the number behind the one it left; then the generation counts on, so that what was read ahead of it in epochs that
/// are not wanted any more is told from what follows, whose numbers are the same.
struct Epoch {
  std::uint64_t number = 0;
  std::uint64_t generation = 0;

  friend bool operator==(const Epoch&, const Epoch&) = default;

  /// Whether what belongs to this epoch is wanted no more, since `first` is the first epoch that is.
  [[nodiscard]] bool is_before(const Epoch& first) const noexcept {
    return generation < first.generation || number < first.number;
  }
};

/// An epoch, and its place in the repeats, the innermost of which is the one next to the source. Every source has one,
/// and every stage that counts over several epochs or ends them early; each is turned on at every mark that passes.
class Rounds {
 public:
  /// How often each repeat repeats, the innermost first; 0 is endless. Without repeats there is one epoch.
  explicit Rounds(std::vector<std::uint64_t> counts = {}) : counts_(std::move(counts)), turns_(counts_.size()) {}

  [[nodiscard]] const Epoch& epoch() const noexcept { return epoch_; }

  /// Whether there are no more epochs.
  [[nodiscard]] bool over() const noexcept { return over_; }

  /// Whether the epoch is the first one in a round of the innermost `level` repeats.
  [[nodiscard]] bool begins_round(std::size_t level) const noexcept {
    for (std::size_t i = 0; i < level; ++i) {
      if (turns_[i] != 0) return false;
    }
    return true;
  }

  /// Which round of the innermost `level` repeats it is, counted from 0.
  [[nodiscard]] std::uint64_t round(std::size_t level) const noexcept {
    std::uint64_t round = 0;
    for (std::size_t i = counts_.size(); i > level; --i) round = round * epochs_of(counts_[i - 1]) + turns_[i - 1];
    return round;
  }

  /// Where another branch is, which has the repeats `counts` of its own, when this one begins a round of its innermost
  /// `level` repeats. Its epochs are numbered as if it came to the end of every round.
  [[nodiscard]] Rounds in_branch(std::size_t level, std::vector<std::uint64_t> counts) const {
    std::uint64_t epochs = 1;
    for (const std::uint64_t count : counts) epochs *= epochs_of(count);
    Rounds branch(std::move(counts));
    branch.counts_.insert(branch.counts_.end(), counts_.begin() + static_cast<std::ptrdiff_t>(level), counts_.end());
    branch.turns_.insert(branch.turns_.end(), turns_.begin() + static_cast<std::ptrdiff_t>(level), turns_.end());
    branch.epoch_ = {round(level) * epochs, epoch_.generation};
    branch.over_ = over_;
    return branch;
  }

  /// The epoch is at its end.
  void next() noexcept { leave(0); }

  /// What is left of the innermost `level` repeats, this epoch included, is not wanted.
  void leave(std::size_t level) noexcept {
    bool is_at_end = true;
    for (std::size_t i = 0; i < level; ++i) {
      if (turns_[i] + 1 != counts_[i]) is_at_end = false;
      turns_[i] = 0;
    }
    ++epoch_.number;
    if (!is_at_end) ++epoch_.generation;
    for (std::size_t i = level; i < counts_.size(); ++i) {
      ++turns_[i];
      if (counts_[i] == 0 || turns_[i] < counts_[i]) return;
      turns_[i] = 0;
    }
    over_ = true;
  }

 private:
  /// How many numbers an endless repeat, which may be left early, has for its epochs.
  static constexpr std::uint64_t epochs_of(std::uint64_t count) noexcept {
    return count == 0 ? std::uint64_t{1} << 32 : count;
  }

  std::vector<std::uint64_t> counts_;
  std::vector<std::uint64_t> turns_;
  Epoch epoch_;
  bool over_ = false;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_ROUNDS_HPP
