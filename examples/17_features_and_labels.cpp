// SPDX-License-Identifier: MIT
//
// 17_features_and_labels.cpp: records of four features and a label, put in a thousand at a time by four threads, and
// taken out one a step. What you learn here:
//
//   - a struct is one element: what belongs together goes in and comes out together;
//   - enqueue_many puts in what fits and waits for the rest: a thousand go through a queue of fifty, and no other
//     thread's come in between;
//   - whoever has had enough requests a stop, which ends the waits of those that would go on for ever.

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

/// Features from a normal distribution with mean 1 and deviation 10, labels 0 and 1 in turn.
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

  // Each thread puts in all of them, again and again: without an end.
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
