// SPDX-License-Identifier: MIT
//
// monitored_session_test.cpp: the loop of a MonitoredSession of a coordinator, its hooks, and each way it can end.
// Sessions of pipelines are tested in tests/dataset/ends_test.cpp.

#include <gtest/gtest.h>

#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "forebay/async.hpp"
#include "forebay/coordinator.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/monitored_session.hpp"
#include "forebay/queue_status.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/coroutines.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::Coordinator;
using forebay::every_n_steps;
using forebay::MonitoredSession;
using forebay::SessionRunHook;
using forebay::stop_at_step;

struct EndOfFile : std::exception {};

const auto nothing = [] {};
const auto throws_the_end = [] { throw forebay::OutOfRangeError(); };
const auto throws_a_cancellation = [] { throw forebay::CancelledError(); };
const auto fails = [] { throw Failure("the step fails"); };

/// Returns the message that reports a wrong use.
template <class Call>
std::string misuse(Call call) {
  return message_of<std::logic_error>(call);
}

/// Returns a hook that notes each call.
SessionRunHook noting(std::string& calls, const std::string& name) {
  const auto note = [&calls, name](const std::string& what) {
    return [&calls, text = name + "." + what + " "](MonitoredSession&) { calls += text; };
  };
  return {.begin = note("begin"), .before_run = note("before"), .after_run = note("after"), .end = note("end")};
}

struct Session : testing::Test {
  Coordinator coordinator;
  std::string calls;
};

// ---- The loop

TEST_F(Session, RunsStepsUntilItIsStopped) {
  MonitoredSession session(coordinator);
  int steps = 0;
  while (!session.should_stop()) {
    EXPECT_TRUE(session.run([&] {
      if (++steps == 5) session.request_stop();
    }));
  }
  EXPECT_EQ(steps, 5);
  EXPECT_EQ(session.steps(), 5U);
  EXPECT_FALSE(coordinator.should_stop());
}

TEST_F(Session, EndsWithTheCoordinatorsStop) {
  MonitoredSession session(coordinator);
  EXPECT_FALSE(session.should_stop());
  coordinator.request_stop();
  EXPECT_TRUE(session.should_stop());
}

TEST_F(Session, RunsAStepAfterTheCoordinatorsStop) {
  MonitoredSession session(coordinator);
  coordinator.request_stop();
  EXPECT_TRUE(session.run(nothing));
  EXPECT_EQ(session.steps(), 1U);
}

// ---- Hooks

TEST_F(Session, CallsTheHooksInTheirOrder) {
  {
    MonitoredSession session(coordinator, {noting(calls, "a"), noting(calls, "b")});
    session.run([&] { calls += "step "; });
  }
  EXPECT_EQ(calls, "a.begin b.begin a.before b.before step a.after b.after a.end b.end ");
}

TEST_F(Session, LeavesOutWhatAHookHasNot) {
  MonitoredSession session(coordinator, {SessionRunHook{}, SessionRunHook{.after_run = [&](MonitoredSession& its) {
                                           calls += std::to_string(its.steps());
                                         }}});
  for (int i = 0; i < 3; ++i) session.run(nothing);
  session.close();
  EXPECT_EQ(calls, "123");
}

TEST_F(Session, StopAtStepStopsAfterSoManySteps) {
  MonitoredSession session(coordinator, {stop_at_step(3)});
  while (!session.should_stop()) session.run(nothing);
  EXPECT_EQ(session.steps(), 3U);
}

TEST_F(Session, StopAtStepOfNoneRunsNone) {
  MonitoredSession session(coordinator, {stop_at_step(0)});
  EXPECT_TRUE(session.should_stop());
}

TEST_F(Session, EveryNStepsCallsAfterEachNth) {
  MonitoredSession session(
      coordinator,
      {stop_at_step(7), every_n_steps(3, [&](MonitoredSession& its) { calls += std::to_string(its.steps()) + " "; })});
  while (!session.should_stop()) session.run(nothing);
  EXPECT_EQ(calls, "3 6 ");
}

TEST_F(Session, EveryNoStepsIsRejected) {
  EXPECT_TRUE(contains(rejection([] { return every_n_steps(0, nullptr); }), "not 0"));
  EXPECT_TRUE(contains(rejection([] { return stop_at_step(-1); }), "not -1"));
}

// proves: session-step
TEST_F(Session, ThatDoesNotBeginStopsNothing) {
  const SessionRunHook hook{.begin = [](MonitoredSession&) { throw Failure("no disk"); }};
  EXPECT_EQ(message_of<Failure>([&] {
              const MonitoredSession session(coordinator, {noting(calls, "a"), hook});
            }),
            "no disk");
  EXPECT_FALSE(coordinator.should_stop());
  EXPECT_EQ(calls, "a.begin ");
}

// proves: session-step
TEST_F(Session, WhatAHookThrowsIsAsIfTheStepHadThrownIt) {
  bool at_end = false;
  const SessionRunHook hook{.before_run = [&](MonitoredSession&) { at_end ? throws_the_end() : fails(); }};
  MonitoredSession session(coordinator, {hook});
  EXPECT_THROW(session.run(nothing), Failure);
  at_end = true;
  EXPECT_FALSE(session.run(nothing));
  EXPECT_EQ(session.steps(), 0U);
}

TEST_F(Session, AStepWhoseHookThrowsAfterwardsIsDone) {
  MonitoredSession session(coordinator, {SessionRunHook{.after_run = [](MonitoredSession&) { fails(); }}});
  EXPECT_THROW(session.run(nothing), Failure);
  EXPECT_EQ(session.steps(), 1U);
}

// ---- Exceptions of a step

// proves: session-step
TEST_F(Session, ACleanStopOfAStepEndsIt) {
  MonitoredSession session(coordinator, {noting(calls, "a")});
  EXPECT_FALSE(session.run(throws_the_end));
  EXPECT_TRUE(session.should_stop());
  EXPECT_EQ(session.steps(), 0U);
  EXPECT_FALSE(coordinator.should_stop());
  session.close();
  EXPECT_EQ(calls, "a.begin a.before a.end ");
}

TEST(SessionOf, ACoordinatorTakesItsTypesForACleanStop) {
  Coordinator coordinator(forebay::clean_stop_types<EndOfFile>);
  MonitoredSession session(coordinator);
  EXPECT_THROW(session.run(throws_the_end), forebay::OutOfRangeError);
  EXPECT_FALSE(session.run([] { throw EndOfFile(); }));
}

// proves: session-step
TEST_F(Session, ACancellationEndsItOnceAStopWasRequested) {
  MonitoredSession session(coordinator);
  EXPECT_THROW(session.run(throws_a_cancellation), forebay::CancelledError);
  coordinator.request_stop();
  EXPECT_FALSE(session.run(throws_a_cancellation));
  EXPECT_TRUE(session.should_stop());
}

TEST_F(Session, ACancellationEndsItOnceItsOwnStopWasRequested) {
  MonitoredSession session(coordinator);
  EXPECT_FALSE(session.run([&] {
    session.request_stop();
    throws_a_cancellation();
  }));
}

// proves: session-step
TEST_F(Session, AnyOtherExceptionLeavesRunAndStopsNothing) {
  MonitoredSession session(coordinator, {noting(calls, "a")});
  EXPECT_THROW(session.run(fails), Failure);
  EXPECT_FALSE(session.should_stop());
  EXPECT_FALSE(coordinator.should_stop());
  EXPECT_TRUE(coordinator.failures().empty());
  EXPECT_TRUE(session.run(nothing));
  EXPECT_EQ(session.steps(), 1U);
  session.close();
  EXPECT_EQ(calls, "a.begin a.before a.before a.after a.end ");
}

// ---- run with nothing to run

TEST_F(Session, RunIsMisuseAfterClose) {
  MonitoredSession session(coordinator);
  session.close();
  EXPECT_EQ(misuse([&] { session.run(nothing); }), "forebay: MonitoredSession: run() was called after close()");
}

TEST_F(Session, RunIsMisuseAfterItsStop) {
  MonitoredSession session(coordinator);
  session.request_stop();
  EXPECT_TRUE(contains(misuse([&] { session.run(nothing); }), "after request_stop()"));
}

TEST_F(Session, RunIsMisuseAfterTheStopOfAHook) {
  MonitoredSession session(coordinator, {stop_at_step(1)});
  session.run(nothing);
  EXPECT_TRUE(contains(misuse([&] { session.run(nothing); }), "after request_stop()"));
}

TEST_F(Session, RunIsMisuseAfterACleanStop) {
  MonitoredSession session(coordinator);
  session.run(throws_the_end);
  EXPECT_TRUE(contains(misuse([&] { session.run(nothing); }), "after a clean-stop exception"));
}

TEST_F(Session, RunAndCloseAreMisuseInAStepOrAHook) {
  int misuses = 0;
  const auto misuse_it = [&](MonitoredSession& session) {
    misuses += contains(misuse([&] { session.run(nothing); }), "by its own step or hook") ? 1 : 0;
    misuses += contains(misuse([&] { session.close(); }), "must not call close()") ? 1 : 0;
  };
  MonitoredSession session(coordinator,
                           {{.begin = misuse_it, .before_run = misuse_it, .after_run = misuse_it, .end = misuse_it}});
  session.run([&] { misuse_it(session); });
  session.close();
  EXPECT_EQ(misuses, 10);
}

// ---- close, and the end of the scope

TEST_F(Session, CloseStopsAndJoins) {
  bool has_ended = false;
  coordinator.launch("worker", [&] { has_ended = coordinator.wait_for_stop(); });
  MonitoredSession session(coordinator);
  session.close();
  EXPECT_TRUE(has_ended);
  EXPECT_TRUE(session.should_stop());
}

TEST_F(Session, CloseThrowsTheFirstFailureAndNothingAgain) {
  MonitoredSession session(coordinator, {noting(calls, "a")});
  coordinator.launch("worker", [] { throw Failure("the worker fails"); });
  EXPECT_TRUE(coordinator.wait_for_stop());
  EXPECT_TRUE(session.should_stop());
  EXPECT_EQ(message_of<Failure>([&] { session.close(); }), "the worker fails");
  EXPECT_EQ(calls, "a.begin ");
  session.close();
  EXPECT_EQ(calls, "a.begin ");
}

// proves: session-scope
TEST_F(Session, FailureThatComesWhileItIsJoinedIsTheCoordinators) {
  MonitoredSession session(coordinator, {noting(calls, "a")});
  coordinator.launch("worker", [&] {
    coordinator.wait_for_stop();
    throw Failure("late");
  });
  EXPECT_EQ(message_of<Failure>([&] { session.close(); }), "late");
  EXPECT_EQ(calls, "a.begin ");
}

TEST_F(Session, CloseCallsTheEndsOnce) {
  MonitoredSession session(coordinator, {noting(calls, "a")});
  session.close();
  session.close();
  EXPECT_EQ(calls, "a.begin a.end ");
}

// proves: session-step
TEST_F(Session, CloseCallsAllEndsAndThrowsWhatTheFirstThrows) {
  const SessionRunHook first{.end = [](MonitoredSession&) { throw Failure("first"); }};
  const SessionRunHook second{.end = [](MonitoredSession&) { throw Failure("second"); }};
  MonitoredSession session(coordinator, {first, second, noting(calls, "a")});
  EXPECT_EQ(message_of<Failure>([&] { session.close(); }), "first");
  EXPECT_EQ(calls, "a.begin a.end ");
}

// proves: session-scope
TEST_F(Session, EndOfItsScopeCloses) {
  { const MonitoredSession session(coordinator, {noting(calls, "a")}); }
  EXPECT_TRUE(coordinator.joined());
  EXPECT_EQ(calls, "a.begin a.end ");
}

// proves: session-scope
TEST_F(Session, EndOfItsScopeThrowsTheFailure) {
  const auto scope = [&] {
    const MonitoredSession session(coordinator);
    coordinator.request_stop(failure("what failed"));
  };
  EXPECT_EQ(message_of<Failure>(scope), "what failed");
}

// proves: session-scope
TEST_F(Session, EndOfItsScopeIsSilentWhileAnExceptionUnwindsIt) {
  const auto scope = [&] {
    MonitoredSession session(coordinator, {noting(calls, "a")});
    coordinator.request_stop(failure("another one"));
    session.run(fails);
  };
  EXPECT_EQ(message_of<Failure>(scope), "the step fails");
  EXPECT_TRUE(coordinator.joined());
  EXPECT_EQ(calls, "a.begin a.before ");
}

TEST_F(Session, EndOfItsScopeThrowsInADestructorOfWhatIsUnwound) {
  // The exception that unwinds the stack when a session begins is not a failure of the session.
  struct WithSession {
    Coordinator& coordinator;
    std::string& thrown;
    ~WithSession() {
      thrown = message_of<Failure>([&] {
        const MonitoredSession session(coordinator);
        coordinator.request_stop(failure("what failed"));
      });
    }
  };
  const auto scope = [&] {
    const WithSession its{coordinator, calls};
    fails();
  };
  EXPECT_EQ(message_of<Failure>(scope), "the step fails");
  EXPECT_EQ(calls, "what failed");
}

TEST_F(Session, EndOfItsScopeThrowsInACoroutineThatAnExceptionResumes) {
  // The session begins before the exception, and ends in the coroutine, which the exception does not unwind.
  forebay::FIFOQueue<int> queue(1);
  const auto coroutine = [](auto& session_queue, Coordinator& session_coordinator, std::string& thrown) -> Detached {
    thrown = "nothing";
    try {
      const MonitoredSession session(session_coordinator);
      static_cast<void>(co_await session_queue.async_dequeue());
      session_coordinator.request_stop(failure("what failed"));
    } catch (const Failure& error) {
      thrown = error.what();
    }
  };
  coroutine(queue, coordinator, calls);
  const auto scope = [&] {
    const auto consumer = queue.consumer();
    fails();
  };
  EXPECT_EQ(message_of<Failure>(scope), "the step fails");
  EXPECT_EQ(calls, "what failed");
}

}  // namespace
}  // namespace forebay_test
