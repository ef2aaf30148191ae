// SPDX-License-Identifier: MIT

/// @file
/// Includes the queues, the coordinator and the queue runners: everything except data sets and the calls of coroutines.
///
/// For data sets, include dataset.hpp; for coroutines, async.hpp; for everything, forebay.hpp. Each header can also be
/// included alone.

#ifndef FOREBAY_QUEUES_HPP
#define FOREBAY_QUEUES_HPP

// IWYU pragma: begin_exports
#include "forebay/blocking_queue.hpp"
#include "forebay/consumer.hpp"
#include "forebay/coordinator.hpp"
#include "forebay/count.hpp"
#include "forebay/dequeue_any.hpp"
#include "forebay/factories.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/monitored_session.hpp"
#include "forebay/overflow.hpp"
#include "forebay/padded_batch.hpp"
#include "forebay/padded_component.hpp"
#include "forebay/padding_fifo_queue.hpp"
#include "forebay/priority.hpp"
#include "forebay/priority_queue.hpp"
#include "forebay/producer.hpp"
#include "forebay/progress_watch.hpp"
#include "forebay/queue_ref.hpp"
#include "forebay/queue_runner.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "forebay/report.hpp"
#include "forebay/statistics.hpp"
#include "forebay/sync.hpp"
#include "forebay/thread_activity.hpp"
#include "forebay/usable_cores.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"
// IWYU pragma: end_exports

#endif  // FOREBAY_QUEUES_HPP
