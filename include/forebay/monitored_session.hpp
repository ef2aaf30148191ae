// SPDX-License-Identifier: MIT

/// @file
/// Defines MonitoredSession, a training loop with hooks that stops and joins all threads at its end.
///
/// @code
/// forebay::MonitoredSession session(coordinator, {forebay::stop_at_step(1000), forebay::every_n_steps(100, report)});
/// while (!session.should_stop()) session.run([&] { train(queue.dequeue_many(32, coordinator).value()); });
/// session.close();  // throws the first failure, as the destructor does
/// @endcode
///
/// When to use: for a loop with hooks that may end for several reasons: the input, a number of steps, a failure in any
/// thread. When not: if only the input ends it; a loop over a queue or a Pipeline is shorter.
///
/// Lifetime: the coordinator or pipeline must outlive the session, which can be neither copied nor moved.
///
/// Thread safety: only the thread of the loop may use the session; it also calls the hooks. Other threads stop the loop
/// through the coordinator or the pipeline.

#ifndef FOREBAY_MONITORED_SESSION_HPP
#define FOREBAY_MONITORED_SESSION_HPP

#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/thread_record.hpp"
#include "forebay/coordinator.hpp"
#include "forebay/count.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/sync.hpp"
#include "forebay/threads/monitored.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

class MonitoredSession;

/// Functions that a session calls around its steps, all of them optional: `SessionRunHook{.after_run = report}`.
struct SessionRunHook {
  /// A function that receives the session which calls it.
  using Function = std::function<void(MonitoredSession&)>;

  /// Called by the constructor of the session.
  Function begin{};
  /// Called before each step.
  Function before_run{};
  /// Called after each step that did not throw.
  Function after_run{};
  /// Called by close() after all threads were joined without a failure.
  Function end{};
};

/// Runs the steps of a training loop between hooks, and stops and joins all threads at its end.
///
/// The file monitored_session.hpp has an example, lifetime and thread safety.
///
/// Guarantees:
///  - Hooks are called in the order given. An exception from a hook is treated like one from the step.
///  - The session retries nothing.
class MonitoredSession {
 public:
  using Hooks = std::vector<SessionRunHook>;  ///< The hooks of a session, in the order of their calls.

  /// Creates a session that stops and joins `coordinator`, and calls `begin` of each hook.
  ///
  /// If a hook throws, the constructor throws the exception and stops nothing. (TensorFlow:
  /// `tf.train.MonitoredSession`.)
  template <class Sync>
  explicit MonitoredSession(BasicCoordinator<Sync>& coordinator, Hooks hooks = {})
      : MonitoredSession(
            detail::Monitored(coordinator,
                              [](const void* object, const std::exception_ptr& exception) {
                                return static_cast<const BasicCoordinator<Sync>*>(object)->is_clean_stop(exception);
                              }),
            std::move(hooks)) {}

  /// Creates a session that stops and joins `pipeline`, and nothing else. Calls `begin` of each hook.
  template <detail::CanBeMonitored Pipeline>
  explicit MonitoredSession(Pipeline& pipeline, Hooks hooks = {})
      : MonitoredSession(detail::Monitored(pipeline,
                                           [](const void* /*object*/, const std::exception_ptr& exception) {
                                             return CleanStopTypes<OutOfRangeError>::contain(exception);
                                           }),
                         std::move(hooks)) {}

  /// @cond
  template <class Other>
  explicit MonitoredSession(const Other&, Hooks = {}) = delete;  // forebay: give it a Coordinator or a named Pipeline

  MonitoredSession(const MonitoredSession&) = delete;
  MonitoredSession& operator=(const MonitoredSession&) = delete;
  /// @endcond

  /// Closes the session, and throws like close(). While an exception unwinds the stack, it throws nothing and calls no
  /// hook.
  ~MonitoredSession() noexcept(false) {
    if (detail::ThreadRecord<StdSync>::uncaught_exceptions() > exceptions_at_construction_) {
      close_without_throwing();
    } else {
      close();
    }
  }

  /// @name The loop
  /// @{

  /// Returns whether the loop should end.
  ///
  /// True after request_stop(), a clean-stop exception or close(), and once the coordinator or pipeline has stopped for
  /// any reason. A pipeline has also stopped once it has delivered its end or a failure.
  [[nodiscard]] bool should_stop() const { return state_ != State::runs || monitored_.should_stop(); }

  /// Ends the loop after this step. The coordinator or pipeline keeps running until close().
  void request_stop() noexcept {
    if (state_ == State::runs) state_ = State::was_stopped;
  }

  /// Returns the number of steps that did not throw.
  [[nodiscard]] std::size_t steps() const noexcept { return steps_; }

  /// Calls `step()` between the hooks and ignores its result. Returns whether the step and the hooks completed.
  ///
  /// A clean-stop exception ends the session, and this returns false. These are the clean-stop types of the coordinator
  /// (for a pipeline, OutOfRangeError) and, once a stop was requested, CancelledError. Any other exception is rethrown
  /// and stops nothing: you may call run() again.
  ///
  /// Throws std::logic_error after close(), request_stop() or a clean-stop exception, and if a step or a hook calls it.
  /// If only the coordinator or pipeline was stopped, run() still runs the step, because elements may be left.
  template <std::invocable Step>
  bool run(Step&& step) {
    throw_unless_running();
    const UserCode user_code(*this);
    try {
      call(&SessionRunHook::before_run);
      static_cast<void>(std::invoke(std::forward<Step>(step)));
      ++steps_;
      call(&SessionRunHook::after_run);
      return true;
    } catch (...) {
      if (!ends_session(std::current_exception())) throw;
      state_ = State::has_ended;
      return false;
    }
  }

  /// Requests a stop, joins all threads, and throws the first failure, if there is one.
  ///
  /// Without a failure, calls `end` of every hook, then throws the first exception that one of them threw. Does nothing
  /// if called again. Throws std::logic_error if a step or a hook calls it.
  void close() {
    if (is_inside_) throw std::logic_error("forebay: MonitoredSession: a step or a hook must not call close()");
    if (std::exchange(state_, State::closed) == State::closed) return;
    monitored_.stop_and_join();
    call_all_ends();
  }
  /// @}

 private:
  enum class State : unsigned char { runs, was_stopped, has_ended, closed };

  /// Marks the session as running user code while it lives.
  class UserCode {
   public:
    explicit UserCode(MonitoredSession& session) noexcept : session_(session) { session_.is_inside_ = true; }
    ~UserCode() { session_.is_inside_ = false; }
    UserCode(const UserCode&) = delete;
    UserCode& operator=(const UserCode&) = delete;

   private:
    MonitoredSession& session_;
  };

  MonitoredSession(const detail::Monitored& monitored, Hooks&& hooks)
      : monitored_(monitored), hooks_(std::move(hooks)) {
    const UserCode user_code(*this);
    call(&SessionRunHook::begin);
  }

  void call(SessionRunHook::Function SessionRunHook::*function) {
    for (const SessionRunHook& hook : hooks_) {
      if (hook.*function) (hook.*function)(*this);
    }
  }

  void call_all_ends() {
    const UserCode user_code(*this);
    std::exception_ptr first;
    for (const SessionRunHook& hook : hooks_) {
      try {
        if (hook.end) hook.end(*this);
      } catch (...) {
        if (first == nullptr) first = std::current_exception();
      }
    }
    if (first != nullptr) std::rethrow_exception(first);
  }

  void throw_unless_running() const {
    const char* const why = is_inside_                     ? "by its own step or hook"
                            : state_ == State::closed      ? "after close()"
                            : state_ == State::was_stopped ? "after request_stop()"
                            : state_ == State::has_ended   ? "after a clean-stop exception"
                                                           : nullptr;
    if (why != nullptr) throw std::logic_error(std::string("forebay: MonitoredSession: run() was called ") + why);
  }

  [[nodiscard]] bool ends_session(const std::exception_ptr& exception) const {
    if (monitored_.is_clean_stop(exception)) return true;
    return should_stop() && CleanStopTypes<CancelledError>::contain(exception);
  }

  void close_without_throwing() noexcept {
    if (std::exchange(state_, State::closed) == State::closed) return;
    try {
      monitored_.stop_and_join();
    } catch (...) {  // NOLINT(bugprone-empty-catch): another exception is in progress
    }
  }

  const detail::Monitored monitored_;
  const Hooks hooks_;
  const int exceptions_at_construction_ = detail::ThreadRecord<StdSync>::uncaught_exceptions();
  State state_ = State::runs;
  bool is_inside_ = false;
  std::size_t steps_ = 0;
};

/// Returns a hook that requests a stop after `steps` steps. (TensorFlow: `tf.train.StopAtStepHook`.)
[[nodiscard]] inline SessionRunHook stop_at_step(Count steps) {
  const auto stop = [last = steps.at_least(0, "stop_at_step: steps")](MonitoredSession& session) {
    if (session.steps() >= last) session.request_stop();
  };
  return {.begin = stop, .after_run = stop};
}

/// Returns a hook that calls `function(session)` after every `steps` steps. Throws std::invalid_argument if `steps` is
/// 0.
[[nodiscard]] inline SessionRunHook every_n_steps(Count steps, SessionRunHook::Function function) {
  return {.after_run = [n = steps.at_least(1, "every_n_steps: steps"),
                        function = std::move(function)](MonitoredSession& session) {
    if (session.steps() % n == 0) function(session);
  }};
}

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_MONITORED_SESSION_HPP
