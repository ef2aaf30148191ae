// SPDX-License-Identifier: MIT
//
// trace.hpp: Trace, the most recent events in the threads of a pipeline, and TraceSpan, which records them.
//
// Only a pipeline that is traced() has a trace. In others, each span only checks whether there is one.

#ifndef FOREBAY_TRACE_TRACE_HPP
#define FOREBAY_TRACE_TRACE_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/trace/trace_record.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The interface of a trace. Only programs that call traced() contain a Trace.
///
/// Thread safety: any member may be called by any thread.
class AnyTrace {
 public:
  AnyTrace() = default;
  AnyTrace(const AnyTrace&) = delete;
  AnyTrace& operator=(const AnyTrace&) = delete;
  virtual ~AnyTrace() = default;

  /// Returns its number.
  [[nodiscard]] virtual std::uint32_t add_stage(std::string name) = 0;
  [[nodiscard]] virtual std::uint32_t add_thread(std::string name) = 0;

  /// Assigns the calling thread its number. (Other threads are loops.)
  virtual void begin_thread(std::uint32_t number) noexcept = 0;

  /// Records what the calling thread did. The times are since the epoch of the clock. If the trace is full, this
  /// replaces the oldest event.
  virtual void add(TraceEvent event) noexcept = 0;

  /// Returns all events, unordered.
  [[nodiscard]] virtual TraceRecord record() const = 0;
};

template <class Time>
[[nodiscard]] std::int64_t since_epoch(Time time) noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

/// Memory: at most `most` events of 48 bytes. Adding an event allocates nothing.
template <class Sync>
class Trace final : public AnyTrace {
 public:
  static constexpr std::size_t most = 100'000;

  Trace() { ring_.reserve(most); }

  [[nodiscard]] std::uint32_t add_stage(std::string name) override {
    const Guard guard(mutex_);
    return add_to(stages_, std::move(name));
  }
  [[nodiscard]] std::uint32_t add_thread(std::string name) override {
    const Guard guard(mutex_);
    return add_to(threads_, {std::move(name), {}});
  }

  void begin_thread(std::uint32_t number) noexcept override {
    const Guard guard(mutex_);
    threads_[number].id = Sync::this_thread_id();
  }

  void add(TraceEvent event) noexcept override {
    event.begin -= start_;
    event.end -= start_;
    const Entry entry{event, Sync::this_thread_id()};
    const Guard guard(mutex_);
    if (ring_.size() < most) {
      ring_.push_back(entry);
    } else {
      ring_[std::exchange(oldest_, (oldest_ + 1) % most)] = entry;
    }
  }

  [[nodiscard]] TraceRecord record() const override {
    TraceRecord made;
    std::vector<Entry> entries;
    std::vector<Thread> threads;
    {
      const Guard guard(mutex_);
      entries = ring_;
      threads = threads_;
      made.stages = stages_;
    }
    const std::size_t workers = threads.size();
    for (const Entry& entry : entries) {
      auto thread =
          std::find_if(threads.begin(), threads.end(), [&](const Thread& one) { return one.id == entry.thread; });
      if (thread == threads.end()) {
        const std::size_t loops = threads.size() - workers;
        thread = threads.insert(thread, {loops == 0 ? "loop" : "loop " + std::to_string(loops + 1), entry.thread});
      }
      made.events.push_back(entry.event);
      made.events.back().thread = static_cast<std::uint32_t>(thread - threads.begin());
    }
    for (Thread& thread : threads) made.threads.push_back(std::move(thread.name));
    return made;
  }

 private:
  struct Thread {
    std::string name;
    typename Sync::thread::id id;
  };
  struct Entry {
    TraceEvent event;
    typename Sync::thread::id thread;
  };

  template <class Element>
  static std::uint32_t add_to(std::vector<Element>& list, Element element) {
    list.push_back(std::move(element));
    return static_cast<std::uint32_t>(list.size() - 1);
  }

  const std::int64_t start_ = since_epoch(Sync::clock::now());

  mutable Mutex<Sync> mutex_;
  std::vector<Entry> ring_ FOREBAY_GUARDED_BY(mutex_);
  std::size_t oldest_ FOREBAY_GUARDED_BY(mutex_) = 0;  // when it is full
  std::vector<std::string> stages_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<Thread> threads_ FOREBAY_GUARDED_BY(mutex_);
};

template <class Sync>
[[nodiscard]] std::unique_ptr<AnyTrace> make_trace() {
  return std::make_unique<Trace<Sync>>();
}

/// Traces one stage; does nothing if `trace` is null.
template <class Sync>
struct StageTrace {
  using Time = typename Sync::clock::time_point;

  AnyTrace* trace = nullptr;
  std::uint32_t stage = 0;

  /// Records an event now. Calls `count()` only if the stage is traced.
  template <class Count>
  void mark(TraceKind kind, std::uint64_t sequence_number, Count count) const {
    if (trace == nullptr) return;
    const auto outputs = static_cast<std::uint32_t>(count());
    const std::int64_t now = since_epoch(Sync::clock::now());
    trace->add({kind, stage, outputs, 0, sequence_number, now, now});
  }

  /// Records a span from `begin` to `end`. Omits spans without a chunk, such as waits, that last less than a
  /// microsecond.
  void span(TraceKind kind, Time begin, Time end, std::optional<std::uint64_t> sequence_number,
            std::size_t elements) const {
    if (trace == nullptr || (!sequence_number && end - begin < std::chrono::microseconds(1))) return;
    trace->add({kind, stage, static_cast<std::uint32_t>(elements), 0, sequence_number.value_or(0), since_epoch(begin),
                since_epoch(end)});
  }
};

/// Records its own lifetime as a span, if the stage is traced.
template <class Sync>
class TraceSpan {
 public:
  TraceSpan(const StageTrace<Sync>& of, TraceKind kind) {
    if (of.trace != nullptr) begin(of, kind);
  }
  TraceSpan(const StageTrace<Sync>& of, TraceKind kind, std::uint64_t sequence_number, std::size_t elements) {
    if (of.trace == nullptr) return;
    begin(of, kind);
    is_of(sequence_number, elements);
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;
  ~TraceSpan() {
    if (of_.trace != nullptr) end();
  }

  /// Sets the chunk of the span.
  void is_of(std::uint64_t sequence_number, std::size_t elements) noexcept {
    sequence_number_ = sequence_number;
    elements_ = elements;
  }
  /// Discards the span.
  void drop() noexcept { of_.trace = nullptr; }

 private:
  // Separate, so that little code is inlined.
  [[gnu::noinline]] void begin(const StageTrace<Sync>& of, TraceKind kind) {
    of_ = of;
    kind_ = kind;
    begin_ = Sync::clock::now();
  }
  [[gnu::noinline]] void end() noexcept { of_.span(kind_, begin_, Sync::clock::now(), sequence_number_, elements_); }

  StageTrace<Sync> of_;  // without a trace if nothing is recorded
  TraceKind kind_{};
  typename StageTrace<Sync>::Time begin_{};
  std::optional<std::uint64_t> sequence_number_;
  std::size_t elements_ = 0;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_TRACE_TRACE_HPP
