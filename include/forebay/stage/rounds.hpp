// SPDX-License-Identifier: MIT
//
// rounds.hpp: Epoch, which epoch an element belongs to, and Rounds, which epoch follows, where repeats repeat repeats:
// an odometer.

#ifndef FOREBAY_STAGE_ROUNDS_HPP
#define FOREBAY_STAGE_ROUNDS_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/stage/snapshot.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Which epoch, counted from 0 through all repeats, and which turn of each repeat it is. A stage that leaves a round
/// of several epochs early goes on with the number behind the one it left; that it left is counted, so that what was
/// read ahead in epochs that are not wanted any more is told from what follows under the same numbers. Stages before
/// it may have left rounds in what was read ahead; so its count is looked at before theirs.
class Epoch {
 public:
  using Turns = std::vector<std::uint64_t>;
  using Leaves = std::vector<std::uint64_t>;  // of each stage that leaves rounds, the last stage first

  Epoch() = default;
  explicit Epoch(std::uint64_t its_number, Leaves leaves = {}, Turns turns = {}) : number(its_number) {
    if (leaves.empty() && turns.empty()) return;
    place_ = std::make_shared<const Place>(Place{std::move(turns), std::move(leaves)});
  }
  Epoch(const Epoch&) = default;
  ~Epoch() = default;

  /// It is assigned for every element, and seldom another one. (It is not moved from: one that lost its turns would
  /// still be equal to one that has them.)
  Epoch& operator=(const Epoch& other) noexcept {
    if (this == &other) return *this;
    number = other.number;
    if (place_ != other.place_) place_ = other.place_;
    return *this;
  }

  friend bool operator==(const Epoch& a, const Epoch& b) noexcept {
    return a.number == b.number && (a.place_ == b.place_ || a.leaves() == b.leaves());
  }

  /// Whether what belongs to this epoch is wanted no more, since `first` is the first epoch that is.
  [[nodiscard]] bool is_before(const Epoch& first) const noexcept {
    return number < first.number || (place_ != first.place_ && leaves() < first.leaves());
  }

  /// Which turn of the repeat `index` it is, counted from 0; the innermost has index 0.
  [[nodiscard]] std::uint64_t turn(std::size_t index) const noexcept {
    return place_ == nullptr || index >= place_->turns.size() ? 0 : place_->turns[index];
  }

  /// All of them; none where each is the first.
  [[nodiscard]] const Turns& turns() const noexcept {
    static const Turns none;
    return place_ == nullptr ? none : place_->turns;
  }

  /// How often stages have left rounds.
  [[nodiscard]] const Leaves& leaves() const noexcept {
    static const Leaves none;
    return place_ == nullptr ? none : place_->leaves;
  }

  /// The next one, as far as that can be said without knowing the repeats.
  [[nodiscard]] Epoch following() const { return Epoch(number + 1, leaves()); }

  void save(Snapshot& to) const {
    to.add(number);
    to.add(turns());
    to.add(leaves());
  }
  [[nodiscard]] static Epoch restored(SnapshotReader& from) {
    const std::uint64_t its_number = from.number();
    Turns turns = from.numbers();
    Leaves leaves = from.numbers();
    return Epoch(its_number, std::move(leaves), std::move(turns));
  }

  /// Whether it is the first one in a round of the innermost `level` repeats.
  [[nodiscard]] bool begins_round(std::size_t level) const noexcept {
    for (std::size_t i = 0; i < level; ++i) {
      if (turn(i) != 0) return false;
    }
    return true;
  }

  /// Whether it is the last one, as far as its mark tells: a stage in front that left the round after a stage behind
  /// had left this epoch could not say so any more. The repeats repeat `counts` times.
  [[nodiscard]] bool ends_round(std::size_t level, const std::vector<std::uint64_t>& counts) const noexcept {
    for (std::size_t i = place_ == nullptr ? 0 : place_->left; i < level; ++i) {
      if (turn(i) + 1 != counts[i]) return false;
    }
    return true;
  }

  /// The same epoch, for its mark, where it becomes the last one in a round of the innermost `level` repeats.
  [[nodiscard]] Epoch left(std::size_t level) const {
    Epoch last(number);
    last.place_ = std::make_shared<const Place>(Place{place_ == nullptr ? Turns() : place_->turns, leaves(), level});
    return last;
  }

  std::uint64_t number = 0;

 private:
  struct Place {
    Turns turns;  // empty: the first of each
    Leaves leaves;
    std::size_t left = 0;  // the round of so many repeats ends here, whatever the turns are
  };

  std::shared_ptr<const Place> place_;  // null: of an empty one
};

/// An epoch, and what repeats make of it: which one follows.
class Rounds {
 public:
  using Counts = std::vector<std::uint64_t>;

  /// How often each repeat repeats, the innermost, which is next to the source, first; 0 is endless. Without repeats
  /// there is one epoch.
  explicit Rounds(Counts counts = {}, const Epoch& epoch = {}) : counts_(std::move(counts)), epoch_(epoch) {}

  /// For Chain::go_to: as many repeats as the epoch has turns.
  [[nodiscard]] static Rounds of(const Epoch& epoch) { return Rounds(Counts(epoch.turns().size()), epoch); }

  [[nodiscard]] const Epoch& epoch() const noexcept { return epoch_; }

  /// The same repeats in that epoch.
  void go_to(const Epoch& epoch) {
    epoch_ = epoch;
    over_ = false;
  }

  /// Whether there are no more epochs.
  [[nodiscard]] bool over() const noexcept { return over_; }

  /// Where it is, in words that hold for another count of the outermost repeat, too: the turns, of which that of the
  /// outermost may be behind the last.
  void save(Snapshot& to) const {
    Epoch::Turns turns = epoch_.turns();
    turns.resize(counts_.size());
    if (over_ && !turns.empty()) turns.back() = counts_.back();
    to.add(over_ ? 1 : 0);
    to.add(epoch_.number);
    to.add(turns);
    to.add(epoch_.leaves());
  }
  void restore(SnapshotReader& from) {
    over_ = from.flag();
    const std::uint64_t number = from.number();
    Epoch::Turns turns = from.numbers();
    Epoch::Leaves leaves = from.numbers();
    if (turns.size() != counts_.size()) from.fail("there are not so many repeats");
    for (std::size_t i = 0; i + 1 < turns.size(); ++i) {
      if (counts_[i] > 0 && turns[i] >= counts_[i]) from.fail("a repeat has not so many turns");
    }
    if (!turns.empty()) over_ = counts_.back() > 0 && turns.back() >= counts_.back();
    epoch_ = Epoch(number, std::move(leaves), std::move(turns));
  }

  /// The epoch is at its end.
  void next() { leave(0, 0); }

  /// What is left of the innermost `level` repeats, this epoch included, is not wanted. `leaver` stages that leave
  /// rounds stand behind the one that says so.
  void leave(std::size_t level, std::size_t leaver) {
    Epoch::Turns turns(counts_.size());
    Epoch::Leaves leaves = epoch_.leaves();
    bool is_at_end = true;
    for (std::size_t i = 0; i < counts_.size(); ++i) turns[i] = epoch_.turn(i);
    for (std::size_t i = 0; i < level; ++i) {
      if (turns[i] + 1 != counts_[i]) is_at_end = false;
      turns[i] = 0;
    }
    std::size_t i = level;
    while (i < counts_.size() && ++turns[i] == counts_[i]) turns[i++] = 0;
    over_ = i == counts_.size();
    if (!is_at_end) {
      leaves.resize(larger(leaves.size(), leaver + 1));
      ++leaves[leaver];
    }
    epoch_ = Epoch(epoch_.number + 1, std::move(leaves), std::move(turns));
  }

  /// Whether another epoch is in the same round of the innermost `level` repeats.
  [[nodiscard]] bool is_in_round_of(const Epoch& other, std::size_t level) const noexcept {
    if (epoch_.leaves() != other.leaves()) return false;
    for (std::size_t i = level; i < counts_.size(); ++i) {
      if (epoch_.turn(i) != other.turn(i)) return false;
    }
    return true;
  }

  /// Where another branch is, which has the repeats `counts` of its own, when this one is in a round of its innermost
  /// `level` repeats: at the beginning. Its epochs are numbered as if it came to the end of every round. One that
  /// leaves rounds of its own early, and so reads ahead under other numbers, begins each round anew. `leaver` stages
  /// that leave rounds stand behind the one that joins the branches.
  [[nodiscard]] Rounds in_branch(std::size_t level, Counts counts, std::size_t leaver, bool leaves_early) const {
    std::uint64_t round = 0;
    for (std::size_t i = counts_.size(); i > level; --i)
      round = round * epochs_of(counts_[i - 1]) + epoch_.turn(i - 1);
    std::uint64_t epochs = 1;
    for (const std::uint64_t count : counts) epochs = smaller(epochs * epochs_of(count), epochs_of(0));
    Epoch::Turns turns(counts.size());
    for (std::size_t i = level; i < counts_.size(); ++i) {
      counts.push_back(counts_[i]);
      turns.push_back(epoch_.turn(i));
    }
    Epoch::Leaves leaves = epoch_.leaves();
    leaves.resize(leaves_early ? leaver : smaller(leaver, leaves.size()));
    if (leaves_early) leaves.push_back(round);
    return Rounds(std::move(counts), Epoch(round * epochs, std::move(leaves), std::move(turns)));
  }

 private:
  /// How many numbers a repeat has for its epochs; an endless one may be left early. Those within one another have no
  /// more together.
  static constexpr std::uint64_t epochs_of(std::uint64_t count) noexcept {
    constexpr std::uint64_t of_endless = (std::uint64_t{1} << 32) - 1;  // the product of two of them is a number, too
    return count == 0 ? of_endless : smaller(count, of_endless);
  }

  Counts counts_;
  Epoch epoch_;
  bool over_ = false;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_ROUNDS_HPP
