// SPDX-License-Identifier: MIT
//
// batch_options.hpp: BatchOptions and ShuffleOptions, how a data set is cut into batches and shuffled, and Even, how it
// is cut into shards.

#ifndef FOREBAY_BATCH_OPTIONS_HPP
#define FOREBAY_BATCH_OPTIONS_HPP

#include "forebay/blocking_queue.hpp"  // Remainder
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// What a stage that gathers elements does at the end of an epoch.
enum class Epochs {
  separate,  ///< it is emptied: no batch, bucket or window has elements of two epochs
  straddle,  ///< it goes on with the next epoch of the repeats before it; a repeat behind it begins it anew
};

/// What makes all shards equally long, so that of several machines none waits for the others at the end.
enum class Even {
  drop,    ///< leaves out the last elements of an epoch, fewer than there are shards
  repeat,  ///< repeats the first elements of the epoch at its end
};

inline constexpr Remainder drop = Remainder::drop;
inline constexpr Epochs straddle = Epochs::straddle;

/// `{.remainder = drop}` leaves out the last elements, fewer than a batch: of each epoch; of all of them, if batches
/// go across (`{.epochs = straddle}`).
struct BatchOptions {
  Remainder remainder = Remainder::deliver;
  Epochs epochs = Epochs::separate;
};

/// `{.epochs = straddle}`: the window may hold elements of several epochs. An epoch then ends behind the output of its
/// last element, and elements are numbered anew.
struct ShuffleOptions {
  Epochs epochs = Epochs::separate;
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_BATCH_OPTIONS_HPP
