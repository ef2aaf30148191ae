// SPDX-License-Identifier: MIT
//
// bucketing.hpp: elements are gathered in several buckets, and those that are full become batches: bucket_by_length;
// and batch, where batches go across epochs.

#ifndef FOREBAY_STAGE_BUCKETING_HPP
#define FOREBAY_STAGE_BUCKETING_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/reject.hpp"
#include "forebay/batch_options.hpp"
#include "forebay/bucket_options.hpp"
#include "forebay/count.hpp"
#include "forebay/stage/failing.hpp"
#include "forebay/stage/trailed_input.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Throws std::invalid_argument if there are no such buckets.
inline void check_buckets(const BucketOptions& options) {
  const std::vector<std::size_t>& boundaries = options.boundaries.counts();
  const std::vector<std::size_t>& sizes = options.batch_sizes.counts();
  if (sizes.size() != boundaries.size() + 1) {
    reject({"bucket_by_length: ", boundaries.size(), " .boundaries make ", boundaries.size() + 1,
            " buckets, and there are ", sizes.size(), " .batch_sizes"});
  }
  if (std::find(sizes.begin(), sizes.end(), 0U) != sizes.end()) {
    reject({"bucket_by_length: a batch needs at least 1 element, and one of .batch_sizes is 0"});
  }
  std::size_t before = 0;
  for (const std::size_t boundary : boundaries) {
    if (boundary <= before) {
      reject({"bucket_by_length: .boundaries have to rise, from above 0, and ", boundary, " stands behind ", before});
    }
    before = boundary;
  }
  const std::size_t longest = options.max_length.value_or(before);
  if (longest < before) {
    reject({"bucket_by_length: a .max_length of ", longest, " is below the boundary ", before});
  }
}

/// What describes them.
[[nodiscard]] inline std::string words_of(const BucketOptions& options) {
  std::string words;
  for (const std::size_t boundary : options.boundaries.counts()) words += ' ' + std::to_string(boundary);
  words += " in";
  for (const std::size_t size : options.batch_sizes.counts()) words += ' ' + std::to_string(size);
  if (options.max_length) words += " up to " + std::to_string(*options.max_length);
  if (options.remainder == Remainder::drop) words += ", drop";
  if (options.epochs == Epochs::straddle) words += ", straddle";
  return words;
}

/// What says the length of a T.
template <class F, class T>
concept LengthOf = std::invocable<F, const T&> && BecomesInteger<std::invoke_result_t<F, const T&>>;

/// Adds the batch of `elements` to `chunk`, and clears them. `name` is what fails if it cannot be made.
template <class T, class Batches>
void put_batch(Chunk<T>& elements, const Batches& batches, Chunk<typename Batches::Batch>& chunk, std::uint64_t number,
               const std::string& name) {
  try {
    batches.fill(elements, chunk.next_storage([&batches] { return batches.make(); }));
  } catch (...) {
    elements.clear();
    throw_as_dataset_error(name, {chunk.epoch.number, number});
  }
  chunk.push_filled(number);
  elements.clear();
}

/// Puts an element into the bucket of its length. What is in none that is full leaves at the end of a round: that is
/// an epoch, or all epochs of the repeats before it.
template <class T, class Length, class Batches>
class BucketChain final : public SteppedChain<BucketChain<T, Length, Batches>, typename Batches::Batch> {
 public:
  using Batch = typename Batches::Batch;

  BucketChain(RoundInput<T> input, std::shared_ptr<const Length> length, BucketOptions options, Batches batches,
              std::string name)
      : input_(std::move(input), sum(options.batch_sizes.counts())),
        length_(std::move(length)),
        options_(std::move(options)),
        batches_(std::move(batches)),
        name_(std::move(name)),
        buckets_(options_.batch_sizes.counts().size()),
        read_as_(buckets_.size()),
        longest_(options_.max_length.value_or(static_cast<std::size_t>(-1))),
        skipped_(options_.too_long, name_) {}

  Answer step(Chunk<Batch>& chunk, std::size_t /*most*/, const PullWait& wait) {
    if (input_.is_reading_again()) return read_again(wait);
    if (held_.mark_is_next()) return held_.pass_mark(chunk);
    const Answer answer = input_.look(elements_at_once, wait, [this] { return oldest(); });
    if (answer == Answer::not_now) return answer;
    if (answer == Answer::ended) return end_round(chunk);
    if (answer == Answer::epoch_ended) {
      held_.end(input_.epoch());
    } else {
      add(chunk);
    }
    return Answer::more;
  }

  /// A round that is left in its middle is read to its end, so that what is read ahead does not show.
  void skip_to(const Rounds& rounds) override {
    held_.want(rounds.epoch());
    if (!input_.epoch().is_before(rounds.epoch())) return;
    if (rounds.is_in_round_of(input_.epoch(), input_.level())) return;
    for (std::size_t i = 0; i < buckets_.size(); ++i) empty(i);
    held_.clear();
    input_.go_to(rounds, true);
  }

  void save_state(Snapshot& to) override {
    skipped_.save(to);
    numbering_.save(to);
    held_.save(to);
    const std::uint64_t first = input_.save(to, oldest());
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      to.add(read_as_[i].size());
      for (const auto& [read, place] : read_as_[i]) {
        to.add(read - first);
        to.add(place);
      }
    }
  }
  void restore_state(SnapshotReader& from) override {
    skipped_.restore(from);
    numbering_.restore(from);
    held_.restore(from);
    input_.restore(from);
    for (auto& bucket : read_as_) {
      for (std::uint64_t count = from.number(); count > 0; --count) {
        const std::uint64_t read = from.number();
        input_.keep(read, from);
        bucket.emplace_back(read, held_.restored(from));
      }
    }
  }

 private:
  static std::size_t sum(const std::vector<std::size_t>& counts) noexcept {
    std::size_t sum = 0;
    for (const std::size_t count : counts) sum = saturating_add(sum, count);
    return sum;
  }

  [[nodiscard]] std::uint64_t oldest() const noexcept {
    std::uint64_t oldest = input_.read();
    for (const auto& bucket : read_as_) {
      if (!bucket.empty()) oldest = smaller(oldest, bucket.front().first);
    }
    return oldest;
  }

  Answer read_again(const PullWait& wait) {
    const Answer answer = input_.read_again(wait);
    if (answer != Answer::more) return answer;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      for (const auto& [read, place] : read_as_[i]) buckets_[i].push(input_.take_again(read).element, place);
    }
    return answer;
  }

  void add(Chunk<Batch>& chunk) {
    const auto index = bucket_of(std::as_const(input_.element()));
    if (!index) {
      input_.pass();
      return;
    }
    const std::uint64_t place = held_.hold(input_.epoch());
    buckets_[*index].push(std::move(input_.element()), place);
    read_as_[*index].emplace_back(input_.pass(), place);
    if (buckets_[*index].size() == options_.batch_sizes.counts()[*index]) emit(*index, chunk);
  }

  /// None if it is too long, and left out.
  std::optional<std::size_t> bucket_of(const T& element) {
    bool is_too_long = false;
    try {
      const std::size_t length = Count(std::invoke(*length_, element));
      is_too_long = length > longest_;
      if (is_too_long) {
        throw std::invalid_argument("a length of " + std::to_string(length) + " is above .max_length, " +
                                    std::to_string(longest_));
      }
      const std::vector<std::size_t>& boundaries = options_.boundaries.counts();
      return static_cast<std::size_t>(std::upper_bound(boundaries.begin(), boundaries.end(), length) -
                                      boundaries.begin());
    } catch (...) {
      if (!is_too_long) throw_as_dataset_error(name_, input_.position());
      skipped_.skip(input_.epoch(), input_.number());
      return std::nullopt;
    }
  }

  void emit(std::size_t index, Chunk<Batch>& chunk) {
    const bool drops = held_.drops();
    if (!drops) chunk.epoch = held_.first();
    release(index);
    if (!drops) put_batch(buckets_[index], batches_, chunk, numbering_.next(chunk.epoch), name_);
    empty(index);
  }

  void release(std::size_t index) noexcept {
    for (const auto& [read, place] : read_as_[index]) held_.release(place);
  }
  void empty(std::size_t index) noexcept {
    buckets_[index].clear();
    read_as_[index].clear();
  }

  /// One bucket at a time; then the marks follow, and the next round.
  Answer end_round(Chunk<Batch>& chunk) {
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      if (buckets_[i].empty()) continue;
      if (options_.remainder == Remainder::deliver) {
        emit(i, chunk);
        return Answer::more;
      }
      release(i);
      empty(i);
    }
    return input_.next_round() ? Answer::more : Answer::ended;
  }

  TrailedInput<T> input_;
  std::shared_ptr<const Length> length_;
  BucketOptions options_;
  Batches batches_;
  std::string name_;
  std::vector<Chunk<T>> buckets_;
  std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>> read_as_;  // the numbers of input_ and of held_
  std::size_t longest_;
  SkipCount skipped_;
  HeldEpochs held_;
  Numbering numbering_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_BUCKETING_HPP
