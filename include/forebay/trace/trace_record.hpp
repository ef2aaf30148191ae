// SPDX-License-Identifier: MIT
//
// trace_record.hpp: TraceRecord, a snapshot of the events in the threads of a pipeline.

#ifndef FOREBAY_TRACE_TRACE_RECORD_HPP
#define FOREBAY_TRACE_TRACE_RECORD_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

enum class TraceKind : unsigned char {
  // Spans of time
  claim,            ///< a chunk is pulled out of the stages before a parallel stage
  work,             ///< the work on it
  more_work,        ///< and what is left of it when the output has been handed out
  wait_for_room,    ///< ... for a permit to read ahead
  wait_for_claim,   ///< ... while another thread has it
  wait_for_output,  ///< ... of a parallel stage
  next_of_loop,     ///< a loop sees to its next outputs
  next_of_steps,    ///< and for_each to those of its steps
  loop,             ///< what is done with them: found out when it is written
  steps,            ///< the same
  // Moments
  ready,    ///< an output has been handed out, and `count` are ready
  taken,    ///< one was taken, and `count` are ready
  leaves,   ///< where an arrow begins: found out when it is written
  arrives,  ///< where it ends: the same
};

/// An event in one thread. Times are in nanoseconds since the creation of the pipeline.
struct TraceEvent {
  TraceKind kind;
  std::uint32_t stage;            // of TraceRecord::stages, where it is of one
  std::uint32_t count;            // elements, or outputs
  std::uint32_t thread;           // of TraceRecord::threads
  std::uint64_t sequence_number;  // of the chunk; or the number of the arrow
  std::int64_t begin = 0;
  std::int64_t end = 0;

  [[nodiscard]] bool is_span() const noexcept { return kind < TraceKind::ready; }
};

/// The events of each thread are nested. Any of them may be missing.
struct TraceRecord {
  std::vector<TraceEvent> events;
  std::vector<std::string> stages;
  std::vector<std::string> threads;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_TRACE_TRACE_RECORD_HPP
