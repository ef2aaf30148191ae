// SPDX-License-Identifier: MIT
//
// selection.hpp: the stages that pass on some of their elements, as they are: filter, take, skip and shard; and
// NonEmptyChain, which is given to an endless repeat.

#ifndef FOREBAY_STAGE_SELECTION_HPP
#define FOREBAY_STAGE_SELECTION_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/batch_options.hpp"
#include "forebay/stage/failing.hpp"
#include "forebay/stage/input.hpp"
#include "forebay/stage/node.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Passes on the elements that a predicate holds for.
template <class T, class Predicate>
class FilterChain final : public StageChain<FilterChain<T, Predicate>, T, T> {
 public:
  FilterChain(std::unique_ptr<Chain<T>> chain, std::shared_ptr<const Predicate> predicate, std::string name)
      : FilterChain::StageChain(std::move(chain)), predicate_(std::move(predicate)), name_(std::move(name)) {}

  Answer step(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    const Answer answer = this->look(chunk, most - chunk.size(), wait);
    if (answer != Answer::more) return answer;
    auto& input = this->input_;
    if (passes()) chunk.push_from(input.chunk(), input.next(), input.number());
    input.pass();
    return answer;
  }

 private:
  bool passes() {
    try {
      return static_cast<bool>(std::invoke(*predicate_, std::as_const(this->input_.element())));
    } catch (...) {
      throw_as_dataset_error(name_, this->input_.position());
    }
  }

  std::shared_ptr<const Predicate> predicate_;
  std::string name_;
};

/// What take and skip count: elements of an epoch, or of a round of several if there are repeats before them. An epoch
/// that is left in the middle of a round is read to its end, so that as many count as would have.
template <class Own, class T>
class CountingChain : public SteppedChain<Own, T> {
 public:
  CountingChain(std::unique_ptr<Chain<T>> chain, std::uint64_t count, Rounds::Counts repeats, std::size_t level,
                std::size_t leaver)
      : chain_(std::move(chain)), count_(count), repeats_(std::move(repeats)), level_(level), leaver_(leaver) {}

  void skip_to(const Rounds& rounds) override {
    if (!epoch_.is_before(rounds.epoch())) return;
    wanted_ = rounds.epoch();
    if (rounds.is_in_round_of(epoch_, level_)) return;
    over_ = false;
    chain_->go_to(rounds);
  }

  void save_state(Snapshot& to) override {
    to.add(done_);
    epoch_.save(to);
    wanted_.save(to);
    to.add(over_ ? 1 : 0);
    chain_->save(to);
  }
  void restore_state(SnapshotReader& from) override {
    done_ = from.number();
    epoch_ = Epoch::restored(from);
    wanted_ = Epoch::restored(from);
    over_ = from.flag();
    chain_->restore(from);
  }

 protected:
  /// Pulls, and counts what came, also before a failure. Of that, `select(before)` leaves out what is not passed on;
  /// `before` came before it in the round.
  template <class Select>
  Answer pull_counted(Chunk<T>& chunk, std::size_t most, const PullWait& wait, const Select& select) {
    const std::size_t size = chunk.size();
    Answer answer = Answer::more;
    try {
      answer = chain_->pull(chunk, most, wait);
    } catch (...) {
      if (chunk.size() > size) count(chunk, size, select);
      throw;
    }
    if (answer == Answer::more || answer == Answer::epoch_ended) count(chunk, size, select);
    return answer;
  }

  /// Whether nobody wants what was pulled last.
  [[nodiscard]] bool is_dropping() const noexcept { return epoch_.is_before(wanted_); }

  std::unique_ptr<Chain<T>> chain_;
  std::uint64_t count_;
  std::uint64_t done_ = 0;
  Rounds::Counts repeats_;
  std::size_t level_;
  std::size_t leaver_;
  Epoch epoch_;   // of what was pulled last
  Epoch wanted_;  // nothing before this
  bool over_ = false;

 private:
  template <class Select>
  void count(Chunk<T>& chunk, std::size_t size, const Select& select) {
    if (chunk.epoch != epoch_ && chunk.epoch.begins_round(level_)) done_ = 0;
    epoch_ = chunk.epoch;
    const std::uint64_t before = done_;
    done_ += chunk.size() - size;
    if (is_dropping()) {
      chunk.truncate(size);
    } else {
      select(before);
    }
  }
};

/// Passes on the first elements of a round and leaves it.
template <class T>
class TakeChain final : public CountingChain<TakeChain<T>, T> {
 public:
  using TakeChain::CountingChain::CountingChain;

  Answer step(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    if (this->over_) return Answer::ended;
    const std::size_t size = chunk.size();
    const std::uint64_t left = saturating_subtract(this->count_, this->done_);
    const auto wanted = static_cast<std::size_t>(larger<std::uint64_t>(smaller<std::uint64_t>(left, most - size), 1));
    const auto select = [&](std::uint64_t before) {
      chunk.truncate(size + static_cast<std::size_t>(saturating_subtract(this->count_, before)));
    };
    Answer answer = this->pull_counted(chunk, size + wanted, wait, select);
    if (answer == Answer::not_now || answer == Answer::ended) return answer;
    if (this->done_ >= this->count_) {
      leave();
      chunk.epoch = this->epoch_.left(this->level_);
      answer = Answer::epoch_ended;
    }
    return this->is_dropping() ? Answer::more : answer;
  }

 private:
  void leave() {
    Rounds rounds(this->repeats_, this->epoch_);
    rounds.leave(this->level_, this->leaver_);
    this->over_ = rounds.over();
    if (!this->over_) this->chain_->go_to(rounds);
  }
};

/// Leaves out the first elements of a round.
template <class T>
class SkipChain final : public CountingChain<SkipChain<T>, T> {
 public:
  using SkipChain::CountingChain::CountingChain;

  Answer step(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    const std::size_t size = chunk.size();
    const auto select = [&](std::uint64_t before) {
      const std::uint64_t left = saturating_subtract(this->count_, before);
      chunk.erase(size, static_cast<std::size_t>(smaller<std::uint64_t>(left, chunk.size() - size)));
    };
    const Answer answer = this->pull_counted(chunk, most, wait, select);
    return answer == Answer::epoch_ended && this->is_dropping() ? Answer::more : answer;
  }
};

/// Whether and how shards are made equally long.
enum class Evenness : unsigned char { none, drop, repeat };

[[nodiscard]] constexpr Evenness evenness(Even even) noexcept {
  return even == Even::drop ? Evenness::drop : Evenness::repeat;
}

/// Which shard of how many. Throws std::invalid_argument if there is none.
struct Shard {
  Shard(std::size_t its_index, std::size_t its_count) : index(its_index), count(its_count) {
    if (count == 0) throw std::invalid_argument("forebay: shard(" + text() + "): there has to be at least 1 shard");
    if (index >= count) {
      throw std::invalid_argument("forebay: shard(" + text() + "): the index has to be below the count of shards; " +
                                  "TensorFlow's order, shard(count, index), is the other one");
    }
  }

  /// What is known behind it.
  [[nodiscard]] Facts facts(Facts before, Evenness even) const {
    if (before.size) before.size = size(*before.size, even);
    const std::string words = even == Evenness::none   ? "shard"
                              : even == Evenness::drop ? "shard, drop"
                                                       : "shard, repeat";
    const std::string elastic = before.description + " > " + words;
    before.describe(Facts::with(words, {index, count}));
    before.elastic_description = elastic;
    before.shards = count;
    before.batched_shards = false;
    before.shard = joined(before.shard, index, count);
    return before;
  }

  std::uint64_t index;
  std::uint64_t count;

 private:
  [[nodiscard]] std::uint64_t size(std::uint64_t all, Evenness even) const noexcept {
    const std::uint64_t left = all % count;
    const bool one_more = even == Evenness::repeat ? left > 0 : even == Evenness::none && index < left;
    return all / count + (one_more ? 1 : 0);
  }

  [[nodiscard]] std::string text() const { return std::to_string(index) + ", " + std::to_string(count); }
};

/// Passes on one element of each group of as many as there are shards.
template <class T, Evenness even>
class ShardChain final : public StageChain<ShardChain<T, even>, T, T> {
 public:
  ShardChain(std::unique_ptr<Chain<T>> chain, Shard shard, bool is_elastic)
      : ShardChain::StageChain(std::move(chain)), shard_(shard), is_elastic_(is_elastic) {}

  /// So that it can be said for all shards, it has not read beyond the group of the last element that it passed on.
  [[nodiscard]] bool holds_outputs() const noexcept override {
    return !held_.empty() || (is_elastic_ && place_ > passed_on_ * shard_.count);
  }
  void save_state(Snapshot& to) override {
    epoch_.save(to);
    to.add(place_);
    if (is_elastic_) to.add(passed_on_ * shard_.count);
    this->input_.save(to);
  }
  void restore_state(SnapshotReader& from) override {
    epoch_ = Epoch::restored(from);
    place_ = even == Evenness::repeat ? from.number_up_to(0) : from.number();
    if (is_elastic_) {
      passed_on_ = place_ / shard_.count + (place_ % shard_.count > shard_.index ? 1 : 0);
      from.carry(static_cast<std::int64_t>(from.number()) - static_cast<std::int64_t>(passed_on_ * shard_.count));
    }
    const auto carried = from.without_carry();
    this->input_.restore(from);
    from.carry(carried);
  }

  Answer step(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    const Answer answer = this->look(chunk, most - chunk.size(), wait);
    if (answer == Answer::not_now || answer == Answer::ended) return answer;
    if (chunk.epoch != epoch_) begin_epoch(chunk.epoch);
    if (answer == Answer::more) {
      pass(chunk);
    } else {
      end_epoch(chunk);
    }
    return answer;
  }

 private:
  void begin_epoch(const Epoch& epoch) noexcept {
    epoch_ = epoch;
    place_ = 0;
    passed_on_ = 0;
    held_.clear();
  }

  void pass(Chunk<T>& chunk) {
    auto& input = this->input_;
    const std::uint64_t in_group = place_++ % shard_.count;
    if constexpr (even == Evenness::repeat) {
      if (place_ <= shard_.count) held_.emplace_back(std::as_const(input.element()), input.number());
    }
    if (in_group == shard_.index) {
      if constexpr (even == Evenness::drop) {
        held_.emplace_back(std::move(input.element()), input.number());
      } else {
        chunk.push_from(input.chunk(), input.next(), input.number());
        ++passed_on_;
      }
    }
    if constexpr (even == Evenness::drop) {
      if (in_group + 1 == shard_.count && !held_.empty()) {
        chunk.push(std::move(held_.front().first), held_.front().second);
        ++passed_on_;
        held_.clear();
      }
    }
    input.pass();
  }

  void end_epoch(Chunk<T>& chunk) {
    if constexpr (even == Evenness::repeat) {
      const std::uint64_t in_group = place_ % shard_.count;
      if (in_group > 0 && in_group <= shard_.index) {
        auto& [element, number] = held_[static_cast<std::size_t>((shard_.index - in_group) % held_.size())];
        chunk.push(T(element), number);
      }
    }
    begin_epoch(epoch_);
  }

  Shard shard_;
  bool is_elastic_;
  Epoch epoch_;
  std::uint64_t place_ = 0;
  std::uint64_t passed_on_ = 0;  // of the epoch
  std::vector<std::pair<T, std::uint64_t>>
      held_;  // of the group that is not complete; the first elements of the epoch, to be repeated
};

/// Passes on everything. An epoch of nothing is a failure: an endless repeat would spin.
template <class T>
class NonEmptyChain final : public Chain<T> {
 public:
  NonEmptyChain(std::unique_ptr<Chain<T>> chain, std::string name)
      : chain_(std::move(chain)), name_(std::move(name)) {}

 private:
  Answer pull_on(Chunk<T>& chunk, std::size_t most, const PullWait& wait) override {
    const std::size_t before = chunk.size();
    const Answer answer = chain_->pull(chunk, most, wait);
    is_empty_ = is_empty_ && chunk.size() == before;
    if (answer == Answer::more || answer == Answer::epoch_ended) epoch_ = chunk.epoch;
    if (answer != Answer::epoch_ended) return answer;
    if (is_empty_) fail(chunk.epoch);
    is_empty_ = true;
    return answer;
  }

  void skip_to(const Rounds& rounds) override {
    if (epoch_.is_before(rounds.epoch())) is_empty_ = true;
    chain_->go_to(rounds);
  }

  void save_state(Snapshot& to) override {
    to.add(is_empty_ ? 1 : 0);
    epoch_.save(to);
    chain_->save(to);
  }
  void restore_state(SnapshotReader& from) override {
    is_empty_ = from.flag();
    epoch_ = Epoch::restored(from);
    chain_->restore(from);
  }

  void fail(const Epoch& epoch) const {
    try {
      throw std::invalid_argument("an endless repeat is given an epoch without elements");
    } catch (...) {
      throw_as_dataset_error(name_, {epoch.number, 0});
    }
  }

  std::unique_ptr<Chain<T>> chain_;
  std::string name_;
  Epoch epoch_;
  bool is_empty_ = true;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_SELECTION_HPP
