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
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/reject.hpp"
#include "forebay/batch_options.hpp"
#include "forebay/count.hpp"
#include "forebay/describe/facts.hpp"
#include "forebay/stage/failing.hpp"
#include "forebay/stage/function_checks.hpp"
#include "forebay/stage/input.hpp"
#include "forebay/stage/node.hpp"
#include "forebay/stage/seamless.hpp"
#include "forebay/stage/stage_node.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Passes on the elements that a predicate holds for.
template <class T, class Predicate>
class FilterChain final : public StageChain<FilterChain<T, Predicate>, T, T> {
 public:
  FilterChain(std::unique_ptr<Chain<T>> chain, std::shared_ptr<const Predicate> predicate, StageName name)
      : FilterChain::StageChain(std::move(chain)), predicate_(std::move(predicate)), name_(std::move(name)) {}

  Answer step(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    const Answer answer = this->look(most - chunk.size(), wait);
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
  StageName name_;
};

/// What take and skip do alike: they edit the chunk that they pass on, and count.
template <class Own, class T>
class CountingChain : public SteppedChain<Own, T> {
 public:
  CountingChain(std::unique_ptr<Chain<T>> chain, std::uint64_t count) : chain_(std::move(chain)), count_(count) {}

  void begin_epoch() override {
    done_ = 0;
    chain_->begin(this->epoch());
  }

  void save_state(Snapshot& to) override {
    to.add(done_);
    chain_->save(to);
  }
  void restore_state(SnapshotReader& from) override {
    done_ = from.number_up_to(count_);
    chain_->restore(from);
  }

 protected:
  /// How many are left to count.
  [[nodiscard]] std::uint64_t left() const noexcept { return count_ - done_; }
  void count(std::uint64_t elements) noexcept { done_ += elements; }

  std::unique_ptr<Chain<T>> chain_;

 private:
  std::uint64_t count_;
  std::uint64_t done_ = 0;  // at most count_
};

/// Passes on the first elements of an epoch and leaves it.
template <class T>
class TakeChain final : public CountingChain<TakeChain<T>, T> {
 public:
  using TakeChain::CountingChain::CountingChain;

  Answer step(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    const std::size_t before = chunk.size();
    const auto wanted = static_cast<std::size_t>(smaller<std::uint64_t>(this->left(), most - before));
    const Answer answer = this->chain_->pull(chunk, before + larger<std::size_t>(wanted, 1), wait);
    if (wanted == 0) chunk.drop(before);  // take(0) looks whether there is an epoch
    this->count(chunk.size() - before);
    return answer == Answer::more && this->left() == 0 ? Answer::epoch_ended : answer;
  }
};

/// Leaves out the first elements of an epoch.
template <class T>
class SkipChain final : public CountingChain<SkipChain<T>, T> {
 public:
  using SkipChain::CountingChain::CountingChain;

  Answer step(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    if (this->left() > 0 && this->chain_->skips_unread()) return skip(chunk, most, wait);
    const std::size_t before = chunk.size();
    try {
      const Answer answer = this->chain_->pull(chunk, most, wait);
      leave_out(chunk, before);
      return answer;
    } catch (...) {
      leave_out(chunk, before);
      throw;
    }
  }

 private:
  Answer skip(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    std::uint64_t left = this->left();
    const Answer answer = this->chain_->skip(left, chunk, most, wait);
    this->count(this->left() - left);
    return answer;
  }

  void leave_out(Chunk<T>& chunk, std::size_t first) {
    const auto count = static_cast<std::size_t>(smaller<std::uint64_t>(this->left(), chunk.size() - first));
    chunk.erase(first, count);
    this->count(count);
  }
};

/// Whether and how shards are made equally long.
enum class Evenness : unsigned char { none, drop, repeat };

[[nodiscard]] constexpr Evenness evenness(Even even) noexcept {
  return even == Even::drop ? Evenness::drop : Evenness::repeat;
}

/// Which shard of how many. Throws std::invalid_argument if there is none.
struct Shard {
  Shard(Count its_index, Count its_count)
      : index(its_index.at_least(0, "shard: index")), count(its_count.at_least(1, "shard: count")) {
    if (index >= count) {
      throw std::invalid_argument("forebay: shard(" + text() + "): the index has to be below the count of shards; " +
                                  "TensorFlow's order, shard(count, index), is the other one");
    }
  }

  [[nodiscard]] Facts describe(Facts facts, Evenness even) const {
    if (facts.size) facts.size = size(*facts.size, even);
    const std::string how = even == Evenness::none ? "" : even == Evenness::drop ? ", drop" : ", repeat";
    std::string elastic = facts.description + " > shard" + how;
    facts.describe("shard", how + text_of({index, count}));
    facts.elastic_description = std::move(elastic);
    facts.shards = count;
    facts.batched_shards = false;
    facts.shard = joined(facts.shard, index, count);
    return facts;
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

  void begin_epoch() override {
    place_ = 0;
    passed_on_ = 0;
    held_.clear();
    ShardChain::StageChain::begin_epoch();
  }

  /// So that it can be said for all shards, it has not read beyond the group of the last element that it passed on.
  [[nodiscard]] bool holds_outputs() const noexcept override {
    return !held_.empty() || (is_elastic_ && place_ > passed_on_ * shard_.count);
  }
  void save_state(Snapshot& to) override {
    to.add(place_);
    if (is_elastic_) to.add(passed_on_ * shard_.count);
    this->input_.save(to);
  }
  void restore_state(SnapshotReader& from) override {
    place_ = even == Evenness::repeat ? from.number_up_to(0) : from.number();
    if (is_elastic_) {
      passed_on_ = place_ / shard_.count + (place_ % shard_.count > shard_.index ? 1 : 0);
      from.carry(static_cast<std::int64_t>(from.number() - passed_on_ * shard_.count));
    }
    const auto carried = from.without_carry();
    this->input_.restore(from);
    from.carry(carried);
  }

  Answer step(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    const bool skips = shard_.count > 1 && this->input_.skips_unread();
    const Answer answer = skips && gap() > 0 ? skip(chunk, wait) : read(chunk, skips ? 1 : most - chunk.size(), wait);
    if (answer == Answer::epoch_ended && even == Evenness::repeat) add_repeated(chunk);
    return answer;
  }

 private:
  Answer read(Chunk<T>& chunk, std::size_t wanted, const PullWait& wait) {
    const Answer answer = this->look(wanted, wait);
    if (answer == Answer::more) pass(chunk);
    return answer;
  }

  /// How many elements come next that it does not look at, in the group that it is in or up to its own of the next one.
  [[nodiscard]] std::uint64_t gap() const noexcept {
    const std::uint64_t in_group = place_ % shard_.count;
    if (even == Evenness::repeat && place_ < shard_.count) return 0;
    if (in_group <= shard_.index) return shard_.index - in_group;
    return shard_.count - in_group + (even == Evenness::drop ? 0 : shard_.index);
  }

  Answer skip(Chunk<T>& chunk, const PullWait& wait) {
    const std::uint64_t count = gap();
    std::uint64_t left = count;
    const Answer answer = this->input_.skip(left, wait);
    place_ += count - left;
    if (place_ % shard_.count == 0) complete_group(chunk);
    return answer;
  }

  /// Passes on the element of a group that waited for its last one.
  void complete_group(Chunk<T>& chunk) {
    if (even != Evenness::drop || held_.empty()) return;
    chunk.push(std::move(held_.front().first), held_.front().second);
    ++passed_on_;
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
    if (in_group + 1 == shard_.count) complete_group(chunk);
    input.pass();
  }

  /// Behind the last element of the epoch.
  void add_repeated(Chunk<T>& chunk) {
    if constexpr (even == Evenness::repeat) {
      const std::uint64_t in_group = place_ % shard_.count;
      if (in_group == 0 || in_group > shard_.index) return;
      auto& [element, number] = held_[static_cast<std::size_t>((shard_.index - in_group) % held_.size())];
      chunk.push(T(element), number);
    }
  }

  Shard shard_;
  bool is_elastic_;
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
    if (answer == Answer::epoch_ended && is_empty_) fail();
    return answer;
  }

  void begin_epoch() override {
    is_empty_ = true;
    chain_->begin(this->epoch());
  }

  void save_state(Snapshot& to) override {
    to.add(is_empty_ ? 1 : 0);
    chain_->save(to);
  }
  void restore_state(SnapshotReader& from) override {
    is_empty_ = from.flag();
    chain_->restore(from);
  }

  void fail() const {
    try {
      throw std::invalid_argument("an endless repeat is given an epoch without elements");
    } catch (...) {
      throw_as_dataset_error(name_, {this->epoch().number, 0});
    }
  }

  std::unique_ptr<Chain<T>> chain_;
  std::string name_;
  bool is_empty_ = true;
};

// ---- filter

[[nodiscard]] inline Facts describe_filter(Facts facts) {
  facts.size.reset();
  facts.describe("filter");
  return facts;
}

template <class T, class Predicate>
[[nodiscard]] NodePointer<T> filter_node(const NodePointer<T>& node, Predicate&& predicate) {
  using Function = std::decay_t<Predicate>;
  constexpr bool is_called = std::predicate<const Function&, const T&>;
  constexpr bool would_be = std::predicate<Function&, const T&>;
  static_assert(NotMutable<is_called, would_be>::value);
  static_assert(is_called || would_be,
                "forebay: filter(predicate): the predicate is called with a const T&, and returns a bool");
  auto shared = std::make_shared<const Function>(std::forward<Predicate>(predicate));
  return make_stage_node<T>(
      node, describe_filter(node->facts()), "filter", [shared](auto chain, auto name, auto /*stream*/) {
        return std::make_unique<FilterChain<T, Function>>(std::move(chain), shared, std::move(name));
      });
}

// ---- take and skip

[[nodiscard]] inline Facts describe_take(Facts facts, std::uint64_t count) {
  facts.ends = true;
  if (facts.size) facts.size = smaller(*facts.size, count);
  facts.describe("take", text_of({count}));
  return facts;
}

[[nodiscard]] inline Facts describe_skip(Facts facts, std::uint64_t count) {
  if (facts.size) facts.size = saturating_subtract(*facts.size, count);
  facts.describe("skip", text_of({count}));
  return facts;
}

template <class CountingChain, class T>
[[nodiscard]] NodePointer<T> counting_node(const NodePointer<T>& node, Facts facts, std::uint64_t count) {
  const auto open = [node, count](Opening opening) {
    opening.name.clear();
    return std::make_unique<CountingChain>(node->open(std::move(opening)), count);
  };
  return make_node<T>(std::move(facts), open);
}

template <class T>
[[nodiscard]] NodePointer<T> take_node(NodePointer<T> node, Count count) {
  const std::uint64_t most = count.at_least(0, "take: count");
  node = of_one_epoch(std::move(node));
  return counting_node<TakeChain<T>>(node, describe_take(node->facts(), most), most);
}

template <class T>
[[nodiscard]] NodePointer<T> skip_node(NodePointer<T> node, Count count) {
  const std::uint64_t skipped = count.at_least(0, "skip: count");
  node = of_one_epoch(std::move(node));
  return counting_node<SkipChain<T>>(node, describe_skip(node->facts(), skipped), skipped);
}

// ---- shard

template <Evenness even, class T>
[[nodiscard]] NodePointer<T> shard_node(const NodePointer<T>& node, const Shard& shard) {
  const auto open = [node, shard](Opening opening) {
    opening.name.clear();
    const Opening of_shard = opening;
    opening.is_elastic = false;
    opening.scale = 1;
    return of_shard.scaled(
        std::make_unique<ShardChain<T, even>>(node->open(std::move(opening)), shard, of_shard.is_elastic));
  };
  return make_node<T>(shard.describe(node->facts(), even), open);
}

template <class T>
[[nodiscard]] NodePointer<T> even_shard_node(const NodePointer<T>& node, const Shard& shard, Even even) {
  if (even == Even::drop) return shard_node<Evenness::drop>(node, shard);
  if constexpr (std::copy_constructible<T>) return shard_node<Evenness::repeat>(node, shard);
  reject({"Even::repeat repeats elements, and these cannot be copied"});
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_SELECTION_HPP
