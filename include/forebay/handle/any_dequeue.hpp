// SPDX-License-Identifier: MIT
//
// any_dequeue.hpp: one call of dequeue_any, and the two kinds of list that it works on.

#ifndef FOREBAY_HANDLE_ANY_DEQUEUE_HPP
#define FOREBAY_HANDLE_ANY_DEQUEUE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <variant>

#include "forebay/base/random_bits.hpp"
#include "forebay/engine/wait_loop.hpp"
#include "forebay/handle/any_place.hpp"
#include "forebay/handle/erased_queue.hpp"
#include "forebay/handle/erased_sink.hpp"
#include "forebay/queue/inside.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"
#include "forebay/waiting/parker.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The data of a call for one of its queues. Not movable.
template <class T, class Sync, class Result, class Position>
class Part {
 public:
  Place<Sync>& take_place(const ErasedQueue<T, Sync>& queue, std::optional<Result>& result, Position position) {
    queue.table->take_place(queue.queue, sink_.emplace(result, position), place_);
    return place_;
  }

 private:
  std::optional<PositionSink<T, Result, Position>> sink_;
  AnyPlace<Sync> place_;
};

/// Queues of one element type. Their number is known at compile time, or dynamic_extent.
template <class TheResult, class Ref, class Sync, std::size_t extent>
class QueuesOfOneType {
 public:
  using Result = TheResult;

  explicit QueuesOfOneType(std::span<const Ref, extent> queues) noexcept : queues_(queues) {}

  [[nodiscard]] std::size_t size() const noexcept { return queues_.size(); }

  [[nodiscard]] auto make_parts() const {
    using OnePart = Part<typename Ref::value_type, Sync, Result, std::size_t>;
    if constexpr (extent == std::dynamic_extent) {
      return std::make_unique<OnePart[]>(size());
    } else {
      return std::array<OnePart, extent>();
    }
  }

  /// Calls visitor(queue, position, part_of) for queue i, where part_of(parts) returns its part.
  template <class Visitor>
  void visit(std::size_t i, Visitor visitor) const {
    visitor(
        Inside::engine(queues_[i]), i, [i](auto& parts) -> auto& { return parts[i]; });
  }

 private:
  std::span<const Ref, extent> queues_;
};

/// Queues of different element types, as a QueueRef for each.
template <class Sync, class... Refs>
class QueuesOfSeveralTypes {
 public:
  using Result = std::variant<typename Refs::value_type...>;

  explicit QueuesOfSeveralTypes(const Refs&... queues) noexcept : queues_(queues...) {}

  [[nodiscard]] static constexpr std::size_t size() noexcept { return sizeof...(Refs); }

  [[nodiscard]] static auto make_parts() { return parts(std::index_sequence_for<Refs...>()); }

  template <std::size_t at = 0, class Visitor>
  void visit(std::size_t i, Visitor visitor) const {
    if constexpr (at + 1 < size()) {
      if (i != at) return visit<at + 1>(i, visitor);
    }
    visitor(
        Inside::engine(std::get<at>(queues_)), std::in_place_index<at>,
        [](auto& parts) -> auto& { return std::get<at>(parts); });
  }

 private:
  template <std::size_t... at>
  static auto parts(std::index_sequence<at...>) {
    return std::tuple<Part<typename Refs::value_type, Sync, Result, std::in_place_index_t<at>>...>();
  }

  std::tuple<Refs...> queues_;
};

/// One call of dequeue_any. It has a place in each queue, and one bell for all of them.
template <class Sync, class Queues>
class AnyDequeue {
  using Wait = BasicWait<Sync>;
  using Result = typename Queues::Result;

 public:
  /// With `first_decides`, the call ends when the first queue ends.
  AnyDequeue(const Queues& queues, const Wait& wait, std::optional<Result>& result, bool first_decides)
      : queues_(queues), wait_(wait), result_(result), first_decides_(first_decides) {}

  /// Throws the cause of a drained queue that was closed with one, unless another queue has an element.
  QueueStatus run() {
    const std::size_t first = some_position();
    const Attempt tried = attempt_each(first);
    if (tried == Attempt::done) return QueueStatus::ok;
    if (tried == Attempt::not_now && !wait_.may_block()) return QueueStatus::empty;

    Parker<Sync> bell;
    auto parts = queues_.make_parts();
    WaitLoop<Sync> loop(link(parts, first, bell), wait_, QueueStatus::empty);
    return loop.run(loop.attempt());
  }

 private:
  /// Tries the queues one by one, with only one part at a time.
  Attempt attempt_each(std::size_t first) {
    Attempt all = Attempt::not_now;
    for (std::size_t n = 0; n < queues_.size() && all != Attempt::done; ++n) {
      queues_.visit((first + n) % queues_.size(), [&](const auto& queue, auto position, auto /*part_of*/) {
        auto part = part_for(queue, position);
        const Attempt tried = part.take_place(queue, result_, position).hook->attempt(nullptr);
        if (tried != Attempt::not_now) all = tried;
      });
    }
    return all;
  }

  /// Links the places in all queues to a circle. Returns the first one.
  template <class Parts>
  Place<Sync>& link(Parts& parts, std::size_t first, Parker<Sync>& bell) {
    Place<Sync>* begin = nullptr;
    Place<Sync>* last = nullptr;
    for (std::size_t n = 0; n < queues_.size(); ++n) {
      const std::size_t i = (first + n) % queues_.size();
      queues_.visit(i, [&](const auto& queue, auto position, auto part_of) {
        Place<Sync>& place = part_of(parts).take_place(queue, result_, position);
        place.index = i;
        place.ends_call = i == 0 && first_decides_;
        place.waiter.bell = &bell;
        (last != nullptr ? last->next : begin) = &place;
        last = &place;
      });
    }
    last->next = begin;
    return *begin;
  }

  template <class T, class Position>
  static Part<T, Sync, Result, Position> part_for(const ErasedQueue<T, Sync>& /*queue*/, Position /*position*/) {
    return {};
  }

  /// Returns the queue to begin with, which is pseudo-random for each element: a round-robin order could synchronise
  /// with other consumers.
  [[nodiscard]] std::size_t some_position() const {
    if (queues_.size() == 1) return 0;
    std::uint64_t left = 0;
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      queues_.visit(
          i, [&](const auto& queue, auto /*position*/, auto /*part_of*/) { left += queue.table->left(queue.queue); });
    }
    return static_cast<std::size_t>(RandomBits(left).below(queues_.size()));
  }

  const Queues& queues_;
  const Wait& wait_;
  std::optional<Result>& result_;
  const bool first_decides_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_HANDLE_ANY_DEQUEUE_HPP
