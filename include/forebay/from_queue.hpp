// SPDX-License-Identifier: MIT

/// @file
/// Defines from_queue, which makes a data set of the elements of a queue.
///
/// @code
/// forebay::FIFOQueue<int> queue(100);
/// auto batches = forebay::from_queue(queue).batch(8).run();   // other threads enqueue, and close the queue at the end
/// @endcode
///
/// When to use: for elements that your threads produce or receive. Functions that can be called for each element need
/// no queue: see from_callable in sources.hpp.
///
/// Lifetime: the data set neither owns nor closes the queue, which has to outlive the pipeline.
///
/// Thread safety: any number of threads may call from_queue.

#ifndef FOREBAY_FROM_QUEUE_HPP
#define FOREBAY_FROM_QUEUE_HPP

#include "forebay/base/queue_of_elements.hpp"
#include "forebay/dataset.hpp"
#include "forebay/source/queue.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Takes the elements of a queue, or of a QueueRef, until it is closed. The data set can run once, for one epoch.
///
/// A run has no checkpoints, because a queue cannot be read again. A failure with which the queue was closed is the
/// failure of the run.
template <detail::QueueOfElements Queue>
[[nodiscard]] auto from_queue(Queue& queue) {
  using T = typename Queue::value_type;
  return Dataset<T>(detail::queue_node<T>(queue));
}

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_FROM_QUEUE_HPP
