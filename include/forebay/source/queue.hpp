// SPDX-License-Identifier: MIT
//
// queue.hpp: the elements of a queue as a data set (from_queue).

#ifndef FOREBAY_SOURCE_QUEUE_HPP
#define FOREBAY_SOURCE_QUEUE_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "forebay/dequeue_any.hpp"
#include "forebay/describe/properties.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/describe/single_use.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/flow/errors.hpp"
#include "forebay/flow/stage_node.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Delivers the elements of a queue. Each pull waits for the first element or the end, and then takes all stored
/// elements.
///
/// A waiting thread may have its own deadline and stop. A second queue, which stays empty and is closed when the
/// pipeline stops, ends the wait.
template <class T, class Queue>
class QueueElements {
 public:
  using Output = T;

  QueueElements(Queue& queue, Runtime& runtime, std::string name)
      : queue_(queue), stop_(std::make_shared<FIFOQueue<T>>(1)), name_(std::move(name)) {
    runtime.on_stop([stop = stop_] { stop->close(std::make_exception_ptr(Stopped())); });
  }

  PullResult step(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    try {
      QueueStatus status = queue_.dequeue_available(most - chunk.size(), taken_, no_wait);
      if (status == QueueStatus::ok) {
        for (auto&& element : taken_) chunk.push(std::move(element), number_++);
      } else if (status == QueueStatus::empty && wait.may_block()) {
        status = wait_for_one(chunk, static_cast<const PullWaitOf<StdSync>&>(wait).wait());
      }
      if (status == QueueStatus::ok) return PullResult::more;
      return status == QueueStatus::closed ? PullResult::ended : PullResult::not_now;
    } catch (const Stopped&) {
      return PullResult::not_now;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (...) {
      throw_as_dataset_error(name_, {0, number_});
    }
  }

 private:
  struct Stopped {};

  QueueStatus wait_for_one(Chunk<T>& chunk, const Wait& wait) {
    auto taken = dequeue_before(wait, QueueRef(queue_), QueueRef(*stop_));
    if (taken) chunk.push(std::move(taken->element), number_++);
    return taken.status();
  }

  Queue& queue_;
  std::shared_ptr<FIFOQueue<T>> stop_;
  std::string name_;
  std::vector<T> taken_;
  std::uint64_t number_ = 0;
};

[[nodiscard]] inline Properties describe_queue() {
  Properties properties;
  properties.may_block = true;
  properties.describe("from_queue");
  properties.cannot_resume = "a from_queue cannot replay";
  properties.single_uses.push_back(std::make_shared<SingleUse>("a from_queue"));
  return properties;
}

template <class T, class Queue>
[[nodiscard]] NodePointer<T> queue_node(Queue& queue) {
  return make_node<T>(describe_queue(), [&queue](OpenContext&& opening, const Properties& /*properties*/) {
    Runtime& runtime = opening.runtime;
    return make_stream(QueueElements<T, Queue>(queue, runtime, opening.take_name("from_queue")));
  });
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_SOURCE_QUEUE_HPP
