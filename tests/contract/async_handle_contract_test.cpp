// SPDX-License-Identifier: MIT
//
// async_handle_contract_test.cpp: producers and consumers in coroutines, of every kind of queue.
//
//   Awaited calls of handles                                    AsyncHandleContract.*
//   Every way in which a producer ends, in every kind of place  WaysToEnd.*, Unwinding.*

#include <gtest/gtest.h>

#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/async.hpp"
#include "forebay/coordinator.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/producer.hpp"
#include "forebay/queue_status.hpp"
#include "tests/support/awaited_queue.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/coroutines.hpp"
#include "tests/support/queue_contract.hpp"
#include "tests/support/queue_factories.hpp"

namespace forebay_test {
namespace {

using forebay::ProducerAbandonedError;
using Fifo = forebay::FIFOQueue<int>;

/// Awaits in a coroutine what `make()` returns, and blocks this thread until the result is there.
template <class Make>
auto await_call(Make make) {
  return sync_wait<forebay::StdSync>(std::move(make));
}

// ---- Awaited calls of handles

template <class Factory>
class AsyncHandleContract : public QueueContractTest<Factory> {};
TYPED_TEST_SUITE(AsyncHandleContract, QueueFactories, NameOfParameter);

// proves: awaited-calls
TYPED_TEST(AsyncHandleContract, AProducerAwaitsLikeItsQueue) {
  auto queue = this->make(5);
  const auto producer = queue.producer();
  const int number = 0;
  int other = 1;
  EXPECT_EQ(await_call([&] { return producer.async_enqueue(number); }), QueueStatus::ok);
  EXPECT_EQ(await_call([&] { return producer.async_enqueue(std::move(other)); }), QueueStatus::ok);
  std::vector two = {2, 3};
  std::vector more = {4, 5};
  EXPECT_EQ(await_call([&] { return producer.async_enqueue_many(two); }).count, 2U);
  std::stop_source source;
  source.request_stop();
  const auto result = await_call([&] { return producer.async_enqueue_many(std::move(more), source.get_token()); });
  EXPECT_EQ(result.status, QueueStatus::stopped);
  EXPECT_EQ(result.count, 1U);
  this->expect_elements(this->take_all(queue), numbers(5));

  auto pointers = this->template make<Pointer>(1);
  const auto of_pointers = pointers.producer();
  auto pointer = std::make_unique<int>(1);
  EXPECT_EQ(await_call([&] { return of_pointers.async_enqueue(std::move(pointer)); }), QueueStatus::ok);
  EXPECT_EQ(pointer, nullptr);
}

// proves: awaited-calls
TYPED_TEST(AsyncHandleContract, AConsumerAwaitsLikeItsQueue) {
  auto queue = this->make(7);
  this->fill(queue, 7);
  const auto consumer = queue.consumer();
  std::vector<int> all;
  const auto add = [&all](const auto& batch) { all.insert(all.end(), batch.begin(), batch.end()); };
  all.push_back(await_call([&] { return consumer.async_dequeue(); }).value());
  add(*await_call([&] { return consumer.async_dequeue_many(1); }));
  add(*await_call([&] { return consumer.async_dequeue_up_to(1); }));
  add(*await_call([&] { return consumer.async_dequeue_available(1); }));
  std::vector<int> batch;
  EXPECT_EQ(await_call([&] { return consumer.async_dequeue_many(1, batch); }), QueueStatus::ok);
  add(batch);
  EXPECT_EQ(await_call([&] { return consumer.async_dequeue_up_to(1, batch); }), QueueStatus::ok);
  add(batch);
  EXPECT_EQ(await_call([&] { return consumer.async_dequeue_available(2, batch); }), QueueStatus::ok);
  add(batch);
  this->expect_elements(all, numbers(7));

  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(await_call([&] { return consumer.async_dequeue(source.get_token()); }).status(), QueueStatus::stopped);
  queue.close(cause());
  EXPECT_THROW(static_cast<void>(await_call([&] { return consumer.async_dequeue(); })), Cause);
}

template <class Consumer>
Owned take_one(const Consumer& consumer, std::optional<QueueStatus>& status, forebay::AwaitOptions options = {}) {
  const auto element = co_await consumer.async_dequeue(options);
  status = element.status();
}

template <class Producer>
Owned put_two(const Producer& producer, std::optional<QueueStatus>& status) {
  static_cast<void>(co_await producer.async_enqueue(1));
  status = co_await producer.async_enqueue(2);
}

// proves: awaited-calls
TYPED_TEST(AsyncHandleContract, AnAwaitedCallOfAConsumerWaits) {
  auto queue = this->make(2);
  const auto consumer = queue.consumer();
  std::optional<QueueStatus> status;
  const Owned coroutine = take_one(consumer, status);
  EXPECT_EQ(queue.waiting_consumers(), 1U);
  EXPECT_FALSE(status);
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  EXPECT_EQ(status, QueueStatus::ok);

  std::coroutine_handle<> posted;
  auto pool = [&posted](std::coroutine_handle<> handle) noexcept { posted = handle; };
  status.reset();
  const Owned in_a_pool = take_one(consumer, status, forebay::on(pool));
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  EXPECT_FALSE(status);
  posted.resume();
  EXPECT_EQ(status, QueueStatus::ok);
}

// proves: consumer-handles
TYPED_TEST(AsyncHandleContract, TheLastConsumerEndsTheWaitOfAProducer) {
  auto queue = this->make(1);
  auto consumer = queue.consumer();
  const auto producer = queue.producer();
  std::optional<QueueStatus> status;
  const Owned coroutine = put_two(producer, status);
  EXPECT_EQ(queue.waiting_producers(), 1U);
  consumer.finish();
  EXPECT_EQ(status, QueueStatus::closed);
}

// proves: producer-handles
TYPED_TEST(AsyncHandleContract, AnAwaitedCallOutlivesItsHandle) {
  auto queue = this->make(1);
  std::optional producer(queue.producer());
  std::optional<QueueStatus> status;
  const Owned coroutine = put_two(*producer, status);
  EXPECT_EQ(queue.waiting_producers(), 1U);
  producer.reset();
  EXPECT_TRUE(queue.is_closed());
  EXPECT_FALSE(status) << "pending enqueues complete";
  EXPECT_EQ(queue.dequeue().value(), 1);
  EXPECT_EQ(status, QueueStatus::ok);
}

TYPED_TEST(AsyncHandleContract, EndedHandlesReturnClosedToAwaitedCalls) {
  auto queue = this->make(2);
  this->fill(queue, 1);
  const auto open = queue.producer();
  auto producer = queue.producer();
  producer.finish();
  int element = 1;
  EXPECT_EQ(await_call([&] { return producer.async_enqueue(std::move(element)); }), QueueStatus::closed);
  EXPECT_EQ(await_call([&] { return producer.async_enqueue(std::as_const(element)); }), QueueStatus::closed);
  std::vector one = {1};
  const auto result = await_call([&] { return producer.async_enqueue_many(std::move(one)); });
  EXPECT_EQ(result.status, QueueStatus::closed);
  EXPECT_EQ(result.count, 0U);

  const auto also_open = queue.consumer();
  auto consumer = queue.consumer();
  consumer.finish();
  EXPECT_EQ(await_call([&] { return consumer.async_dequeue(); }).status(), QueueStatus::closed);
  EXPECT_EQ(await_call([&] { return consumer.async_dequeue_many(1); }).status(), QueueStatus::closed);
  EXPECT_EQ(await_call([&] { return consumer.async_dequeue_up_to(1); }).status(), QueueStatus::closed);
  EXPECT_EQ(await_call([&] { return consumer.async_dequeue_available(1); }).status(), QueueStatus::closed);
  std::vector batch = {1, 2};
  EXPECT_EQ(await_call([&] { return consumer.async_dequeue_many(1, batch); }), QueueStatus::closed);
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(await_call([&] { return consumer.async_dequeue_up_to(1, batch); }), QueueStatus::closed);
  EXPECT_EQ(await_call([&] { return consumer.async_dequeue_available(1, batch); }), QueueStatus::closed);
  EXPECT_EQ(queue.size(), 1U);
}

// ---- Every way in which a producer ends, in every kind of place

/// How a queue ends when its only producer has ended.
enum class Ending { closed, cause, abandoned };

Ending ending_of(Fifo& queue) {
  EXPECT_TRUE(queue.is_closed());
  try {
    EXPECT_EQ(queue.dequeue().status(), QueueStatus::closed);
    return Ending::closed;
  } catch (const ProducerAbandonedError&) {
    return Ending::abandoned;
  } catch (const Cause&) {
    return Ending::cause;
  }
}

struct Way {
  std::string name;
  std::function<void(Fifo::Producer&)> end;
  Ending expected;

  friend std::ostream& operator<<(std::ostream& out, const Way& way) { return out << way.name; }
};

/// Throws a Cause, and catches it outside of the scope of what `own()` returns.
template <class Own>
void throw_past(Own own) {
  EXPECT_THROW(
      {
        const auto owned = own();
        throw Cause();
      },
      Cause);
}

/// A coroutine that waits for ever, and owns a producer.
Owned keep(Fifo::Producer given, Fifo& never) {
  const auto local = std::move(given);
  static_cast<void>(co_await never.async_dequeue());
}

std::vector<Way> ways_to_end() {
  return {
      Way{"return", [](auto& /*producer*/) {}, Ending::closed},
      Way{"throw", [](auto& /*producer*/) { throw Cause(); }, Ending::abandoned},
      Way{"destroyed", [](auto& producer) { const auto own = std::move(producer); }, Ending::closed},
      Way{"destroyed_by_an_exception", [](auto& producer) { throw_past([&] { return std::move(producer); }); },
          Ending::abandoned},
      Way{"finish", [](auto& producer) { producer.finish(); }, Ending::closed},
      Way{"finish_before_an_exception",
          [](auto& producer) {
            throw_past([&] {
              auto own = std::move(producer);
              own.finish();
              return own;
            });
          },
          Ending::closed},
      Way{"fail", [](auto& producer) { producer.fail(cause()); }, Ending::cause},
      Way{"fail_without_a_cause", [](auto& producer) { producer.fail(nullptr); }, Ending::abandoned},
      Way{"run", [](auto& producer) { EXPECT_THROW(producer.run([] { throw Cause(); }), Cause); }, Ending::cause},
      Way{"fail_while_an_exception_unwinds", [](auto& producer) { unwind([&] { producer.fail(cause()); }); },
          Ending::cause},
      Way{"destroyed_while_an_older_exception_unwinds",
          [](auto& producer) { unwind([&] { const auto own = std::move(producer); }); }, Ending::closed},
      Way{"destroyed_by_an_exception_while_an_older_one_unwinds",
          [](auto& producer) { unwind([&] { throw_past([&] { return std::move(producer); }); }); }, Ending::abandoned},
      Way{"moved_out_of_what_an_exception_destroys",
          [](auto& producer) {
            Fifo::Producer saved;
            throw_past([&] {
              auto own = std::move(producer);
              saved = std::move(own);
              return own;
            });
          },
          Ending::closed},
      Way{"assigned", [](auto& producer) { producer = Fifo::Producer(); }, Ending::closed},
      Way{"assigned_in_what_an_exception_destroys",
          [](auto& producer) {
            auto own = std::make_shared<Fifo::Producer>(std::move(producer));
            unwind([own] { *own = Fifo::Producer(); });
          },
          Ending::abandoned},
      Way{"frame_destroyed",
          [](auto& producer) {
            Fifo never(1);
            keep(std::move(producer), never).destroy();
          },
          Ending::closed},
      Way{"frame_destroyed_by_an_exception",
          [](auto& producer) {
            Fifo never(1);
            throw_past([&] { return keep(std::move(producer), never); });
          },
          Ending::abandoned},
  };
}

using Code = std::function<void(Fifo::Producer&)>;

/// Owns a producer while `code` runs. Catches what that throws.
void own_and_run(Fifo::Producer& given, const Code& code) {
  try {
    auto own = std::move(given);
    code(own);
  } catch (const Cause&) {  // NOLINT(bugprone-empty-catch)
  }
}

/// Owns a producer, and runs `code` when the queue has ended its wait.
Detached own_and_run_when_resumed(Fifo& queue, Fifo::Producer given, Code code, forebay::AwaitOptions options = {}) {
  try {
    auto own = std::move(given);
    static_cast<void>(co_await queue.async_dequeue(options));
    code(own);
  } catch (const Cause&) {  // NOLINT(bugprone-empty-catch)
  }
}

/// Code that is not a coroutine, or a coroutine that the library resumes: here, or where an exception unwinds.
struct Place {
  std::string name;
  std::function<void(Fifo::Producer, Code)> run;

  friend std::ostream& operator<<(std::ostream& out, const Place& place) { return out << place.name; }
};

std::vector<Place> places() {
  return {
      Place{"Here", [](auto producer, const auto& code) { own_and_run(producer, code); }},
      Place{"InAThread",
            [](auto producer, const auto& code) { std::thread([&] { own_and_run(producer, code); }).join(); }},
      Place{"InALaunchedThread",
            [](auto producer, const auto& code) {
              forebay::Coordinator coordinator;
              coordinator.launch("test", [&] { own_and_run(producer, code); });
              coordinator.join();
            }},
      Place{"WhereAnExceptionUnwinds",
            [](auto producer, const auto& code) { unwind([&] { own_and_run(producer, code); }); }},
      Place{"InACoroutine",
            [](auto producer, const auto& code) {
              Fifo queue(1);
              own_and_run_when_resumed(queue, std::move(producer), code);
              queue.close();
            }},
      Place{"InACoroutineThatIsResumedWhereAnExceptionUnwinds",
            [](auto producer, const auto& code) {
              Fifo queue(1);
              own_and_run_when_resumed(queue, std::move(producer), code);
              throw_past([&] { return queue.consumer(); });
            }},
      Place{"InACoroutineThatIsStoppedWhereAnExceptionUnwinds",
            [](auto producer, const auto& code) {
              Fifo queue(1);
              forebay::Coordinator coordinator;
              own_and_run_when_resumed(queue, std::move(producer), code, coordinator);
              unwind([&] { coordinator.request_stop(); });
            }},
      Place{"InAPoolThatResumesAtOnceWhereAnExceptionUnwinds",
            [](auto producer, const auto& code) {
              Fifo queue(1);
              own_and_run_when_resumed(queue, std::move(producer), code, forebay::on(resume_at_once));
              throw_past([&] { return queue.consumer(); });
            }},
      Place{"InACoroutineThatIsResumedByOneThatAnExceptionUnwinds",
            [](auto producer, const auto& code) {
              Fifo first(1);
              Fifo second(1);
              own_and_run_when_resumed(second, std::move(producer), code);
              own_and_run_when_resumed(first, {}, [&](auto&) { throw_past([&] { return second.consumer(); }); });
              throw_past([&] { return first.consumer(); });
            }},
      Place{"InACoroutineThatWasStartedWhereAnExceptionUnwinds",
            [](auto producer, const auto& code) {
              Fifo queue(1);
              unwind([&] { own_and_run_when_resumed(queue, std::move(producer), code); });
              queue.close();
            }},
      Place{"InACoroutineThatWasStartedByOneThatAnExceptionResumed",
            [](auto producer, const auto& code) {
              Fifo first(1);
              Fifo second(1);
              own_and_run_when_resumed(first, std::move(producer),
                                       [&](auto& own) { own_and_run_when_resumed(second, std::move(own), code); });
              throw_past([&] { return first.consumer(); });
              second.close();
            }},
  };
}

class WaysToEnd : public testing::TestWithParam<std::tuple<Way, Place>> {};

// proves: producer-fails
TEST_P(WaysToEnd, AProducerThatWasThereBefore) {
  const auto& [way, place] = GetParam();
  Fifo queue(1);
  place.run(queue.producer(), way.end);
  EXPECT_EQ(ending_of(queue), way.expected);
}

// proves: producer-fails
TEST_P(WaysToEnd, AProducerThatWasCreatedThere) {
  const auto& [way, place] = GetParam();
  Fifo queue(1);
  place.run({}, [&queue, end = way.end](auto& /*none*/) {
    auto producer = queue.producer();
    end(producer);
  });
  EXPECT_EQ(ending_of(queue), way.expected);
}

INSTANTIATE_TEST_SUITE_P(, WaysToEnd, testing::Combine(testing::ValuesIn(ways_to_end()), testing::ValuesIn(places())),
                         [](const auto& tested) {
                           return std::get<0>(tested.param).name + "_" + std::get<1>(tested.param).name;
                         });

// proves: producer-fails
TEST(Unwinding, AnExceptionThatResumesACoroutineAbandonsTheProducersThatItDestroys) {
  Fifo abandoned(1);
  Fifo other(1);
  bool is_resumed = false;
  own_and_run_when_resumed(other, {}, [&](auto& /*none*/) { is_resumed = true; });
  EXPECT_THROW(
      {
        const auto producer = abandoned.producer();
        const auto consumer = other.consumer();  // destroyed first
        throw Cause();
      },
      Cause);
  EXPECT_TRUE(is_resumed);
  EXPECT_EQ(ending_of(abandoned), Ending::abandoned);
}

/// A coroutine that handles the exceptions of its body, as a task does.
struct Handled {
  // The language gives the names.
  struct promise_type : Detached::promise_type {  // NOLINT(readability-identifier-naming)
    Handled get_return_object() noexcept { return {}; }
    void unhandled_exception() noexcept {}
  };
};

Handled fail_without_saying_so(Fifo::Producer /*producer*/, Fifo& queue) {
  static_cast<void>(co_await queue.async_dequeue());
  throw Cause();
}

Handled fail_with_a_local_variable(Fifo::Producer given, Fifo& queue) {
  const auto producer = std::move(given);
  static_cast<void>(co_await queue.async_dequeue());
  throw Cause();
}

TEST(Unwinding, AnExceptionDestroysTheLocalVariablesOfACoroutineButNotItsParameters) {
  Fifo in(1);
  Fifo of_a_parameter(1);
  Fifo of_a_variable(1);
  fail_without_saying_so(of_a_parameter.producer(), in);
  fail_with_a_local_variable(of_a_variable.producer(), in);
  in.close();
  EXPECT_EQ(ending_of(of_a_parameter), Ending::closed);
  EXPECT_EQ(ending_of(of_a_variable), Ending::abandoned);
}

/// A coroutine whose parameter is a producer, and whose body fails.
Detached fail_with_a_parameter(Fifo::Producer producer, Fifo& queue) {
  try {
    static_cast<void>(co_await queue.async_dequeue());
    throw Cause();
  } catch (...) {
    producer.fail(std::current_exception());
  }
}

// proves: producer-fails
TEST(Unwinding, WhatAFailureResumesMayReuseTheHandle) {
  Fifo failed(1);
  Fifo other(1);
  auto producer = failed.producer();
  const auto reuse = [](Fifo& queue, Fifo& next, Fifo::Producer& handle) -> Detached {
    EXPECT_THROW(static_cast<void>(co_await queue.async_dequeue()), Cause);
    handle = next.producer();
  };
  reuse(failed, other, producer);
  producer.fail(cause());
  EXPECT_FALSE(other.is_closed());
  EXPECT_EQ(producer.enqueue(1), QueueStatus::ok);
}

// proves: producer-fails
TEST(Unwinding, ACoroutinePassesOnAFailureOfItsBody) {
  Fifo in(1);
  Fifo out(1);
  fail_with_a_parameter(out.producer(), in);
  in.close();
  EXPECT_EQ(ending_of(out), Ending::cause);
}

}  // namespace
}  // namespace forebay_test
