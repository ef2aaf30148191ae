// SPDX-License-Identifier: MIT
//
// erased_queue.hpp: ErasedQueue, a pointer to a queue of any kind, and the table of its functions.

#ifndef FOREBAY_HANDLE_ERASED_QUEUE_HPP
#define FOREBAY_HANDLE_ERASED_QUEUE_HPP

#include <optional>
#include <vector>

#include "forebay/handle/queue_table.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class T, class Sync>
struct ErasedQueue {
  void* queue;
  const QueueTable<T, Sync>* table;

  QueueStatus dequeue_into(std::optional<T>& element, const BasicWait<Sync>& wait) const {
    return table->dequeue(queue, element, wait);
  }
  [[nodiscard]] static std::vector<T> empty_batch() noexcept { return {}; }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_HANDLE_ERASED_QUEUE_HPP
