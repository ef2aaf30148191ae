// SPDX-License-Identifier: MIT
//
// model_mutex.hpp: the mutex and the condition variable of a model.

#ifndef FOREBAY_TESTS_MODEL_MODEL_MUTEX_HPP
#define FOREBAY_TESTS_MODEL_MODEL_MUTEX_HPP

#include <chrono>
#include <cstddef>
#include <mutex>
#include <vector>

#include "tests/model/model_clock.hpp"
#include "tests/model/model_object.hpp"

namespace forebay_model {

class ModelMutex : public ModelObject {
 public:
  ModelMutex() = default;
  ModelMutex(const ModelMutex&) = delete;
  ModelMutex& operator=(const ModelMutex&) = delete;
  ~ModelMutex() {
    if (owner_ != nullptr) Scheduler::current().fail("a mutex is destroyed while it is locked");
  }

  void lock() {
    if (owner_ == &Scheduler::current().running()) Scheduler::current().fail("a thread locks a mutex it has locked");
    perform({.kind = Kind::lock, .blocked = &locked_});
    take();
  }

  bool try_lock() {
    perform({.kind = Kind::lock});
    if (locked_) return false;
    take();
    return true;
  }

  void unlock() {
    perform({.kind = Kind::unlock});
    give();
  }

 private:
  friend class ModelConditionVariable;

  void take() {
    locked_ = true;
    owner_ = &Scheduler::current().running();
    acquire();
  }

  void give() {
    if (owner_ != &Scheduler::current().running()) Scheduler::current().fail("a thread unlocks a mutex of another");
    locked_ = false;
    owner_ = nullptr;
    release();
  }

  bool locked_ = false;
  const Scheduler::Thread* owner_ = nullptr;
};

class ModelConditionVariable : public ModelObject {
  using Lock = std::unique_lock<ModelMutex>;
  using Where = SourceLocation;

 public:
  ModelConditionVariable() = default;
  ModelConditionVariable(const ModelConditionVariable&) = delete;
  ModelConditionVariable& operator=(const ModelConditionVariable&) = delete;
  ~ModelConditionVariable() {
    if (!sleepers_.empty()) Scheduler::current().fail("a condition variable is destroyed while threads wait in it");
  }

  void notify_one(Where where = Where::current()) noexcept {
    const Way way = perform({.kind = Kind::notify_one, .choices = &sleeping_, .where = where});
    if (!sleepers_.empty()) wake(way);
  }

  void notify_all(Where where = Where::current()) noexcept {
    perform({.kind = Kind::notify_all, .where = where});
    while (!sleepers_.empty()) wake(0);
  }

  void wait(Lock& lock, Where where = Where::current()) { park(lock, never, false, where); }

  template <class Predicate>
  void wait(Lock& lock, Predicate predicate, Where where = Where::current()) {
    while (!predicate()) park(lock, never, false, where);
  }

  std::cv_status wait_until(Lock& lock, ModelClock::time_point deadline, Where where = Where::current()) {
    return park(lock, deadline.time_since_epoch().count(), true, where);
  }

  template <class Predicate>
  bool wait_until(Lock& lock, ModelClock::time_point deadline, Predicate predicate, Where where = Where::current()) {
    while (!predicate()) {
      // The predicate decides, so the other possible status need not be explored.
      if (park(lock, deadline.time_since_epoch().count(), false, where) == std::cv_status::timeout) return predicate();
    }
    return true;
  }

  template <class Rep, class Period>
  std::cv_status wait_for(Lock& lock, std::chrono::duration<Rep, Period> duration, Where where = Where::current()) {
    return wait_until(lock, ModelClock::now() + duration, where);
  }

 private:
  struct Sleeper {
    Scheduler::Thread* thread;
    const ModelMutex* mutex;
    bool status_matters;
  };

  std::cv_status park(Lock& lock, Time deadline, bool status_matters, Where where) {
    Scheduler& scheduler = Scheduler::current();
    Scheduler::Thread& me = scheduler.running();
    ModelMutex& mutex = *lock.mutex();
    perform({.kind = Kind::wait, .second = mutex.id(), .where = where});
    mutex.give();
    sleepers_.push_back({&me, &mutex, status_matters});
    sleeping_ = sleepers_.size();
    const Way way = perform({.kind = Kind::asleep, .deadline = deadline, .where = where});
    bool is_timeout = way == timed_out;
    if (way == timed_out || way == spuriously) {
      std::erase_if(sleepers_, [&me](const Sleeper& each) { return each.thread == &me; });
      sleeping_ = sleepers_.size();
      scheduler.perform({.kind = Kind::awake, .object = mutex.id(), .blocked = &mutex.locked_, .where = where});
    } else {
      is_timeout = way == told_timeout;
    }
    mutex.take();
    return is_timeout ? std::cv_status::timeout : std::cv_status::no_timeout;
  }

  /// From now on the thread wants its mutex. It may still get the status timeout if its time is over.
  void wake(std::size_t index) {
    const Sleeper sleeper = sleepers_[index];
    sleepers_.erase(sleepers_.begin() + static_cast<std::ptrdiff_t>(index));
    sleeping_ = sleepers_.size();
    Scheduler::current().enables(*sleeper.thread);
    Operation& pending = sleeper.thread->pending;
    pending.kind = Kind::awake;
    pending.object = sleeper.mutex->id();
    pending.blocked = &sleeper.mutex->locked_;
    pending.choices = sleeper.status_matters ? &statuses : nullptr;
  }

  static constexpr std::size_t statuses = 2;

  std::vector<Sleeper> sleepers_;
  std::size_t sleeping_ = 0;  // equals the number of sleepers
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_MODEL_MUTEX_HPP
