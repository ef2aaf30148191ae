// SPDX-License-Identifier: MIT
//
// prefetched_interleave.hpp: an interleave with a thread for each open input. A parallel stage creates a buffer for
// each input, delivers the buffer, and then reads into it. Downstream, a sequential stage takes from the buffers in
// turn.
//
// There is no deadlock, because the input whose turn it is has been read or is being read. The threads take inputs in
// order, and there is a thread for each place. If the input of a place is missing, then a thread is free, or already
// has that input.

#ifndef FOREBAY_PARALLEL_PREFETCHED_INTERLEAVE_HPP
#define FOREBAY_PARALLEL_PREFETCHED_INTERLEAVE_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/flow/stream.hpp"
#include "forebay/parallel/prefetch_buffer.hpp"
#include "forebay/parallel/parallel_stage.hpp"
#include "forebay/parallel/pipeline_runtime.hpp"
#include "forebay/stage/interleave.hpp"
#include "forebay/stage/work.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The work of the threads.
template <class T, class F, class Sync>
class PrefetchWork final : public Work {
  using Element = typename InnerOf<T, F>::value_type;
  using Pointer = PrefetchBufferPointer<Element, Sync>;

 public:
  /// Each buffer has room for `room` elements. `skips` says whether to continue reading an input after a failure.
  PrefetchWork(InnerFunction<F> function, std::size_t room, bool skips, SharedWaits<Sync> waits)
      : function_(std::move(function)), room_(room), skips_(skips), waits_(std::move(waits)) {}

  [[nodiscard]] std::unique_ptr<Worker> begin() const override { return std::unique_ptr<Worker>(new Reader(*this)); }
  [[nodiscard]] WorkWaits waits() const override { return {waits_->blocked(), waits_->consumer.waited()}; }

 private:
  class Reader final : public Worker {
   public:
    explicit Reader(const PrefetchWork& work) noexcept
        : work_(work), noted_(one_), failures_(noted_), elements_(work.function_, failures_) {}

    void run(AnyChunk& in, std::size_t& next, std::size_t last, AnyChunk& out, const PullWait& /*wait*/) override {
      if (next == last) return;
      try {
        begin(static_cast<Chunk<T>&>(in), static_cast<Chunk<Pointer>&>(out));
      } catch (...) {
        buffer_ = nullptr;
        throw;
      }
      next = last;
    }

    void work_on(const PullWait& wait) noexcept override {
      if (buffer_ == nullptr) return;
      try {
        read_all(PullWaitOf<Sync>(static_cast<const PullWaitOf<Sync>&>(wait), buffer_->is_left()));
      } catch (...) {
        buffer_->fail(std::current_exception());
      }
      elements_.begin({});
      buffer_ = nullptr;
    }

   private:
    /// Passes on failures uncounted, because the consumer counts them in order.
    class Noted final : public ReadFailures {
     public:
      explicit Noted(Chunk<Element>& chunk) noexcept : chunk_(chunk) {}
      void skip(const Epoch& /*epoch*/, std::uint64_t /*number*/, const UserFailure& failure) override {
        chunk_.skipped.push_back({0, {}, failure.cause, failure.location});
      }

     private:
      Chunk<Element>& chunk_;
    };

    void begin(Chunk<T>& in, Chunk<Pointer>& out) {
      buffer_ = std::make_shared<PrefetchBuffer<Element, Sync>>(work_.room_, work_.waits_);
      elements_.begin(in.epoch);
      elements_.give(std::move(in[0]), in.number(0));
      out.push(end_of(buffer_), in.number(0));
    }

    void read_all(const PullWaitOf<Sync>& wait) {
      try {
        elements_.open(wait);
      } catch (UserFailure& failure) {
        return buffer_->end(std::move(failure.cause));
      }
      one_.clear();
      PullResult result = PullResult::more;
      while (result != PullResult::ended && !wait.stop_requested() && buffer_->await_room(wait.wait())) {
        result = elements_.step(one_, 1, wait);
        if (!one_.skipped.empty() && !work_.skips_) result = PullResult::ended;
        buffer_->add(one_);
        one_.clear();
      }
      buffer_->end();
    }

    const PrefetchWork& work_;
    Pointer buffer_;
    Chunk<Element> one_;
    Noted noted_;
    InnerFailures failures_;
    InnerElements<T, F> elements_;
  };

  InnerFunction<F> function_;
  std::size_t room_;
  bool skips_;
  SharedWaits<Sync> waits_;
};

/// Reads up to `prefetch` elements ahead in each input. `upstream` counts what the stages upstream leave out.
template <class T, class F, class Sync>
[[nodiscard]] std::unique_ptr<Stream<typename InnerOf<T, F>::value_type>> open_prefetched(
    PipelineRuntime<Sync>& runtime, std::unique_ptr<Stream<T>> stream, EpochCount epochs, InnerFunction<F> function,
    Turns turns, std::size_t prefetch, const OnError& on_error, const std::string& name,
    std::shared_ptr<LeftOut> upstream = nullptr) {
  using Element = typename InnerOf<T, F>::value_type;
  const std::shared_ptr<LeftOut> left_out = function.left_out;
  auto waits = std::make_shared<PrefetchWaits<Sync>>(name, runtime.trace_of(name));
  runtime.on_stop([waits] { waits->close(); });
  // The consumer takes all elements at once, so it may hold up to one less than the room.
  std::unique_ptr<Work> work(new PrefetchWork<T, F, Sync>(std::move(function), divided_up<std::size_t>(prefetch, 2),
                                                          on_error.limit().has_value(), std::move(waits)));
  ParallelSettings settings{.name = name,
                            .threads = turns.cycle,
                            .ahead = turns.cycle,
                            .chunk = 1,
                            .epochs = epochs,
                            .loop_helps = false,
                            .works_on = true,
                            .unit = "inputs",
                            .left_out = left_out,
                            .left_out_upstream = std::move(upstream)};
  std::unique_ptr<Stream<PrefetchBufferPointer<Element, Sync>>> buffers(
      new ParallelStage<T, PrefetchBufferPointer<Element, Sync>, Sync>(runtime, std::move(stream), std::move(work),
                                                                       std::move(settings)));
  return make_stream(Interleave<PrefetchedElements<Element, Sync>>(turns, {}, SkipCount(on_error, name, left_out)),
                     std::move(buffers));
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_PREFETCHED_INTERLEAVE_HPP
