// SPDX-License-Identifier: MIT
//
// interleave.hpp: takes turns at several inputs (interleave), or reads one after the other (flat_map), in the order of
// tf.data: of each place in turn a block is taken; a place whose input has ended is filled with the next one when its
// turn comes.

#ifndef FOREBAY_STAGE_INTERLEAVE_HPP
#define FOREBAY_STAGE_INTERLEAVE_HPP

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "forebay/base/reject.hpp"
#include "forebay/stage/flat_map.hpp"
#include "forebay/stage/input.hpp"
#include "forebay/stage/trailed_input.hpp"
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
class InterleaveChain final : public SteppedChain<InterleaveChain<U>, U> {
  using Pointer = InnerInputPointer<U>;

 public:
  InterleaveChain(std::unique_ptr<Chain<InnerInputPointer<U>>> chain, Turns turns, SkipCount skipped)
      : input_(Input<Pointer>(std::move(chain)), turns.cycle), turns_(turns), skipped_(std::move(skipped)) {}

  Answer step(Chunk<U>& chunk, std::size_t most, const PullWait& wait) {
    if (input_.is_reading_again()) return read_again(wait);
    if (place_ < places_.size() && places_[place_].input != nullptr) return read(chunk, wait);
    if (!at_mark_) {
      const Answer answer = look(chunk, most - chunk.size(), wait);
      if (answer == Answer::more) fill_place();
      if (answer != Answer::epoch_ended) return answer;
      at_mark_ = true;
    }
    if (open_ > 0) {
      next_place();
      return Answer::more;
    }
    chunk.epoch = epoch_;
    begin_epoch();
    return Answer::epoch_ended;
  }

  void skip_to(const Rounds& rounds) override {
    if (epoch_.is_before(rounds.epoch())) begin_epoch();
    input_.go_to(rounds, open_ == 0);
  }

  void save_state(Snapshot& to) override {
    epoch_.save(to);
    skipped_.save(to);
    numbering_.save(to);
    to.add(place_);
    to.add(taken_);
    to.add(at_mark_ ? 1 : 0);
    const std::uint64_t first = input_.save(to, oldest());
    to.add(places_.size());
    for (const Place& place : places_) {
      to.add(place.is_open() ? 1 : 0);
      if (!place.is_open()) continue;
      to.add(place.read - first);
      to.add_nested(place.where());
    }
  }
  void restore_state(SnapshotReader& from) override {
    epoch_ = Epoch::restored(from);
    skipped_.restore(from);
    numbering_.restore(from);
    place_ = static_cast<std::size_t>(from.number_up_to(turns_.cycle));
    taken_ = static_cast<std::size_t>(from.number_up_to(turns_.block));
    at_mark_ = from.flag();
    input_.restore(from);
    for (std::uint64_t count = from.number_up_to(turns_.cycle); count > 0; --count) {
      places_.emplace_back();
      if (!from.flag()) continue;
      ++open_;
      places_.back().read = from.number();
      input_.keep(places_.back().read, from);
      places_.back().was_at = from.nested();
    }
    if (place_ > places_.size()) from.fail("there is no such input");
  }

 private:
  /// An input, and how its element is known to input_.
  struct Place {
    Pointer input{};
    std::uint64_t read = 0;
    std::optional<Snapshot> was_at{};  // in a run that was restored, until it is there again

    [[nodiscard]] bool is_open() const noexcept { return input != nullptr || was_at; }
    [[nodiscard]] Snapshot where() const {
      if (was_at) return *was_at;
      Snapshot where;
      input->save(where);
      return where;
    }
  };

  [[nodiscard]] std::uint64_t oldest() const noexcept {
    std::uint64_t oldest = input_.read();
    for (const Place& place : places_) {
      if (place.is_open()) oldest = smaller(oldest, place.read);
    }
    return oldest;
  }

  Answer look(Chunk<U>& chunk, std::size_t wanted, const PullWait& wait) {
    const Answer answer = input_.look(smaller(wanted, elements_at_once), wait, [this] { return oldest(); });
    if (answer != Answer::more && answer != Answer::epoch_ended) return answer;
    epoch_ = input_.epoch();
    chunk.epoch = epoch_;
    return answer;
  }

  Answer read_again(const PullWait& wait) {
    const Answer answer = input_.read_again(wait);
    if (answer != Answer::more) return answer;
    for (Place& place : places_) {
      if (!place.was_at) continue;
      place.input = input_.take_again(place.read).element;
      place.input->restore(*std::exchange(place.was_at, std::nullopt));
    }
    return answer;
  }

  Answer read(Chunk<U>& chunk, const PullWait& wait) {
    chunk.epoch = epoch_;
    const std::size_t before = chunk.size();
    InnerInput<U>& input = *places_[place_].input;
    const Answer answer = input.read(chunk, numbering_.peek(chunk.epoch), skipped_, wait);
    if (chunk.size() > before) {
      static_cast<void>(numbering_.next(chunk.epoch));
      if (++taken_ == turns_.block) next_place();
    }
    if (answer != Answer::ended) return answer;
    const bool had_its_turn = input.was_opened();
    places_[place_].input.reset();
    --open_;
    if (had_its_turn) next_place();
    return Answer::more;
  }

  void fill_place() {
    if (place_ == places_.size()) places_.emplace_back();
    places_[place_].input = std::move(input_.element());
    places_[place_].read = input_.pass();
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

  TrailedInput<Pointer, Input<Pointer>> input_;
  Epoch epoch_;  // of what was read last
  const Turns turns_;
  SkipCount skipped_;
  std::vector<Place> places_;  // as many as were needed yet
  std::size_t place_ = 0;      // whose turn it is
  std::size_t taken_ = 0;      // in this turn
  std::size_t open_ = 0;
  bool at_mark_ = false;  // behind the last input of the epoch
  Numbering numbering_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_INTERLEAVE_HPP
