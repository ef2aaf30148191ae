// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_PIPELINE_CONTENDERS_HPP
#define FOREBAY_BENCHMARK_PIPELINE_CONTENDERS_HPP

#include <functional>
#include <vector>

#include "by_hand.hpp"
#include "dataset.hpp"
#include "queue_runner.hpp"
#include "records.hpp"
#include "tbb.hpp"
#include "textbook.hpp"
#include "training.hpp"

namespace forebay_benchmark::input {

struct Contender {
  const char* name;
  std::function<void(const Task&, Training&)> run;
};

inline constexpr const char* by_hand_name = "by hand, one thread";
inline constexpr const char* batch_tokens_name = "oneTBB, batch tokens";
inline constexpr const char* for_each_name = "forebay, for_each";
inline constexpr const char* range_for_name = "forebay, range-for";
inline constexpr const char* one_thread_name = "forebay, one thread";

inline Contender range_for(const char* name, const forebay::MapOptions& options) {
  return {name, [options](const Task& task, Training& training) {
            for (const Batch& batch : dataset(task, options).run()) training.step(batch);
          }};
}

inline Contender for_each(const char* name, const forebay::MapOptions& options) {
  return {name, [options](const Task& task, Training& training) {
            dataset(task, options).run().for_each([&](const Batch& batch) { training.step(batch); });
          }};
}

inline std::vector<Contender> contenders() {
  return {{by_hand_name, run_by_hand<Task, Training>},
          {"textbook queue", run_textbook},
          {"RandomShuffleQueue, QueueRunner", run_queue_runner},
#ifdef FOREBAY_BENCHMARK_HAS_TBB
          {"oneTBB, record tokens", run_record_tokens},
          {batch_tokens_name, run_batch_tokens<Task, Training>},
#endif
          range_for(range_for_name, {.threads = threads}),
          for_each(for_each_name, {.threads = threads}),
          range_for(one_thread_name, {})};
}

// Contenders that show the effect of one slow record: with the default read-ahead, and with 16 chunks for each thread.
inline std::vector<Contender> slow_record_contenders() {
  const forebay::MapOptions far_ahead{.threads = threads, .ahead = 16 * threads};
  return {{by_hand_name, run_by_hand<Task, Training>},
#ifdef FOREBAY_BENCHMARK_HAS_TBB
          {batch_tokens_name, run_batch_tokens<Task, Training>},
#endif
          range_for(range_for_name, {.threads = threads}),
          for_each(for_each_name, {.threads = threads}),
          range_for("forebay, range-for, 16 a thread", far_ahead),
          for_each("forebay, for_each, 16 a thread", far_ahead)};
}

// Pipelines that differ only in whether they record their positions.
template <class Stage>
Contender staged(const char* name) {
  return {name, [](const Task& task, Training& training) {
            for (const Batch& batch : dataset(task, {.threads = threads}).apply(Stage()).run()) training.step(batch);
          }};
}
inline std::vector<Contender> checkpoint_contenders() {
  return {staged<PassOn>("forebay, without places"), staged<SavedPassOn>("forebay, with places")};
}

}  // namespace forebay_benchmark::input

#endif  // FOREBAY_BENCHMARK_PIPELINE_CONTENDERS_HPP
