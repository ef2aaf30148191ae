// SPDX-License-Identifier: MIT

/// @file
/// Defines Pipeline, a data set that runs: its threads read ahead, and your loop takes the outputs.
///
/// @code
/// forebay::Pipeline<std::vector<Image>> batches(images);    // or: auto batches = images.run();
/// for (std::vector<Image>& batch : batches) train(batch);   // rethrows the failure of any thread
/// @endcode
///
/// When to use: to consume a Dataset. When not: for threads that pass on what they produce themselves; see QueueRunner.
///
/// Lifetime: it cannot be copied or moved. A function may return `dataset.run()` itself, but not a named Pipeline. The
/// destructor stops the pipeline and waits for its threads. A coordinator or a queue that was given to it has to
/// outlive it.
///
/// Thread safety: any thread may call every member function at any time, except the destructor. A stage, a function or
/// a step that runs in the pipeline must not take outputs, join or call one_epoch: these throw std::logic_error there.

#ifndef FOREBAY_PIPELINE_HPP
#define FOREBAY_PIPELINE_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
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
#include "forebay/trace/trace_record.hpp"
#include "forebay/trace/trace_text.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI {

template <class T>
class Dataset;

namespace detail {

/// An input iterator over the outputs of a pipeline, or of one of its epochs. It takes an output when it is
/// dereferenced or compared with the end, and returns the storage of the previous one then.
template <class T>
class OutputIterator {
 public:
  using iterator_concept = std::input_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;

  OutputIterator(PipelineLoop<StdSync>& loop, std::shared_ptr<EpochBound> bound) noexcept
      : loop_(&loop), bound_(std::move(bound)) {}

  OutputIterator(OutputIterator&&) noexcept = default;
  OutputIterator& operator=(OutputIterator&&) noexcept = default;
  ~OutputIterator() = default;

  /// Returns the output, which the loop may move from. Throws OutOfRangeError at the end.
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
    const auto keep = [this](T& output) {
      if (output_) {
        std::swap(*output_, output);
      } else {
        output_.emplace(std::move(output));
      }
    };
    const QueueStatus status = loop_->take(Wait::forever, bound_.get(), use_as<T>(keep));
    is_held_ = status == QueueStatus::ok;
    ended_ = !is_held_;
    if (status == QueueStatus::closed && bound_ == nullptr) loop_->note_end_of_loop();
    return ended_;
  }

  PipelineLoop<StdSync>* loop_;
  std::shared_ptr<EpochBound> bound_;
  mutable std::optional<T> output_;
  mutable bool is_held_ = false;
  mutable bool ended_ = false;
};

}  // namespace detail

/// The range that Pipeline::one_epoch returns: the outputs of one epoch. The pipeline has to outlive it.
template <class T>
class OneEpoch {
 public:
  /// The type of the outputs.
  using value_type = T;

  /// @cond
  OneEpoch(detail::PipelineLoop<StdSync>& loop, detail::EpochBound bound)
      : loop_(&loop), bound_(std::make_shared<detail::EpochBound>(bound)) {}
  /// @endcond

  /// Returns an input iterator to the next output of the epoch. The loop blocks for outputs as Pipeline::begin says.
  [[nodiscard]] auto begin() const { return detail::OutputIterator<T>(*loop_, bound_); }

  /// Returns the sentinel that an iterator equals at the end of the epoch, or after a stop.
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

  /// Calls `step(T&)` with each output up to the end of the epoch, as Pipeline::for_each does.
  template <class Step>
  void for_each(Step&& step) const {
    detail::EpochBound bound = *bound_;
    loop_->for_each(detail::use_as<T>(step), &bound);
  }

 private:
  detail::PipelineLoop<StdSync>* loop_;
  std::shared_ptr<detail::EpochBound> bound_;
};

/// Runs a data set: its threads read ahead, and your loop takes the outputs.
///
/// Guarantees:
///  - The failure of a stage is thrown as a DatasetError, in order: you get all complete outputs that precede it, and
///    none that follow. A failure after the last output you took is not reported.
///  - Once stop() or the coordinator's request_stop() has returned, you get no more outputs. (Its wait_for_stop() may
///    return a moment earlier.) Waiting calls return within 100 ms, unless your own code blocks.
///  - The answer at the end is final: later calls get the same status (closed or stopped), or the same failure.
///  - Threads read ahead as many chunks as the options of the maps allow, and no more.
template <class T>
class Pipeline {
 public:
  /// The type of the outputs.
  using value_type = T;

  /// @name Start
  /// @{

  /// Starts all threads of the data set.
  ///
  /// Throws std::invalid_argument if the data set cannot run, or not again, and std::system_error if a thread cannot be
  /// created; no thread is left then, but a data set that can run only once has run.
  explicit Pipeline(const Dataset<T>& dataset) : Pipeline(*dataset.node(), nullptr) {}

  /// Starts all threads and resumes at `checkpoint`, with exactly the next output; std::nullopt starts at the
  /// beginning.
  ///
  /// Throws std::invalid_argument if another data set made the checkpoint, or if its text was changed. The message says
  /// what differs, or at which column and in which stage. Functions and elements are not compared. The saved state of
  /// an input of flat_map or interleave is checked when that input is opened; if it is wrong, next() throws a
  /// DatasetError.
  Pipeline(const Dataset<T>& dataset, const std::optional<std::string>& checkpoint)
      : Pipeline(*dataset.node(), parsed(checkpoint, dataset.node()->properties().what()).get()) {}

  /// Starts all threads and attaches the pipeline to `coordinator`, which has to outlive it.
  ///
  /// A stop of the coordinator stops the pipeline, with the coordinator's failure if it has one. A failure that the
  /// pipeline throws is reported to the coordinator. The end of the input, stop() and the destructor stop only this
  /// pipeline.
  Pipeline(const Dataset<T>& dataset, Coordinator& coordinator) : Pipeline(dataset) { loop_.attach_to(coordinator); }

  /// Starts all threads, resumes at `checkpoint`, and attaches the pipeline to `coordinator`.
  Pipeline(const Dataset<T>& dataset, const std::optional<std::string>& checkpoint, Coordinator& coordinator)
      : Pipeline(dataset, checkpoint) {
    loop_.attach_to(coordinator);
  }

  Pipeline(const Pipeline&) = delete;  // forebay: neither copied nor moved: return dataset.run() itself
  Pipeline& operator=(const Pipeline&) = delete;

  /// Stops the pipeline and waits for its threads.
  ~Pipeline() = default;

  /// @}
  /// @name Loop
  /// @{

  /// Returns an input iterator to the next output: `for (T& output : pipeline)`.
  ///
  /// The loop blocks until an output is ready. It ends at the end of the input or after a stop, and throws the failure.
  /// You may move from the output; its storage is reused.
  ///
  /// Throws std::logic_error if a loop of this thread, or its for_each(), has reached the end of the input before: the
  /// loop would be empty. Run the data set again, or describe several epochs with repeat(n). A loop after next() has
  /// returned `closed`, after a stop, or in another thread is empty; after a failure it throws the failure again.
  [[nodiscard]] auto begin() {
    loop_.throw_if_loop_has_ended();
    return detail::OutputIterator<T>(loop_, nullptr);
  }

  /// Returns the sentinel that an iterator equals at the end of the input, or after a stop.
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

  /// Returns a range of the outputs up to the end of the epoch whose outputs are next. A later call continues there.
  ///
  /// @code
  /// while (!batches.should_stop()) {
  ///   for (auto& batch : batches.one_epoch()) train(batch);
  ///   validate();
  /// }
  /// @endcode
  ///
  /// An epoch whose last output was taken before, by next() or in the run that made the checkpoint, has ended: the loop
  /// is over the next one. To validate after each epoch also across a resume, compare position().epoch with the number
  /// of validated epochs: examples/guide/resuming.md.
  ///
  /// An empty loop means that the epoch is empty or that the input has ended. If several threads loop over the same
  /// range, each loop ends at the end of the epoch.
  [[nodiscard]] OneEpoch<T> one_epoch() & { return OneEpoch<T>(loop_, loop_.next_epoch()); }
  OneEpoch<T> one_epoch() && = delete;  // forebay: the pipeline would be gone: give it a name

  /// Takes the next output. Blocks until an output is ready, the pipeline ends or stops, or `wait` ends the wait.
  ///
  /// @code
  /// while (auto batch = batches.next(std::chrono::seconds(1))) train(*batch);
  /// @endcode
  ///
  /// The status is `closed` at the end of the input and `stopped` after a stop. Throws the DatasetError of a failure.
  ///
  /// The call checks `wait` before each element that it processes, except the first one. An empty epoch counts as an
  /// element. If the calling thread helps a map, a stop of `wait` takes effect between two elements; later calls,
  /// or other threads, process the rest.
  Dequeued<T> next(const Wait& wait = Wait::forever) {
    return Dequeued<T>([&](std::optional<T>& output) {
      const auto keep = [&output](T& taken) { output.emplace(std::move(taken)); };
      return loop_.take(wait, nullptr, detail::use_as<T>(keep));
    });
  }

  /// Takes the next output and swaps it with `output`, whose storage is reused. Unless it returns `ok`, `output` keeps
  /// its value.
  QueueStatus next(T& output, const Wait& wait = Wait::forever) {
    const auto swap = [&output](T& taken) { std::swap(output, taken); };
    return loop_.take(wait, nullptr, detail::use_as<T>(swap));
  }

  /// Calls `step(T&)` with each output, in order, one at a time.
  ///
  /// Any thread of the pipeline may run a step, the calling thread included: the one that has just made the output.
  /// The effects of a step are visible to the next one. Do not use it for steps that are bound to one thread.
  ///
  /// @code
  /// batches.for_each([&](std::vector<Image>& batch) { model.train(batch); });
  /// @endcode
  ///
  /// Returns at the end of the input, or after a stop; throws the failure. An exception of a step stops the pipeline
  /// and is rethrown here. Throws std::logic_error for a second loop to the end, as begin() does.
  template <class Step>
  void for_each(Step&& step) {
    loop_.for_each(detail::use_as<T>(step), nullptr);
  }

  /// @}
  /// @name End
  /// @{

  /// Stops the pipeline. Never blocks. Any thread may call it, also repeatedly.
  void stop() noexcept { loop_.stop(); }

  /// Returns whether the pipeline gives no more outputs: after a stop, or after a call got the end or the failure.
  [[nodiscard]] bool should_stop() const noexcept { return loop_.should_stop(); }

  /// Stops the pipeline because of `cause`, which join() throws. Never blocks.
  void close(std::exception_ptr cause) noexcept { loop_.close(std::move(cause)); }

  /// Stops the pipeline and blocks until its threads have ended. Throws the cause of a close, or the failure that an
  /// earlier call threw.
  void join() { loop_.join(); }

  /// @}
  /// @name Observation
  /// @{

  /// Returns the current epoch, and as `number` how many of its outputs you have taken. After its last output this is
  /// still the same epoch, until a call looks for a further output or a loop over one_epoch() ends.
  [[nodiscard]] Position position() const { return loop_.position(); }

  /// Returns how the stages and the loop have spent their time since the start.
  ///
  /// Each stage with threads of its own has two entries: one for the stages upstream of it, which one thread at a time
  /// runs, and one for its own threads. All other stages belong to the loop; in a pipeline without threads, to one
  /// entry, "all stages". The time in which the loop helps counts for the stage that it helps. An interleave counts its
  /// inputs.
  ///
  /// Reads files of the system and the CPU clock of each thread, which takes about 0.1 ms.
  [[nodiscard]] PipelineStatistics statistics() const { return loop_.statistics(); }

  /// Returns what each thread does: that it runs, or in which stage it waits and for how long.
  ///
  /// "loop" is a thread that takes outputs; between two calls it counts as running, until the pipeline has stopped. If
  /// an input is overdue, follow the waiting threads upstream to the one that delays it.
  [[nodiscard]] std::vector<ThreadActivity> threads() const { return loop_.threads(); }

  /// Returns a number that grows between two calls if an element has moved: out of a source, through a stage, or to the
  /// loop. Only the comparison has a meaning.
  [[nodiscard]] std::uint64_t progress() const { return loop_.progress(); }

  /// Returns which stage limits the pipeline, what would help, and a table of all stages: report(statistics()).
  ///
  /// @code
  /// std::cout << batches.report();   // decode limits: its 4 threads work 97 % of the time. ...
  /// @endcode
  [[nodiscard]] std::string report() const { return forebay::report(statistics()); }

  /// Writes the statistics in Prometheus' text format: write_metrics(out, statistics()).
  void write_metrics(std::ostream& out) const { forebay::write_metrics(out, statistics()); }

  /// Writes what the threads did, in the JSON array format of Chrome's traces, for ui.perfetto.dev or speedscope.
  ///
  /// @code
  /// auto batches = images.traced().run();
  /// for (auto& batch : batches) train(batch);
  /// std::ofstream file("trace.json");
  /// batches.write_trace(file);
  /// @endcode
  ///
  /// The trace shows when each thread pulled a chunk from the stages upstream of a map, worked on it, or waited. It
  /// also shows the body of the loop. Arrows lead from the work on a chunk to the call that took it. Counters show how
  /// many outputs were ready. The trace leaves out what is not finished, waits of less than 1 µs, and calls that got
  /// no output.
  ///
  /// May be called at any time. Throws std::logic_error if the data set is not traced().
  void write_trace(std::ostream& out) const {
    std::optional<detail::TraceRecord> record = loop_.trace_record();
    if (!record) throw std::logic_error("forebay: write_trace: the data set of the pipeline is not .traced()");
    detail::TraceText(std::move(*record)).write_to(out);
  }

  /// Returns the position of the pipeline as one line of text; `dataset.run(checkpoint)` resumes there.
  ///
  /// Save it together with what your loop has made of the outputs so far. The output that the loop or the step has at
  /// hand counts as taken.
  ///
  /// @code
  /// for (auto& batch : batches) {
  ///   train(batch);
  ///   save(model, batches.checkpoint());
  /// }
  /// @endcode
  ///
  /// A checkpoint has positions, but no elements. The first output after a resume replays the elements that windows
  /// held: they are read again, and pass through all functions upstream of the window again.
  ///
  /// May be called at any time. After the end, a resumed run ends at once; after a failure, it meets the failure
  /// again; after a stop, it continues. Throws
  /// std::logic_error, which names the stage, if a stage cannot resume.
  [[nodiscard]] std::string checkpoint() const {
    detail::Checkpoint made = loop_.checkpoint();
    made.description = description_;
    return made.text();
  }

  /// @}

 private:
  template <class U>
  friend void write_html_report(const Pipeline<U>& pipeline, std::ostream& out);

  Pipeline(const detail::Node<T>& node, const detail::Checkpoint* from)
      : description_(node.properties().what()),
        loop_([&node](detail::Runtime& runtime) { return detail::make_input(detail::open_run(node, runtime)); },
              node.properties(), node.properties().takes_extra_ahead && !node.properties().batched ? 32 : 1, from) {}

  /// Returns null if there is no checkpoint.
  static std::unique_ptr<const detail::Checkpoint> parsed(const std::optional<std::string>& checkpoint,
                                                          const std::string& description) {
    if (!checkpoint) return nullptr;
    auto made = std::make_unique<const detail::Checkpoint>(detail::Checkpoint::parse(*checkpoint));
    made->require(description);
    return made;
  }

  const std::string description_;
  detail::PipelineLoop<StdSync> loop_;
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_PIPELINE_HPP
