// SPDX-License-Identifier: MIT
//
// parallel_stage_scenarios.hpp: scenarios of a pipeline of parallel stages over a stream that plays a script. In every
// interleaving the outputs are those of the script, in order.

#ifndef FOREBAY_TESTS_MODEL_PARALLEL_STAGE_SCENARIOS_HPP
#define FOREBAY_TESTS_MODEL_PARALLEL_STAGE_SCENARIOS_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "forebay/coordinator.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/parallel/prefetched_interleave.hpp"
#include "forebay/parallel/parallel_stage.hpp"
#include "forebay/parallel/pipeline_loop.hpp"
#include "forebay/stage/filter.hpp"
#include "forebay/stage/take_skip.hpp"
#include "tests/model/explore.hpp"
#include "tests/model/model_sync.hpp"
#include "tests/model/threads.hpp"
#include "tests/support/typed_loop.hpp"

namespace forebay_model {

namespace stages = forebay::detail;

using forebay::QueueStatus;

/// Plays epochs of numbers. A negative number is a failure.
class Scripted {
 public:
  using Output = int;
  using Script = std::vector<std::vector<int>>;

  explicit Scripted(Script epochs) : epochs_(std::move(epochs)) {}

  stages::PullResult step(stages::Chunk<int>& chunk, std::size_t most, const stages::PullWait& wait) {
    const auto& epoch = epochs_.at(static_cast<std::size_t>(chunk.epoch.number));
    for (bool first = true; place_ < epoch.size(); first = false) {
      if (chunk.size() == most || (!first && wait.over())) return stages::PullResult::more;
      const int number = epoch[place_++];
      if (number < 0) throw std::runtime_error("scripted");
      chunk.push(int{number}, place_ - 1);
    }
    return stages::PullResult::ended;
  }

  void begin(const stages::Epoch& /*epoch*/) noexcept { place_ = 0; }

 private:
  Script epochs_;
  std::size_t place_ = 0;
};
using Script = Scripted::Script;

inline std::unique_ptr<stages::Stream<int>> stream_of(const Script& script) {
  return stages::make_stream(Scripted(script));
}

/// Waits in a queue, as from_queue does.
class Queued {
 public:
  using Output = int;
  using Queue = forebay::FIFOQueue<int, ModelSync>;

  explicit Queued(Queue& queue) : queue_(queue) {}

  stages::PullResult step(stages::Chunk<int>& chunk, std::size_t /*most*/, const stages::PullWait& wait) {
    auto number = queue_.dequeue(static_cast<const stages::PullWaitOf<ModelSync>&>(wait).wait());
    if (number) chunk.push(int{*number}, number_++);
    if (number) return stages::PullResult::more;
    return number.status() == QueueStatus::closed ? stages::PullResult::ended : stages::PullResult::not_now;
  }

 private:
  Queue& queue_;
  std::uint64_t number_ = 0;
};

/// Adds 100. A number of 50 or more is a failure.
class Adder final : public stages::Worker {
 public:
  void run(stages::AnyChunk& any_in, std::size_t& next, std::size_t last, stages::AnyChunk& any_out,
           const stages::PullWait& wait) override {
    auto& in = static_cast<stages::Chunk<int>&>(any_in);
    auto& out = static_cast<stages::Chunk<int>&>(any_out);
    for (const std::size_t first = next; next < last && (next == first || !wait.over()); ++next) {
      if (in[next] % 100 >= 50) throw std::runtime_error("work");
      out.push(in[next] + 100, in.number(next));
    }
  }
};

class Adding final : public stages::Work {
 public:
  [[nodiscard]] std::unique_ptr<stages::Worker> begin() const override { return std::make_unique<Adder>(); }
};

/// How a parallel stage runs.
struct Shape {
  std::size_t threads;
  std::size_t ahead;
  bool is_helped;
  forebay::Order order = forebay::Order::in_order;
};

using Loop = forebay_test::TypedLoop<int, ModelSync>;

/// The properties of a run that cannot resume: a loop's notes of resume points do not involve other threads.
inline stages::Properties properties(bool may_block, std::size_t epochs = 1) {
  stages::Properties made;
  made.epochs = stages::EpochCount(epochs);
  made.may_block = may_block;
  made.cannot_resume = "a scripted stream cannot go back";
  return made;
}
using Runtime = stages::PipelineRuntime<ModelSync>;
using ModelStage = stages::ParallelStage<int, int, ModelSync>;

inline std::unique_ptr<stages::Stream<int>> parallel_stage(stages::Runtime& runtime,
                                                           std::unique_ptr<stages::Stream<int>> stream, Shape shape,
                                                           std::size_t epochs = 1, std::size_t chunk = 1) {
  return std::make_unique<ModelStage>(static_cast<Runtime&>(runtime), std::move(stream), std::make_unique<Adding>(),
                                      stages::ParallelSettings{.name = "stage",
                                                               .threads = shape.threads,
                                                               .ahead = shape.ahead,
                                                               .chunk = chunk,
                                                               .epochs = stages::EpochCount(epochs),
                                                               .order = shape.order,
                                                               .loop_helps = shape.is_helped});
}

/// Keeps the odd numbers of `stream`.
inline std::unique_ptr<stages::Stream<int>> odd(std::unique_ptr<stages::Stream<int>> stream) {
  const auto is_odd = [](int number) { return number % 2 != 0; };
  using Odd = decltype(is_odd);
  stages::Filter<int, Odd> filter{std::make_shared<Odd>(is_odd), stages::StageName("filter")};
  return stages::make_stream(std::move(filter), std::move(stream));
}

/// Opens a parallel stage over a script.
inline auto scripted(const Script& script, Shape shape) {
  return [=](stages::Runtime& runtime) { return parallel_stage(runtime, stream_of(script), shape, script.size()); };
}

/// The outputs of one consumer, and how they ended.
struct Got {
  std::vector<int> outputs;
  QueueStatus status = QueueStatus::ok;
  std::string failure;
};

inline Got take_all(Loop& loop, std::size_t most = 100) {
  Got got;
  try {
    while (got.outputs.size() < most && got.status == QueueStatus::ok) {
      got.status = loop.take(forebay::BasicWait<ModelSync>::forever, nullptr,
                             [&got](int output) { got.outputs.push_back(output); });
    }
  } catch (const forebay::DatasetError& error) {
    got.failure = error.what();
  }
  return got;
}

inline void check_outputs(const Got& got, const std::vector<int>& expected) {
  check(got.outputs == expected, "the outputs are not those before the end, in their order");
}

/// The files of an interleave: number n contains n % 10 elements n. From 50 on a file cannot be opened; from 40 on its
/// second element cannot be read.
struct Files {
  auto operator()(int number) const {
    if (number >= 50) throw std::runtime_error("open");
    return [number, read = 0]() mutable -> std::optional<int> {
      if (++read == 2 && number >= 40) throw std::runtime_error("read");
      return read <= number % 10 ? std::optional(number) : std::nullopt;
    };
  }
};

/// How an interleave runs.
struct PrefetchShape {
  std::size_t cycle;
  std::size_t block;
  std::size_t prefetch;
};

struct ParallelStageScenarios {
  static auto prefetched(const Script& script, PrefetchShape shape, const forebay::OnError& on_error) {
    return [=](stages::Runtime& runtime) {
      const auto files = std::make_shared<const Files>();
      return stages::open_prefetched<int, Files, ModelSync>(
          static_cast<Runtime&>(runtime), stream_of(script), stages::EpochCount(script.size()),
          {files, 0, &runtime, stages::StageName("interleave")}, stages::Turns(shape.cycle, shape.block),
          shape.prefetch, on_error, "interleave");
    };
  }

  /// The inputs of an epoch take turns, as in a plain loop.
  static void inputs_arrive_in_turn(PrefetchShape shape, const Script& script, const std::vector<int>& expected,
                                    bool fails) {
    Loop loop(prefetched(script, shape, forebay::skip(1)), properties(false, script.size()), 1);
    const Got got = take_all(loop);
    check_outputs(got, expected);
    check(fails != got.failure.empty(), "the failure is not told, or one that was skipped");
    check(fails || got.status == QueueStatus::closed, "the end is not told");
  }

  static void stop_ends_lanes(PrefetchShape shape) {
    Loop loop(prefetched({{3, 13, 23}}, shape, {}), properties(false), 1);
    Got got;
    run_together([&] { got = take_all(loop); }, [&] { loop.stop(); });
    check(got.status != QueueStatus::ok, "the loop has not ended");
  }

  /// The loop takes `count` outputs of each epoch.
  static void epoch_of_lanes_is_abandoned(PrefetchShape shape, std::uint64_t count, const std::vector<int>& expected) {
    Loop loop(
        [&](stages::Runtime& runtime) {
          return stages::make_stream(stages::Take<int>{count}, prefetched({{3, 13, 23}, {2}}, shape, {})(runtime));
        },
        properties(false, 2), 1);
    const Got got = take_all(loop);
    check_outputs(got, expected);
    check(got.status == QueueStatus::closed, "the end is not told");
  }

  static void lanes_are_polled(PrefetchShape shape) {
    Loop loop(prefetched({{1, 2}}, shape, {}), properties(false), 1);
    std::vector<int> outputs;
    const auto receive = [&](int output) { outputs.push_back(output); };
    QueueStatus status = QueueStatus::ok;
    for (int polls = 0; polls < 3; ++polls) status = loop.take(forebay::no_wait, nullptr, receive);
    check(status == QueueStatus::ok || status == QueueStatus::empty, "it has ended early");
    const Got got = take_all(loop);
    outputs.insert(outputs.end(), got.outputs.begin(), got.outputs.end());
    check(outputs == std::vector<int>({1, 2, 2}), "an output was lost, or handed out twice");
  }

  static void all_outputs_arrive(Shape shape) {
    Loop loop(scripted({{1, 2, 3}}, shape), properties(false), 1);
    const Got got = take_all(loop);
    check_outputs(got, {101, 102, 103});
    check(got.status == QueueStatus::closed, "the end is not told");
  }

  static void epochs_arrive(Shape shape, const Script& script) {
    Loop loop(scripted(script, shape), properties(false, script.size()), 1);
    for (const auto& epoch : script) {
      stages::EpochBound bound = loop.next_epoch();
      std::size_t outputs = 0;
      while (loop.take(forebay::BasicWait<ModelSync>::forever, &bound, [](int) {}) == QueueStatus::ok) ++outputs;
      check(outputs == epoch.size(), "an epoch has lost outputs, or has others'");
    }
    check(take_all(loop).status == QueueStatus::closed, "the end is not told");
  }

  /// Each epoch has the same outputs, in any order.
  static void epochs_arrive_in_any_order(Shape shape, const Script& script, std::size_t chunk) {
    Loop loop(
        [&](stages::Runtime& runtime) {
          return parallel_stage(runtime, stream_of(script), shape, script.size(), chunk);
        },
        properties(false, script.size()), 1);
    for (const auto& epoch : script) {
      stages::EpochBound bound = loop.next_epoch();
      std::vector<int> outputs;
      const auto receive = [&](int output) { outputs.push_back(output - 100); };
      while (loop.take(forebay::BasicWait<ModelSync>::forever, &bound, receive) == QueueStatus::ok) continue;
      std::sort(outputs.begin(), outputs.end());
      check(outputs == epoch, "an epoch has lost outputs, or has others'");
    }
    check(take_all(loop).status == QueueStatus::closed, "the end is not told");
  }

  static void fails_behind_all_before(Shape shape, std::size_t place, int number) {
    std::vector<int> numbers{1, 2, 3};
    numbers[place] = number;
    Loop loop(scripted({numbers}, shape), properties(false), 1);
    const Got got = take_all(loop);
    for (std::size_t i = 0; i < place; ++i) {
      check(std::count(got.outputs.begin(), got.outputs.end(), numbers[i] + 100) == 1, "an output is lost or doubled");
    }
    check(!got.failure.empty(), "the failure is not told");
  }

  /// See epoch_is_abandoned.
  static void epoch_is_abandoned_in_any_order(Shape shape) {
    Loop loop(
        [&](stages::Runtime& runtime) {
          return stages::make_stream(stages::Take<int>{1},
                                     parallel_stage(runtime, stream_of({{1, 2, 3}, {4}}), shape, 2));
        },
        properties(false, 2), 1);
    const Got got = take_all(loop);
    check(got.outputs.size() == 2 && got.outputs[0] < 104 && got.outputs[1] == 104, "not one output of each epoch");
    check(got.status == QueueStatus::closed, "the end is not told");
  }

  static void fails_at(Shape shape, std::size_t place, int number) {
    std::vector<int> numbers{1, 2, 3};
    numbers[place] = number;
    Loop loop(scripted({numbers}, shape), properties(false), 1);
    const Got got = take_all(loop);
    std::vector<int> expected{101, 102, 103};
    expected.resize(place);
    check_outputs(got, expected);
    check(!got.failure.empty(), "the failure is not told");
    check(take_all(loop).failure == got.failure, "the failure is not told again");
  }

  static void two_consumers_share(Shape shape) {
    Loop loop(scripted({{1, 2, 3}}, shape), properties(false), 1);
    Got one;
    Got other;
    run_together([&] { one = take_all(loop); }, [&] { other = take_all(loop); });
    std::vector<int> all = one.outputs;
    all.insert(all.end(), other.outputs.begin(), other.outputs.end());
    std::sort(all.begin(), all.end());
    check(all == std::vector<int>{101, 102, 103}, "an output was lost, or handed out twice");
    check(std::is_sorted(one.outputs.begin(), one.outputs.end()), "a consumer's outputs are out of order");
    check(one.status == QueueStatus::closed && other.status == QueueStatus::closed, "the end is not told to both");
  }

  static void stop_ends_the_loop(Shape shape) {
    Loop loop(scripted({{1, 2}, {3}}, shape), properties(false, 2), 1);
    Got got;
    run_together([&] { got = take_all(loop); }, [&] { loop.stop(); });
    check(got.status != QueueStatus::ok, "the loop has not ended");
    check(std::is_sorted(got.outputs.begin(), got.outputs.end()), "the outputs are out of order");
  }

  static void outer_stop_ends_the_loop(Shape shape) {
    forebay::BasicCoordinator<ModelSync> outer;
    Loop loop(scripted({{1, 2}}, shape), properties(false), 1);
    loop.attach_to(outer);
    Got got;
    run_together([&] { got = take_all(loop); }, [&] { outer.request_stop(); });
    check(got.status == QueueStatus::stopped || got.outputs.size() == 2, "the loop has ended for no reason");
  }

  /// Two pipelines of one coordinator. One of them fails.
  static void failure_stops_the_other_loop(Shape shape) {
    forebay::BasicCoordinator<ModelSync> outer;
    Loop failing(scripted({{1, -1}}, shape), properties(false), 1);
    Loop other(scripted({{1, 2, 3}}, {1, 1, false}), properties(false), 1);
    failing.attach_to(outer);
    other.attach_to(outer);
    check(!take_all(failing).failure.empty(), "the failure is not told");
    check(outer.should_stop(), "the failure is not told to the coordinator");
    const Got got = take_all(other);
    check(got.status == QueueStatus::stopped && got.outputs.empty(), "the other loop is not stopped");
  }

  static void consumer_leaves(Shape shape, std::size_t outputs) {
    Loop loop(scripted({{1, 2, 3}}, shape), properties(false), 1);
    check(take_all(loop, outputs).outputs.size() == outputs, "an output is missing");
  }

  /// The source blocks in the claim, waiting for a number that arrives late or never.
  static void source_blocks(Shape shape) {
    Queued::Queue queue(1);
    Loop loop(
        [&](stages::Runtime& runtime) { return parallel_stage(runtime, stages::make_stream(Queued(queue)), shape); },
        properties(true), 1);
    std::vector<int> outputs;
    QueueStatus status = QueueStatus::ok;
    run_together(
        [&] {
          status = loop.take(std::chrono::milliseconds(1), nullptr, [&](int output) { outputs.push_back(output); });
        },
        [&] { static_cast<void>(queue.enqueue(1)); });
    check(status == QueueStatus::ok || status == QueueStatus::timed_out, "the deadline is not told");
    queue.close();
    const Got got = take_all(loop);
    outputs.insert(outputs.end(), got.outputs.begin(), got.outputs.end());
    check(outputs == std::vector<int>{101}, "an output was lost, or handed out twice");
    check(got.status == QueueStatus::closed, "the end is not told");
  }

  /// The source blocks in the claim, waiting for a number that never arrives, when the stop is requested.
  static void stop_ends_a_source_that_blocks(Shape shape) {
    Queued::Queue queue(1);
    Loop loop(
        [&](stages::Runtime& runtime) { return parallel_stage(runtime, stages::make_stream(Queued(queue)), shape); },
        properties(true), 1);
    Got got;
    run_together([&] { got = take_all(loop); }, [&] { loop.stop(); });
    check(got.status == QueueStatus::stopped && got.outputs.empty(), "the stop is not told");
  }

  /// The loop's thread does not claim: it works on claims of other threads.
  static void loop_works_on_claims_of_others(Shape shape, const Script& script, const std::vector<int>& expected) {
    Loop loop([&](stages::Runtime& runtime) { return parallel_stage(runtime, stream_of(script), shape, 1, 2); },
              properties(true), 1);
    const Got got = take_all(loop);
    check_outputs(got, expected);
    check(got.failure.empty() != (expected.size() < 5), "the failure is not told");
  }
  static void steps_without_claims(Shape shape) {
    Loop loop(scripted({{1, 2, 3}}, shape), properties(true), 1);
    std::vector<int> outputs;
    loop.for_each([&](int output) { outputs.push_back(output); }, nullptr);
    check(outputs == std::vector<int>({101, 102, 103}), "the steps are not all, in order");
  }

  /// A stop ends the wait of a call that helps. Other threads or later calls continue the work that it has begun.
  static void stop_ends_help(Shape shape, bool may_block) {
    const auto open = [&](stages::Runtime& runtime) {
      return parallel_stage(runtime, stream_of({{1, 2, 3, 4}}), shape, 1, 2);
    };
    Loop loop(open, properties(may_block), 1);
    forebay::BasicCoordinator<ModelSync> stop;
    std::vector<int> outputs;
    const auto receive = [&](int output) { outputs.push_back(output); };
    QueueStatus status = QueueStatus::ok;
    run_together(
        [&] {
          while (status == QueueStatus::ok) status = loop.take(forebay::BasicWait<ModelSync>(stop), nullptr, receive);
        },
        [&] { stop.request_stop(); });
    check(status == QueueStatus::stopped || status == QueueStatus::closed, "the call has ended for no reason");
    if (status == QueueStatus::stopped) status = loop.take(forebay::no_wait, nullptr, receive);
    const Got got = take_all(loop);
    outputs.insert(outputs.end(), got.outputs.begin(), got.outputs.end());
    check(outputs == std::vector<int>({101, 102, 103, 104}), "an output was lost, or handed out twice");
  }

  /// A stage downstream of the parallel stage returns what it has instead of waiting for more.
  static void outputs_go_through_stages_behind(Shape shape, bool may_block) {
    const auto open = [&](stages::Runtime& runtime) { return odd(scripted({{1, 2, 3, 4, 5}}, shape)(runtime)); };
    Loop loop(open, properties(may_block), 4);
    std::vector<int> outputs;
    const auto receive = [&](int output) { outputs.push_back(output); };
    QueueStatus status = loop.take(forebay::no_wait, nullptr, receive);
    check(status == QueueStatus::ok || status == QueueStatus::empty, "it has ended early");
    const Got got = take_all(loop);
    outputs.insert(outputs.end(), got.outputs.begin(), got.outputs.end());
    check(outputs == std::vector<int>({101, 103, 105}), "an output was lost, or handed out twice");
  }

  /// Between two parallel stages, another stage takes one output of each epoch.
  static void epoch_is_abandoned(Shape shape, const Script& script, const std::vector<int>& expected) {
    Loop loop(
        [&](stages::Runtime& runtime) {
          auto first = parallel_stage(runtime, stream_of(script), shape, script.size());
          auto take = stages::make_stream(stages::Take<int>{1}, std::move(first));
          return parallel_stage(runtime, std::move(take), {1, 1, false}, script.size());
        },
        properties(false, script.size()), 1);
    const Got got = take_all(loop);
    check_outputs(got, expected);
    check(got.status == QueueStatus::closed, "the end is not told");
  }

  static void steps_are_one_at_a_time(Shape shape) {
    Loop loop(scripted({{1, 2}, {3}}, shape), properties(false, 2), 1);
    std::vector<int> outputs;
    bool is_stepping = false;
    const auto step = [&](int output) {
      check(!std::exchange(is_stepping, true), "two steps run at once");
      outputs.push_back(output);
      is_stepping = false;
    };
    stages::EpochBound bound = loop.next_epoch();
    loop.for_each(step, &bound);
    check(outputs == std::vector<int>({101, 102}), "the steps of the epoch are not all, in order");
    loop.for_each(step, nullptr);
    check(outputs == std::vector<int>({101, 102, 103}), "the steps are not all, in order");
  }

  /// A second loop beside for_each is refused, or one of the two comes too late. No output is left.
  static void other_loop_is_refused(Shape shape, bool other_steps) {
    Loop loop(scripted({{1, 2, 3}}, shape), properties(false), 1);
    std::vector<int> outputs;
    const auto push = [&](int output) { outputs.push_back(output); };
    const auto step_all = [&] {
      try {
        loop.for_each(push, nullptr);
      } catch (const std::logic_error&) {
        return;
      }
    };
    run_together(step_all, [&] {
      if (other_steps) return step_all();
      try {
        static_cast<void>(loop.take(forebay::BasicWait<ModelSync>::forever, nullptr, push));
      } catch (const std::logic_error&) {
        return;
      }
    });
    check(outputs == std::vector<int>({101, 102, 103}), "an output was lost, or handed out twice");
  }

  static void step_stops(Shape shape) {
    Loop loop(scripted({{1, 2, 3}}, shape), properties(false), 1);
    std::vector<int> outputs;
    loop.for_each(
        [&](int output) {
          outputs.push_back(output);
          if (output == 102) loop.stop();
        },
        nullptr);
    check(outputs == std::vector<int>({101, 102}), "a step was made after the stop");
  }

  /// Returns the outputs that are stepped before the failure is reported.
  static std::vector<int> steps_to_the_failure(Loop& loop) {
    std::vector<int> outputs;
    bool failed = false;
    try {
      loop.for_each([&](int output) { outputs.push_back(output); }, nullptr);
    } catch (const forebay::DatasetError&) {
      failed = true;
    }
    check(failed, "no failure is told");
    return outputs;
  }

  /// A stage downstream of the parallel stage holds outputs of a chunk, and no other chunk follows.
  static void steps_go_through_stages_behind(Shape shape) {
    const auto open = [&](stages::Runtime& runtime) {
      return odd(parallel_stage(runtime, stream_of({{1, 2, 3, -1}}), shape, 1, 4));
    };
    Loop loop(open, properties(false), 1);
    check(steps_to_the_failure(loop) == std::vector<int>({101, 103}), "the steps are not all before the failure");
  }

  static void for_each_tells_a_failure(Shape shape, int number) {
    Loop loop(scripted({{1, number, 3}}, shape), properties(false), 1);
    check(steps_to_the_failure(loop) == std::vector<int>{101}, "the failure is not reported in order");
  }
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_PARALLEL_STAGE_SCENARIOS_HPP
