// SPDX-License-Identifier: MIT
//
// shard.hpp: shard, which passes on every n-th element; other machines have the other elements.

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

#include "forebay/base/hash.hpp"
#include "forebay/base/arithmetic.hpp"
#include "forebay/base/reject.hpp"
#include "forebay/checkpoint/snapshot.hpp"
#include "forebay/count.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/describe/properties.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/flow/chunk.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/pull_wait.hpp"
#include "forebay/flow/stage_node.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/flow/stream.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Whether and how shards get equal lengths.
enum class Evenness : unsigned char { none, drop, repeat };

[[nodiscard]] constexpr Evenness evenness(Even even) noexcept {
  return even == Even::drop ? Evenness::drop : Evenness::repeat;
}

/// The index of a shard and the number of shards. Throws std::invalid_argument if there is no such shard.
struct Shard {
  Shard(Count its_index, Count its_count)
      : index(its_index.at_least(0, "shard: index")), count(its_count.at_least(1, "shard: count")) {
    if (index >= count) {
      throw std::invalid_argument("forebay: shard(" + text() +
                                  "): the index must be less than the number of shards; the order is shard(index, "
                                  "count), unlike in TensorFlow");
    }
  }

  [[nodiscard]] Properties describe(Properties properties, Evenness even) const {
    if (properties.size) properties.size = size(*properties.size, even);
    const std::string how = even == Evenness::none ? "" : even == Evenness::drop ? ", drop" : ", repeat";
    std::string elastic = properties.description + " > shard" + how;
    properties.describe("shard", how + text_of({index, count}));
    properties.elastic_description = std::move(elastic);
    properties.shards = count;
    properties.batched_shards = false;
    properties.shard = hash_combine(properties.shard, index, count);
    return properties;
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

/// Passes on one element of each group; a group has one element for each shard.
template <class T, Evenness even>
class ShardStage {
 public:
  using Output = T;

  ShardStage(Shard shard, bool is_elastic) : shard_(shard), is_elastic_(is_elastic) {}

  PullResult step(Input<T>& input, Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    const bool skips = input.can_skip();
    const bool reads_one = skips && shard_.count > 1;
    const PullResult result =
        skips && gap() > 0 ? skip(input, chunk, wait) : read(input, chunk, reads_one ? 1 : wanted(most, chunk), wait);
    if (result == PullResult::ended && even == Evenness::repeat) add_repeated(chunk);
    return result;
  }

  void begin(const Epoch& /*epoch*/) noexcept {
    place_ = 0;
    passed_on_ = 0;
    held_.clear();
  }

  /// With Even::repeat, the stage holds the first elements of the epoch, which it can read only at its beginning.
  [[nodiscard]] static constexpr bool can_save() noexcept { return even != Evenness::repeat; }

  /// Returns how much was read of an incomplete group, of which other shards may not have passed on their elements.
  [[nodiscard]] std::uint64_t reads_again() const noexcept {
    if (even == Evenness::none && !is_elastic_) return 0;
    return saturating_subtract(place_, first_of_group());
  }

  void save(Snapshot& to) const { to.add(place_ - reads_again()); }
  void restore(SnapshotReader& from) {
    place_ = from.number();
    // An elastic shard resumes at the beginning of a group, after its own element, or at the position of another shard.
    const std::uint64_t most_in_group = is_elastic_ ? 0 : shard_.index;
    passed_on_ = place_ / shard_.count + (place_ % shard_.count > most_in_group ? 1 : 0);
  }

  void skip_to(std::uint64_t number) noexcept {
    constexpr std::uint64_t most_elements = std::numeric_limits<std::uint64_t>::max();
    passed_on_ = larger(passed_on_, smaller(number, most_elements / shard_.count - 1));
  }

 private:
  PullResult read(Input<T>& input, Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    const PullResult result = input.look(most, wait);
    if (result == PullResult::more) pass(input, chunk);
    return result;
  }

  /// Return the beginning of the current group, and the position of this shard's element. The stage skips all preceding
  /// elements, even if another run has passed on some of the elements that passed_on_ counts.
  [[nodiscard]] std::uint64_t first_of_group() const noexcept { return saturating_multiply(passed_on_, shard_.count); }
  [[nodiscard]] std::uint64_t own_place() const noexcept { return saturating_add(first_of_group(), shard_.index); }

  /// Returns the number of elements to skip: up to this shard's element or, while it is held, to the end of the group.
  [[nodiscard]] std::uint64_t gap() const noexcept {
    if (even == Evenness::repeat && place_ < shard_.count) return 0;
    return place_ <= own_place() ? own_place() - place_ : first_of_group() + shard_.count - place_;
  }

  PullResult skip(Input<T>& input, Chunk<T>& chunk, const PullWait& wait) {
    const std::uint64_t count = gap();
    std::uint64_t left = count;
    const PullResult result = input.skip(left, wait);
    place_ += count - left;
    if (place_ % shard_.count == 0) complete_group(chunk);
    return result;
  }

  /// Passes on the held element of a group that is now complete.
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

  /// Completes the last group at the end of the epoch, if this shard's element is missing.
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
  std::uint64_t passed_on_ = 0;  // elements of this epoch, including those of another run
  std::vector<std::pair<T, std::uint64_t>>
      held_;  // of the incomplete group; or the first elements of the epoch, to be repeated
};

template <Evenness even, class T>
[[nodiscard]] NodePointer<T> shard_node(const NodePointer<T>& node, const Shard& shard) {
  auto open = [node, shard](OpenContext&& opening, const Properties& /*properties*/) {
    opening.name.clear();
    ShardStage<T, even> stage(shard, std::exchange(opening.is_elastic, false));
    return make_stream(std::move(stage), node->open(std::move(opening)));
  };
  Properties properties = shard.describe(node->properties(), even);
  properties.stages.back().reads_early = true;
  if (even != Evenness::none) properties.stages.back().known.inputs = shard.count;
  return make_node<T>(std::move(properties), std::move(open));
}

template <class T>
[[nodiscard]] NodePointer<T> even_shard_node(const NodePointer<T>& node, const Shard& shard, Even even) {
  if (even == Even::drop) return shard_node<Evenness::drop>(node, shard);
  if constexpr (std::copy_constructible<T>) return shard_node<Evenness::repeat>(node, shard);
  reject({"Even::repeat: the elements cannot be copied"});
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_SHARD_HPP
