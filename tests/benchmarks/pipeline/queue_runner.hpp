// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_PIPELINE_QUEUE_RUNNER_HPP
#define FOREBAY_BENCHMARK_PIPELINE_QUEUE_RUNNER_HPP

#include <mutex>
#include <optional>

#include "forebay/coordinator.hpp"
#include "forebay/queue_runner.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "records.hpp"
#include "training.hpp"

namespace forebay_benchmark::input {

// TensorFlow's idiom: the threads of a QueueRunner read and decode, and a queue of images shuffles.
inline void run_queue_runner(const Task& task, Training& training) {
  forebay::RandomShuffleQueue<Image> images(
      {.capacity = window_size + 3 * images_of_a_batch, .min_after_dequeue = window_size, .seed = 7});
  Reader reader = task.reader();
  std::mutex mutex;
  const auto read = [&](Record& into) {
    const std::lock_guard lock(mutex);
    return reader(into);
  };
  forebay::QueueRunner runner(images, threads, [&]() -> std::optional<Image> {
    Record record;
    if (!read(record)) return std::nullopt;
    std::optional<Image> image(std::in_place);
    task.decode(record, *image);
    return image;
  });
  forebay::Coordinator coordinator;
  runner.start(coordinator);
  Batch batch;
  while (images.dequeue_up_to(images_of_a_batch, batch) == forebay::QueueStatus::ok) training.step(batch);
  coordinator.join();
}

}  // namespace forebay_benchmark::input

#endif  // FOREBAY_BENCHMARK_PIPELINE_QUEUE_RUNNER_HPP
