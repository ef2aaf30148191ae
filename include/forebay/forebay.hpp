// SPDX-License-Identifier: MIT
//
// forebay.hpp: all of forebay. Each header can be included alone, too.
//
// A file in this directory is a public header. A directory in it is internal, and includes only what stands below it:
//
//   handle             any kind of queue behind one type (queue_ref); one of several queues (dequeue_any)
//   queue              the queues: in which order elements leave
//   engine, batch      elements in store and threads in line; elements as arrays
//   waiting, threads   how a thread waits (wait); threads that stop together (coordinator) and fill queues
//   base               numbers, conversions, the synchronisation policy (sync)

#ifndef FOREBAY_FOREBAY_HPP
#define FOREBAY_FOREBAY_HPP

// IWYU pragma: begin_exports
#include "forebay/blocking_queue.hpp"
#include "forebay/by.hpp"
#include "forebay/capacity.hpp"
#include "forebay/characters.hpp"
#include "forebay/coordinator.hpp"
#include "forebay/count.hpp"
#include "forebay/dequeue_any.hpp"
#include "forebay/dimension.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/monitored_session.hpp"
#include "forebay/padded_batch.hpp"
#include "forebay/padded_component.hpp"
#include "forebay/padding_fifo_queue.hpp"
#include "forebay/padding_options.hpp"
#include "forebay/per_thread.hpp"
#include "forebay/pipeline_statistics.hpp"
#include "forebay/prioritized.hpp"
#include "forebay/priority_queue.hpp"
#include "forebay/progress_watch.hpp"
#include "forebay/queue_ref.hpp"
#include "forebay/queue_runner.hpp"
#include "forebay/queue_statistics.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "forebay/report.hpp"
#include "forebay/stacked_batch.hpp"
#include "forebay/stage_statistics.hpp"
#include "forebay/sync.hpp"
#include "forebay/thread_activity.hpp"
#include "forebay/usable_cores.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"
// IWYU pragma: end_exports

#endif  // FOREBAY_FOREBAY_HPP
