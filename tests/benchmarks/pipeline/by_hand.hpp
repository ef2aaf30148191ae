// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_PIPELINE_BY_HAND_HPP
#define FOREBAY_BENCHMARK_PIPELINE_BY_HAND_HPP

#include <span>

#include "records.hpp"
#include "training.hpp"
#include "window.hpp"

namespace forebay_benchmark::input {

// The loop that a user writes for one thread. It moves nothing without need, and allocates only at the start.
template <class Task, class Training>
void run_by_hand(const Task& task, Training& training) {
  Window window(task.reader());
  Batch batch(images_of_a_batch);
  std::size_t filled = 0;
  while (window.next([&](const Record& record) { task.decode(record, batch[filled]); })) {
    if (++filled < batch.size()) continue;
    training.step(batch);
    filled = 0;
  }
  if (filled > 0) training.step(std::span(batch).first(filled));
}

}  // namespace forebay_benchmark::input

#endif  // FOREBAY_BENCHMARK_PIPELINE_BY_HAND_HPP
