// SPDX-License-Identifier: MIT
//
// round_input.hpp: RoundInput<T>, an Input that is read round by round, where a round is all epochs of the repeats
// before a stage; and HeldEpochs, of those of which a stage holds elements.

#ifndef FOREBAY_STAGE_ROUND_INPUT_HPP
#define FOREBAY_STAGE_ROUND_INPUT_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/stage/input.hpp"
#include "forebay/stage/node.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A round comprises all turns of the innermost `level` of `repeats`; it is one epoch if that is 0.
template <class T>
class RoundInput {
 public:
  RoundInput(std::unique_ptr<Chain<T>> chain, Rounds::Counts repeats, std::size_t level, bool leaves_early = false)
      : input_(std::move(chain)), repeats_(std::move(repeats)), level_(level), leaves_early_(leaves_early) {}

  /// Its rounds comprise all repeats before it: for a branch, among others.
  RoundInput(const Node<T>& node, const Opening& opening)
      : RoundInput(node.open(opening), opening.all_repeats(node.facts()), node.facts().repeats.size(),
                   node.facts().leaves_early) {}

  /// As Input::look, but answers `ended` at the end of the round, too, until next_round().
  Answer look(std::size_t wanted, const PullWait& wait) {
    if (over_) return Answer::ended;
    if (begun_ && input_.unread() > 0) return Answer::more;  // of a chunk that was looked at
    Answer answer = Answer::epoch_ended;
    if (!std::exchange(mark_is_next_, false)) answer = input_.look(smaller(wanted, elements_at_once), wait);
    if (answer == Answer::not_now || answer == Answer::ended) return answer;
    if (begun_ && epoch() != epoch_ && epoch().begins_round(level_)) {  // whose mark did not tell
      over_ = true;
      mark_is_next_ = answer == Answer::epoch_ended;
      return Answer::ended;
    }
    begun_ = true;
    epoch_ = epoch();
    over_ = answer == Answer::epoch_ended && epoch_.ends_round(level_, repeats_);
    return answer;
  }

  /// The same, where marks inside the round are not seen.
  Answer look_for_element(std::size_t wanted, const PullWait& wait) {
    Answer answer = Answer::epoch_ended;
    while (answer == Answer::epoch_ended) answer = look(wanted, wait);
    return answer;
  }

  /// How many elements of the round can be had by look() without a pull.
  [[nodiscard]] std::size_t unread() const noexcept { return begun_ && !over_ ? input_.unread() : 0; }

  // The element that is next. Requires that look() has answered `more`.
  [[nodiscard]] T& element() noexcept { return input_.element(); }
  [[nodiscard]] std::uint64_t number() const noexcept { return input_.number(); }
  [[nodiscard]] Position position() const noexcept { return input_.position(); }
  void pass() noexcept { input_.pass(); }
  [[nodiscard]] Chunk<T>& chunk() noexcept { return input_.chunk(); }
  [[nodiscard]] std::size_t next() const noexcept { return input_.next(); }
  [[nodiscard]] T take() {
    T element = std::move(input_.element());
    input_.pass();
    return element;
  }

  /// The epoch of what was pulled last.
  [[nodiscard]] const Epoch& epoch() const noexcept { return input_.epoch(); }
  [[nodiscard]] Rounds rounds() const { return Rounds(repeats_, epoch()); }
  [[nodiscard]] std::size_t level() const noexcept { return level_; }

  /// Returns whether there was anything in the round that is at its end; if not, nor is there in another one.
  bool next_round() noexcept {
    over_ = false;
    return std::exchange(begun_, false);
  }

  void save(Snapshot& to) {
    epoch_.save(to);
    to.add(begun_ ? 1 : 0);
    to.add(over_ ? 1 : 0);
    to.add(mark_is_next_ ? 1 : 0);
    epoch().save(to);
    input_.save(to);
  }
  void restore(SnapshotReader& from) {
    epoch_ = Epoch::restored(from);
    begun_ = from.flag();
    over_ = from.flag();
    mark_is_next_ = from.flag();
    const Epoch epoch_of_input = Epoch::restored(from);
    input_.restore(from, epoch_of_input);
  }
  [[nodiscard]] bool is_between_pulls() const noexcept { return input_.is_between_pulls(); }

  /// See Chain::go_to.
  void go_to(const Rounds& rounds) {
    if (epoch().is_before(rounds.epoch())) {
      next_round();
      mark_is_next_ = false;
    }
    input_.go_to(rounds);
  }

  /// Begins the round that belongs to one of the innermost `level` repeats of `joined` (see Rounds::in_branch).
  void begin(const Rounds& joined, std::size_t level, std::size_t leaver) {
    Rounds::Counts own(repeats_.begin(), repeats_.begin() + static_cast<std::ptrdiff_t>(level_));
    go_to(joined.in_branch(level, std::move(own), leaver, leaves_early_));
    next_round();
  }

 private:
  Input<T> input_;
  Rounds::Counts repeats_;
  std::size_t level_;
  bool leaves_early_;
  Epoch epoch_;  // of this round
  bool begun_ = false;
  bool over_ = false;
  bool mark_is_next_ = false;  // of an epoch without elements that begins the next round
};

/// What a stage hands out belongs to the first epoch of which it holds elements, and the mark of that follows the last
/// output with one of them.
class HeldEpochs {
 public:
  [[nodiscard]] bool empty() const noexcept { return epochs_.empty(); }

  /// To which the next output belongs. Requires !empty().
  [[nodiscard]] const Epoch& first() const noexcept { return epochs_.front().epoch; }

  /// Another element of the newest epoch is held. Returns what release() is to be told.
  std::uint64_t hold(const Epoch& epoch) {
    enter(epoch);
    ++epochs_.back().held;
    return passed_ + epochs_.size() - 1;
  }
  void release(std::uint64_t place) noexcept { --epochs_[static_cast<std::size_t>(place - passed_)].held; }

  /// The newest epoch is at its end.
  void end(const Epoch& epoch) {
    enter(epoch);
    epochs_.back().ended = true;
    epochs_.back().epoch = epoch;
  }

  [[nodiscard]] bool mark_is_next() const noexcept { return !empty() && epochs_[0].ended && epochs_[0].held == 0; }

  /// Answers a pull with that mark, if it is wanted.
  template <class T>
  Answer pass_mark(Chunk<T>& chunk) {
    const bool dropped = drops();
    if (!dropped) chunk.epoch = first();
    epochs_.erase(epochs_.begin());
    ++passed_;
    return dropped ? Answer::more : Answer::epoch_ended;
  }

  /// Nothing before `epoch` is wanted any more.
  void want(const Epoch& epoch) noexcept {
    if (wanted_.is_before(epoch)) wanted_ = epoch;
  }
  /// Whether the next output is not wanted.
  [[nodiscard]] bool drops() const noexcept { return first().is_before(wanted_); }

  void clear() noexcept { epochs_.clear(); }

  void save(Snapshot& to) const {
    to.add(epochs_.size());
    for (const Held& each : epochs_) {
      each.epoch.save(to);
      to.add(each.ended ? 1 : 0);
    }
    to.add(passed_);
    wanted_.save(to);
  }
  void restore(SnapshotReader& from) {
    for (std::uint64_t count = from.number(); count > 0; --count) {
      epochs_.push_back({Epoch::restored(from)});
      epochs_.back().ended = from.flag();
    }
    passed_ = from.number();
    wanted_ = Epoch::restored(from);
  }
  /// An element of the only epoch is held again.
  void hold_again(const SnapshotReader& from) {
    if (epochs_.size() != 1 || passed_ != 0) from.fail("there is no such epoch");
    ++epochs_[0].held;
  }
  /// What hold() returned, of an element that is held again.
  [[nodiscard]] std::uint64_t restored(SnapshotReader& from) {
    const std::uint64_t place = from.number();
    if (place < passed_ || place - passed_ >= epochs_.size()) from.fail("there is no such epoch");
    ++epochs_[static_cast<std::size_t>(place - passed_)].held;
    return place;
  }

 private:
  struct Held {
    Epoch epoch;
    std::size_t held = 0;
    bool ended = false;
  };

  void enter(const Epoch& epoch) {
    if (empty() || epochs_.back().epoch != epoch) epochs_.push_back({epoch});
  }

  std::vector<Held> epochs_;
  std::uint64_t passed_ = 0;
  Epoch wanted_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_ROUND_INPUT_HPP
