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
#include "forebay/stage/round_input.hpp"
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
      : input_(std::move(input)),
        length_(std::move(length)),
        options_(std::move(options)),
        batches_(std::move(batches)),
        name_(std::move(name)),
        buckets_(options_.batch_sizes.counts().size()),
        longest_(options_.max_length.value_or(static_cast<std::size_t>(-1))),
        skipped_(options_.too_long, name_) {}

  Answer step(Chunk<Batch>& chunk, std::size_t /*most*/, const PullWait& wait) {
    if (held_.mark_is_next()) return held_.pass_mark(chunk);
    const Answer answer = input_.look(elements_at_once<T>, wait);
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
  void go_to(const Rounds& rounds) override {
    held_.want(rounds.epoch());
    if (!input_.epoch().is_before(rounds.epoch())) return;
    if (rounds.is_in_round_of(input_.epoch(), input_.level())) return;
    for (Chunk<T>& bucket : buckets_) bucket.clear();
    held_.clear();
    input_.go_to(rounds);
  }

 private:
  void add(Chunk<Batch>& chunk) {
    if (const auto index = bucket_of(std::as_const(input_.element()))) {
      Chunk<T>& bucket = buckets_[*index];
      bucket.push(std::move(input_.element()), held_.hold(input_.epoch()));
      if (bucket.size() == options_.batch_sizes.counts()[*index]) emit(bucket, chunk);
    }
    input_.pass();
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

  void emit(Chunk<T>& bucket, Chunk<Batch>& chunk) {
    if (!held_.drops()) {
      chunk.epoch = held_.first();
      release(bucket);
      return put_batch(bucket, batches_, chunk, numbering_.next(chunk.epoch), name_);
    }
    release(bucket);
    bucket.clear();
  }

  /// The numbers in a bucket are those of `held_`.
  void release(const Chunk<T>& bucket) noexcept {
    for (std::size_t i = 0; i < bucket.size(); ++i) held_.release(bucket.number(i));
  }

  /// One bucket at a time; then the marks follow, and the next round.
  Answer end_round(Chunk<Batch>& chunk) {
    for (Chunk<T>& bucket : buckets_) {
      if (bucket.empty()) continue;
      if (options_.remainder == Remainder::deliver) {
        emit(bucket, chunk);
        return Answer::more;
      }
      release(bucket);
      bucket.clear();
    }
    return input_.next_round() ? Answer::more : Answer::ended;
  }

  RoundInput<T> input_;
  std::shared_ptr<const Length> length_;
  BucketOptions options_;
  Batches batches_;
  std::string name_;
  std::vector<Chunk<T>> buckets_;
  std::size_t longest_;
  SkipCount skipped_;
  HeldEpochs held_;
  Numbering numbering_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_BUCKETING_HPP
