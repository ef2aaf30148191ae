// SPDX-License-Identifier: MIT
//
// thread_group.hpp: ThreadGroup, threads that are joined together: the threads of a coordinator, or of the ops of a
// runner.

#ifndef FOREBAY_THREADS_THREAD_GROUP_HPP
#define FOREBAY_THREADS_THREAD_GROUP_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/base/thread_record.hpp"
#include "forebay/thread_activity.hpp"
#include "forebay/version.hpp"
#include "forebay/waiting/deadline.hpp"
#include "forebay/waiting/thread_slot.hpp"

namespace forebay::FOREBAY_ABI::detail {

[[noreturn]] inline void throw_would_deadlock(const std::string& why) {
  throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur), "forebay: " + why);
}

/// Returns a function that calls `body`, which need not be copyable, and drops its result.
template <class Body>
[[nodiscard]] std::function<void()> copyable_body(Body&& body) {
  return [shared = std::make_shared<std::decay_t<Body>>(std::forward<Body>(body))] {
    static_cast<void>(std::invoke(*shared));
  };
}

/// The mutex of the group also guards data of its owner. wait(), join() and remove_ended() release it while they wait,
/// and user code may run then.
///
/// Invariants, under the mutex:
///  - members_ are the threads that were added and not removed: running_ of them have not ended, and joining_ of them
///    are being joined, which happens without the lock;
///  - only the thread that joins a member removes it;
///  - a member's thread touches nothing of the group after it has left, unless user code that runs at the
///    very end of a thread (the destructor of a thread_local) does.
template <class Sync>
class ThreadGroup {
 public:
  /// A thread of the group. It calls enter() before anything else, and leave() last.
  struct Member {
    explicit Member(std::string its_name, std::function<void()> its_body = nullptr)
        : name(std::move(its_name)), body(std::move(its_body)) {}

    std::string name;
    std::function<void()> body;
    typename Sync::thread thread;  // not joinable in a group that did not launch it
    ThreadSlot<Sync> slot{{.since = Sync::clock::now()}};
    ThreadRecord<Sync>* record = nullptr;  // of its thread, from enter() until leave()
    bool started = false;                  // launch() has created the threads that it was given
    bool ended = false;
    bool is_being_joined = false;
  };
  using Members = std::list<Member>;

  mutable Mutex<Sync> mutex;

  /// Starts a thread for each of `threads`, which calls `run(member)`, once all threads exist. If a thread cannot be
  /// created, joins the others, which run nothing, and throws std::system_error. Takes the lock. Removes members that
  /// have ended.
  template <class Run>
  void launch(Members threads, Run run) {
    try {
      for (Member& each : threads) {
        each.thread = typename Sync::thread([this, &each, run] {
          ThreadRecord<Sync>::of_this_thread().launched_as = &each;
          if (await_start(each)) run(each);
        });
      }
    } catch (...) {
      {
        const Guard guard(mutex);
        for (Member& each : threads) each.ended = true;
        notify();
      }
      for (Member& each : threads) {
        if (each.thread.joinable()) each.thread.join();
      }
      throw;
    }
    const Guard guard(mutex);
    for (Member& each : threads) each.started = true;
    add(threads);
    notify();
    // A thread that is ending waits for no other one: two of them could wait for each other.
    const Member* const caller = calling_member();
    if (caller == nullptr || !caller->ended) remove_ended();
  }

  /// Takes over `threads`, each of which will enter and leave.
  void add(Members& threads) noexcept FOREBAY_REQUIRES(mutex) {
    running_ += threads.size();
    members_.splice(members_.end(), threads);
  }

  /// Removes all members. Requires that none of them has entered or will enter.
  void clear() noexcept FOREBAY_REQUIRES(mutex) {
    members_.clear();
    running_ = 0;
    notify();
  }

  /// Called by the member's thread.
  void enter(Member& member) noexcept FOREBAY_REQUIRES(mutex) {
    member.record = &ThreadRecord<Sync>::of_this_thread();
    progress_of_others_ -= member.record->progress();
  }

  /// Called by the member's thread.
  void leave(Member& member) noexcept FOREBAY_REQUIRES(mutex) {
    progress_of_others_ += std::exchange(member.record, nullptr)->progress();
    member.ended = true;
    --running_;
    notify();
  }

  /// Returns the number of members that have not left.
  [[nodiscard]] std::size_t running() const noexcept FOREBAY_REQUIRES(mutex) { return running_; }

  /// Returns whether all members have left and none is being joined.
  [[nodiscard]] bool all_ended() const noexcept FOREBAY_REQUIRES(mutex) { return running_ == 0 && joining_ == 0; }

  /// Returns the member of the calling thread, until it has left; if the group has launched the thread, until its end.
  /// Null if there is none. (Thread ids do not tell: the system gives that of a joined thread to another one.)
  [[nodiscard]] const Member* calling_member() const noexcept FOREBAY_REQUIRES(mutex) {
    const ThreadRecord<Sync>& caller = ThreadRecord<Sync>::of_this_thread();
    for (const Member& each : members_) {
      if (each.record == &caller || caller.launched_as == &each) return &each;
    }
    return nullptr;
  }

  /// Returns what the members that have not left do.
  [[nodiscard]] std::vector<ThreadActivity> activities() const FOREBAY_REQUIRES(mutex) {
    std::vector<ThreadActivity> activities;
    for (const Member& each : members_) {
      if (!each.ended) activities.push_back(each.slot.activity(each.name));
    }
    return activities;
  }

  /// Returns the sum of ThreadRecord::progress() of all members, including those that have left.
  [[nodiscard]] std::uint64_t progress() const noexcept FOREBAY_REQUIRES(mutex) {
    std::uint64_t sum = progress_of_others_;
    for (const Member& each : members_) {
      if (each.record != nullptr) sum += each.record->progress();
    }
    return sum;
  }

  /// Blocks until `condition()` returns true. Calls it under the lock, at once and after each notify().
  template <class Condition>
  void wait(Condition condition) FOREBAY_REQUIRES(mutex) {
    mutex.wait(changed_, condition);
  }

  void notify() noexcept FOREBAY_REQUIRES(mutex) { changed_.notify_all(); }

  /// Waits for the members, including those that are launched meanwhile, until the deadline, and removes those that
  /// have ended.
  void join(const Deadline<typename Sync::clock>& deadline) FOREBAY_REQUIRES(mutex) {
    const auto ended = [this]() FOREBAY_REQUIRES(mutex) { return all_ended(); };
    bool in_time = true;
    do {
      in_time = mutex.wait(changed_, ended, deadline);
      remove_ended();
    } while (in_time && !members_.empty());
  }

  /// Removes the members that have ended, except those that another thread removes. Joins the threads that the group
  /// launched, without the lock.
  void remove_ended() FOREBAY_REQUIRES(mutex) {
    for (auto each = members_.begin(); each != members_.end();) {
      if (!each->ended || each->is_being_joined) {
        ++each;
      } else {
        if (each->thread.joinable()) join_thread(*each);
        each = members_.erase(each);
      }
    }
  }

 private:
  /// Blocks until the member has started, or has ended before it could start. Returns whether it has started.
  [[nodiscard]] bool await_start(const Member& member) {
    const Guard guard(mutex);
    wait([&member] { return member.started || member.ended; });
    return member.started;
  }

  void join_thread(Member& member) FOREBAY_REQUIRES(mutex) {
    member.is_being_joined = true;  // so that it stays in the list
    ++joining_;
    {
      const Unlocked unlocked(mutex);
      member.thread.join();  // the thread_locals are destroyed meanwhile
    }
    --joining_;
    notify();
  }

  typename Sync::condition_variable changed_;
  Members members_ FOREBAY_GUARDED_BY(mutex);
  std::size_t running_ FOREBAY_GUARDED_BY(mutex) = 0;
  std::size_t joining_ FOREBAY_GUARDED_BY(mutex) = 0;
  // Of members that have left; less what was before one entered.
  std::uint64_t progress_of_others_ FOREBAY_GUARDED_BY(mutex) = 0;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_THREADS_THREAD_GROUP_HPP
