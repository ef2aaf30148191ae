// SPDX-License-Identifier: MIT
//
// interleave.hpp: takes turns at several inputs (interleave), or reads one after the other (flat_map), in the order of
// tf.data: of each place in turn a block is taken; a place whose input has ended is filled with the next one when its
// turn comes.

#ifndef FOREBAY_STAGE_INTERLEAVE_HPP
#define FOREBAY_STAGE_INTERLEAVE_HPP

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "forebay/base/reject.hpp"
#include "forebay/stage/flat_map.hpp"
#include "forebay/stage/input.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// How many inputs are open at once, and how many elements are taken of each in its turn.
struct Turns {
  /// Throws std::invalid_argument if either is 0.
  constexpr Turns(std::size_t its_cycle, std::size_t its_block) : cycle(its_cycle), block(its_block) {
    if (cycle == 0) reject({"interleave: .cycle has to be at least 1, not 0"});
    if (block == 0) reject({"interleave: .block has to be at least 1, not 0"});
  }

  std::size_t cycle;
  std::size_t block;
};

inline constexpr Turns one_after_the_other(1, static_cast<std::size_t>(-1));

template <class U>
class InterleaveChain final : public StageChain<InterleaveChain<U>, InnerInputPointer<U>, U> {
 public:
  InterleaveChain(std::unique_ptr<Chain<InnerInputPointer<U>>> chain, Turns turns, SkipCount skipped)
      : InterleaveChain::StageChain(std::move(chain)), turns_(turns), skipped_(std::move(skipped)) {}

  Answer step(Chunk<U>& chunk, std::size_t most, const PullWait& wait) {
    if (place_ < places_.size() && places_[place_] != nullptr) return read(chunk, wait);
    if (!at_mark_) {
      const Answer answer = this->look(chunk, most - chunk.size(), wait);
      if (answer == Answer::more) fill_place();
      if (answer != Answer::epoch_ended) return answer;
      at_mark_ = true;
    }
    if (open_ > 0) {
      next_place();
      return Answer::more;
    }
    chunk.epoch = this->input_.epoch();
    begin_epoch();
    return Answer::epoch_ended;
  }

  void go_to(const Rounds& rounds) override {
    if (this->input_.epoch().is_before(rounds.epoch())) begin_epoch();
    this->input_.go_to(rounds);
  }

 private:
  Answer read(Chunk<U>& chunk, const PullWait& wait) {
    chunk.epoch = this->input_.epoch();
    const std::size_t before = chunk.size();
    InnerInput<U>& input = *places_[place_];
    const Answer answer = input.read(chunk, numbering_.peek(chunk.epoch), skipped_, wait);
    if (chunk.size() > before) {
      static_cast<void>(numbering_.next(chunk.epoch));
      if (++taken_ == turns_.block) next_place();
    }
    if (answer != Answer::ended) return answer;
    const bool had_its_turn = input.was_opened();
    places_[place_].reset();
    --open_;
    if (had_its_turn) next_place();
    return Answer::more;
  }

  void fill_place() {
    if (place_ == places_.size()) places_.emplace_back();
    places_[place_] = std::move(this->input_.element());
    this->input_.pass();
    ++open_;
  }

  void next_place() noexcept {
    taken_ = 0;
    if (++place_ >= (at_mark_ ? places_.size() : turns_.cycle)) place_ = 0;
  }

  void begin_epoch() noexcept {
    places_.clear();
    place_ = 0;
    taken_ = 0;
    open_ = 0;
    at_mark_ = false;
  }

  const Turns turns_;
  SkipCount skipped_;
  std::vector<InnerInputPointer<U>> places_;  // as many as were needed yet
  std::size_t place_ = 0;                     // whose turn it is
  std::size_t taken_ = 0;                     // in this turn
  std::size_t open_ = 0;
  bool at_mark_ = false;  // behind the last input of the epoch
  Numbering numbering_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_INTERLEAVE_HPP
