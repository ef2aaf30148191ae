// SPDX-License-Identifier: MIT
//
// output_order.hpp: OutputOrder, the outputs of a segment between those who make them, in any order, and those who take
// them, in the order of their tickets.
//
// Algorithm: `ring_` has a place for the output of each ticket that is under way. Who fills the place of the next
// ticket moves it, and those behind it that are there, on to the queue. That never waits. (In any order, `overtaking_`
// says what may move on.)

#ifndef FOREBAY_PIPELINE_OUTPUT_ORDER_HPP
#define FOREBAY_PIPELINE_OUTPUT_ORDER_HPP

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/map_options.hpp"
#include "forebay/pipeline/overtaking.hpp"
#include "forebay/pipeline/pipeline_host.hpp"
#include "forebay/pipeline/segment_settings.hpp"
#include "forebay/stage/chunk.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Requires that at most settings.ahead tickets are under way or in the queue.
///
/// Thread safety: any member may be called by any thread.
template <class Sync>
class OutputOrder {
 public:
  explicit OutputOrder(const SegmentSettings& settings)
      : any_order_(settings.order == any_order),
        queue_(token_capacity(settings.ahead)),
        ring_(smaller(settings.ahead, tokens_made_at_once)),
        overtaking_(any_order_ ? ring_.size() : 0) {
    queue_.set_name(settings.name, "an output");
  }

  /// Those that may be taken.
  [[nodiscard]] TokenQueue<Sync>& queue() noexcept { return queue_; }
  [[nodiscard]] const TokenQueue<Sync>& queue() const noexcept { return queue_; }

  /// A ticket is under way, with `end` behind its elements. Requires that it is a later one than all before.
  void begin(std::uint64_t ticket, End end) {
    if (!any_order_) return;
    const Lock lock(mutex_);
    overtaking_.begin(ticket, end);
  }

  /// What was made for it.
  void add(std::uint64_t ticket, Token output) {
    const Lock lock(mutex_);
    if (any_order_) {
      overtaking_.add(ticket, std::move(output), [this](Token ready) { put_output(std::move(ready)); });
      return;
    }
    while (ticket - next_to_hand_out_ >= ring_.size()) double_ring();
    ring_[place(ticket)] = std::move(output);
    while (ring_[place(next_to_hand_out_)] != nullptr) {
      put_output(std::exchange(ring_[place(next_to_hand_out_)], nullptr));
      ++next_to_hand_out_;
    }
  }

  /// Storage, if there is any; that which was used last is taken first.
  [[nodiscard]] Token spare() {
    const Lock lock(mutex_);
    if (spares_.empty()) return nullptr;
    Token output = std::move(spares_.back());
    spares_.pop_back();
    return output;
  }

  void recycle(Token output) {
    output->clear();
    const Lock lock(mutex_);
    spares_.push_back(std::move(output));
  }

 private:
  using Lock = std::unique_lock<typename Sync::mutex>;

  void put_output(Token output) { static_cast<void>(queue_.enqueue(std::move(output), no_wait)); }

  /// A ticket may be this far behind the next one only if settings.ahead is larger than the ring.
  void double_ring() {
    std::vector<Token> larger_ring(2 * ring_.size());
    for (std::uint64_t ticket = next_to_hand_out_; ticket < next_to_hand_out_ + ring_.size(); ++ticket) {
      larger_ring[static_cast<std::size_t>(ticket % larger_ring.size())] = std::move(ring_[place(ticket)]);
    }
    ring_ = std::move(larger_ring);
  }

  [[nodiscard]] std::size_t place(std::uint64_t ticket) const noexcept {
    return static_cast<std::size_t>(ticket % ring_.size());
  }

  const bool any_order_;
  TokenQueue<Sync> queue_;

  typename Sync::mutex mutex_;  // guards what follows
  std::vector<Token> ring_;
  std::uint64_t next_to_hand_out_ = 0;
  Overtaking overtaking_;  // in the place of the ring, in any order
  std::vector<Token> spares_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PIPELINE_OUTPUT_ORDER_HPP
