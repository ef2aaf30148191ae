// SPDX-License-Identifier: MIT
//
// batch_options.hpp: BatchOptions, how a data set is cut into batches, and Even, how it is cut into shards.

#ifndef FOREBAY_BATCH_OPTIONS_HPP
#define FOREBAY_BATCH_OPTIONS_HPP

#include "forebay/blocking_queue.hpp"  // Remainder
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// What makes all shards equally long, so that of several machines none waits for the others at the end.
enum class Even {
  drop,    ///< leaves out the last elements of an epoch, fewer than there are shards
  repeat,  ///< repeats the first elements of the epoch at its end
};

inline constexpr Remainder drop = Remainder::drop;

/// `{.remainder = drop}` leaves out the last elements of each epoch, fewer than a batch.
struct BatchOptions {
  Remainder remainder = Remainder::deliver;
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_BATCH_OPTIONS_HPP
