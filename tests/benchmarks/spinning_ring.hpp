// SPDX-License-Identifier: MIT
//
// A bounded queue whose threads never sleep: D. Vyukov's array of cells with sequence numbers. A thread that finds it
// full or empty spins, and then yields. This is fast while every thread has a core, and uses that core while it waits.

#ifndef FOREBAY_BENCHMARK_SPINNING_RING_HPP
#define FOREBAY_BENCHMARK_SPINNING_RING_HPP

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "contenders.hpp"
#include "forebay/sync.hpp"

namespace forebay_benchmark {

// The capacity is rounded up to a power of two, and to 2.
class SpinningRing {
 public:
  static constexpr std::string_view name = "spinning ring";

  explicit SpinningRing(std::size_t capacity)
      : mask_(std::bit_ceil(std::max<std::size_t>(capacity, 2)) - 1), cells_(std::make_unique<Place[]>(mask_ + 1)) {
    for (std::size_t i = 0; i <= mask_; ++i) cells_[i].turn.store(i);
  }

  void push(Element value) {
    Place& place = *take_place(tail_, 0);
    place.value = value;
    pass_on(place, 1);
  }
  Element pop() {
    Place& place = *take_place(head_, 1);
    const Element value = place.value;
    pass_on(place, mask_);
    return value;
  }
  void push_many(std::span<const Element> values) { push_one_by_one(*this, values); }
  void pop_many(std::size_t count, std::vector<Element>& batch) { pop_one_by_one(*this, count, batch); }

 private:
  // Position p may be written when its turn is p, and read when it is p + 1.
  struct Place {
    std::atomic<std::size_t> turn;
    Element value;
  };

  Place* take_place(std::atomic<std::size_t>& next, std::size_t offset) {
    std::size_t position = next.load(std::memory_order_relaxed);
    for (unsigned attempts = 0;;) {
      Place& place = cells_[position & mask_];
      const std::size_t turn = place.turn.load(std::memory_order_acquire);
      if (turn == position + offset) {
        if (next.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) return &place;
        continue;
      }
      if (static_cast<std::ptrdiff_t>(turn - (position + offset)) < 0) wait(attempts);
      position = next.load(std::memory_order_relaxed);
    }
  }

  // Only the thread that has taken the place calls this.
  static void pass_on(Place& place, std::size_t by) {
    place.turn.store(place.turn.load(std::memory_order_relaxed) + by, std::memory_order_release);
  }

  static void wait(unsigned& attempts) {
    constexpr unsigned pauses = 64;
    if (++attempts < pauses) {
      forebay::StdSync::pause();
    } else {
      std::this_thread::yield();
    }
  }

  const std::size_t mask_;
  const std::unique_ptr<Place[]> cells_;
  alignas(128) std::atomic<std::size_t> tail_{0};
  alignas(128) std::atomic<std::size_t> head_{0};
};

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_SPINNING_RING_HPP
