// SPDX-License-Identifier: MIT
//
// bucket_options.hpp: BucketOptions, how a data set is cut into batches of elements of similar length
// (Dataset::bucket_by_length).
//
//   // shorter than 16, from 16 to 63, from 64 to 512: about as many tokens in each batch
//   sentences.bucket_by_length(length, {.boundaries = {16, 64}, .batch_sizes = {128, 32, 8}, .max_length = 512})

#ifndef FOREBAY_BUCKET_OPTIONS_HPP
#define FOREBAY_BUCKET_OPTIONS_HPP

#include <initializer_list>
#include <optional>
#include <ranges>
#include <vector>

#include "forebay/batch_options.hpp"
#include "forebay/count.hpp"
#include "forebay/on_error.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Counts in a list: `{16, 64}`, or any range of integers.
class Counts {
 public:
  Counts() = default;
  Counts(std::initializer_list<Count> counts) : counts_(counts) {}
  template <std::ranges::input_range Range>
  requires detail::BecomesInteger<std::ranges::range_value_t<Range>> Counts(const Range& range) {
    for (const auto& number : range) counts_.push_back(number);
  }

  [[nodiscard]] const std::vector<Count>& counts() const noexcept { return counts_; }

 private:
  std::vector<Count> counts_;
};

struct BucketOptions {
  /// The lengths at which another bucket begins, in rising order. The first bucket has what is shorter than the first
  /// of them, the last one what is as long as the last of them, or longer.
  Counts boundaries{};
  /// How many elements a batch of each bucket has: one number more than there are boundaries.
  Counts batch_sizes{};
  /// The longest that is allowed.
  std::optional<Count> max_length{};
  /// What becomes of elements that are longer. (TensorFlow: they are an error, or left out.)
  OnError too_long{};
  /// Whether what is left in the buckets at the end of an epoch, fewer than a batch, becomes batches, too.
  Remainder remainder = Remainder::deliver;
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_BUCKET_OPTIONS_HPP
