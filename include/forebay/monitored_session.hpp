// SPDX-License-Identifier: MIT
//
// monitored_session.hpp: MonitoredSession, the loop of the original: steps, with hooks around them, until something
// says that it is to stop; then everything is stopped and joined.
//
//   forebay::MonitoredSession session(coordinator, {forebay::stop_at_step(1000), forebay::every_n_steps(100, report)});
//   while (!session.should_stop()) session.run([&] { train(queue.dequeue_many(32, coordinator).value()); });
//   session.close();  // throws the first failure, as its destructor does
//
// When to use: for a loop that several things may end (its input, a number of steps, a failure in any thread), and that
// others watch. When not: where the input alone ends it; a loop over a queue, or over a Pipeline, is shorter.
//
// Lifetime: neither copied nor moved. The coordinator or pipeline outlives it.
//
// Thread safety: it belongs to the thread of the loop, which calls the hooks, too. Other threads ask the coordinator or
// the pipeline to stop.

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

#include "forebay/coordinator.hpp"
#include "forebay/count.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/threads/monitored.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

class MonitoredSession;

/// What is called beside the steps of a session; all of it may be left out: `SessionRunHook{.after_run = report}`.
struct SessionRunHook {
  using Function = std::function<void(MonitoredSession&)>;

  /// Called by the constructor.
  Function begin{};
  /// Called before each step.
  Function before_run{};
  /// Called after each step that did not throw.
  Function after_run{};
  /// Called by close(), when all has been joined and nothing has failed.
  Function end{};
};

/// Guarantees:
///  - Hooks are called in the order in which they were given. What one of them throws is treated as if the step had
///    thrown it.
///  - Nothing is tried again.
class MonitoredSession {
 public:
  using Hooks = std::vector<SessionRunHook>;

  /// The session stops and joins `coordinator`. Calls `begin` of the hooks; what one of them throws leaves the
  /// constructor, and stops nothing. (TensorFlow: tf.train.MonitoredSession.)
  template <class Sync>
  explicit MonitoredSession(BasicCoordinator<Sync>& coordinator, Hooks hooks = {})
      : MonitoredSession(
            detail::Monitored(coordinator,
                              [](const void* its, const std::exception_ptr& exception) {
                                return static_cast<const BasicCoordinator<Sync>*>(its)->is_clean_stop(exception);
                              }),
            std::move(hooks)) {}

  /// The session stops and joins `pipeline`, and nothing else.
  template <detail::CanBeMonitored Pipeline>
  explicit MonitoredSession(Pipeline& pipeline, Hooks hooks = {})
      : MonitoredSession(detail::Monitored(pipeline,
                                           [](const void* /*its*/, const std::exception_ptr& exception) {
                                             return CleanStopTypes<OutOfRangeError>::contain(exception);
                                           }),
                         std::move(hooks)) {}

  template <class Other>
  explicit MonitoredSession(const Other&, Hooks = {}) = delete;  // forebay: give it a Coordinator or a named Pipeline

  MonitoredSession(const MonitoredSession&) = delete;
  MonitoredSession& operator=(const MonitoredSession&) = delete;

  /// close(). While an exception unwinds the scope it throws nothing, and calls no hook.
  ~MonitoredSession() noexcept(false) {
    if (std::uncaught_exceptions() > exceptions_at_first_) {
      close_in_silence();
    } else {
      close();
    }
  }

  // ---- The loop

  /// Whether the loop is to end: after request_stop(), a clean-stop exception or close(), and when the coordinator or
  /// pipeline has stopped, for whatever reason; a pipeline also when its end or a failure was handed out.
  [[nodiscard]] bool should_stop() const { return state_ != State::runs || monitored_.should_stop(); }

  /// Ends the loop after this step. The coordinator or pipeline goes on until close().
  void request_stop() noexcept {
    if (state_ == State::runs) state_ = State::was_stopped;
  }

  /// How many steps were done: did not throw.
  [[nodiscard]] std::size_t steps() const noexcept { return steps_; }

  /// Calls `step()`, between the hooks; what it returns is dropped. True if that was done. An exception of a type that
  /// the coordinator takes for a clean stop (of a pipeline, OutOfRangeError) ends the session: false; so does a
  /// CancelledError once a stop was requested. Any other one is thrown, and stops nothing: run may be called again.
  ///
  /// Throws std::logic_error after close(), request_stop() or such an end, and when a step or a hook calls it. After a
  /// stop of the coordinator or pipeline alone it runs: perhaps there is something left to do.
  template <std::invocable Step>
  bool run(Step&& step) {
    throw_unless_it_runs();
    const UserCode user_code(*this);
    try {
      call(&SessionRunHook::before_run);
      static_cast<void>(std::invoke(std::forward<Step>(step)));
      ++steps_;
      call(&SessionRunHook::after_run);
      return true;
    } catch (...) {
      if (!is_an_end(std::current_exception())) throw;
      state_ = State::has_ended;
      return false;
    }
  }

  /// Requests a stop, joins, and throws the first failure, if there is one. Else calls `end` of the hooks, of all of
  /// them; throws what the first of them throws. Called again, it does nothing. Throws std::logic_error when a step or
  /// a hook calls it.
  void close() {
    if (is_inside_) throw std::logic_error("forebay: a step or a hook calls close() of its MonitoredSession");
    if (std::exchange(state_, State::closed) == State::closed) return;
    monitored_.stop_and_join();
    call_all_ends();
  }

 private:
  enum class State : unsigned char { runs, was_stopped, has_ended, closed };

  /// While code of the user's runs.
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

  void throw_unless_it_runs() const {
    const char* const why = is_inside_                     ? "by its own step or hook"
                            : state_ == State::closed      ? "after close()"
                            : state_ == State::was_stopped ? "after its stop"
                            : state_ == State::has_ended   ? "after its end"
                                                           : nullptr;
    if (why != nullptr) throw std::logic_error(std::string("forebay: run() of a MonitoredSession is called ") + why);
  }

  [[nodiscard]] bool is_an_end(const std::exception_ptr& exception) const {
    if (monitored_.is_clean_stop(exception)) return true;
    return should_stop() && CleanStopTypes<CancelledError>::contain(exception);
  }

  void close_in_silence() noexcept {
    if (std::exchange(state_, State::closed) == State::closed) return;
    try {
      monitored_.stop_and_join();
    } catch (...) {  // NOLINT(bugprone-empty-catch): there is another one under way
    }
  }

  const detail::Monitored monitored_;
  const Hooks hooks_;
  const int exceptions_at_first_ = std::uncaught_exceptions();
  State state_ = State::runs;
  bool is_inside_ = false;
  std::size_t steps_ = 0;
};

/// A hook that requests a stop when `steps` steps were done. (TensorFlow: tf.train.StopAtStepHook.)
[[nodiscard]] inline SessionRunHook stop_at_step(Count steps) {
  const auto stop = [last = steps.at_least(0, "stop_at_step: steps")](MonitoredSession& session) {
    if (session.steps() >= last) session.request_stop();
  };
  return {.begin = stop, .after_run = stop};
}

/// A hook that calls `function(session)` after every `steps` steps. Throws std::invalid_argument if that is 0.
[[nodiscard]] inline SessionRunHook every_n_steps(Count steps, SessionRunHook::Function function) {
  return {.after_run = [n = steps.at_least(1, "every_n_steps: steps"),
                        function = std::move(function)](MonitoredSession& session) {
    if (session.steps() % n == 0) function(session);
  }};
}

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_MONITORED_SESSION_HPP
