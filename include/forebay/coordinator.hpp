// SPDX-License-Identifier: MIT
//
// coordinator.hpp: Coordinator, which stops many threads together and reports the first failure.
//
// Threads are launched with a name (or the user's own are handed to join). Any of them may ask all to stop, with a
// failure or without; every blocking call of a queue that was given the coordinator returns, attached queues are
// closed, and join() waits for everybody and rethrows the first failure.
//
// Lifetime: what is attached must be detached, or outlive the coordinator. The destructor requests a stop and waits
// for the launched threads; it never detaches one.
//
// Thread safety: every member function may be called from any thread at any time, the destructor excepted.

#ifndef FOREBAY_COORDINATOR_HPP
#define FOREBAY_COORDINATOR_HPP

#include <algorithm>
#include <chrono>
#include <concepts>
#include <exception>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/detail/deadline.hpp"
#include "forebay/detail/gate.hpp"
#include "forebay/detail/parker.hpp"
#include "forebay/detail/stop_signal.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

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
  explicit StragglersError(std::vector<std::string> names)
      : std::runtime_error("forebay: threads still running after the grace period: " + listed(names)),
        names_(std::move(names)) {}

  /// The names of the threads that still run.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  static std::string listed(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    return list;
  }

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
///  - Nothing is printed, and no exception is swallowed: what escapes a launched thread comes out of join(). (A
///  failure
///    nobody joins for is dropped by the destructor.)
template <class Sync = StdSync>
class BasicCoordinator {
  // Invariants, under mutex_:
  //  - members_ are the launched threads that were not joined yet; a member's thread touches nothing of the
  //  coordinator
  //    after it has set `ended`;
  //  - failures_ holds each exception object once, the first failure first;
  //  - every attached object has been closed if the stop was requested.
 public:
  using Wait = BasicWait<Sync>;

  /// OutOfRangeError, the end of the input, counts as a stop without failure.
  BasicCoordinator() : BasicCoordinator(clean_stop_types<OutOfRangeError>) {}

  /// The given exception types do. (TensorFlow: Coordinator(clean_stop_exception_types).)
  template <class... Exceptions>
  explicit BasicCoordinator(CleanStopTypes<Exceptions...>) : is_clean_stop_(&CleanStopTypes<Exceptions...>::contain) {}

  /// Requests a stop and waits for the launched threads. A failure that was not reported by join() is dropped.
  ~BasicCoordinator() {
    request_stop();
    Lock lock(mutex_);
    changed_.wait(lock, [this] { return all_ended(); });
    join_all(members_);
  }

  BasicCoordinator(const BasicCoordinator&) = delete;
  BasicCoordinator& operator=(const BasicCoordinator&) = delete;

  // ---- Stopping
  // -----------------------------------------------------------------------------------------------------

  /// Whether a stop was requested.
  [[nodiscard]] bool should_stop() const noexcept { return stop_signal_.requested(); }

  /// Asks everybody to stop. Ends every wait that was given this coordinator and closes what is attached, so that
  /// enqueues that wait return closed and dequeues drain what is left. Never blocks; may be called again, from any
  /// thread, but not from a signal handler: see examples/11_interrupt.cpp.
  void request_stop() noexcept { request_stop(nullptr); }

  /// The same, because of `failure`, unless it is of a clean-stop type (or null). What is attached is closed with the
  /// first failure as its cause.
  void request_stop(std::exception_ptr failure) noexcept {
    const bool failed = failure != nullptr && !is_clean_stop_(failure);
    const Lock lock(mutex_);
    if (failed) keep(std::move(failure));
    stop_signal_.request();
    for (const Attachment& attachment : attachments_) attachment.close(attachment.object, first_failure());
    changed_.notify_all();
  }

  /// Blocks until a stop is requested, or `wait` ends. Returns whether a stop was requested.
  bool wait_for_stop(const Wait& wait = {}) {
    detail::Parker<Sync> parker;
    const typename detail::StopSignal<Sync>::Subscription own(stop_signal_, parker);
    const typename Wait::Interruption other(wait, parker);
    if (wait.may_block()) parker.park(wait.deadline());
    return should_stop();
  }

  /// Forgets the stop, the failures and that it was joined, so that threads can be launched anew. Closed queues stay
  /// closed. (TensorFlow: Coordinator.clear_stop.)
  void clear_stop() noexcept {
    const Lock lock(mutex_);
    stop_signal_.clear();
    failures_.clear();
    joined_ = false;
  }

  /// Runs `body` and reports what escapes it with request_stop. Returns whether it ran to its end. (TensorFlow:
  /// Coordinator.stop_on_exception.)
  template <std::invocable Body>
  bool stop_on_exception(Body&& body) {
    try {
      std::invoke(std::forward<Body>(body));
      return true;
    } catch (...) {
      request_stop(std::current_exception());
      return false;
    }
  }

  /// All failures so far, the first one first.
  [[nodiscard]] std::vector<std::exception_ptr> failures() const {
    const Lock lock(mutex_);
    return failures_;
  }

  /// The first failure; null if there is none.
  [[nodiscard]] std::exception_ptr failure() const noexcept {
    const Lock lock(mutex_);
    return first_failure();
  }

  /// Rethrows the first failure, if there is one. (TensorFlow: Coordinator.raise_requested_exception.)
  void raise_requested_exception() const {
    if (const std::exception_ptr first = failure()) std::rethrow_exception(first);
  }

  // ---- Threads
  // ------------------------------------------------------------------------------------------------------

  /// Starts a thread that runs `body` and reports what escapes it. The name is visible in debuggers and in the message
  /// of StragglersError. If the thread cannot be created, throws std::system_error.
  template <std::invocable Body>
  requires std::move_constructible<std::decay_t<Body>>
  void launch(std::string name, Body&& body) {
    auto shared = std::make_shared<std::decay_t<Body>>(std::forward<Body>(body));
    std::vector<NamedThread> one;
    one.push_back({std::move(name), [shared] { static_cast<void>(std::invoke(*shared)); }});
    launch(std::move(one));
  }

  /// Starts several threads, all or none: no body runs before all threads are there. If one cannot be created, those
  /// that were are joined, and std::system_error is thrown.
  void launch(std::vector<NamedThread> threads) {
    std::list<Member> launched;
    const auto gate = std::make_shared<detail::Gate<Sync>>();
    try {
      for (NamedThread& thread : threads) {
        Member& member = launched.emplace_back(std::move(thread.name));
        member.thread = typename Sync::thread([this, &member, gate, body = std::move(thread.body)] {
          if (gate->pass()) run(member, body);
        });
      }
    } catch (...) {
      gate->dismiss();
      join_all(launched);
      throw;
    }
    Lock lock(mutex_);
    std::list<Member> gone = take_ended();
    members_.splice(members_.end(), launched);
    lock.unlock();
    gate->open();
    join_all(gone);
  }

  /// Waits for the launched threads, and rethrows the first failure. Returns when all have ended; nobody needs to
  /// request a stop for that. Throws std::system_error (resource_deadlock_would_occur) when called by one of them.
  /// (TensorFlow: Coordinator.join, which waits for a stop request as long as a closer thread runs.)
  void join() {
    join_until([] { return detail::Deadline<typename Sync::clock>(); });
  }

  /// The same, but once a stop is requested gives the threads at most `grace` to end. Then throws the first failure,
  /// or, if there is none, StragglersError with the names of those that still run.
  template <class Rep, class Period>
  void join(std::chrono::duration<Rep, Period> grace) {
    join_until([grace] { return detail::deadline_after<typename Sync::clock>(grace); });
  }

  /// The same for threads that the user made, a range of std::thread or std::jthread, and then for the launched ones.
  /// There is no grace for them: a thread of the standard library can only be waited for.
  template <std::ranges::forward_range Threads>
  requires requires(std::ranges::range_reference_t<Threads> thread) { thread.join(); }
  void join(Threads&& threads) {
    throw_if_called_by_member();
    for (auto&& thread : threads) {
      if (thread.get_id() == Sync::this_thread_id()) throw_would_deadlock("a thread waits for itself");
    }
    for (auto&& thread : threads) {
      if (thread.joinable()) thread.join();
    }
    join();
  }

  /// Whether a join has finished, also by throwing.
  [[nodiscard]] bool joined() const noexcept {
    const Lock lock(mutex_);
    return joined_;
  }

  // ---- Closing what others wait in
  // ------------------------------------------------------------------------------------

  /// From now on a stop closes `closable`, with the first failure as its cause; if the stop was requested before, at
  /// once. A closable is a queue, or anything with a member close(std::exception_ptr) or close() that neither blocks
  /// nor throws nor calls the coordinator.
  template <class Closable>
  void attach(Closable& closable) {
    const Lock lock(mutex_);
    const Attachment attachment{&closable, &close<Closable>};
    attachments_.push_back(attachment);
    if (should_stop()) attachment.close(attachment.object, first_failure());
  }

  /// From now on it does not. When this returns, a close under way has ended.
  template <class Closable>
  void detach(Closable& closable) noexcept {
    const Lock lock(mutex_);
    std::erase_if(attachments_, [&](const Attachment& each) { return each.object == &closable; });
  }

  /// What a Wait made from this coordinator waits for.
  [[nodiscard]] detail::StopSignal<Sync>& stop_signal() const noexcept { return stop_signal_; }

  /// Whether `exception` counts as a stop without failure.
  [[nodiscard]] bool is_clean_stop(const std::exception_ptr& exception) const noexcept {
    return is_clean_stop_(exception);
  }

 private:
  using Lock = std::unique_lock<typename Sync::mutex>;

  struct Member {
    explicit Member(std::string its_name) : name(std::move(its_name)) {}

    std::string name;
    typename Sync::thread thread;
    typename Sync::thread::id id;
    bool ended = false;
  };

  struct Attachment {
    void* object;
    void (*close)(void* object, const std::exception_ptr& cause) noexcept;
  };

  template <class Closable>
  static void close(void* object, const std::exception_ptr& cause) noexcept {
    auto& closable = *static_cast<Closable*>(object);
    if constexpr (requires { closable.close(cause); }) {
      closable.close(cause);
    } else {
      closable.close();
    }
  }

  void run(Member& member, const std::function<void()>& body) {
    Sync::name_this_thread(member.name.c_str());
    {
      const Lock lock(mutex_);
      member.id = Sync::this_thread_id();
    }
    stop_on_exception(body);
    const Lock lock(mutex_);
    member.ended = true;
    changed_.notify_all();
  }

  [[noreturn]] static void throw_would_deadlock(const std::string& why) {
    throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur), "forebay: " + why);
  }

  void throw_if_called_by_member() const {
    const Lock lock(mutex_);
    for (const Member& member : members_) {
      if (member.id != Sync::this_thread_id()) continue;
      throw_would_deadlock("the thread \"" + member.name + "\" waits for itself");
    }
  }

  template <class DeadlineFromNow>
  void join_until(DeadlineFromNow deadline_from_now) {
    throw_if_called_by_member();
    Lock lock(mutex_);
    const auto ended = [this] { return all_ended(); };
    changed_.wait(lock, [&] { return should_stop() || ended(); });
    if (const auto deadline = deadline_from_now()) {
      changed_.wait_until(lock, *deadline, ended);
    } else {
      changed_.wait(lock, ended);
    }
    joined_ = true;
    std::list<Member> gone = take_ended();
    std::vector<std::string> stragglers;
    for (const Member& member : members_) stragglers.push_back(member.name);
    lock.unlock();
    join_all(gone);
    raise_requested_exception();
    if (!stragglers.empty()) throw StragglersError(std::move(stragglers));
  }

  static void join_all(std::list<Member>& members) {
    for (Member& member : members) {
      if (member.thread.joinable()) member.thread.join();
    }
  }

  // Everything below requires mutex_.

  [[nodiscard]] bool all_ended() const noexcept {
    return std::all_of(members_.begin(), members_.end(), [](const Member& member) { return member.ended; });
  }

  [[nodiscard]] std::list<Member> take_ended() {
    std::list<Member> ended;
    for (auto each = members_.begin(); each != members_.end();) {
      const auto next = std::next(each);
      if (each->ended) ended.splice(ended.end(), members_, each);
      each = next;
    }
    return ended;
  }

  [[nodiscard]] std::exception_ptr first_failure() const noexcept {
    return failures_.empty() ? nullptr : failures_.front();
  }

  void keep(std::exception_ptr failure) noexcept {
    if (std::find(failures_.begin(), failures_.end(), failure) != failures_.end()) return;
    // The first one has its place from the beginning. For a later one there may be no memory; then it is not kept.
    try {
      failures_.push_back(std::move(failure));
    } catch (const std::bad_alloc&) {
      return;
    }
  }

  [[nodiscard]] static std::vector<std::exception_ptr> room_for_one() {
    std::vector<std::exception_ptr> failures;
    failures.reserve(1);
    return failures;
  }

  bool (*is_clean_stop_)(const std::exception_ptr&) noexcept;
  mutable typename Sync::mutex mutex_;
  typename Sync::condition_variable changed_;
  mutable detail::StopSignal<Sync> stop_signal_;
  std::vector<std::exception_ptr> failures_ = room_for_one();
  std::vector<Attachment> attachments_;
  std::list<Member> members_;
  bool joined_ = false;
};

using Coordinator = BasicCoordinator<>;

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_COORDINATOR_HPP
