// SPDX-License-Identifier: MIT
//
// permits.hpp: Permits, the room ahead of a segment: one permit for each output that may be read and not yet taken.

#ifndef FOREBAY_PIPELINE_PERMITS_HPP
#define FOREBAY_PIPELINE_PERMITS_HPP

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/pipeline/pipeline_host.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The permits are tokens in a queue, so a worker waits for one with its own deadline. Most permits of a large count
/// are never needed: they are put into the queue in portions, each when the queue is found empty.
///
/// Thread safety: any member may be called by any thread.
template <class Sync>
class Permits {
 public:
  explicit Permits(std::size_t count) : queue_(token_capacity(count)), left_(count) { add_portion(); }

  void set_name(const std::string& stage) { queue_.set_name(stage, "room ahead"); }

  /// Takes a permit, or adds one to `permits`, if one is free. Never waits.
  bool take_now() {
    return take_by([this] { return queue_.dequeue(no_wait).status(); });
  }
  bool take_now(std::vector<Token>& permits) {
    return take_by([this, &permits] { return queue_.dequeue_available(1, permits, no_wait); });
  }

  /// Waits for `count` permits. Requires that take_now() has found none. Returns false if the wait ends.
  bool await(std::size_t count, std::vector<Token>& permits, const BasicWait<Sync>& wait) {
    return queue_.dequeue_many(count, permits, wait) == QueueStatus::ok;
  }

  void give_back() { put_token(queue_); }

  /// Nobody waits any more.
  void close() noexcept { queue_.close(cancel_pending_enqueues); }

  /// How long threads have waited for permits.
  [[nodiscard]] std::chrono::nanoseconds waited() const { return queue_.statistics().consumers.waited; }

 private:
  template <class Take>
  bool take_by(const Take& take) {
    for (;;) {
      const QueueStatus status = take();
      if (status != QueueStatus::empty || !add_portion()) return status == QueueStatus::ok;
    }
  }

  /// Returns false if all permits have been in the queue.
  bool add_portion() {
    const std::unique_lock lock(mutex_);
    const std::size_t portion = smaller(left_, tokens_made_at_once);
    for (std::size_t i = 0; i < portion; ++i, --left_) put_token(queue_);
    return portion > 0;
  }

  TokenQueue<Sync> queue_;
  typename Sync::mutex mutex_;  // guards what follows
  std::size_t left_;            // permits that have not been in the queue yet
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PIPELINE_PERMITS_HPP
