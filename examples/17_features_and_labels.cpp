// SPDX-License-Identifier: MIT
//
// 17_features_and_labels.cpp: four threads enqueue records of features and a label, a thousand per call; each training
// step dequeues one record. What you learn here:
//
//   - a struct is one element, so a label stays with its features;
//   - enqueue_many enqueues what fits and waits to enqueue the rest. A thousand records pass through a queue of fifty,
//     and no records of other threads come between them;
//   - the consumer requests a stop when it is done, which ends the producers and their waits.

#include <array>
#include <cstddef>
#include <iostream>
#include <random>
#include <vector>

#include <forebay/queues.hpp>

namespace {

struct Record {
  std::array<float, 4> features;
  int label;
};

/// Draws features from a normal distribution with mean 1 and deviation 10. The labels alternate between 0 and 1.
std::vector<Record> make_records(int count) {
  std::mt19937 engine(1);
  std::normal_distribution<float> distribution(1, 10);
  std::vector<Record> records(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    Record& record = records[static_cast<std::size_t>(i)];
    for (float& feature : record.features) feature = distribution(engine);
    record.label = i % 2;
  }
  return records;
}

}  // namespace

int main() {
  const std::vector<Record> records = make_records(1000);
  forebay::FIFOQueue<Record> queue(50);

  // Each thread enqueues all records repeatedly, without end.
  forebay::QueueRunner runner(queue, 4, [&] { return queue.enqueue_many(records); });
  forebay::Coordinator coordinator;
  runner.start(coordinator);

  int ones = 0;
  bool in_order = true;
  for (int step = 0; step < 100 && !coordinator.should_stop(); ++step) {
    const Record record = queue.dequeue().value();
    ones += record.label;
    in_order = in_order && record.features == records[static_cast<std::size_t>(step)].features;
  }
  coordinator.request_stop();
  coordinator.join();

  std::cout << ones << " of 100 labels are 1\n";
  std::cout << (in_order ? "they came in order, from one thread\n" : "they came mixed\n");
}

// Prints:
//
//   50 of 100 labels are 1
//   they came in order, from one thread
