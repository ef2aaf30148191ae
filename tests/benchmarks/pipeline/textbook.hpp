// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_PIPELINE_TEXTBOOK_HPP
#define FOREBAY_BENCHMARK_PIPELINE_TEXTBOOK_HPP

#include <cstddef>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "../textbook_queue.hpp"
#include "records.hpp"
#include "training.hpp"
#include "window.hpp"

namespace forebay_benchmark::input {

// Two threads take turns to draw records from a window that a mutex guards, and decode them into the textbook queue.
// The loop takes them out one by one.
inline void run_textbook(const Task& task, Training& training) {
  TextbookQueue<Image> queue(8 * images_of_a_batch);
  Window window(task.reader());
  std::mutex mutex;
  const auto take = [&](Record& into) {
    const std::lock_guard lock(mutex);
    return window.next([&](const Record& record) { into = record; });
  };
  const auto work = [&] {
    Record record{};
    Image image{};
    while (take(record)) {
      task.decode(record, image);
      queue.push(image);
    }
  };
  std::vector<std::jthread> workers;
  for (std::size_t i = 0; i < threads; ++i) workers.emplace_back(work);
  std::jthread closer([&] {
    for (std::jthread& worker : workers) worker.join();
    queue.close();
  });

  Batch batch;
  batch.reserve(images_of_a_batch);
  while (std::optional<Image> image = queue.pop()) {
    batch.push_back(*image);
    if (batch.size() < images_of_a_batch) continue;
    training.step(batch);
    batch.clear();
  }
  if (!batch.empty()) training.step(batch);
}

}  // namespace forebay_benchmark::input

#endif  // FOREBAY_BENCHMARK_PIPELINE_TEXTBOOK_HPP
