// SPDX-License-Identifier: MIT
//
// bucket_by_length.hpp: bucket_by_length, which gathers elements in several buckets and delivers each full one as a
// batch.

#ifndef FOREBAY_STAGE_BUCKET_BY_LENGTH_HPP
#define FOREBAY_STAGE_BUCKET_BY_LENGTH_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/reject.hpp"
#include "forebay/count.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/describe/properties.hpp"
#include "forebay/flow/errors.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/stage_node.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/stage/function_checks.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Checks the options. Throws std::invalid_argument if the buckets are impossible.
inline void check_buckets(const BucketOptions& options) {
  const std::vector<Count>& boundaries = options.boundaries.counts();
  const std::vector<Count>& sizes = options.batch_sizes.counts();
  if (sizes.size() != boundaries.size() + 1) {
    reject({"bucket_by_length: ", boundaries.size(), " .boundaries make ", boundaries.size() + 1,
            " buckets, but there are ", sizes.size(), " .batch_sizes"});
  }
  for (const Count size : sizes) static_cast<void>(size.at_least(1, "bucket_by_length: each of batch_sizes"));
  std::size_t before = 0;
  for (const Count given : boundaries) {
    const std::size_t boundary = given.at_least(0, "bucket_by_length: each of boundaries");
    if (boundary <= before) {
      reject({"bucket_by_length: .boundaries must be positive and increasing, but ", boundary, " follows ", before});
    }
    before = boundary;
  }
  const std::size_t longest = options.max_length.value_or(before).at_least(0, "bucket_by_length: max_length");
  if (longest < before) {
    reject({"bucket_by_length: a .max_length of ", longest, " is below the boundary ", before});
  }
}

/// The function that returns the length of a T.
template <class F, class T>
concept LengthOf = std::invocable<F, const T&> && BecomesInteger<std::invoke_result_t<F, const T&>>;

/// Skips the element at `position`, which is too large for a batch; `why` is its failure.
inline void skip_too_large(SkipCount& skipped, const Epoch& epoch, const StageName& name, Position position,
                           const std::string& why) {
  const auto failure = std::make_exception_ptr(std::invalid_argument(why));
  skipped.skip(epoch, position.number, {failure, name.location_of(position)});
}

/// Adds the batch of `elements` to `chunk`, and clears them. If the batch cannot be made, the failure names `name`.
template <class T, class Batches>
void put_batch(Chunk<T>& elements, const Batches& batches, Chunk<typename Batches::Batch>& chunk, std::uint64_t number,
               const StageName& name) {
  const std::uint64_t first = elements.number(0);
  try {
    batches.fill(elements, chunk.next_storage([&batches] { return batches.make(); }));
  } catch (const std::bad_alloc&) {
    elements.clear();
    throw;
  } catch (...) {
    elements.clear();
    throw_as_dataset_error(name.text(), {chunk.epoch.number, number}, name.location_of({chunk.epoch.number, first}));
  }
  chunk.push_filled(number);
  elements.clear();
}

/// Puts each element into the bucket for its length, and delivers full buckets. Incomplete buckets leave at the end of
/// the epoch.
template <class T, class Length, class Batches>
class Buckets {
 public:
  using Output = typename Batches::Batch;
  static constexpr bool makes_batches = true;

  Buckets(std::shared_ptr<const Length> length, BucketOptions options, Batches batches, StageName name,
          std::shared_ptr<LeftOut> left_out)
      : length_(std::move(length)),
        options_(std::move(options)),
        batches_(std::move(batches)),
        name_(std::move(name)),
        buckets_(options_.batch_sizes.counts().size()),
        read_as_(buckets_.size()),
        longest_(options_.max_length.value_or(static_cast<std::size_t>(-1))),
        skipped_(options_.too_long, name_, left_out),
        left_out_(std::move(left_out)) {}

  PullResult step(Input<T>& input, Chunk<Output>& chunk, std::size_t /*most*/, const PullWait& wait) {
    if (input.has_ended()) return empty_one(chunk);
    const PullResult result = input.look(elements_at_once, wait);
    if (result == PullResult::not_now) return result;
    if (result == PullResult::more) add(input, chunk);
    if (result == PullResult::ended) count_rest();
    return PullResult::more;
  }

  void begin(const Epoch& epoch, bool /*goes_on*/) noexcept {
    epoch_ = epoch;
    number_ = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) empty(i);
  }

  [[nodiscard]] std::uint64_t most_held() const noexcept {
    std::size_t sum = 0;
    for (const std::size_t size : options_.batch_sizes.counts()) sum = saturating_add(sum, size);
    return sum;
  }
  [[nodiscard]] static EpochCount epochs() noexcept { return {}; }
  template <class Visit>
  void held(const Visit& visit) const {
    for (const auto& bucket : read_as_) {
      for (const std::uint64_t read : bucket) visit(read);
    }
  }

  void save(Snapshot& to) const {
    skipped_.save(to, epoch_);
    to.add(number_);
    for (const auto& bucket : read_as_) to.add(bucket.size());
  }
  void restore(SnapshotReader& from) {
    skipped_.restore(from, epoch_);
    number_ = from.number();
    for (std::size_t i = 0; i < read_as_.size(); ++i) {
      const std::size_t size = options_.batch_sizes.counts()[i];
      for (std::uint64_t count = from.number_up_to(size - 1); count > 0; --count) read_as_[i].push_back(0);
    }
  }
  [[nodiscard]] std::size_t awaited() const noexcept {
    std::size_t sum = 0;
    for (const auto& bucket : read_as_) sum += bucket.size();
    return sum;
  }
  void refill(Replayed<T>&& replayed, std::uint64_t read) {
    std::size_t i = 0;
    while (buckets_[i].size() == read_as_[i].size()) ++i;
    read_as_[i][buckets_[i].size()] = read;
    buckets_[i].push(std::move(replayed.element), replayed.number);
  }

 private:
  void add(Input<T>& input, Chunk<Output>& chunk) {
    const auto index = bucket_of(std::as_const(input.element()), input.position());
    if (!index) {
      input.pass();
      return;
    }
    buckets_[*index].push(std::move(input.element()), input.number());
    read_as_[*index].push_back(input.pass());
    if (buckets_[*index].size() == options_.batch_sizes.counts()[*index]) emit(*index, chunk);
  }

  /// Returns the bucket; none if the element is too long and skipped.
  std::optional<std::size_t> bucket_of(const T& element, Position position) {
    const std::size_t length =
        call_user(name_, position, [&] { return Count(std::invoke(*length_, element)).at_least(0, "a length"); });
    if (length > longest_) {
      skip_too_large(skipped_, epoch_, name_, position,
                     "a length of " + std::to_string(length) + " is above .max_length, " + std::to_string(longest_));
      return std::nullopt;
    }
    const std::vector<Count>& boundaries = options_.boundaries.counts();
    return static_cast<std::size_t>(std::upper_bound(boundaries.begin(), boundaries.end(), length) -
                                    boundaries.begin());
  }

  void emit(std::size_t index, Chunk<Output>& chunk) {
    put_batch(buckets_[index], batches_, chunk, number_, name_);
    ++number_;
    empty(index);
  }

  void empty(std::size_t index) noexcept {
    buckets_[index].clear();
    read_as_[index].clear();
  }

  /// Counts the elements that are dropped at the end of the epoch.
  void count_rest() const noexcept {
    if (options_.remainder == Remainder::drop && left_out_ != nullptr) left_out_->add(awaited());
  }

  /// Delivers the incomplete buckets at the end of the epoch, one at a time.
  PullResult empty_one(Chunk<Output>& chunk) {
    for (std::size_t i = 0; i < buckets_.size() && options_.remainder == Remainder::deliver; ++i) {
      if (buckets_[i].empty()) continue;
      emit(i, chunk);
      return PullResult::more;
    }
    return PullResult::ended;
  }

  std::shared_ptr<const Length> length_;
  BucketOptions options_;
  Batches batches_;
  StageName name_;
  std::vector<Chunk<T>> buckets_;
  std::vector<std::vector<std::uint64_t>> read_as_;  // the numbers of their elements in the input
  std::size_t longest_;
  SkipCount skipped_;
  std::shared_ptr<LeftOut> left_out_;
  Epoch epoch_;
  std::uint64_t number_ = 0;  // of the next batch
};

[[nodiscard]] inline Properties describe_buckets(Properties properties, const BucketOptions& options) {
  properties.size.reset();
  properties.become_batches();
  std::string details;
  for (const std::size_t boundary : options.boundaries.counts()) details += text_of({boundary});
  details += " in";
  for (const std::size_t size : options.batch_sizes.counts()) details += text_of({size});
  if (options.max_length) details += " up to" + text_of({*options.max_length});
  if (options.remainder == Remainder::drop) details += ", drop";
  properties.describe("bucket_by_length", details + text_of(options.too_long));
  DescribedStage& buckets = properties.stages.back();
  buckets.asks = elements_at_once;
  for (const std::size_t size : options.batch_sizes.counts()) {
    buckets.known.inputs = saturating_add<std::uint64_t>(buckets.known.inputs, size);
    buckets.elements = larger<std::uint64_t>(buckets.elements, size);
  }
  return properties;
}

template <class T, class Given, class Batches>
[[nodiscard]] NodePointer<typename Batches::Batch> bucket_node(const NodePointer<T>& node, Given&& length,
                                                               const BucketOptions& options, Batches batches) {
  using Length = std::decay_t<Given>;
  constexpr bool is_called = LengthOf<const Length&, T>;
  constexpr bool would_be = LengthOf<Length&, T>;
  static_assert(NotMutable<is_called, would_be>::value);
  static_assert(is_called || would_be,
                "forebay: bucket_by_length(length, options): length must take a const T& and return an integer");
  check_buckets(options);
  auto shared = std::make_shared<const Length>(std::forward<Given>(length));
  return make_stage_node<typename Batches::Batch>(
      node, describe_buckets(node->properties(), options), "bucket_by_length",
      [shared, options, batches](StageContext& opening) {
        return Buckets<T, Length, Batches>(shared, options, batches, std::move(opening.name),
                                           std::move(opening.left_out));
      });
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_BUCKET_BY_LENGTH_HPP
