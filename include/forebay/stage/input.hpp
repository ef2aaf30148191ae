// SPDX-License-Identifier: MIT
//
// input.hpp: Input<T>, from where a stage takes the elements of the stage before it, one by one.

#ifndef FOREBAY_STAGE_INPUT_HPP
#define FOREBAY_STAGE_INPUT_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/position.hpp"
#include "forebay/stage/chain.hpp"
#include "forebay/stage/failing.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// How many elements a stage asks for at a time, at most: each time has a price, and what was asked for too early may
/// have to be fetched from the core of who claimed before.
inline constexpr std::size_t elements_at_once = 32;

/// A chain, and a chunk that was pulled from it and not yet read to its end. What comes behind the elements, a mark or
/// a failure, comes out behind them.
template <class T>
class Input {
 public:
  explicit Input(std::unique_ptr<Chain<T>> chain) noexcept : chain_(std::move(chain)) {}

  /// Answers `more` if there is an element to read. Otherwise as Chain::pull, with which it gets at most `most`.
  Answer look(std::size_t most, const PullWait& wait) {
    if (unread() > 0) return Answer::more;
    if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
    if (std::exchange(mark_is_next_, false)) return Answer::epoch_ended;
    chunk_.clear();
    next_ = 0;
    try {
      const Answer answer = chain_->pull(chunk_, most, wait);
      if (chunk_.empty()) return answer;
      mark_is_next_ = answer == Answer::epoch_ended;
    } catch (...) {
      if (chunk_.empty()) throw;
      failure_ = std::current_exception();
    }
    return Answer::more;
  }

  /// How many elements are there to read.
  [[nodiscard]] std::size_t unread() const noexcept { return chunk_.size() - next_; }

  // The next one of them. Requires unread() > 0.
  [[nodiscard]] T& element() noexcept { return chunk_[next_]; }
  [[nodiscard]] std::uint64_t number() const noexcept { return chunk_.number(next_); }
  [[nodiscard]] Position position() const noexcept { return chunk_.position(next_); }
  void pass() noexcept { ++next_; }

  /// The epoch of what was pulled last, a mark included.
  [[nodiscard]] const Epoch& epoch() const noexcept { return chunk_.epoch; }

  /// The chunk, for who reads it as a whole, from index next() on, and then passes up to an index.
  [[nodiscard]] Chunk<T>& chunk() noexcept { return chunk_; }
  [[nodiscard]] std::size_t next() const noexcept { return next_; }
  void pass_to(std::size_t index) noexcept { next_ = index; }

  /// See Chain: the place of what was read up to now.
  void save(Snapshot& to) { chain_->save(to, unread(), mark_is_next_); }
  void restore(SnapshotReader& from) { chain_->restore(from); }
  void restore(SnapshotReader& from, const Epoch& epoch) {
    chunk_.epoch = epoch;
    chain_->restore(from);
  }

  /// Whether all that was pulled has been read.
  [[nodiscard]] bool is_between_pulls() const noexcept {
    return unread() == 0 && failure_ == nullptr && !mark_is_next_;
  }

  /// See Chain::go_to.
  void go_to(const Rounds& rounds) {
    if (chunk_.epoch.is_before(rounds.epoch())) {
      chunk_.clear();
      next_ = 0;
      mark_is_next_ = false;
      failure_ = nullptr;
    }
    chain_->go_to(rounds);
  }

 private:
  std::unique_ptr<Chain<T>> chain_;
  Chunk<T> chunk_;
  std::size_t next_ = 0;
  bool mark_is_next_ = false;
  std::exception_ptr failure_;
};

/// Numbers outputs within each epoch, from 0.
class Numbering {
 public:
  [[nodiscard]] std::uint64_t next(const Epoch& epoch) noexcept {
    if (epoch != epoch_) number_ = 0;
    epoch_ = epoch;
    return number_++;
  }

  void save(Snapshot& to) const {
    epoch_.save(to);
    to.add(number_);
  }
  void restore(SnapshotReader& from) {
    epoch_ = Epoch::restored(from);
    number_ = from.number();
  }

  /// What next() would be.
  [[nodiscard]] std::uint64_t peek(const Epoch& epoch) const noexcept { return epoch == epoch_ ? number_ : 0; }

 private:
  Epoch epoch_;
  std::uint64_t number_ = 0;
};

/// A stage with one input. Those that pass on nothing but what they hold in `input_`, and know nothing besides, need no
/// functions of their own for where they are.
template <class Own, class In, class Out>
class StageChain : public SteppedChain<Own, Out> {
 public:
  explicit StageChain(std::unique_ptr<Chain<In>> chain) noexcept : input_(std::move(chain)) {}

  void skip_to(const Rounds& rounds) override { input_.go_to(rounds); }
  void save_state(Snapshot& to) override { input_.save(to); }
  void restore_state(SnapshotReader& from) override { input_.restore(from); }

 protected:
  // What a segment says that does the same with threads, which may have been told where to go.
  void save_as_segment(Snapshot& to, const SkipCount& skipped) {
    input_.save(to);
    skipped.save(to);
    to.add(0);
  }
  void restore_as_segment(SnapshotReader& from, SkipCount& skipped) {
    input_.restore(from);
    skipped.restore(from);
    if (from.flag()) input_.go_to(Rounds::of(Epoch::restored(from)));
  }

  /// Looks at the input, which may be asked for as many elements as are wanted behind, and sets the epoch of what is
  /// made of them.
  Answer look(Chunk<Out>& chunk, std::size_t wanted, const PullWait& wait) {
    const Answer answer = input_.look(smaller(wanted, elements_at_once), wait);
    if (answer == Answer::more || answer == Answer::epoch_ended) chunk.epoch = input_.epoch();
    return answer;
  }

  Input<In> input_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_INPUT_HPP
