// SPDX-License-Identifier: MIT
//
// any_dequeue.hpp: one call of dequeue_any, and the two kinds of list that it works on.

#ifndef FOREBAY_HANDLE_ANY_DEQUEUE_HPP
#define FOREBAY_HANDLE_ANY_DEQUEUE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <variant>

#include "forebay/handle/erased_sink.hpp"
#include "forebay/waiting/parker.hpp"
#include "forebay/waiting/adaptive_spin.hpp"
#include "forebay/base/random_bits.hpp"
#include "forebay/engine/wait_queue.hpp"
#include "forebay/handle/queue_table.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI {

template <class T, class Sync>
class QueueRef;

namespace detail {

/// Queues of one element type. Their number is known at compile time, or dynamic_extent.
template <class TheResult, class T, class Sync, std::size_t extent>
class QueuesOfOneType {
 public:
  using Result = TheResult;

  explicit QueuesOfOneType(std::span<const QueueRef<T, Sync>, extent> queues) noexcept : queues_(queues) {}

  [[nodiscard]] std::size_t size() const noexcept { return queues_.size(); }

  [[nodiscard]] auto make_waiters() const {
    if constexpr (extent == std::dynamic_extent) {
      return std::make_unique<Waiter<Sync>[]>(size());
    } else {
      return std::array<Waiter<Sync>, extent>();
    }
  }

  /// Calls visitor(queue, sink) for queue i; the sink makes the result.
  template <class Visitor>
  decltype(auto) visit(std::size_t i, std::optional<Result>& result, Visitor visitor) const {
    PositionSink<T, Result, std::size_t> sink(result, i);
    return visitor(queues_[i], sink);
  }

 private:
  std::span<const QueueRef<T, Sync>, extent> queues_;
};

/// Queues of different element types.
template <class Sync, class... Elements>
class QueuesOfSeveralTypes {
 public:
  using Result = std::variant<Elements...>;

  explicit QueuesOfSeveralTypes(const QueueRef<Elements, Sync>&... queues) noexcept : queues_(queues...) {}

  [[nodiscard]] static constexpr std::size_t size() noexcept { return sizeof...(Elements); }

  [[nodiscard]] static auto make_waiters() { return std::array<Waiter<Sync>, size()>(); }

  template <std::size_t at = 0, class Visitor>
  decltype(auto) visit(std::size_t i, std::optional<Result>& result, Visitor visitor) const {
    if constexpr (at + 1 < size()) {
      if (i != at) return visit<at + 1>(i, result, visitor);
    }
    using T = std::variant_alternative_t<at, Result>;
    PositionSink<T, Result, std::in_place_index_t<at>> sink(result, std::in_place_index<at>);
    return visitor(std::get<at>(queues_), sink);
  }

 private:
  std::tuple<QueueRef<Elements, Sync>...> queues_;
};

/// One call of dequeue_any.
///
/// It has a waiter in the line of each queue, and one bell for all of them. Why nothing is lost:
///  - It locks one queue at a time, and none while it waits. So no order of locks is needed between queues.
///  - A look at a queue joins its line, or stays in it, and settles the queue before it unlocks: from then on whoever
///    supplies that queue chooses the waiter and rings the bell. The bell is sticky: if it rings while the call still
///    looks at the other queues, the sleep that follows ends at once and every queue is looked at again. So nothing
///    that came after a look is slept over.
///  - A waiter may be chosen in several queues at once. The call takes one element and leaves every other line, and
///    leaving settles that queue: what the waiter was chosen for there goes to the next one in line.
///  - Each choice is followed by one signal to that waiter. A look or leave that finds its waiter chosen waits for the
///    signal, without a lock, before it lets the waiter be chosen again or go. So nobody touches a waiter, or the bell
///    rung before it, after the call has returned. Such a signal is on its way already, from a thread that waits for
///    nothing in between: the call itself holds no signal back when it waits, because it has settled nothing since it
///    last delivered.
///  - In each line it counts as any other waiter: it claims its turn after the same number of overtakings, and those
///    ahead of it with the turn are served before it.
template <class Sync, class Queues>
class AnyDequeue {
  using Wait = BasicWait<Sync>;
  using Result = typename Queues::Result;

 public:
  AnyDequeue(const Queues& queues, const Wait& wait, std::optional<Result>& result)
      : queues_(queues), wait_(wait), result_(result), first_(some_position()) {}

  /// Throws the cause where a queue that was closed with one is drained, and nothing is there to be taken instead.
  QueueStatus run() {
    std::exception_ptr cause;
    const QueueStatus status = take(cause);
    if (status == QueueStatus::closed && cause != nullptr) std::rethrow_exception(cause);
    return status;
  }

 private:
  /// The lines in which the call stands. Its end leaves them.
  class Lines {
   public:
    explicit Lines(AnyDequeue& call) : call_(call), waiters_(call.queues_.make_waiters()) {
      for (std::size_t i = 0; i < call_.queues_.size(); ++i) waiters_[i].bell = &bell_;
    }
    ~Lines() {
      for (std::size_t i = 0; i < call_.queues_.size(); ++i) {
        call_.at(i, [&](const auto& queue, auto& /*sink*/) { queue.table_->leave(queue.queue_, waiters_[i]); });
      }
    }
    Lines(const Lines&) = delete;
    Lines& operator=(const Lines&) = delete;

    [[nodiscard]] Waiter<Sync>& operator[](std::size_t i) noexcept { return waiters_[i]; }
    [[nodiscard]] Parker<Sync>& bell() noexcept { return bell_; }

   private:
    AnyDequeue& call_;
    Parker<Sync> bell_;
    decltype(std::declval<const Queues&>().make_waiters()) waiters_;
  };

  QueueStatus take(std::exception_ptr& cause) {
    std::optional<QueueStatus> status = try_each();
    if (status != QueueStatus::ok && some_is_empty_ && !wait_.given_up(QueueStatus::empty)) status = try_again();
    if (status) return *status;
    return take_in_line(cause);
  }

  /// Takes an element that is there (ok). empty if there is none and the call may not block; none if the lines have to
  /// be joined.
  std::optional<QueueStatus> try_each() {
    bool some_has_line = false;
    some_is_empty_ = false;
    for (std::size_t n = 0; n < queues_.size(); ++n) {
      const std::optional<QueueStatus> status = at(position(n), [](const auto& queue, auto& sink) {
        return queue.table_->try_dequeue(queue.queue_, sink);  //
      });
      if (status == QueueStatus::ok) return status;
      (status ? some_is_empty_ : some_has_line) = true;
    }
    if (some_has_line || wait_.may_block()) return std::nullopt;
    return QueueStatus::empty;
  }

  /// Tries again for a short while.
  std::optional<QueueStatus> try_again() {
    auto& adaptive = at(first_, [](const auto& queue, auto& /*sink*/) -> AdaptiveSpin<Sync>& {
      return queue.table_->spin(queue.queue_);  //
    });
    typename AdaptiveSpin<Sync>::Spin spin(adaptive);
    while (some_is_empty_ && spin.lasts()) {
      if (const auto status = try_each()) {
        spin.succeeded(false);
        return status;
      }
    }
    return std::nullopt;
  }

  QueueStatus take_in_line(std::exception_ptr& cause) {
    Lines lines(*this);
    const typename Wait::Interruption interruption(wait_, lines.bell());
    while (true) {
      std::optional<QueueStatus> status = look_at_each(lines, cause);
      // A queue that had ended may have got its cause while the last of the others was still open.
      if (status == QueueStatus::closed && cause == nullptr) status = look_at_each(lines, cause);
      if (!status) status = wait_.given_up(QueueStatus::empty);
      if (status) return *status;
      lines.bell().park(wait_.deadline());
      first_ = position(1);
    }
  }

  /// Takes an element that is there (ok). closed if one queue has failed, or all have ended; none: it has to wait.
  /// `cause` is that of the first in the list that has one.
  std::optional<QueueStatus> look_at_each(Lines& lines, std::exception_ptr& cause) {
    bool all_ended = true;
    std::size_t failed = queues_.size();
    for (std::size_t n = 0; n < queues_.size(); ++n) {
      const std::size_t i = position(n);
      std::exception_ptr its_cause;
      const std::optional<QueueStatus> status = at(i, [&](const auto& queue, auto& sink) {
        return queue.table_->look(queue.queue_, lines[i], sink, its_cause);
      });
      if (status == QueueStatus::ok) return status;
      all_ended = all_ended && status.has_value();
      if (its_cause == nullptr || i > failed) continue;
      cause = std::move(its_cause);
      failed = i;
    }
    if (all_ended || cause != nullptr) return QueueStatus::closed;
    return std::nullopt;
  }

  template <class Visitor>
  decltype(auto) at(std::size_t i, Visitor visitor) {
    return queues_.visit(i, result_, visitor);
  }

  /// The n-th queue to look at.
  [[nodiscard]] std::size_t position(std::size_t n) const noexcept { return (first_ + n) % queues_.size(); }

  /// Differs from one element taken to the next, and as good as at random: taking turns one by one could fall into
  /// step with what others take.
  [[nodiscard]] std::size_t some_position() {
    if (queues_.size() == 1) return 0;
    std::uint64_t passed = 0;
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      passed += at(i, [](const auto& queue, auto& /*sink*/) { return queue.table_->passed(queue.queue_); });
    }
    return static_cast<std::size_t>(RandomBits(passed).below(queues_.size()));
  }

  const Queues& queues_;
  const Wait& wait_;
  std::optional<Result>& result_;
  std::size_t first_;
  bool some_is_empty_ = false;  // the last time that each was tried
};

}  // namespace detail
}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_HANDLE_ANY_DEQUEUE_HPP
