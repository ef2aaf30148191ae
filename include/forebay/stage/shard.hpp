// SPDX-License-Identifier: MIT
//
// shard.hpp: shard, which passes on one of every few elements, of which other machines have the others.

#ifndef FOREBAY_STAGE_SHARD_HPP
#define FOREBAY_STAGE_SHARD_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/address.hpp"
#include "forebay/base/arithmetic.hpp"
#include "forebay/base/reject.hpp"
#include "forebay/checkpoint/snapshot.hpp"
#include "forebay/count.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/describe/facts.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/flow/chunk.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/pull_wait.hpp"
#include "forebay/flow/stage_node.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/flow/stream.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

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
class ShardStage {
 public:
  using Output = T;

  ShardStage(Shard shard, bool is_elastic) : shard_(shard), is_elastic_(is_elastic) {}

  Answer step(Input<T>& input, Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    const bool skips = input.can_skip();
    const bool reads_one = skips && shard_.count > 1;
    const Answer answer =
        skips && gap() > 0 ? skip(input, chunk, wait) : read(input, chunk, reads_one ? 1 : wanted(most, chunk), wait);
    if (answer == Answer::ended && even == Evenness::repeat) add_repeated(chunk);
    return answer;
  }

  void begin(const Epoch& /*epoch*/) noexcept {
    place_ = 0;
    passed_on_ = 0;
    held_.clear();
  }

  /// The first elements of the epoch, which it holds, are there at its beginning only.
  [[nodiscard]] static constexpr bool can_save() noexcept { return even != Evenness::repeat; }

  /// A group that is not complete. The other shards may not have passed on their elements of it.
  [[nodiscard]] std::uint64_t reads_again() const noexcept {
    if (even == Evenness::none && !is_elastic_) return 0;
    return saturating_subtract(place_, first_of_group());
  }

  void save(Snapshot& to) const { to.add(place_ - reads_again()); }
  void restore(SnapshotReader& from) {
    place_ = from.number();
    // The place of an elastic shard is a group's first, or behind its own element; or it is that of another shard.
    const std::uint64_t most_in_group = is_elastic_ ? 0 : shard_.index;
    passed_on_ = place_ / shard_.count + (place_ % shard_.count > most_in_group ? 1 : 0);
  }

  void skip_to(std::uint64_t number) noexcept {
    constexpr std::uint64_t most_elements = std::numeric_limits<std::uint64_t>::max();
    passed_on_ = larger(passed_on_, smaller(number, most_elements / shard_.count - 1));
  }

 private:
  Answer read(Input<T>& input, Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    const Answer answer = input.look(most, wait);
    if (answer == Answer::more) pass(input, chunk);
    return answer;
  }

  /// Return where the current group begins, and where its own element stands. The stage passes over all elements before
  /// that, also when another run has passed on some of those that passed_on_ counts.
  [[nodiscard]] std::uint64_t first_of_group() const noexcept { return saturating_multiply(passed_on_, shard_.count); }
  [[nodiscard]] std::uint64_t own_place() const noexcept { return saturating_add(first_of_group(), shard_.index); }

  /// How many elements come next that it does not look at: up to its own, or, while it holds that, in the group.
  [[nodiscard]] std::uint64_t gap() const noexcept {
    if (even == Evenness::repeat && place_ < shard_.count) return 0;
    return place_ <= own_place() ? own_place() - place_ : first_of_group() + shard_.count - place_;
  }

  Answer skip(Input<T>& input, Chunk<T>& chunk, const PullWait& wait) {
    const std::uint64_t count = gap();
    std::uint64_t left = count;
    const Answer answer = input.skip(left, wait);
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

  void pass(Input<T>& input, Chunk<T>& chunk) {
    const bool is_own = place_ == own_place();
    ++place_;
    if constexpr (even == Evenness::repeat) {
      if (place_ <= shard_.count) held_.emplace_back(std::as_const(input.element()), input.number());
    }
    if (is_own) {
      if constexpr (even == Evenness::drop) {
        held_.emplace_back(std::move(input.element()), input.number());
      } else {
        chunk.push_from(input.chunk(), input.next(), input.number());
        ++passed_on_;
      }
    }
    if (place_ % shard_.count == 0) complete_group(chunk);
    input.pass();
  }

  /// Behind the last element of the epoch: its own of the last group, if it is missing.
  void add_repeated(Chunk<T>& chunk) {
    if constexpr (even == Evenness::repeat) {
      const std::uint64_t in_group = place_ % shard_.count;
      if (in_group == 0 || passed_on_ > place_ / shard_.count) return;
      auto& [element, number] = held_[static_cast<std::size_t>((shard_.index - in_group) % held_.size())];
      chunk.push(T(element), number);
      ++passed_on_;
    }
  }

  Shard shard_;
  bool is_elastic_;
  std::uint64_t place_ = 0;
  std::uint64_t passed_on_ = 0;  // of the epoch, also by another run
  std::vector<std::pair<T, std::uint64_t>>
      held_;  // of the group that is not complete; the first elements of the epoch, to be repeated
};

template <Evenness even, class T>
[[nodiscard]] NodePointer<T> shard_node(const NodePointer<T>& node, const Shard& shard) {
  const auto open = [node, shard](Opening opening) {
    opening.name.clear();
    ShardStage<T, even> stage(shard, std::exchange(opening.is_elastic, false));
    return make_stream(std::move(stage), node->open(std::move(opening)));
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

#endif  // FOREBAY_STAGE_SHARD_HPP
