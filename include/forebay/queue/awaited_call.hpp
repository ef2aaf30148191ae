// SPDX-License-Identifier: MIT
//
// awaited_call.hpp: the calls that a coroutine can await. Each describes a call, which can be moved, and has an
// Operation, which performs it and cannot.
//
// An Operation is constructed from its call, and has these members: hook() performs the call while it waits; try_now()
// returns whether the call is over without waiting; result(status) returns the result of a call that is over.

#ifndef FOREBAY_QUEUE_AWAITED_CALL_HPP
#define FOREBAY_QUEUE_AWAITED_CALL_HPP

#include <cstddef>
#include <memory>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include "forebay/base/element_ranges.hpp"
#include "forebay/engine/demand.hpp"
#include "forebay/engine/dequeueing.hpp"
#include "forebay/engine/elements_read.hpp"
#include "forebay/engine/enqueueing.hpp"
#include "forebay/engine/place.hpp"
#include "forebay/engine/transfer.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The value that an operation has received, or none.
template <class T>
[[nodiscard]] Dequeued<T> dequeued(QueueStatus status, T& value) {
  if (status != QueueStatus::ok) return Dequeued<T>(status);
  return Dequeued<T>([&value](std::optional<T>& result) {
    result.emplace(std::move(value));
    return QueueStatus::ok;
  });
}

/// A dequeue of one element.
template <class Engine>
struct AwaitedDequeue {
  Engine* engine;

  class Operation {
    using State = std::remove_cvref_t<decltype(std::declval<Engine&>().state())>;
    using T = typename State::T;

   public:
    explicit Operation(const AwaitedDequeue& call)
        : state_(call.engine->state()), sink_(element_), dequeueing_(state_, Demand(), sink_) {}

    [[nodiscard]] auto& hook() noexcept { return dequeueing_; }
    bool try_now() { return take_now(state_, element_); }
    [[nodiscard]] Dequeued<T> result(QueueStatus status) {
      if (status != QueueStatus::ok) return Dequeued<T>(status);
      return dequeued(status, *element_);
    }

   private:
    State& state_;
    std::optional<T> element_;
    ElementSink<T> sink_;
    DequeueingInto<State, ElementSink<T>> dequeueing_;
  };
};

/// A dequeue of several elements into the storage of the caller.
template <class Engine, class Into>
struct AwaitedDequeueInto {
  Engine* engine;
  Demand demand;
  Into* batch;

  class Operation {
    using State = std::remove_cvref_t<decltype(std::declval<Engine&>().state())>;

   public:
    explicit Operation(const AwaitedDequeueInto& call)
        : engine_(*call.engine),
          demand_(call.demand),
          sink_(*call.batch),
          dequeueing_(engine_.state(), demand_, sink_) {}

    [[nodiscard]] auto& hook() noexcept { return dequeueing_; }
    bool try_now() {
      if (demand_.most == 0) return true;
      engine_.reserve(sink_, demand_);
      return dequeueing_.try_now() == Attempt::done;
    }
    [[nodiscard]] QueueStatus result(QueueStatus status) {
      if (status == QueueStatus::ok && demand_.most > 0) sink_.finish();
      return status;
    }

   private:
    Engine& engine_;
    const Demand demand_;
    SinkInto<Into> sink_;
    DequeueingInto<State, SinkInto<Into>> dequeueing_;
  };
};

/// A dequeue of several elements.
template <class Engine>
struct AwaitedDequeueMany {
  Engine* engine;
  Demand demand;

  class Operation {
    using Batch = typename Engine::Batch;

   public:
    explicit Operation(const AwaitedDequeueMany& call)
        : batch_(call.engine->empty_batch()),
          into_(AwaitedDequeueInto<Engine, Batch>{call.engine, call.demand, &batch_}) {}

    [[nodiscard]] auto& hook() noexcept { return into_.hook(); }
    bool try_now() { return into_.try_now(); }
    [[nodiscard]] Dequeued<Batch> result(QueueStatus status) { return dequeued(into_.result(status), batch_); }

   private:
    Batch batch_;
    typename AwaitedDequeueInto<Engine, Batch>::Operation into_;
  };
};

/// Enqueues elements from a supply.
template <class Engine, class Supply>
class SupplyingOperation {
  using State = std::remove_cvref_t<decltype(std::declval<Engine&>().state())>;

 public:
  SupplyingOperation(Engine& engine, Supply supply, std::size_t count)
      : supply_(std::move(supply)), count_(count), enqueueing_(engine.state(), supply_, count) {}

  [[nodiscard]] auto& hook() noexcept { return enqueueing_; }
  bool try_now() { return count_ == 0 || enqueueing_.try_now() == Attempt::done; }
  [[nodiscard]] EnqueueManyResult result(QueueStatus status) const noexcept { return {status, enqueueing_.given()}; }

 private:
  Supply supply_;
  const std::size_t count_;
  EnqueueingFrom<State, Supply> enqueueing_;
};

/// An enqueue of one element, to which it refers.
template <class Engine, class T>
struct AwaitedEnqueue {
  Engine* engine;
  T* element;

  class Operation {
    using Supply = decltype(supply_from<true>(std::declval<T*>()));

   public:
    explicit Operation(const AwaitedEnqueue& call) : supplying_(*call.engine, supply_from<true>(call.element), 1) {}

    [[nodiscard]] auto& hook() noexcept { return supplying_.hook(); }
    bool try_now() { return supplying_.try_now(); }
    [[nodiscard]] QueueStatus result(QueueStatus status) const noexcept { return status; }

   private:
    SupplyingOperation<Engine, Supply> supplying_;
  };
};

/// An enqueue of a copy, which it owns.
template <class Engine, class T>
struct AwaitedEnqueueCopy {
  Engine* engine;
  T element;

  class Operation {
   public:
    explicit Operation(AwaitedEnqueueCopy&& call)
        : element_(std::move(call.element)),
          enqueue_(AwaitedEnqueue<Engine, T>{call.engine, std::addressof(element_)}) {}

    [[nodiscard]] auto& hook() noexcept { return enqueue_.hook(); }
    bool try_now() { return enqueue_.try_now(); }
    [[nodiscard]] QueueStatus result(QueueStatus status) const noexcept { return status; }

   private:
    T element_;
    typename AwaitedEnqueue<Engine, T>::Operation enqueue_;
  };
};

/// An enqueue of the elements of a range, to which it refers. It is read when the call is awaited, unless in place.
template <class Engine, class T, class Range>
struct AwaitedEnqueueMany {
  Engine* engine;
  std::remove_reference_t<Range>* range;

  class InPlace {
    static auto supply_of(std::remove_reference_t<Range>& range) {
      return supply_from<gives_its_elements<Range>>(std::ranges::begin(range));
    }

   public:
    explicit InPlace(const AwaitedEnqueueMany& call)
        : supplying_(*call.engine, supply_of(*call.range),
                     static_cast<std::size_t>(std::ranges::distance(*call.range))) {}

    [[nodiscard]] auto& hook() noexcept { return supplying_.hook(); }
    bool try_now() { return supplying_.try_now(); }
    [[nodiscard]] EnqueueManyResult result(QueueStatus status) const noexcept { return supplying_.result(status); }

   private:
    SupplyingOperation<Engine, decltype(supply_of(std::declval<std::remove_reference_t<Range>&>()))> supplying_;
  };

  class Read {
    using Elements = ElementsRead<T>;
    using Supply = decltype(supply_from<true>(std::declval<Elements&>().begin()));

   public:
    explicit Read(const AwaitedEnqueueMany& call)
        : elements_(static_cast<Range&&>(*call.range)),
          supplying_(*call.engine, supply_from<true>(elements_.begin()), elements_.size()) {}

    [[nodiscard]] auto& hook() noexcept { return supplying_.hook(); }
    bool try_now() { return supplying_.try_now(); }
    [[nodiscard]] EnqueueManyResult result(QueueStatus status) const {
      elements_.rethrow_failure();
      return supplying_.result(status);
    }

   private:
    Elements elements_;
    SupplyingOperation<Engine, Supply> supplying_;
  };

  using Operation = std::conditional_t<read_in_place<Range, T>, InPlace, Read>;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_QUEUE_AWAITED_CALL_HPP
