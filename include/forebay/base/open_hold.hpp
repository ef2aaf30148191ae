// SPDX-License-Identifier: MIT
//
// open_hold.hpp: OpenHold, which keeps a queue open for one of its producers, such as a QueueRunner, or for a consumer.

#ifndef FOREBAY_BASE_OPEN_HOLD_HPP
#define FOREBAY_BASE_OPEN_HOLD_HPP

#include <utility>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A queue closes when the last hold of its producers is released and at least one of these has finished. The same
/// applies to the holds of its consumers. A hold is moved like a std::unique_ptr. It is empty by default, after a move
/// and after finish().
///
/// Requires that the queue outlives the hold. Thread safety: that of an int.
class OpenHold {
 public:
  /// Releases a hold on `queue`. Runs no user code.
  using Release = void (*)(void* queue, bool finished) noexcept;

  OpenHold() = default;

  /// Takes over a hold that the queue has counted already.
  OpenHold(void* queue, Release release) noexcept : queue_(queue), release_(release) {}

  OpenHold(OpenHold&& other) noexcept : OpenHold(std::exchange(other.queue_, nullptr), other.release_) {}
  OpenHold& operator=(OpenHold&& other) noexcept {
    OpenHold moved(std::move(other));
    std::swap(queue_, moved.queue_);
    std::swap(release_, moved.release_);
    return *this;
  }

  /// Releases the hold of a producer that has not produced anything. This alone does not close the queue.
  ~OpenHold() { let_go(false); }

  /// Releases the hold of a consumer, or of a producer that has enqueued all its elements. The last one closes the
  /// queue.
  void finish() noexcept { let_go(true); }

 private:
  void let_go(bool finished) noexcept {
    if (queue_ != nullptr) release_(std::exchange(queue_, nullptr), finished);
  }

  void* queue_ = nullptr;
  Release release_ = nullptr;
};

/// Keeps `queue` open. A queue-like type without holds is closed by each hold that finishes.
template <class Queue>
[[nodiscard]] OpenHold hold_open(Queue& queue) noexcept {
  if constexpr (requires { queue.hold_open(); }) {
    return queue.hold_open();
  } else {
    return OpenHold(&queue, [](void* held, bool finished) noexcept {
      if (finished) static_cast<Queue*>(held)->close();
    });
  }
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_OPEN_HOLD_HPP
