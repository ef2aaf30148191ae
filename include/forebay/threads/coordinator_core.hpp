// SPDX-License-Identifier: MIT
//
// coordinator_core.hpp: CoordinatorCore, the implementation of a Coordinator, shared with the runners whose threads it
// launches.

#ifndef FOREBAY_THREADS_COORDINATOR_CORE_HPP
#define FOREBAY_THREADS_COORDINATOR_CORE_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/thread_activity.hpp"
#include "forebay/threads/attachments.hpp"
#include "forebay/threads/failures.hpp"
#include "forebay/threads/thread_group.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"
#include "forebay/waiting/deadline.hpp"
#include "forebay/waiting/parker.hpp"
#include "forebay/waiting/resumption.hpp"
#include "forebay/waiting/stop_signal.hpp"
#include "forebay/waiting/thread_slot.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The members of Coordinator that call these functions document their guarantees.
///
/// Invariants, under the mutex of threads_:
///  - if a stop was requested, all attached objects have been closed, or a call in progress is about to close them;
///  - user code (thread bodies, their captures, close functions, the destructors of exceptions) runs without the lock;
///  - the destructor returns after the last thread has ended and the last Hold was released.
template <class Sync>
class CoordinatorCore {
 public:
  using Wait = BasicWait<Sync>;
  using Member = typename ThreadGroup<Sync>::Member;
  using Members = typename ThreadGroup<Sync>::Members;
  using IsCleanStop = bool (*)(const std::exception_ptr& exception) noexcept;

  /// Keeps the core from being destroyed. Requires that the core exists when the Hold is created.
  class Hold;

  explicit CoordinatorCore(IsCleanStop is_clean) noexcept : is_clean_stop_(is_clean) {}
  ~CoordinatorCore() { end(); }
  CoordinatorCore(const CoordinatorCore&) = delete;
  CoordinatorCore& operator=(const CoordinatorCore&) = delete;

  // ---- Stopping

  [[nodiscard]] StopSignal<Sync>& stop_signal() const noexcept { return stop_signal_; }
  [[nodiscard]] bool should_stop() const noexcept { return stop_signal_.requested(); }

  [[nodiscard]] bool is_clean_stop(const std::exception_ptr& exception) const noexcept {
    return is_clean_stop_(exception);
  }

  void request_stop(const std::exception_ptr& failure) noexcept {
    const bool failed = failure != nullptr && !is_clean_stop_(failure);
    const Resumption<Sync> resumption;  // resumes coroutines without the mutex
    const Guard guard(threads_.mutex);
    ++holds_;
    if (failed) failures_.keep(failure);
    stop_signal_.request();
    attachments_.close_all(threads_.mutex, failures_);
    --holds_;
    threads_.notify();
  }

  bool wait_for_stop(const Wait& wait) {
    Parker<Sync> parker;
    const typename StopSignal<Sync>::Subscription own(&stop_signal_, parker);
    const typename Wait::Interruption other(wait, parker);
    const IdleWait<Sync> waiting("wait_for_stop", kind);
    if (wait.may_block()) parker.park(wait.deadline());
    return should_stop();
  }

  void clear_stop() noexcept {
    Failures forgotten;  // they are destroyed without the lock
    const Guard guard(threads_.mutex);
    stop_signal_.clear();
    std::swap(failures_, forgotten);
    joined_ = false;
  }

  template <class Body>
  bool stop_on_exception(Body&& body) {
    try {
      std::invoke(std::forward<Body>(body));
      return true;
    } catch (...) {
      request_stop(std::current_exception());
      return false;
    }
  }

  [[nodiscard]] std::vector<std::exception_ptr> failures() const {
    const Guard guard(threads_.mutex);
    return failures_.all();
  }

  [[nodiscard]] std::exception_ptr failure() const noexcept {
    const Guard guard(threads_.mutex);
    return failures_.first();
  }

  // ---- Threads

  template <class Body>
  void launch(std::string name, Body&& body) {
    Members one;
    one.emplace_back(std::move(name), copyable_body(std::forward<Body>(body)));
    launch(std::move(one));
  }

  /// `threads` is a range of objects with a name and a body.
  template <class NamedThread>
  void launch(std::vector<NamedThread> threads) {
    Members members;
    for (NamedThread& each : threads) members.emplace_back(std::move(each.name), std::exchange(each.body, nullptr));
    launch(std::move(members));
  }

  void launch(Members threads) {
    threads_.launch(std::move(threads), [this](Member& member) { run(member); });
  }

  /// Waits for the launched threads until the deadline, which is requested once the stop was requested or all threads
  /// have ended. Rethrows the first failure; without one, returns whether all threads have ended.
  template <class DeadlineFromNow>
  bool join(DeadlineFromNow deadline_from_now) {
    std::exception_ptr first;
    {
      const Guard guard(threads_.mutex);
      throw_if_called_by_member("waits for itself");
      const IdleWait<Sync> waiting("join", kind);
      threads_.wait([this]() FOREBAY_REQUIRES(threads_.mutex) { return should_stop() || threads_.all_ended(); });
      threads_.join(deadline_from_now());
      joined_ = true;
      first = failures_.first();
      if (first == nullptr) return threads_.all_ended();
    }
    std::rethrow_exception(std::move(first));
  }

  /// Waits for threads that the coordinator did not launch.
  template <class Threads>
  void join_others(Threads&& threads) const {
    {
      const Guard guard(threads_.mutex);
      throw_if_called_by_member("waits for itself");
    }
    for (auto&& thread : threads) {
      if (thread.get_id() == Sync::this_thread_id()) throw_would_deadlock("a thread waits for itself");
    }
    const IdleWait<Sync> waiting("join", kind);
    for (auto&& thread : threads) {
      if (thread.joinable()) thread.join();
    }
  }

  [[nodiscard]] std::vector<ThreadActivity> threads() const {
    const Guard guard(threads_.mutex);
    return threads_.activities();
  }

  [[nodiscard]] std::uint64_t progress() const noexcept {
    const Guard guard(threads_.mutex);
    return threads_.progress() + attachments_.progress(threads_.mutex);
  }

  [[nodiscard]] bool joined() const noexcept {
    const Guard guard(threads_.mutex);
    return joined_;
  }

  // ---- Closing attached objects

  template <class Closable>
  void attach(Closable& closable) {
    const Resumption<Sync> resumption;  // as in request_stop()
    const Guard guard(threads_.mutex);
    attachments_.add(threads_.mutex, closable, should_stop(), failures_);
  }

  void detach(const void* closable) noexcept {
    const Guard guard(threads_.mutex);
    attachments_.remove(threads_.mutex, closable);
  }

 private:
  static constexpr const char* kind = "Coordinator";  // where a thread waits for it

  /// The function that a launched thread runs.
  void run(Member& member) {
    Sync::name_this_thread(member.name.c_str());
    const typename ThreadSlot<Sync>::Use use(member.slot);
    {
      const Guard guard(threads_.mutex);
      threads_.enter(member);
    }
    stop_on_exception(member.body);
    member.body = nullptr;  // the destructors of captures may call the coordinator, too
    const Guard guard(threads_.mutex);
    threads_.leave(member);
  }

  /// Separate from the destructor, in which an exception thrown here would first destroy the members.
  [[gnu::noinline]] void end() noexcept {
    throw_if_destroyed_by_member();  // before there is anything to unwind, or the message would be lost
    request_stop(nullptr);
    Failures dropped;  // while their destructors may still call this
    const IdleWait<Sync> waiting("join", kind);
    const Guard guard(threads_.mutex);
    threads_.join(std::nullopt);
    threads_.wait([this]() FOREBAY_REQUIRES(threads_.mutex) { return holds_ == 0; });
    std::swap(failures_, dropped);
  }

  [[gnu::noinline]] void throw_if_destroyed_by_member() const {
    const Guard guard(threads_.mutex);
    throw_if_called_by_member("destroys the Coordinator that waits for it");
  }

  void throw_if_called_by_member(const char* does) const FOREBAY_REQUIRES(threads_.mutex) {
    const Member* const caller = threads_.calling_member();
    if (caller != nullptr) throw_would_deadlock("the thread \"" + caller->name + "\" " + does);
  }

  const IsCleanStop is_clean_stop_;
  mutable StopSignal<Sync> stop_signal_;
  Failures failures_ FOREBAY_GUARDED_BY(threads_.mutex);
  mutable Attachments<Sync> attachments_ FOREBAY_GUARDED_BY(threads_.mutex);
  ThreadGroup<Sync> threads_;
  std::size_t holds_ FOREBAY_GUARDED_BY(threads_.mutex) = 0;  // current Holds; the destructor waits for them
  bool joined_ FOREBAY_GUARDED_BY(threads_.mutex) = false;
};

template <class Sync>
class CoordinatorCore<Sync>::Hold {
 public:
  explicit Hold(CoordinatorCore& core) noexcept : core_(core) {
    const Guard guard(core_.threads_.mutex);
    ++core_.holds_;
  }

  ~Hold() {
    const Guard guard(core_.threads_.mutex);
    --core_.holds_;
    core_.threads_.notify();
  }

  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  CoordinatorCore& core_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_THREADS_COORDINATOR_CORE_HPP
