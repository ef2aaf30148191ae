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
    if (passes()) chunk.push(std::move(this->input_.element()), this->input_.number());
    this->input_.pass();
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

/// What take and skip count: elements of an epoch, or of a round of several if there are repeats before them.
class RoundCount {
 public:
  RoundCount(std::uint64_t count, Rounds rounds, std::size_t level)
      : count_(count), rounds_(std::move(rounds)), level_(level) {}

  [[nodiscard]] const Rounds& rounds() const noexcept { return rounds_; }
  [[nodiscard]] std::uint64_t left() const noexcept { return count_ - done_; }
  void add(std::uint64_t count) noexcept { done_ += count; }

  void next_epoch() noexcept {
    rounds_.next();
    begin();
  }
  void leave_round() noexcept {
    rounds_.leave(level_);
    begin();
  }
  void go_to(const Rounds& rounds) noexcept {
    if (!rounds_.epoch().is_before(rounds.epoch())) return;
    rounds_ = rounds;
    begin();
  }

 private:
  void begin() noexcept {
    if (rounds_.begins_round(level_)) done_ = 0;
  }

  std::uint64_t count_;
  Rounds rounds_;
  std::size_t level_;
  std::uint64_t done_ = 0;
};

/// Passes on the first elements of a round and leaves it.
template <class T>
class TakeChain final : public Chain<T> {
 public:
  TakeChain(std::unique_ptr<Chain<T>> chain, RoundCount count) : chain_(std::move(chain)), count_(std::move(count)) {}

  Answer pull(Chunk<T>& chunk, std::size_t most, const PullWait& wait) override {
    if (count_.rounds().over()) return Answer::ended;
    if (count_.left() == 0) return leave(chunk);
    const std::size_t before = chunk.size();
    const std::uint64_t wanted = smaller<std::uint64_t>(most - before, count_.left());
    const Answer answer = chain_->pull(chunk, before + static_cast<std::size_t>(wanted), wait);
    if (answer == Answer::more || answer == Answer::epoch_ended) count_.add(chunk.size() - before);
    if (answer == Answer::epoch_ended) count_.next_epoch();
    if (answer == Answer::more && count_.left() == 0) return leave(chunk);
    return answer;
  }

  void go_to(const Rounds& rounds) override {
    count_.go_to(rounds);
    chain_->go_to(rounds);
  }

 private:
  Answer leave(Chunk<T>& chunk) {
    chunk.epoch = count_.rounds().epoch();
    count_.leave_round();
    if (!count_.rounds().over()) chain_->go_to(count_.rounds());
    return Answer::epoch_ended;
  }

  std::unique_ptr<Chain<T>> chain_;
  RoundCount count_;
};

/// Leaves out the first elements of a round.
template <class T>
class SkipChain final : public SteppedChain<SkipChain<T>, T> {
 public:
  SkipChain(std::unique_ptr<Chain<T>> chain, RoundCount count) : chain_(std::move(chain)), count_(std::move(count)) {}

  Answer step(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    Answer answer = Answer::more;
    if (count_.left() == 0) {
      answer = chain_->pull(chunk, most, wait);
    } else {
      skipped_.clear();
      answer = chain_->pull(skipped_, static_cast<std::size_t>(smaller<std::uint64_t>(count_.left(), 64)), wait);
      count_.add(skipped_.size());
      if (answer == Answer::epoch_ended) chunk.epoch = skipped_.epoch;
    }
    if (answer == Answer::epoch_ended) count_.next_epoch();
    return answer;
  }

  void go_to(const Rounds& rounds) override {
    count_.go_to(rounds);
    chain_->go_to(rounds);
  }

 private:
  std::unique_ptr<Chain<T>> chain_;
  RoundCount count_;
  Chunk<T> skipped_;
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
  [[nodiscard]] Facts facts(Facts before, Evenness even) const noexcept {
    if (before.size) before.size = size(*before.size, even);
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
  ShardChain(std::unique_ptr<Chain<T>> chain, Shard shard) : ShardChain::StageChain(std::move(chain)), shard_(shard) {}

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
        chunk.push(std::move(input.element()), input.number());
      }
    }
    if constexpr (even == Evenness::drop) {
      if (in_group + 1 == shard_.count) {
        chunk.push(std::move(held_.front().first), held_.front().second);
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
    held_.clear();
  }

  Shard shard_;
  Epoch epoch_;
  std::uint64_t place_ = 0;
  std::vector<std::pair<T, std::uint64_t>>
      held_;  // of the group that is not complete; the first elements of the epoch, to be repeated
};

/// Passes on everything. An epoch of nothing is a failure: an endless repeat would spin.
template <class T>
class NonEmptyChain final : public Chain<T> {
 public:
  NonEmptyChain(std::unique_ptr<Chain<T>> chain, std::string name)
      : chain_(std::move(chain)), name_(std::move(name)) {}

  Answer pull(Chunk<T>& chunk, std::size_t most, const PullWait& wait) override {
    const std::size_t before = chunk.size();
    const Answer answer = chain_->pull(chunk, most, wait);
    is_empty_ = is_empty_ && chunk.size() == before;
    if (answer == Answer::more || answer == Answer::epoch_ended) epoch_ = chunk.epoch;
    if (answer != Answer::epoch_ended) return answer;
    if (is_empty_) fail(chunk.epoch);
    is_empty_ = true;
    return answer;
  }

  void go_to(const Rounds& rounds) override {
    if (epoch_.is_before(rounds.epoch())) is_empty_ = true;
    chain_->go_to(rounds);
  }

 private:
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
