// SPDX-License-Identifier: MIT
//
// pipeline.hpp: Pipeline<T>, a data set that runs: its threads read ahead, and a loop takes what they make.
//
//   forebay::Pipeline<std::vector<Image>> batches(images);        // or: auto batches = images.run();
//   for (std::vector<Image>& batch : batches) train(batch);       // what failed in any thread is thrown here
//
// When to use: to consume a Dataset. When not: for threads that hand one another what they make themselves; see
// QueueRunner.
//
// Lifetime: neither copied nor moved. Leaving its scope stops it and waits for its threads. A coordinator, or a queue,
// that was given to it has to outlive it.
//
// Thread safety: every member function may be called from any thread at any time, the destructor excepted. From a
// stage, a function or a step that runs in it: stop, should_stop, close, position, statistics, threads and write_trace;
// the others throw std::logic_error there.

#ifndef FOREBAY_PIPELINE_HPP
#define FOREBAY_PIPELINE_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/coordinator.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/parallel/pipeline_loop.hpp"
#include "forebay/position.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/report.hpp"
#include "forebay/statistics.hpp"
#include "forebay/thread_activity.hpp"
#include "forebay/trace/trace_text.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI {

template <class T>
class Dataset;

namespace detail {

/// An input iterator over the outputs of a pipeline, or of one of its epochs. It takes an output when it has to show
/// it or to tell that there is none, and gives the storage of the one before back then.
template <class T>
class OutputIterator {
 public:
  using iterator_concept = std::input_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;

  OutputIterator(PipelineLoop<T, StdSync>& loop, std::shared_ptr<EpochBound> bound) noexcept
      : loop_(&loop), bound_(std::move(bound)) {}

  OutputIterator(OutputIterator&&) noexcept = default;
  OutputIterator& operator=(OutputIterator&&) noexcept = default;
  ~OutputIterator() = default;

  /// The output, which is the loop's own: it may be moved from. Throws OutOfRangeError at the end.
  [[nodiscard]] T& operator*() const {
    if (at_end()) throw OutOfRangeError("forebay: the iteration over the pipeline is at its end");
    return *output_;
  }

  OutputIterator& operator++() {
    if (!at_end()) is_held_ = false;
    return *this;
  }
  void operator++(int) { ++*this; }

  [[nodiscard]] bool operator==(std::default_sentinel_t) const { return at_end(); }

 private:
  bool at_end() const {
    if (is_held_ || ended_) return ended_;
    const QueueStatus status = loop_->take(Wait::forever, bound_.get(), [this](T& output) {
      if (output_) {
        std::swap(*output_, output);
      } else {
        output_.emplace(std::move(output));
      }
    });
    is_held_ = status == QueueStatus::ok;
    ended_ = !is_held_;
    return ended_;
  }

  PipelineLoop<T, StdSync>* loop_;
  std::shared_ptr<EpochBound> bound_;
  mutable std::optional<T> output_;
  mutable bool is_held_ = false;
  mutable bool ended_ = false;
};

}  // namespace detail

/// What one_epoch() returns: a range, which refers to its pipeline.
template <class T>
class OneEpoch {
 public:
  using value_type = T;

  OneEpoch(detail::PipelineLoop<T, StdSync>& loop, detail::EpochBound bound)
      : loop_(&loop), bound_(std::make_shared<detail::EpochBound>(bound)) {}

  [[nodiscard]] auto begin() const { return detail::OutputIterator<T>(*loop_, bound_); }
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

  /// Pipeline::for_each, to the end of the epoch.
  template <class Step>
  void for_each(Step&& step) const {
    loop_->for_each(std::forward<Step>(step), *bound_);
  }

 private:
  detail::PipelineLoop<T, StdSync>* loop_;
  std::shared_ptr<detail::EpochBound> bound_;
};

/// Guarantees:
///  - A failure is thrown as a DatasetError, at its place: all complete outputs before it have been handed out, and
///    nothing behind it ever is. One behind the last output that was taken is not told.
///  - After a stop nothing more is handed out. Whoever waits is told within a moment, unless code of the user's
///  blocks.
///  - What is answered once at the end is answered from then on: closed, stopped, or the failure.
///  - So many chunks are read ahead as the maps' options say, and no more.
template <class T>
class Pipeline {
 public:
  using value_type = T;

  /// Runs the data set: starts all threads. Throws std::invalid_argument if it cannot be run, or not again, and
  /// std::system_error if a thread cannot be created; then none is left.
  explicit Pipeline(const Dataset<T>& dataset) : Pipeline(*dataset.node(), std::nullopt) {}

  /// The same, and goes on where `checkpoint` was made, if there is one: with exactly the next output. Throws
  /// std::invalid_argument if it was made by another data set, or changed: which says what differs, or at which column
  /// and in which stage. What is saved of an input of flat_map or interleave is looked at when that is opened: if it is
  /// wrong, next() throws a DatasetError. Functions and elements are not looked at.
  Pipeline(const Dataset<T>& dataset, const std::optional<std::string>& checkpoint)
      : Pipeline(*dataset.node(), checkpoint) {}

  /// The same, and the stop of `coordinator` stops it, with the failure that it has; a failure that is handed out here
  /// is reported there. The end of the input, stop() and the destructor stop this pipeline only.
  Pipeline(const Dataset<T>& dataset, Coordinator& coordinator) : Pipeline(dataset) { loop_.attach_to(coordinator); }
  Pipeline(const Dataset<T>& dataset, const std::optional<std::string>& checkpoint, Coordinator& coordinator)
      : Pipeline(dataset, checkpoint) {
    loop_.attach_to(coordinator);
  }

  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Stops, and waits for the threads.
  ~Pipeline() = default;

  // ---- The loop

  /// `for (T& output : pipeline)`: to the end of the input, or a stop; or throws the failure. The output may be moved
  /// from; what is left of it is used again.
  [[nodiscard]] auto begin() { return detail::OutputIterator<T>(loop_, nullptr); }
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

  /// `for (T& output : pipeline.one_epoch())`: to the end of the epoch whose outputs are next; called again, it goes
  /// on. A loop without outputs is an epoch without any, or the end. Each thread whose loop is over it ends there.
  [[nodiscard]] OneEpoch<T> one_epoch() & { return OneEpoch<T>(loop_, loop_.next_epoch()); }
  OneEpoch<T> one_epoch() && = delete;  // forebay: the pipeline would be gone: give it a name

  /// The next output. Waits for it as `wait` says: the call looks at `wait` before every element and every empty epoch
  /// except its first. The status is closed at the end, stopped after a stop. Throws the DatasetError of a failure. If
  /// the calling thread helps a map, a stop of `wait` ends that between two elements; later calls, or other threads, go
  /// on with the rest.
  Dequeued<T> next(const Wait& wait = Wait::forever) {
    return Dequeued<T>([&](std::optional<T>& output) {
      return loop_.take(wait, nullptr, [&output](T& taken) { output.emplace(std::move(taken)); });
    });
  }

  /// The same, swapped with `output`, whose storage is used again.
  QueueStatus next(T& output, const Wait& wait = Wait::forever) {
    return loop_.take(wait, nullptr, [&output](T& taken) { std::swap(output, taken); });
  }

  /// Calls `step(T&)` with each output in their order, one at a time, in whichever of the threads has it at hand, the
  /// calling one included; what one step did is visible to the next. Returns at the end of the input, or after a stop;
  /// throws the failure. What a step throws stops the pipeline and is thrown here. Not for steps that are bound to one
  /// thread.
  template <class Step>
  void for_each(Step&& step) {
    loop_.for_each(std::forward<Step>(step), std::nullopt);
  }

  // ---- Its end

  /// Stops. Never blocks; may be called again, from anywhere.
  void stop() noexcept { loop_.stop(); }

  /// Whether it has been stopped, or its end or a failure was handed out: whether there is nothing more to take.
  [[nodiscard]] bool should_stop() const noexcept { return loop_.should_stop(); }

  /// Stops because of `cause`, which join() throws.
  void close(std::exception_ptr cause) noexcept { loop_.close(std::move(cause)); }

  /// Waits for the threads to end, for which it stops them, unless they have. Throws the cause of a close, or the
  /// failure that was handed out.
  void join() { loop_.join(); }

  /// Which epoch it is, and how many of its outputs have been handed out.
  [[nodiscard]] Position position() const { return loop_.position(); }

  /// What its stages and the loop have done since it was started: of each map with threads, prefetch and interleave a
  /// row for what stands before it, which one thread at a time runs, and one for its own threads; the rest is the
  /// loop's. The time in which the loop helps is theirs. An interleave counts its inputs. Reads the CPU clocks of
  /// the threads, and files of the system, which takes about 0.1 ms.
  [[nodiscard]] PipelineStatistics statistics() const { return loop_.statistics(); }

  /// What each of its threads does: in which stage it waits and for how long, or that it runs. "loop" is a thread that
  /// takes outputs; it runs between two calls, too, until the pipeline has stopped. Where an input does not come, who
  /// waits for whom ends at who holds it up.
  [[nodiscard]] std::vector<ThreadActivity> threads() const { return loop_.threads(); }

  /// A number that has grown at the next call if an element has moved in between: out of a source, through a stage, or
  /// to the loop. Counts nothing in particular.
  [[nodiscard]] std::uint64_t progress() const { return loop_.progress(); }

  /// Who limits, and what would help; and a table: report(statistics()).
  [[nodiscard]] std::string report() const { return forebay::report(statistics()); }

  /// The same figures for Prometheus: write_metrics(out, statistics()).
  void write_metrics(std::ostream& out) const { forebay::write_metrics(out, statistics()); }

  /// Writes what its threads did, of a data set that is traced(), in the JSON array format of Chrome's traces: for
  /// ui.perfetto.dev or speedscope. Of each thread, when it pulled a chunk out of the stages before a map, worked on
  /// it, waited, or did what the loop does with it; arrows lead from the work on a chunk to where it was taken;
  /// counters say how many outputs were ready. What goes on yet, waits of less than a microsecond, and calls that got
  /// no output are left out. May be called at any time. Throws std::logic_error if the data set is not traced().
  void write_trace(std::ostream& out) const { detail::TraceText(loop_.trace_record()).write_to(out); }

  /// Where it is, as one line of text, to be kept with what the loop has made of the outputs that were handed out: the
  /// one that the loop or the step is at is among them. `dataset.run(checkpoint)` goes on behind them. Positions are
  /// kept, and no elements: those that a window holds are read again, with all functions before it, when the other run
  /// is asked for its first output. May be asked for at any time, also after the end, a stop or a failure, before
  /// which it then is. Throws std::logic_error, which names the stage, if one cannot go on where it was.
  [[nodiscard]] std::string checkpoint() const {
    detail::Checkpoint made = loop_.checkpoint();
    made.description = description_;
    return made.text();
  }

 private:
  Pipeline(const detail::Node<T>& node, const std::optional<std::string>& checkpoint)
      : Pipeline(node, checkpoint, detail::SingleUse::Use(node.facts().single_uses)) {}

  /// Uses it up when the threads run.
  Pipeline(const detail::Node<T>& node, const std::optional<std::string>& checkpoint, detail::SingleUse::Use&& use)
      : description_(node.facts().what()),
        loop_([&node](detail::Host& host) { return detail::open_used(node, host); }, node.facts(),
              node.takes_extra_ahead() && !node.facts().batched ? 32 : 1, parsed(checkpoint, description_).get()) {
    use.keep();
  }

  /// Null if there is none.
  static std::unique_ptr<const detail::Checkpoint> parsed(const std::optional<std::string>& checkpoint,
                                                          const std::string& description) {
    if (!checkpoint) return nullptr;
    auto made = std::make_unique<const detail::Checkpoint>(detail::Checkpoint::parse(*checkpoint));
    made->require(description);
    return made;
  }

  const std::string description_;
  detail::PipelineLoop<T, StdSync> loop_;
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_PIPELINE_HPP
