// SPDX-License-Identifier: MIT
//
// operation_contract.hpp: OperationContract, the table of the contract, cell by cell, for one operation of one kind of
// queue. The cells are in contract_table.hpp. For each cell it checks
//
//   the result or the exception of the call
//   how many elements went in or came out, and that the queue holds the others
//   that elements that did not go in are untouched

#ifndef FOREBAY_TESTS_SUPPORT_OPERATION_CONTRACT_HPP
#define FOREBAY_TESTS_SUPPORT_OPERATION_CONTRACT_HPP

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

#include "forebay/blocking_queue.hpp"
#include "forebay/coordinator.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/wait.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/contract_table.hpp"
#include "tests/support/queue_contract.hpp"
#include "tests/support/scaled_time.hpp"

namespace forebay_test {

using Clock = std::chrono::steady_clock;

/// Makes waits of every form, and requests the stops in them.
template <class Wait>
class Waits {
 public:
  explicit Waits(Form form) : form_(form) {}

  Wait lasting(std::chrono::nanoseconds time) const {
    switch (form_) {
      case Form::for_ever: return {};
      case Form::no_wait: return forebay::no_wait;
      case Form::duration: return Wait(time);
      case Form::time_point: return Wait(Clock::now() + time);
      case Form::stop_token: return Wait(source_.get_token());
      case Form::coordinator: return Wait(coordinator_);
      case Form::duration_and_stop_token: return {time, source_.get_token()};
      case Form::time_point_and_coordinator: return {Clock::now() + time, coordinator_};
    }
    return {};
  }

  Wait that_is_over() {
    request_stop();
    return lasting(std::chrono::hours(-1));
  }

  void request_stop() {
    source_.request_stop();
    coordinator_.request_stop();
  }

 private:
  Form form_;
  std::stop_source source_;
  forebay::Coordinator coordinator_;
};

inline std::string_view name_of(Form form) {
  switch (form) {
    case Form::for_ever: return "for ever";
    case Form::no_wait: return "no_wait";
    case Form::duration: return "a duration";
    case Form::time_point: return "a time point";
    case Form::stop_token: return "a stop token";
    case Form::coordinator: return "a coordinator";
    case Form::duration_and_stop_token: return "a duration and a stop token";
    case Form::time_point_and_coordinator: return "a time point and a coordinator";
  }
  return "";
}

/// The result of a call: a report, or the exception it threw.
struct Result {
  std::optional<Report> report;
  std::exception_ptr thrown;
};

template <class Parameter>
class OperationContract : public testing::Test {
 protected:
  using Factory = typename Parameter::Factory;
  using Called = typename Parameter::Operation;
  using Queue = typename Factory::template Queue<Pointer>;

  /// Runs the cells of the operation whose state is `closing` and `event`, each on its own queue.
  static void expect_cells(Closing closing, Event event) {
    std::size_t run = 0;
    for (const Operation& operation : contract_table()) {
      if (operation.signature != Called::signature) continue;
      if (!operation.takes_wait && event != Event::none) GTEST_SKIP() << "the call never waits";
      for (const Promise& promise : operation.promises) {
        for (const Cell& cell : promise.cells) {
          if (cell.state.closing != closing || cell.state.event != event || !can_be_in(cell.state)) continue;
          SCOPED_TRACE(testing::Message() << '"' << promise.text << "\", with " << name_of(cell.form) << ", lack "
                                          << static_cast<int>(cell.state.lack));
          OperationContract::expect(cell);
          ++run;
        }
      }
    }
    EXPECT_GT(run, 0U) << "the table has no such cells";
  }

 private:
  static constexpr auto size = std::size_t{Called::size};

  /// A batch larger than the capacity is never possible at once.
  static bool can_be_in(const State& state) { return state.lack != Lack::nothing || Called::size <= tested_capacity; }

  static std::size_t stored_in(const State& state) {
    if (state.lack == Lack::something) return std::size_t{Called::stored_before};
    if (state.lack == Lack::everything) return Called::produces ? std::size_t{tested_capacity} : 0;
    if (Called::produces) return static_cast<std::size_t>(std::max(tested_capacity - Called::size, 0));
    return static_cast<std::size_t>((Called::least + Called::size) / 2);  // more than needed if the batch permits that
  }

  static void expect(const Cell& cell) {
    Queue queue = Factory::template make<Pointer>(tested_capacity);
    const std::size_t stored = stored_in(cell.state);
    for (std::size_t i = 0; i < stored; ++i) ASSERT_EQ(queue.enqueue(std::make_unique<int>(0)), QueueStatus::ok);
    std::size_t provided = 0;
    const Result result = cell.state.event == Event::none ? call(queue, cell) : call_that_waits(queue, cell, provided);

    if (cell.outcome == Outcome::cause) {
      EXPECT_THROW(std::rethrow_exception(result.thrown), Cause);
    } else {
      ASSERT_TRUE(result.report.has_value()) << "it threw";
      EXPECT_EQ(result.report->status, status_of(cell.outcome));
      EXPECT_EQ(result.report->count, moved(cell.moved, stored, provided));
    }
    const std::size_t count = result.report.has_value() ? result.report->count : 0;
    const std::size_t enqueued = stored + count - provided;  // an element that went into a full queue replaced another
    EXPECT_EQ(queue.size(),
              Called::produces ? std::min<std::size_t>(enqueued, tested_capacity) : stored + provided - count);
    EXPECT_TRUE(queue.invariants_hold());
    EXPECT_EQ(queue.waiting_producers() + queue.waiting_consumers(), 0U);
  }

  static Result call(Queue& queue, const Cell& cell) {
    Waits<typename Queue::Wait> waits(cell.form);
    close(queue, cell.state.closing);
    return result_of(queue, waits.that_is_over());
  }

  static Result call_that_waits(Queue& queue, const Cell& cell, std::size_t& provided) {
    const bool its_time_comes = cell.state.event == Event::time_over;
    const Clock::time_point before = Clock::now();
    Waits<typename Queue::Wait> waits(cell.form);
    Background result([&queue, wait = waits.lasting(its_time_comes ? short_time() : long_time())] {
      return result_of(queue, wait);
    });
    if (!its_time_comes) {
      EXPECT_TRUE(Called::produces ? await_waiting_producers(queue, 1) : await_waiting_consumers(queue, 1));
    }
    if (cell.state.event == Event::stop) waits.request_stop();
    close(queue, cell.state.closing);
    if (cell.state.event == Event::possible) provided = provide(queue);
    if (Called::produces && cell.state.event == Event::close && cell.outcome == Outcome::ok) {
      EXPECT_EQ(queue.waiting_producers(), 1U) << "it goes on waiting";
      provided = provide(queue);
    }
    Result got = result.get();
    EXPECT_TRUE(!its_time_comes || Clock::now() - before >= short_time()) << "it gave up too early";
    return got;
  }

  static Result result_of(Queue& queue, const typename Queue::Wait& wait) {
    try {
      return {Called::run(queue, wait), nullptr};
    } catch (...) {
      return {std::nullopt, std::current_exception()};
    }
  }

  static void close(Queue& queue, Closing closing) {
    switch (closing) {
      case Closing::none: return;
      case Closing::plain: return queue.close();
      case Closing::cancel: return queue.close(forebay::cancel_pending_enqueues);
      case Closing::cause: return queue.close(cause());
    }
  }

  /// Provides what a waiting operation lacks.
  static std::size_t provide(Queue& queue) {
    constexpr int missing = Called::produces ? Called::least - (tested_capacity - Called::stored_before)
                                             : Called::least - Called::stored_before;
    for (int i = 0; i < missing; ++i) {
      if constexpr (Called::produces) {
        EXPECT_EQ(queue.dequeue(long_time()).status(), QueueStatus::ok);
      } else {
        EXPECT_EQ(queue.enqueue(std::make_unique<int>(0), long_time()), QueueStatus::ok);
      }
    }
    return std::size_t{missing};
  }

  static QueueStatus status_of(Outcome outcome) {
    switch (outcome) {
      case Outcome::not_now: return Called::not_now;
      case Outcome::timed_out: return QueueStatus::timed_out;
      case Outcome::stopped: return QueueStatus::stopped;
      case Outcome::closed: return QueueStatus::closed;
      default: return QueueStatus::ok;
    }
  }

  static std::size_t moved(Moved moved, std::size_t stored, std::size_t provided) {
    switch (moved) {
      case Moved::all: return Called::produces ? size : std::min(size, stored + provided);
      case Moved::what_fits: return std::min(size, tested_capacity - stored);
      case Moved::what_is_left: return stored;
      case Moved::none: break;
    }
    return 0;
  }
};

TYPED_TEST_SUITE_P(OperationContract);

TYPED_TEST_P(OperationContract, OfANewCall) { this->expect_cells(Closing::none, Event::none); }
TYPED_TEST_P(OperationContract, OfACallThatWaitsUntilItBecomesPossible) {
  this->expect_cells(Closing::none, Event::possible);
}
TYPED_TEST_P(OperationContract, OfACallThatWaitsUntilItsTimeIsOver) {
  this->expect_cells(Closing::none, Event::time_over);
}
TYPED_TEST_P(OperationContract, OfACallThatWaitsUntilItsStopIsRequested) {
  this->expect_cells(Closing::none, Event::stop);
}
TYPED_TEST_P(OperationContract, OfANewCallAfterClose) { this->expect_cells(Closing::plain, Event::none); }
TYPED_TEST_P(OperationContract, OfANewCallAfterCancel) { this->expect_cells(Closing::cancel, Event::none); }
TYPED_TEST_P(OperationContract, OfANewCallAfterFailure) { this->expect_cells(Closing::cause, Event::none); }
TYPED_TEST_P(OperationContract, OfACallThatWaitsUntilClose) { this->expect_cells(Closing::plain, Event::close); }
TYPED_TEST_P(OperationContract, OfACallThatWaitsUntilCancel) { this->expect_cells(Closing::cancel, Event::close); }
TYPED_TEST_P(OperationContract, OfACallThatWaitsUntilFailure) { this->expect_cells(Closing::cause, Event::close); }

REGISTER_TYPED_TEST_SUITE_P(OperationContract, OfANewCall, OfACallThatWaitsUntilItBecomesPossible,
                            OfACallThatWaitsUntilItsTimeIsOver, OfACallThatWaitsUntilItsStopIsRequested,
                            OfANewCallAfterClose, OfANewCallAfterCancel, OfANewCallAfterFailure,
                            OfACallThatWaitsUntilClose, OfACallThatWaitsUntilCancel, OfACallThatWaitsUntilFailure);

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_OPERATION_CONTRACT_HPP
