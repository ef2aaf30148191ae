// SPDX-License-Identifier: MIT
//
// forebay.cppm: the module forebay: `import forebay;` in the place of `#include <forebay/forebay.hpp>`.
//
// The same names in the same namespace. A module has no macros: for FOREBAY_VERSION include <forebay/version.hpp>,
// which goes together with the import. Programs still include or import what they use of the standard library.

module;

#include "forebay/forebay.hpp"

export module forebay;

export namespace forebay {

using forebay::BasicCoordinator;
using forebay::BasicQueueRunner;
using forebay::BasicWait;
using forebay::BlockingQueue;
using forebay::By;
using forebay::cancel_pending_enqueues;
using forebay::CancelledError;
using forebay::CancelPendingEnqueues;
using forebay::Capacity;
using forebay::Characters;
using forebay::clean_stop_types;
using forebay::CleanStopTypes;
using forebay::Coordinator;
using forebay::Count;
using forebay::DeadlineExceededError;
using forebay::dequeue_any;
using forebay::Dequeued;
using forebay::Dimension;
using forebay::ElementFrom;
using forebay::EnqueueManyResult;
using forebay::FIFOQueue;
using forebay::FirstInFirstOut;
using forebay::FixedShape;
using forebay::from_list;
using forebay::NamedThread;
using forebay::no_wait;
using forebay::NoPadding;
using forebay::NoWait;
using forebay::OutOfRangeError;
using forebay::PaddedBatch;
using forebay::PaddedComponent;
using forebay::PaddedFirstInFirstOut;
using forebay::PaddingFIFOQueue;
using forebay::PaddingOptions;
using forebay::per_thread;
using forebay::PerThread;
using forebay::Prioritized;
using forebay::PriorityQueue;
using forebay::QueueError;
using forebay::QueueRef;
using forebay::QueueRunner;
using forebay::QueueStatus;
using forebay::RandomShuffleOptions;
using forebay::RandomShuffleQueue;
using forebay::Remainder;
using forebay::SingleValue;
using forebay::SmallestFirst;
using forebay::StackedBatch;
using forebay::start_queue_runners;
using forebay::StdSync;
using forebay::StragglersError;
using forebay::to_string;
using forebay::Unbounded;
using forebay::unbounded;
using forebay::UniformDraw;
using forebay::Wait;

}  // namespace forebay
