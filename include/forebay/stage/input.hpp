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

  /// Skips up to `count` elements that were not pulled, and lowers `count` by as many. Answers as Chain::skip. Requires
  /// skips_unread().
  Answer skip(std::uint64_t& count, const PullWait& wait) {
    chunk_.clear();
    next_ = 0;
    return chain_->skip(count, chunk_, elements_at_once, wait);
  }
  [[nodiscard]] bool skips_unread() const noexcept { return is_between_pulls() && chain_->skips_unread(); }

  /// How many elements are there to read.
  [[nodiscard]] std::size_t unread() const noexcept { return chunk_.size() - next_; }

  // The next one of them. Requires unread() > 0.
  [[nodiscard]] T& element() noexcept { return chunk_[next_]; }
  [[nodiscard]] std::uint64_t number() const noexcept { return chunk_.number(next_); }
  [[nodiscard]] Position position() const noexcept { return chunk_.position(next_); }
  void pass() noexcept { ++next_; }

  /// Of which the next pull delivers elements.
  [[nodiscard]] const Epoch& epoch() const noexcept { return chain_->epoch(); }

  /// The chunk, for who reads it as a whole, from index next() on, and then passes up to an index.
  [[nodiscard]] Chunk<T>& chunk() noexcept { return chunk_; }
  [[nodiscard]] std::size_t next() const noexcept { return next_; }
  void pass_to(std::size_t index) noexcept { next_ = index; }

  /// See Chain: the place of what was read up to now.
  void save(Snapshot& to) { chain_->save(to, unread(), mark_is_next_); }
  void restore(SnapshotReader& from) { chain_->restore(from); }

  /// Whether all that was pulled has been read.
  [[nodiscard]] bool is_between_pulls() const noexcept {
    return unread() == 0 && failure_ == nullptr && !mark_is_next_;
  }

  /// See AnyChain::begin.
  void begin(const Epoch& epoch) {
    chunk_.clear();
    next_ = 0;
    mark_is_next_ = false;
    failure_ = nullptr;
    chain_->begin(epoch);
  }

 private:
  std::unique_ptr<Chain<T>> chain_;
  Chunk<T> chunk_;
  std::size_t next_ = 0;
  bool mark_is_next_ = false;
  std::exception_ptr failure_;
};

/// A stage with one input. Those that pass on nothing but what they hold in `input_`, and know nothing besides, need no
/// functions of their own for where they are.
template <class Own, class In, class Out>
class StageChain : public SteppedChain<Own, Out> {
 public:
  explicit StageChain(std::unique_ptr<Chain<In>> chain) noexcept : input_(std::move(chain)) {}

  void begin_epoch() override { input_.begin(this->epoch()); }
  void save_state(Snapshot& to) override { input_.save(to); }
  void restore_state(SnapshotReader& from) override { input_.restore(from); }

 protected:
  // What a segment says that does the same with threads.
  void save_as_segment(Snapshot& to, const SkipCount& skipped) {
    input_.save(to);
    skipped.save(to, this->epoch());
  }
  void restore_as_segment(SnapshotReader& from, SkipCount& skipped) {
    input_.restore(from);
    skipped.restore(from, this->epoch());
  }

  /// Looks at the input, which may be asked for as many elements as are wanted behind.
  Answer look(std::size_t wanted, const PullWait& wait) {
    return input_.look(smaller(wanted, elements_at_once), wait);
  }

  Input<In> input_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_INPUT_HPP
