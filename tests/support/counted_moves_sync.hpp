// SPDX-License-Identifier: MIT
//
// counted_moves_sync.hpp: StdSync that knows when a thread holds a queue's locks. It can call a function whenever the
// thread has released all of them. Also an element that counts its moves and copies under a lock.

#ifndef FOREBAY_TESTS_SUPPORT_COUNTED_MOVES_SYNC_HPP
#define FOREBAY_TESTS_SUPPORT_COUNTED_MOVES_SYNC_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/sync.hpp"

namespace forebay_test {

struct CountedMovesSync : forebay::StdSync {
  /// The state of a SpinLock: 0 means free, 1 means held, other values are reserved. A thread locks with an exchange
  /// and unlocks with a store.
  class LockState : public std::atomic<unsigned char> {
   public:
    explicit LockState(unsigned char state) noexcept : std::atomic<unsigned char>(state) {}

    unsigned char exchange(unsigned char state, std::memory_order order) noexcept {
      const unsigned char before = std::atomic<unsigned char>::exchange(state, order);
      if (before != 1) begin_hold(this);
      return before;
    }
    void store(unsigned char state, std::memory_order order) noexcept {
      const bool was_held = end_hold(this);
      std::atomic<unsigned char>::store(state, order);
      if (was_held && held.empty() && on_release) call_on_release();
    }
  };

  template <class T>
  using atomic = std::conditional_t<std::is_same_v<T, unsigned char>, LockState, std::atomic<T>>;

  /// Counts a move if the calling thread holds a lock.
  static void note_move() noexcept {
    if (held.empty()) return;
    const std::size_t moves = ++moves_of_this_hold;
    std::size_t most = most_moves;
    while (most < moves && !most_moves.compare_exchange_weak(most, moves)) continue;
  }

  /// The most moves by any thread in one hold, since this was last set to 0. When a thread holds two locks at once, the
  /// hold lasts from the first lock to the last unlock.
  inline static std::atomic<std::size_t> most_moves = 0;

  /// Runs in this thread when it has released its last lock, unless it is already running. Another thread could do the
  /// same to the queue at that moment.
  inline static thread_local std::function<void()> on_release;

 private:
  static void begin_hold(const LockState* lock) noexcept {
    if (held.empty()) moves_of_this_hold = 0;
    held.push_back(lock);
  }
  static bool end_hold(const LockState* lock) noexcept { return std::erase(held, lock) > 0; }

  static void call_on_release() {
    const std::function<void()> function = std::exchange(on_release, nullptr);
    function();
    on_release = function;
  }

  inline static thread_local std::vector<const LockState*> held;
  inline static thread_local std::size_t moves_of_this_hold = 0;
};

/// A number. For the compiler its moves may throw if `moves_may_throw`.
template <bool moves_may_throw>
class CountedMove {
 public:
  explicit CountedMove(int number) noexcept : number_(number) {}
  CountedMove(const CountedMove& other) noexcept : number_(other.number_) { CountedMovesSync::note_move(); }
  CountedMove(CountedMove&& other) noexcept(!moves_may_throw) : number_(other.number_) {  // NOLINT
    CountedMovesSync::note_move();
  }
  CountedMove& operator=(const CountedMove& other) noexcept {
    number_ = other.number_;
    CountedMovesSync::note_move();
    return *this;
  }
  ~CountedMove() = default;

  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_COUNTED_MOVES_SYNC_HPP
