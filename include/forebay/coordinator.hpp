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

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
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

#include "forebay/waiting/deadline.hpp"
#include "forebay/threads/gate.hpp"
#include "forebay/waiting/parker.hpp"
#include "forebay/waiting/stop_signal.hpp"
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

template <class Sync>
class BasicQueueRunner;  // queue_runner.hpp

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
  // Invariants, under mutex_:
  //  - members_ are the launched threads that were not joined yet; running_ of them have not ended, and joining_ of
  //    them are being joined, which happens outside of the lock;
  //  - a member's thread touches nothing of the coordinator after it has set `ended`, unless code of the user's that
  //    runs at the very end of a thread (the destructor of a thread_local) does;
  //  - failures_ holds each exception object once;
  //  - every attached object has been closed if the stop was requested, or is about to be by a call that is under way.
 public:
  using Wait = BasicWait<Sync>;

  /// OutOfRangeError, the end of the input, counts as a stop without failure.
  BasicCoordinator() : BasicCoordinator(clean_stop_types<OutOfRangeError>) {}

  /// The given exception types do. (TensorFlow: Coordinator(clean_stop_exception_types).)
  template <class... Exceptions>
  explicit BasicCoordinator(CleanStopTypes<Exceptions...>) : is_clean_stop_(&CleanStopTypes<Exceptions...>::contain) {}

  /// Requests a stop and waits for the launched threads. A failure that was not reported by join() is dropped. Ends
  /// the program when one of the launched threads runs it, which would wait for itself.
  ~BasicCoordinator() { end(); }

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
    Lock lock(mutex_);
    ++holds_;
    if (failed) keep(failure);
    stop_signal_.request();
    for (auto each = attachments_.begin(); each != attachments_.end(); ++each) close(*each, lock);
    --holds_;
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
    Failures forgotten;  // they are destroyed without the lock
    const Lock lock(mutex_);
    stop_signal_.clear();
    std::swap(failures_, forgotten);
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

  /// All failures so far, the first one first; also those that were reported after join().
  [[nodiscard]] std::vector<std::exception_ptr> failures() const {
    const Lock lock(mutex_);
    std::vector<std::exception_ptr> all;
    if (failures_.first == nullptr) return all;
    all.reserve(1 + failures_.later.size());
    all.push_back(failures_.first);
    all.insert(all.end(), failures_.later.begin(), failures_.later.end());
    return all;
  }

  /// The first failure; null if there is none.
  [[nodiscard]] std::exception_ptr failure() const noexcept {
    const Lock lock(mutex_);
    return failures_.first;
  }

  /// Rethrows the first failure, if there is one. (TensorFlow: Coordinator.raise_requested_exception.)
  void raise_requested_exception() const {
    if (const std::exception_ptr first = failure()) std::rethrow_exception(first);
  }

  // ---- Threads
  // ------------------------------------------------------------------------------------------------------

  /// Starts a thread that runs `body` and reports what escapes it. The name is visible in debuggers and in the message
  /// of StragglersError. If the thread cannot be created, throws std::system_error. The thread destroys the body, with
  /// what it captures, before it counts as ended. Threads that have ended are joined here, too.
  template <std::invocable Body>
  requires std::move_constructible<std::decay_t<Body>>
  void launch(std::string name, Body&& body) {
    auto shared = std::make_shared<std::decay_t<Body>>(std::forward<Body>(body));
    std::vector<NamedThread> one;
    one.push_back({std::move(name), [shared = std::move(shared)] { static_cast<void>(std::invoke(*shared)); }});
    launch(std::move(one));
  }

  /// Starts several threads, all or none: no body runs before all threads are there. If one cannot be created, those
  /// that were are joined, and std::system_error is thrown. A thread destroys its body unless the caller has a copy.
  void launch(std::vector<NamedThread> threads) {
    std::list<Member> launched;
    const auto gate = std::make_shared<detail::Gate<Sync>>();
    try {
      for (NamedThread& thread : threads) {
        Member& member = launched.emplace_back(std::move(thread.name));
        member.thread =
            typename Sync::thread([this, &member, gate, body = std::exchange(thread.body, nullptr)]() mutable {
              if (gate->pass()) run(member, body);
            });
      }
    } catch (...) {
      gate->dismiss();
      join_all(launched);
      throw;
    }
    Lock lock(mutex_);
    running_ += launched.size();
    members_.splice(members_.end(), launched);
    gate->open();
    // In the last moments of a thread nobody is waited for: two of them could wait for each other.
    const Member* const caller = calling_member();
    if (caller == nullptr || !caller->ended) join_ended(lock);
  }

  /// Waits for the launched threads, and rethrows the first failure. Returns when all have ended; nobody needs to
  /// request a stop for that. Throws std::system_error (resource_deadlock_would_occur) when called by one of them.
  /// What is reported after it returned is kept for the next one. (TensorFlow: Coordinator.join, which waits for a
  /// stop request as long as a closer thread runs.)
  void join() {
    join_until([] { return detail::Deadline<typename Sync::clock>(); });
  }

  /// The same, but once a stop is requested gives the threads at most `grace` to end. Then throws the first failure,
  /// or, if there is none, StragglersError with the names of those that still run (std::bad_alloc if there is no
  /// memory for the names). They can be joined again.
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
  /// nor throws, may be called again, by several threads at once, and neither requests a stop nor detaches.
  template <class Closable>
  void attach(Closable& closable) {
    Lock lock(mutex_);
    attachments_.push_back({&closable, &close<Closable>});
    if (should_stop()) close(attachments_.back(), lock);
  }

  /// From now on it does not. When this returns, a close under way has ended.
  template <class Closable>
  void detach(Closable& closable) noexcept {
    const auto is_it = [&](const Attachment& each) { return each.object == &closable; };
    Lock lock(mutex_);
    changed_.wait(lock, [&] {
      return std::none_of(attachments_.begin(), attachments_.end(),
                          [&](const Attachment& each) { return is_it(each) && each.closings > 0; });
    });
    std::erase_if(attachments_, is_it);
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
    bool is_being_joined = false;
  };

  struct Attachment {
    void* object;
    void (*close)(void* object, const std::exception_ptr& cause) noexcept;
    std::size_t closings = 0;  // so many are under way; it stays in the list until they have ended
  };

  /// The first one has its place from the beginning. For a later one there may be no memory; then it is not kept.
  struct Failures {
    std::exception_ptr first;
    std::vector<std::exception_ptr> later;
  };

  /// Keeps the coordinator from being destroyed, for who knows at the beginning that it lives.
  class Hold {
   public:
    explicit Hold(BasicCoordinator& coordinator) noexcept : coordinator_(coordinator) {
      const Lock lock(coordinator_.mutex_);
      ++coordinator_.holds_;
    }
    ~Hold() {
      const Lock lock(coordinator_.mutex_);
      --coordinator_.holds_;
      coordinator_.changed_.notify_all();
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    BasicCoordinator& coordinator_;
  };
  friend BasicQueueRunner<Sync>;

  template <class Closable>
  static void close(void* object, const std::exception_ptr& cause) noexcept {
    auto& closable = *static_cast<Closable*>(object);
    if constexpr (requires { closable.close(cause); }) {
      closable.close(cause);
    } else {
      closable.close();
    }
  }

  void run(Member& member, std::function<void()>& body) {
    Sync::name_this_thread(member.name.c_str());
    {
      const Lock lock(mutex_);
      member.id = Sync::this_thread_id();
    }
    stop_on_exception(body);
    body = nullptr;  // what it captures may call the coordinator, too
    const Lock lock(mutex_);
    member.ended = true;
    --running_;
    changed_.notify_all();
  }

  [[noreturn]] static void throw_would_deadlock(const std::string& why) {
    throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur), "forebay: " + why);
  }

  void throw_if_called_by_member(const char* does = "waits for itself") const {
    const Lock lock(mutex_);
    const Member* const caller = calling_member();
    if (caller != nullptr) throw_would_deadlock("the thread \"" + caller->name + "\" " + does);
  }

  template <class DeadlineFromNow>
  void join_until(DeadlineFromNow deadline_from_now) {
    throw_if_called_by_member();
    Lock lock(mutex_);
    changed_.wait(lock, [this] { return should_stop() || all_ended(); });
    join_members(lock, deadline_from_now());
    joined_ = true;
    if (failures_.first != nullptr) {
      const std::exception_ptr first = failures_.first;
      lock.unlock();
      std::rethrow_exception(first);
    }
    if (running_ == 0) return;
    std::vector<std::string> stragglers = names_of_those_that_run();
    lock.unlock();
    throw StragglersError(std::move(stragglers));
  }

  /// For threads that never became members.
  static void join_all(std::list<Member>& threads) {
    for (Member& each : threads) {
      if (each.thread.joinable()) each.thread.join();
    }
  }

  // Everything below requires mutex_. What is given the lock lets go of it while code of the user's may run.

  [[nodiscard]] bool all_ended() const noexcept { return running_ == 0 && joining_ == 0; }

  /// Apart from the destructor, in which what is thrown here would first destroy the members.
  void end() noexcept {
    throw_if_called_by_member("destroys the Coordinator that waits for it");
    request_stop();
    Failures dropped;  // while their destructors may still call this
    Lock lock(mutex_);
    join_members(lock, std::nullopt);
    changed_.wait(lock, [this] { return holds_ == 0; });
    std::swap(failures_, dropped);
  }

  /// Waits for the members, those included that are launched meanwhile, until the deadline, and joins those that have
  /// ended.
  void join_members(Lock& lock, const detail::Deadline<typename Sync::clock>& deadline) {
    const auto ended = [this] { return all_ended(); };
    bool in_time = true;
    do {
      if (deadline) {
        in_time = changed_.wait_until(lock, *deadline, ended);
      } else {
        changed_.wait(lock, ended);
      }
      join_ended(lock);
    } while (in_time && !members_.empty());
  }

  /// Joins the members that have ended, but for those that another thread joins.
  void join_ended(Lock& lock) {
    for (auto each = members_.begin(); each != members_.end();) {
      if (!each->ended || each->is_being_joined) {
        ++each;
        continue;
      }
      each->is_being_joined = true;  // so that it stays in the list
      ++joining_;
      lock.unlock();
      each->thread.join();  // the thread_locals are destroyed meanwhile
      lock.lock();
      each = members_.erase(each);
      --joining_;
      changed_.notify_all();
    }
  }

  void close(Attachment& attachment, Lock& lock) noexcept {
    ++attachment.closings;
    {
      const std::exception_ptr cause = failures_.first;
      lock.unlock();
      attachment.close(attachment.object, cause);
    }
    lock.lock();
    --attachment.closings;
    changed_.notify_all();
  }

  /// The member whose thread calls; null if none does.
  [[nodiscard]] const Member* calling_member() const noexcept {
    const auto id = Sync::this_thread_id();
    const auto found =
        std::find_if(members_.begin(), members_.end(), [&](const Member& member) { return member.id == id; });
    return found == members_.end() ? nullptr : &*found;
  }

  [[nodiscard]] std::vector<std::string> names_of_those_that_run() const {
    std::vector<std::string> names;
    for (const Member& member : members_) {
      if (!member.ended) names.push_back(member.name);
    }
    return names;
  }

  void keep(const std::exception_ptr& failure) noexcept {
    if (failures_.first == nullptr) {
      failures_.first = failure;
      return;
    }
    auto& later = failures_.later;
    if (failure == failures_.first || std::find(later.begin(), later.end(), failure) != later.end()) return;
    try {
      later.push_back(failure);
    } catch (const std::bad_alloc&) {
      return;
    }
  }

  bool (*is_clean_stop_)(const std::exception_ptr&) noexcept;
  mutable typename Sync::mutex mutex_;
  typename Sync::condition_variable changed_;
  mutable detail::StopSignal<Sync> stop_signal_;
  Failures failures_;
  std::list<Attachment> attachments_;
  std::list<Member> members_;
  std::size_t running_ = 0;
  std::size_t joining_ = 0;
  std::size_t holds_ = 0;  // so many use the coordinator; the destructor waits for them
  bool joined_ = false;
};

using Coordinator = BasicCoordinator<>;

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_COORDINATOR_HPP
