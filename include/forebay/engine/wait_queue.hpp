// SPDX-License-Identifier: MIT
//
// wait_queue.hpp: WaitQueue, the calls that wait on one side of a queue, oldest first. Guarded by both locks of the
// queue.

#ifndef FOREBAY_ENGINE_WAIT_QUEUE_HPP
#define FOREBAY_ENGINE_WAIT_QUEUE_HPP

#include <cstddef>
#include <cstdint>
#include <limits>

#include "forebay/base/arithmetic.hpp"
#include "forebay/engine/waiter.hpp"
#include "forebay/engine/wake_list.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Keeps totals over all waiters, so that joining and leaving take the same time with ten thousand waiters as with one.
///
/// Invariants:
///  - size() waiters are linked, by increasing position; turns() of them have the turn;
///  - each waiter is waiting, attending or chosen; only the first one may be half done;
///  - claimed_by_chosen_ is the sum of the claims of the chosen waiters; first_to_choose_ is the first other waiter.
template <class Sync>
class WaitQueue {
 public:
  static constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t least_bargings = 8;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t turns() const noexcept { return turns_; }
  [[nodiscard]] bool is_first(const Waiter<Sync>& waiter) const noexcept { return first_ == &waiter; }

  /// Returns whether the first waiter is half done.
  [[nodiscard]] bool has_half_done() const noexcept { return first_ != nullptr && first_->is_half_done(); }

  /// Returns whether the first waiter moves a batch in steps.
  [[nodiscard]] bool has_moving() const noexcept { return first_ != nullptr && first_->moves_in_steps; }

  void join(Waiter<Sync>& waiter) noexcept {
    waiter.state = WaiterState::waiting;
    waiter.precedence = Precedence::none;
    waiter.position = last_ != nullptr ? last_->position + 1 : middle;
    link(waiter, last_, nullptr);
    if (first_to_choose_ == nullptr) first_to_choose_ = &waiter;
  }

  void leave(Waiter<Sync>& waiter) noexcept {
    if (waiter.has_turn()) --turns_;
    if (waiter.is_chosen()) claimed_by_chosen_ -= waiter.claim;
    if (first_to_choose_ == &waiter) first_to_choose_ = next_to_choose(waiter);
    unlink(waiter);
    waiter.state = WaiterState::outside;
  }

  /// Makes a waiter that has attended, or was chosen and has received its signal, wait to be chosen again.
  void look_again(Waiter<Sync>& waiter) noexcept {
    const bool was_chosen = waiter.is_chosen();
    waiter.state = WaiterState::waiting;
    if (!was_chosen) return;
    claimed_by_chosen_ -= waiter.claim;
    if (first_to_choose_ == nullptr || waiter.position < first_to_choose_->position) first_to_choose_ = &waiter;
  }

  /// Counts that other calls barged past this waiter. It gets the turn only after a few bargings, or after as many as
  /// there are waiters, because each newcomer that lines up has to park.
  void barged(Waiter<Sync>& waiter) noexcept {
    if (++waiter.times_barged >= larger(least_bargings, size_)) give_turn(waiter);
  }

  /// Gives this waiter the turn, so that newcomers line up behind it.
  void give_turn(Waiter<Sync>& waiter) noexcept {
    if (waiter.has_turn()) return;
    waiter.precedence = Precedence::turn;
    ++turns_;
  }

  /// Puts a waiter that has moved some of its elements before all others, so that their elements do not mix.
  [[gnu::noinline]] void put_first(Waiter<Sync>& waiter) noexcept {
    give_turn(waiter);
    waiter.precedence = Precedence::half_done;
    if (first_ == &waiter) return;
    unlink(waiter);
    waiter.position = first_->position - 1;
    link(waiter, nullptr, first_);
    if (!waiter.is_chosen()) first_to_choose_ = &waiter;
  }

  /// Returns how many elements, or how much room, the waiters ahead of this one claim that have the turn.
  [[nodiscard]] std::size_t claimed_before(const Waiter<Sync>& waiter) const noexcept {
    return claimed_until(&waiter);
  }

  /// Returns how many elements, or how much room, the waiters claim that have the turn.
  [[nodiscard]] std::size_t claimed_by_all() const noexcept { return claimed_until(nullptr); }

  /// Returns how many of the last `available` elements the waiters ahead of this one receive, if no more can arrive.
  [[nodiscard]] std::size_t shared_out_before(const Waiter<Sync>& waiter, std::size_t available) const noexcept {
    std::size_t left = available;
    for (const Waiter<Sync>* each = first_; left > 0 && each != &waiter; each = each->behind) {
      if (each->is_half_done()) return available;
      left -= each->demand.share_at_end(left);
    }
    return available - left;
  }

  /// Chooses, oldest first, the waiters that can be served in addition to those already chosen. `there` is the number
  /// of elements, or the room, of which `kept` must remain. `passed` is the total so far. Returns the total at which
  /// the next waiter can be served.
  std::uint64_t choose_served(std::size_t there, std::size_t kept, std::uint64_t passed,
                              WakeList<Sync>& wake_list) noexcept {
    if (has_half_done()) return choose_half_done(there, kept, passed, wake_list);
    std::size_t claimed = saturating_add(kept, claimed_by_chosen_);
    while (first_to_choose_ != nullptr) {
      Waiter<Sync>& next = *first_to_choose_;
      if (next.accumulates && &next != first_) return never;
      claimed = saturating_add(claimed, next.need);
      if (claimed > there) return expect(next, passed, claimed - there);
      choose(next, next.need, wake_list);
    }
    return never;
  }

  /// Returns whether it depends on the waiters ahead what a waiter receives of the last `stored` elements, if no more
  /// can arrive: any of them may leave without its share.
  [[nodiscard]] bool depends_on_those_ahead(const Waiter<Sync>& waiter, std::size_t stored) const noexcept {
    if (&waiter == first_) return false;
    const std::size_t least = waiter.demand.least_at_end;
    if (stored < least) return has_half_done();  // which may return elements
    return stored - shared_out_before(waiter, stored) < least;
  }

  /// Chooses, oldest first, the waiters that no longer depend on those ahead, because no more can arrive. A waiter that
  /// leaves settles, so that the next one is chosen.
  std::uint64_t choose_at_end(std::size_t stored, WakeList<Sync>& wake_list) noexcept {
    while (first_to_choose_ != nullptr && !depends_on_those_ahead(*first_to_choose_, stored))
      choose(*first_to_choose_, 0, wake_list);
    return never;
  }

  /// Removes all waiters, because the queue was closed with cancel.
  void dismiss_all(WakeList<Sync>& wake_list) noexcept {
    for (Waiter<Sync>* each = first_; each != nullptr; each = each->behind) {
      if (!each->is_chosen()) wake_list.add(*each);
      each->state = WaiterState::dismissed;
    }
    *this = WaitQueue();
  }

  [[nodiscard]] bool invariants_hold() const noexcept {
    std::size_t linked = 0;
    std::size_t turns = 0;
    std::size_t claimed = 0;
    const Waiter<Sync>* first_to_choose = nullptr;
    for (const Waiter<Sync>* each = first_; each != nullptr; each = each->behind) {
      ++linked;
      turns += each->has_turn() ? 1U : 0U;
      claimed += each->is_chosen() ? each->claim : 0;
      if (!each->is_chosen() && first_to_choose == nullptr) first_to_choose = each;
      if (each != first_ && (each->is_half_done() || each->position <= each->ahead->position)) return false;
    }
    return linked == size_ && turns == turns_ && claimed == claimed_by_chosen_ && first_to_choose == first_to_choose_;
  }

 private:
  static constexpr std::uint64_t middle = std::uint64_t{1} << 63;  // leaves as many positions before it as after it

  [[nodiscard, gnu::noinline]] std::size_t claimed_until(const Waiter<Sync>* end) const noexcept {
    if (has_half_done() && first_ != end) return everything;
    std::size_t claimed = 0;
    std::size_t turns_left = turns_;
    for (const Waiter<Sync>* each = first_; turns_left > 0 && each != end; each = each->behind) {
      if (!each->has_turn()) continue;
      claimed = saturating_add(claimed, each->need);
      --turns_left;
    }
    return claimed;
  }

  /// Serves the first waiter alone, because it is half done.
  std::uint64_t choose_half_done(std::size_t there, std::size_t kept, std::uint64_t passed,
                                 WakeList<Sync>& wake_list) noexcept {
    if (first_->state == WaiterState::attending || first_->is_chosen()) return never;
    const std::size_t claimed = saturating_add(kept, first_->need);
    if (claimed > there) return expect(*first_, passed, claimed - there);
    choose(*first_, first_->need, wake_list);
    return never;
  }

  /// Returns the total at which this waiter can be served. Counts a barging if the total expected earlier has passed.
  [[gnu::noinline]] std::uint64_t expect(Waiter<Sync>& waiter, std::uint64_t passed, std::size_t missing) noexcept {
    const auto count = saturating_add<std::uint64_t>(passed, missing);
    if (waiter.due == never) waiter.due = count;
    if (passed < waiter.due) return count;
    barged(waiter);
    waiter.due = count;
    return count;
  }

  /// Chooses the first waiter that is not chosen yet. A call without a thread looks only when the coroutines before it
  /// are suspended again, so it gets the turn.
  [[gnu::noinline]] void choose(Waiter<Sync>& waiter, std::size_t claim, WakeList<Sync>& wake_list) noexcept {
    if (waiter.suspended != nullptr) [[unlikely]]
      give_turn(waiter);
    wake_list.add(waiter);
    waiter.state = WaiterState::chosen;
    waiter.claim = claim;
    claimed_by_chosen_ += claim;
    first_to_choose_ = next_to_choose(waiter);
  }

  static Waiter<Sync>* next_to_choose(const Waiter<Sync>& waiter) noexcept {
    Waiter<Sync>* next = waiter.behind;
    while (next != nullptr && next->is_chosen()) next = next->behind;
    return next;
  }

  void link(Waiter<Sync>& waiter, Waiter<Sync>* ahead, Waiter<Sync>* behind) noexcept {
    waiter.ahead = ahead;
    waiter.behind = behind;
    (ahead != nullptr ? ahead->behind : first_) = &waiter;
    (behind != nullptr ? behind->ahead : last_) = &waiter;
    ++size_;
  }

  void unlink(Waiter<Sync>& waiter) noexcept {
    (waiter.ahead != nullptr ? waiter.ahead->behind : first_) = waiter.behind;
    (waiter.behind != nullptr ? waiter.behind->ahead : last_) = waiter.ahead;
    --size_;
  }

  Waiter<Sync>* first_ = nullptr;
  Waiter<Sync>* last_ = nullptr;
  std::size_t size_ = 0;
  std::size_t turns_ = 0;
  std::size_t claimed_by_chosen_ = 0;
  Waiter<Sync>* first_to_choose_ = nullptr;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_WAIT_QUEUE_HPP
