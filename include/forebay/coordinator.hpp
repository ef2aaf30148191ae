// SPDX-License-Identifier: MIT
//
// coordinator.hpp: Coordinator, which stops many threads together and reports the first failure.
//
// Threads are launched with a name (or the user's own are handed to join). Any of them may ask all to stop, with a
// failure or without; every blocking call of a queue that was given the coordinator returns, attached queues are
// closed, and join() waits for everybody and rethrows the first failure.
//
// Lifetime: what is attached must be detached, or outlive the coordinator. The destructor requests a stop and waits
// for the launched threads; it never detaches one. So one of them must not run it, and must not own the coordinator:
// that ends the program (std::terminate, with a message that names the thread).
//
// Thread safety: every member function may be called from any thread at any time, the destructor excepted. No code of
// the user's runs while a lock of the coordinator is held: bodies, what they capture, thread_locals, close functions
// and the destructors of exceptions may call it. A launched thread must not be ended by pthread_exit or
// pthread_cancel, which would end the program, nor may a thread that is inside a call be cancelled.

#ifndef FOREBAY_COORDINATOR_HPP
#define FOREBAY_COORDINATOR_HPP

#include <chrono>
#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/queue_status.hpp"
#include "forebay/sync.hpp"
#include "forebay/thread_activity.hpp"
#include "forebay/threads/coordinator_core.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"
#include "forebay/waiting/deadline.hpp"
#include "forebay/waiting/stop_signal.hpp"

namespace forebay::FOREBAY_ABI {

/// The exceptions that count as a stop without failure: `Coordinator c(clean_stop_types<OutOfRangeError, EndOfFile>)`.
/// With `clean_stop_types<>` every exception is a failure.
template <class... Exceptions>
struct CleanStopTypes {
  /// Whether `exception` is one of them, or derived from one.
  [[nodiscard]] static bool contain(const std::exception_ptr& exception) noexcept {
    return (is_a<Exceptions>(exception) || ...);
  }

 private:
  template <class Exception>
  static bool is_a(const std::exception_ptr& exception) noexcept {
    try {
      std::rethrow_exception(exception);
    } catch (const Exception&) {
      return true;
    } catch (...) {
      return false;
    }
  }
};
template <class... Exceptions>
inline constexpr CleanStopTypes<Exceptions...> clean_stop_types{};

/// Thrown by join(grace) when threads outlive the grace period. They go on running.
class StragglersError : public std::runtime_error {
 public:
  explicit StragglersError(std::vector<ThreadActivity> threads)
      : std::runtime_error("forebay: threads still running after the grace period: " + listed(threads)),
        threads_(std::move(threads)) {
    for (const ThreadActivity& each : threads_) names_.push_back(each.name);
  }

  /// The threads that still run, and what each waits for: often in a queue that nobody closes.
  [[nodiscard]] const std::vector<ThreadActivity>& threads() const noexcept { return threads_; }

  /// Their names.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  static std::string listed(const std::vector<ThreadActivity>& threads) {
    std::string list;
    for (const ThreadActivity& each : threads) list += (list.empty() ? "" : ", ") + each.text();
    return list;
  }

  std::vector<ThreadActivity> threads_;
  std::vector<std::string> names_;
};

/// A thread to be launched.
struct NamedThread {
  std::string name;
  std::function<void()> body;
};

/// Guarantees:
///  - The first failure wins, even when a clean stop was requested before it. Later ones are kept; an exception object
///    that is reported more than once is kept once.
///  - What X did before request_stop() is visible to Y after should_stop() returned true, and after a wait that ended
///    with `stopped`. What a thread X did before it ended is visible to Y after join().
///  - Nothing is printed, and no exception is swallowed: what escapes a launched thread comes out of join(). A failure
///    that is reported after a join() is kept: failures() lists it, and the next join() rethrows the first one. The
///    destructor drops what nobody joined for.
template <class Sync = StdSync>
class BasicCoordinator {
 public:
  using Wait = BasicWait<Sync>;

  /// OutOfRangeError, the end of the input, counts as a stop without failure.
  BasicCoordinator() : BasicCoordinator(clean_stop_types<OutOfRangeError>) {}

  /// The given exception types do. (TensorFlow: Coordinator(clean_stop_exception_types).)
  template <class... Exceptions>
  explicit BasicCoordinator(CleanStopTypes<Exceptions...>) : core_(&CleanStopTypes<Exceptions...>::contain) {}

  /// Requests a stop and waits for the launched threads. A failure that was not reported by join() is dropped. Ends
  /// the program when one of the launched threads runs it, which would wait for itself.
  ~BasicCoordinator() = default;

  BasicCoordinator(const BasicCoordinator&) = delete;
  BasicCoordinator& operator=(const BasicCoordinator&) = delete;

  // ---- Stopping

  /// Whether a stop was requested.
  [[nodiscard]] bool should_stop() const noexcept { return core_.should_stop(); }

  /// Asks all threads to stop now. Ends every wait that was given this coordinator and closes what is attached, so that
  /// enqueues that wait return closed and dequeues drain what is left. Elements between the threads of a chain do not
  /// come out: to drain it, end its input (QueueRunner::end_input). Never blocks; may be called again, from any thread,
  /// but not from a signal handler: see examples/11_interrupt.cpp.
  void request_stop() noexcept { request_stop(nullptr); }

  /// The same, because of `failure`, unless it is of a clean-stop type (or null). What is attached is closed with the
  /// first failure as its cause.
  void request_stop(std::exception_ptr failure) noexcept { core_.request_stop(failure); }

  /// Blocks until a stop is requested, or `wait` ends. Returns whether a stop was requested.
  bool wait_for_stop(const Wait& wait = {}) { return core_.wait_for_stop(wait); }

  /// Forgets the stop, the failures and that it was joined, so that threads can be launched anew. Closed queues stay
  /// closed. (TensorFlow: Coordinator.clear_stop.)
  void clear_stop() noexcept { core_.clear_stop(); }

  /// Runs `body` and reports what escapes it with request_stop. Returns whether it ran to its end. (TensorFlow:
  /// Coordinator.stop_on_exception.)
  template <std::invocable Body>
  bool stop_on_exception(Body&& body) {
    return core_.stop_on_exception(std::forward<Body>(body));
  }

  /// All failures so far, the first one first; also those that were reported after join().
  [[nodiscard]] std::vector<std::exception_ptr> failures() const { return core_.failures(); }

  /// The first failure; null if there is none.
  [[nodiscard]] std::exception_ptr failure() const noexcept { return core_.failure(); }

  /// Rethrows the first failure, if there is one. (TensorFlow: Coordinator.raise_requested_exception.)
  void raise_requested_exception() const {
    if (const std::exception_ptr first = failure()) std::rethrow_exception(first);
  }

  /// Whether `exception` counts as a stop without failure.
  [[nodiscard]] bool is_clean_stop(const std::exception_ptr& exception) const noexcept {
    return core_.is_clean_stop(exception);
  }

  // ---- Threads

  /// Starts a thread that runs `body` and reports what escapes it. The name is visible in debuggers and in the message
  /// of StragglersError. If the thread cannot be created, throws std::system_error; a body that was moved in is gone
  /// then. The thread destroys the body, with what it captures, before it counts as ended. Threads that have ended are
  /// joined here, too.
  template <std::invocable Body>
  requires std::move_constructible<std::decay_t<Body>>
  void launch(std::string name, Body&& body) { core_.launch(std::move(name), std::forward<Body>(body)); }

  /// Starts several threads, all or none: no body runs before all threads are there. If one cannot be created, those
  /// that were are joined, and std::system_error is thrown; none of the bodies has run. A thread destroys its body
  /// unless the caller has a copy.
  void launch(std::vector<NamedThread> threads) { core_.launch(std::move(threads)); }

  /// Blocks until all launched threads have ended, and rethrows the first failure, if there is one. Nobody needs to
  /// request a stop for that. Throws std::system_error (resource_deadlock_would_occur) when called by one of them.
  /// What is reported after it returned is kept for the next one. (TensorFlow: Coordinator.join, which waits for a
  /// stop request as long as a closer thread runs.)
  void join() {
    join_until([] { return detail::Deadline<typename Sync::clock>(); });
  }

  /// The same, but once a stop is requested gives the threads at most `grace` to end. Then throws the first failure,
  /// or, if there is none, StragglersError with the names of those that still run, and what each waits for
  /// (std::bad_alloc if there is no memory for the list). They can be joined again.
  template <class Rep, class Period>
  void join(std::chrono::duration<Rep, Period> grace) {
    join_until([grace] { return detail::deadline_after<typename Sync::clock>(grace); });
  }

  /// The same for threads that the user made, a range of std::thread or std::jthread, and then for the launched ones.
  /// There is no grace for them: a thread of the standard library can only be waited for. Throws std::system_error
  /// (resource_deadlock_would_occur), before it waits for any, when one of them calls it.
  template <std::ranges::forward_range Threads>
  requires requires(std::ranges::range_reference_t<Threads> thread) { thread.join(); }
  void join(Threads&& threads) {
    core_.join_others(threads);
    join();
  }

  /// What each launched thread does that has not ended: in which queue or call of forebay it waits and for how long, or
  /// that it runs.
  [[nodiscard]] std::vector<ThreadActivity> threads() const { return core_.threads(); }

  /// A number that has grown at the next call if an element has moved in between: into or out of a queue or through a
  /// pipeline, by a launched thread; or by any thread, in a queue or a pipeline that is attached, or that a QueueRunner
  /// of this coordinator fills. Counts nothing in particular, and may change when something is attached or detached.
  [[nodiscard]] std::uint64_t progress() const noexcept { return core_.progress(); }

  /// Whether a join has finished, also by throwing.
  [[nodiscard]] bool joined() const noexcept { return core_.joined(); }

  // ---- Closing what others wait in

  /// From now on a stop closes `closable`, with the first failure as its cause; if the stop was requested before, at
  /// once. A closable is a queue, or anything with a member close(std::exception_ptr) or close() that neither blocks
  /// nor throws, may be called again, by several threads at once, and neither requests a stop nor detaches. Elements
  /// that move in it are progress(): those of a queue, or of anything with a member `std::uint64_t progress() const`
  /// that does not throw. If there is no memory (std::bad_alloc), it is not attached.
  template <class Closable>
  void attach(Closable& closable) {
    core_.attach(closable);
  }

  /// From now on it does not. Blocks while a close of it is under way, and returns when that has ended. What is not
  /// attached may be detached.
  template <class Closable>
  void detach(Closable& closable) noexcept {
    core_.detach(&closable);
  }

  // ---- For forebay's own waits and runners

  /// What a Wait made from this coordinator waits for.
  [[nodiscard]] detail::StopSignal<Sync>& stop_signal() const noexcept { return core_.stop_signal(); }

  /// What a QueueRunner launches its threads with.
  [[nodiscard]] detail::CoordinatorCore<Sync>& core() noexcept { return core_; }

 private:
  template <class DeadlineFromNow>
  void join_until(DeadlineFromNow deadline_from_now) {
    std::vector<ThreadActivity> stragglers = core_.join(deadline_from_now);
    if (!stragglers.empty()) throw StragglersError(std::move(stragglers));
  }

  detail::CoordinatorCore<Sync> core_;
};

using Coordinator = BasicCoordinator<>;

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_COORDINATOR_HPP
