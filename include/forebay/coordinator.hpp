// SPDX-License-Identifier: MIT

/// @file
/// Defines Coordinator, which stops several threads together and reports the first failure.
///
/// The coordinator launches named threads; join() also accepts threads that you started yourself. Any thread may
/// request a stop, with or without a failure. A stop ends every wait of a call that was given the coordinator, and
/// closes the attached queues; a call that can succeed still does. join() waits for all threads and rethrows the first
/// failure.
///
/// @code
/// forebay::FIFOQueue<int> queue(10);
/// forebay::Coordinator coordinator;
/// coordinator.attach(queue);  // a stop, and a failure, close the queue
/// coordinator.launch("producer", [&] {
///   for (int i = 0; queue.enqueue(i, coordinator) == forebay::QueueStatus::ok; ++i) {}
/// });
/// std::cout << *queue.dequeue();
/// coordinator.request_stop();
/// coordinator.join();  // rethrows what escaped the producer
/// @endcode
///
/// Lifetime: an attached object must outlive the coordinator, or be detached first. The destructor requests a stop and
/// waits for the launched threads; it never detaches a thread. A launched thread must therefore not run the destructor
/// or own the coordinator: this ends the program with std::terminate and a message that names the thread.
///
/// Thread safety: every member function except the destructor may be called from any thread at any time. The
/// coordinator runs no user code under its locks. So thread bodies, what they capture, thread_local objects, close
/// functions and the destructors of exceptions may call it. Do not end a launched thread with pthread_exit or
/// pthread_cancel, which would end the program. Do not cancel any thread that is inside a call.

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

/// A list of exception types that a Coordinator treats as a stop without failure; see `clean_stop_types`.
template <class... Exceptions>
struct CleanStopTypes {
  /// Returns whether `exception` has one of these types, or is derived from one.
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

/// Names the exception types that a Coordinator treats as a stop without failure.
///
/// With `clean_stop_types<>`, every exception is a failure.
///
/// @code
/// Coordinator coordinator(clean_stop_types<OutOfRangeError, EndOfFile>);
/// @endcode
template <class... Exceptions>
inline constexpr CleanStopTypes<Exceptions...> clean_stop_types{};

/// Thrown by Coordinator::join() with a grace period if threads outlive the period. The threads keep running.
class StragglersError : public std::runtime_error {
 public:
  /// Creates the exception for these threads, and lists them in its message.
  explicit StragglersError(std::vector<ThreadActivity> threads)
      : std::runtime_error("forebay: threads still running after the grace period: " + listed(threads)),
        threads_(std::move(threads)) {
    for (const ThreadActivity& each : threads_) names_.push_back(each.name);
  }

  /// Returns the threads that still run, and what each waits for: often for a queue that is never closed.
  [[nodiscard]] const std::vector<ThreadActivity>& threads() const noexcept { return threads_; }

  /// Returns the names of the threads that still run.
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

/// A thread for Coordinator::launch() to start.
struct NamedThread {
  /// Creates a thread that runs `its_body`.
  NamedThread(std::string its_name, std::function<void()> its_body)
      : name(std::move(its_name)), body(std::move(its_body)) {}
  /// Creates a thread that runs `its_body`, which need not be copyable: it may own a Producer, for example.
  template <std::invocable Body>
  requires std::move_constructible<std::decay_t<Body>> NamedThread(std::string its_name, Body&& its_body)
      : name(std::move(its_name)), body(detail::copyable_body(std::forward<Body>(its_body))) {}

  std::string name;            ///< The name of the thread, in debuggers and messages.
  std::function<void()> body;  ///< The function that the thread runs.
};

/// Stops several threads together and reports the first failure.
///
/// Write `Coordinator` without template arguments: it is an alias of `BasicCoordinator<StdSync>`. The file
/// coordinator.hpp has the introduction, an example, lifetime and thread safety. (TensorFlow: `tf.train.Coordinator`.)
///
/// Guarantees:
///  - The first failure wins, even after an earlier clean stop. Later failures are kept, too. An exception object that
///    is reported more than once is kept once.
///  - Everything that a thread did before request_stop() is visible to a thread after should_stop() has returned true,
///    and after a wait that ended with `stopped`. Everything that a thread did before it ended is visible after join().
///  - The coordinator prints nothing and swallows no exception: join() rethrows what escapes a launched thread. If a
///    failure is reported after a join(), failures() lists it and the next join() rethrows the first one. The
///    destructor drops failures that were reported after the last join().
template <class Sync = StdSync>
class BasicCoordinator {
 public:
  using Wait = BasicWait<Sync>;  ///< How long a call may block.

  /// Creates a coordinator that treats OutOfRangeError, the end of the input, as a stop without failure.
  BasicCoordinator() : BasicCoordinator(clean_stop_types<OutOfRangeError>) {}

  /// Creates a coordinator that treats the given exception types as a stop without failure. (TensorFlow:
  /// `Coordinator(clean_stop_exception_types)`.)
  template <class... Exceptions>
  explicit BasicCoordinator(CleanStopTypes<Exceptions...>) : core_(&CleanStopTypes<Exceptions...>::contain) {}

  /// Requests a stop and waits for the launched threads. Drops failures that join() has not reported. Ends the program
  /// if a launched thread runs it, because that thread would wait for itself.
  ~BasicCoordinator() = default;

  /// @cond
  BasicCoordinator(const BasicCoordinator&) = delete;
  BasicCoordinator& operator=(const BasicCoordinator&) = delete;
  /// @endcond

  /// @name Stopping
  /// @{

  /// Returns whether a stop was requested.
  [[nodiscard]] bool should_stop() const noexcept { return core_.should_stop(); }

  /// Asks all threads to stop now.
  ///
  /// Ends every wait that was given this coordinator, and closes everything attached: pending enqueues return
  /// `closed`, and dequeues drain the stored elements. Elements between the threads of a chain are lost; to drain a
  /// chain, use QueueRunner::end_input() instead. Never blocks. May be called again and from any thread, but not in a
  /// signal handler: see examples/11_interrupt.cpp.
  void request_stop() noexcept { request_stop(nullptr); }

  /// Asks all threads to stop because of `failure`, and closes everything attached with the first failure as the cause.
  /// If `failure` is null or of a clean-stop type, this is a stop without failure.
  void request_stop(std::exception_ptr failure) noexcept { core_.request_stop(failure); }

  /// Blocks until a stop is requested or `wait` ends. Returns whether a stop was requested.
  ///
  /// @code
  /// while (!coordinator.wait_for_stop(1s)) print_progress();  // once a second, until a stop
  /// @endcode
  bool wait_for_stop(const Wait& wait = {}) { return core_.wait_for_stop(wait); }

  /// Clears the stop, the failures and joined(), so that threads can be launched again. Closed queues stay closed.
  /// (TensorFlow: `Coordinator.clear_stop`.)
  void clear_stop() noexcept { core_.clear_stop(); }

  /// Runs `body` in this thread, and requests a stop with the exception if one escapes. Returns whether `body` ran to
  /// its end. (TensorFlow: `Coordinator.stop_on_exception`.)
  template <std::invocable Body>
  bool stop_on_exception(Body&& body) {
    return core_.stop_on_exception(std::forward<Body>(body));
  }

  /// Returns all failures so far, first to last, including those reported after join().
  [[nodiscard]] std::vector<std::exception_ptr> failures() const { return core_.failures(); }

  /// Returns the first failure; null if there is none.
  [[nodiscard]] std::exception_ptr failure() const noexcept { return core_.failure(); }

  /// Rethrows the first failure, if there is one. (TensorFlow: `Coordinator.raise_requested_exception`.)
  void raise_requested_exception() const {
    if (const std::exception_ptr first = failure()) std::rethrow_exception(first);
  }

  /// Returns whether this coordinator treats `exception` as a stop without failure.
  [[nodiscard]] bool is_clean_stop(const std::exception_ptr& exception) const noexcept {
    return core_.is_clean_stop(exception);
  }

  /// @}
  /// @name Threads
  /// @{

  /// Starts a thread that runs `body`, and requests a stop with any exception that escapes it.
  ///
  /// Debuggers and StragglersError show the name. The thread destroys the body and its captures before it counts as
  /// ended. Also joins threads that have ended. If the thread cannot be created, throws std::system_error; a body that
  /// was moved in is then lost.
  ///
  /// @code
  /// coordinator.launch("reader", [&] { read_all(queue); });
  /// @endcode
  template <std::invocable Body>
  requires std::move_constructible<std::decay_t<Body>>
  void launch(std::string name, Body&& body) { core_.launch(std::move(name), std::forward<Body>(body)); }

  /// Starts several threads, all or none.
  ///
  /// No body runs before all threads exist. If a thread cannot be created, joins the others and throws
  /// std::system_error; no body has then run. Each thread destroys its body, unless the caller has a copy.
  void launch(std::vector<NamedThread> threads) { core_.launch(std::move(threads)); }

  /// Blocks until all launched threads have ended, and rethrows the first failure, if there is one.
  ///
  /// Needs no stop request. Keeps failures that are reported after it returned for the next join. Throws
  /// std::system_error (`resource_deadlock_would_occur`) if a launched thread calls it. (TensorFlow:
  /// `Coordinator.join`, which waits for a stop request as long as a closer thread runs.)
  void join() {
    core_.join([] { return detail::Deadline<typename Sync::clock>(); });
  }

  /// Blocks until all launched threads have ended, but at most for `grace` after a stop is requested.
  ///
  /// If threads still run then, throws the first failure or, without a failure, StragglersError: it has the name of
  /// each thread, and what it waits for. Throws std::bad_alloc if there is no memory for that list. You can join again.
  ///
  /// @code
  /// coordinator.request_stop();
  /// coordinator.join(5s);
  /// @endcode
  template <class Rep, class Period>
  void join(std::chrono::duration<Rep, Period> grace) {
    const auto deadline_from_now = [grace] { return detail::deadline_after<typename Sync::clock>(grace); };
    while (!core_.join(deadline_from_now)) {
      std::vector<ThreadActivity> stragglers = threads();
      if (!stragglers.empty()) throw StragglersError(std::move(stragglers));
    }
  }

  /// Joins a range of std::thread or std::jthread of your own, then the launched threads, as join() does.
  ///
  /// There is no grace period, because a thread of the standard library can only be waited for without a limit. Throws
  /// std::system_error (`resource_deadlock_would_occur`), before it waits for any thread, if one of them calls it.
  template <std::ranges::forward_range Threads>
  requires requires(std::ranges::range_reference_t<Threads> thread) { thread.join(); }
  void join(Threads&& threads) {
    core_.join_others(threads);
    join();
  }

  /// Returns what each launched thread that has not ended is doing: it runs, or waits in a queue or another call of
  /// forebay, and for how long.
  [[nodiscard]] std::vector<ThreadActivity> threads() const { return core_.threads(); }

  /// Returns a number that is greater in the next call if an element has moved in between.
  ///
  /// An element moves into or out of a queue, or through a pipeline. It counts if a launched thread moves it. It also
  /// counts if the queue or pipeline is attached, or filled by a QueueRunner of this coordinator. The number has no
  /// other meaning, and may change when something is attached or detached.
  [[nodiscard]] std::uint64_t progress() const noexcept { return core_.progress(); }

  /// Returns whether a join has finished, normally or with an exception.
  [[nodiscard]] bool joined() const noexcept { return core_.joined(); }

  /// @}
  /// @name Attaching queues
  /// @{

  /// Makes a stop close `closable`, with the first failure as its cause. If a stop was already requested, closes it at
  /// once.
  ///
  /// A closable is a queue, or any object with a member `close(std::exception_ptr)` or `close()`. That member must not
  /// block, throw, request a stop or detach; it may be called again, also by several threads concurrently. Elements
  /// that move in a queue count as progress(). So does the number that another closable returns from a non-throwing
  /// member `std::uint64_t progress() const`. If there is not enough memory, throws std::bad_alloc and does not attach.
  template <class Closable>
  void attach(Closable& closable) {
    core_.attach(closable);
  }

  /// Undoes attach(). Blocks while a close of `closable` is in progress. Does nothing if it is not attached.
  template <class Closable>
  void detach(Closable& closable) noexcept {
    core_.detach(&closable);
  }

  /// @}
  /// @cond
  // ---- For Wait and QueueRunner

  /// Returns the signal that a Wait made from this coordinator waits for.
  [[nodiscard]] detail::StopSignal<Sync>& stop_signal() const noexcept { return core_.stop_signal(); }

  /// Returns what a QueueRunner launches its threads with.
  [[nodiscard]] detail::CoordinatorCore<Sync>& core() noexcept { return core_; }
  /// @endcond

 private:
  detail::CoordinatorCore<Sync> core_;
};

/// @cond
/// Stops several threads together and reports the first failure: BasicCoordinator with the standard synchronisation.
using Coordinator = BasicCoordinator<>;
/// @endcond

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_COORDINATOR_HPP
