// SPDX-License-Identifier: MIT
//
// thread_group.hpp: threads that are waited for together: those of a coordinator, and the ops of a runner.

#ifndef FOREBAY_THREADS_THREAD_GROUP_HPP
#define FOREBAY_THREADS_THREAD_GROUP_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "forebay/base/thread_record.hpp"
#include "forebay/waiting/thread_slot.hpp"
#include "forebay/thread_activity.hpp"
#include "forebay/threads/gate.hpp"
#include "forebay/version.hpp"
#include "forebay/waiting/deadline.hpp"

namespace forebay::FOREBAY_ABI::detail {

[[noreturn]] inline void throw_would_deadlock(const std::string& why) {
  throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur), "forebay: " + why);
}

/// The group has a lock, which guards what its owner keeps beside it, too. Who calls a function that takes a
/// `const Lock&` holds it. One that takes a `Lock&` lets go of it meanwhile, and code of the user's may run.
///
/// Invariants, under the lock:
///  - members_ are the threads that were added and not removed since: running_ of them have not ended, and joining_ of
///    them are being joined, which happens without the lock;
///  - a member that is being joined is removed by who joins it, and by nobody else;
///  - a member's thread touches nothing of the group after it has left, unless code of the user's that runs at the
///    very end of a thread (the destructor of a thread_local) does.
template <class Sync>
class ThreadGroup {
 public:
  using Lock = std::unique_lock<typename Sync::mutex>;

  /// A thread of the group. It calls enter() before anything else, and leave() last.
  struct Member {
    explicit Member(std::string its_name, std::function<void()> its_body = nullptr)
        : name(std::move(its_name)), body(std::move(its_body)) {}

    std::string name;
    std::function<void()> body;
    typename Sync::thread thread;  // not joinable in a group that did not launch it
    typename Sync::thread::id id;
    ThreadSlot<Sync> slot{{.since = Sync::clock::now()}};
    ThreadRecord<Sync>* record = nullptr;  // of its thread, from enter() until leave()
    bool ended = false;
    bool is_being_joined = false;
  };
  using Members = std::list<Member>;

  [[nodiscard]] Lock lock() const { return Lock(mutex_); }

  /// Starts a thread for each of `threads`, which calls `run(member)`; all or none: nothing is run before all threads
  /// are there. If one cannot be created, those that were are joined, and std::system_error is thrown. Takes the lock.
  /// Removes who has ended.
  template <class Run>
  void launch(Members threads, Run run) {
    const auto gate = std::make_shared<Gate<Sync>>();
    try {
      for (Member& each : threads) {
        each.thread = typename Sync::thread([&each, gate, run] {
          if (gate->pass()) run(each);
        });
      }
    } catch (...) {
      gate->dismiss();
      for (Member& each : threads) {
        if (each.thread.joinable()) each.thread.join();
      }
      throw;
    }
    Lock lock(mutex_);
    add(lock, threads);
    gate->open();
    // In the last moments of a thread nobody is waited for: two of them could wait for each other.
    const Member* const caller = calling_member(lock);
    if (caller == nullptr || !caller->ended) remove_ended(lock);
  }

  /// Takes over `threads`, each of which will enter and leave.
  void add(const Lock& /*required*/, Members& threads) noexcept {
    running_ += threads.size();
    members_.splice(members_.end(), threads);
  }

  /// Forgets all members. Requires that none of them has entered, nor will.
  void clear(const Lock& lock) noexcept {
    members_.clear();
    running_ = 0;
    notify(lock);
  }

  /// Called by the member's thread.
  void enter(const Lock& /*required*/, Member& member) noexcept {
    member.id = Sync::this_thread_id();
    member.record = &ThreadRecord<Sync>::of_this_thread();
    progress_of_others_ -= member.record->progress();
  }

  /// Called by the member's thread.
  void leave(const Lock& lock, Member& member) noexcept {
    progress_of_others_ += std::exchange(member.record, nullptr)->progress();
    member.ended = true;
    --running_;
    notify(lock);
  }

  /// How many have not left.
  [[nodiscard]] std::size_t running(const Lock& /*required*/) const noexcept { return running_; }

  /// Whether everybody has left, and nobody is being joined.
  [[nodiscard]] bool all_ended(const Lock& /*required*/) const noexcept { return running_ == 0 && joining_ == 0; }

  /// The member whose thread calls; null if none does.
  [[nodiscard]] const Member* calling_member(const Lock& /*required*/) const noexcept {
    const auto id = Sync::this_thread_id();
    const auto found =
        std::find_if(members_.begin(), members_.end(), [&](const Member& each) { return each.id == id; });
    return found == members_.end() ? nullptr : &*found;
  }

  /// What those do that have not left.
  [[nodiscard]] std::vector<ThreadActivity> activities(const Lock& /*required*/) const {
    std::vector<ThreadActivity> activities;
    for (const Member& each : members_) {
      if (!each.ended) activities.push_back(each.slot.activity(each.name));
    }
    return activities;
  }

  /// See ThreadRecord::progress(): that of all members, also of those that have left.
  [[nodiscard]] std::uint64_t progress(const Lock& /*required*/) const noexcept {
    std::uint64_t sum = progress_of_others_;
    for (const Member& each : members_) {
      if (each.record != nullptr) sum += each.record->progress();
    }
    return sum;
  }

  /// Blocks until `condition()`, which is asked under the lock at first and after each notify().
  template <class Condition>
  void wait(Lock& lock, Condition condition) {
    changed_.wait(lock, condition);
  }

  void notify(const Lock& /*required*/) noexcept { changed_.notify_all(); }

  /// Waits for the members, those included that are launched meanwhile, until the deadline, and removes those that
  /// have ended.
  void join(Lock& lock, const Deadline<typename Sync::clock>& deadline) {
    const auto ended = [&] { return all_ended(lock); };
    bool in_time = true;
    do {
      if (deadline) {
        in_time = changed_.wait_until(lock, *deadline, ended);
      } else {
        changed_.wait(lock, ended);
      }
      remove_ended(lock);
    } while (in_time && !members_.empty());
  }

  /// Removes the members that have ended, but for those that another thread removes. Joins the threads that the group
  /// launched, without the lock.
  void remove_ended(Lock& lock) {
    for (auto each = members_.begin(); each != members_.end();) {
      if (!each->ended || each->is_being_joined) {
        ++each;
      } else {
        if (each->thread.joinable()) join_thread(lock, *each);
        each = members_.erase(each);
      }
    }
  }

 private:
  void join_thread(Lock& lock, Member& member) {
    member.is_being_joined = true;  // so that it stays in the list
    ++joining_;
    lock.unlock();
    member.thread.join();  // the thread_locals are destroyed meanwhile
    lock.lock();
    --joining_;
    notify(lock);
  }

  mutable typename Sync::mutex mutex_;
  typename Sync::condition_variable changed_;
  Members members_;
  std::size_t running_ = 0;
  std::size_t joining_ = 0;
  std::uint64_t progress_of_others_ = 0;  // of members that have left; less what was before one entered
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_THREADS_THREAD_GROUP_HPP
