// SPDX-License-Identifier: MIT
//
// stacked_batch.hpp: StackedBatch<T>, a batch of records of fixed shape in which each component is one contiguous
// buffer of the extents [n, ...].
//
// When to use: for records of numbers, strings, std::arrays and std::spans of fixed extent, from a queue of any kind:
//
//   struct Example { std::array<float, 784> pixels; int label; std::string source; };
//   StackedBatch<Example> batch;
//   while (queue.dequeue_many(32, batch) == QueueStatus::ok) {
//     step(batch.component<&Example::pixels>().values(),   // [32, 784] floats
//          batch.component<&Example::label>().values());   // [32] ints; by number: component<1>()
//   }
//
// Each element is copied once, straight from the queue. When not: for elements whose extents differ (PaddedBatch).

#ifndef FOREBAY_STACKED_BATCH_HPP
#define FOREBAY_STACKED_BATCH_HPP

#include "forebay/padded_batch.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// A PaddedBatch in which there is nothing to pad.
template <FixedShape T>
using StackedBatch = PaddedBatch<T>;

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_STACKED_BATCH_HPP
