// SPDX-License-Identifier: MIT
//
// suspended_call.hpp: SuspendedCall, a call that waits without a thread. It is an ordinary waiter in the wait queue of
// its side. Instead of a thread that sleeps and wakes, the thread that signals or interrupts the call visits the queue
// in its place.
//
// Which thread touches the call:
//  - One thread at a time works on it, without the mutex. Any other one leaves a note and goes; the working thread
//    looks for notes before it ends its work. So nobody waits for a visit, apart from end().
//  - The first work is that of the thread that starts the call. It registers for a stop before it visits the queue,
//    because the call may be over, and destroyed, as soon as the queue is unlocked.
//  - A signal that was announced, by choosing the waiter, must arrive before the call is over (visit.hpp). A stop that
//    comes in between does nothing: the work for the signal sees it.
//  - A thread that has to signal the call lists it, and works on it when the coroutines before it are suspended. If one
//    of them destroys this coroutine, end() takes the call off the list: that is its signal.
//  - The working thread that ends the call unlocks the mutex and resumes the coroutine. From then on only that
//    coroutine touches the call. A thread that interrupts it meanwhile finds that it is over; the coroutine waits for
//    that thread when it ends the subscription.

#ifndef FOREBAY_ENGINE_SUSPENDED_CALL_HPP
#define FOREBAY_ENGINE_SUSPENDED_CALL_HPP

#include <exception>
#include <optional>
#include <utility>

#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/engine/place.hpp"
#include "forebay/engine/visit.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"
#include "forebay/waiting/any_stop.hpp"
#include "forebay/waiting/resumption.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A derived class calls end() in its destructor.
template <class Sync>
class SuspendedCall : public Resumable<Sync> {
 public:
  /// `hook` must outlive the call, which does not wait before start().
  template <class Hook>
  SuspendedCall(Hook& hook, const AnyStop<Sync>& stop, ResumesIn where)
      : Resumable<Sync>(where), stop_(stop), place_(hook.place()) {
    place_.waiter.suspended = this;
  }
  SuspendedCall(const SuspendedCall&) = delete;
  SuspendedCall& operator=(const SuspendedCall&) = delete;

  void receive_signal() noexcept final { look_for(&Notes::signalled); }
  void interrupt() noexcept final { look_for(&Notes::stopped); }

 protected:
  ~SuspendedCall() = default;

  /// Begins to wait. Returns false if the call is over already: then it is not resumed.
  bool start() {
    const Resumption<Sync> resumption;
    subscription_.begin(stop_, *this);
    has_started_ = true;
    return !work();
  }

  /// Leaves the queue, if the call still waits because its coroutine is destroyed. Waits for a thread that works on it.
  void end() noexcept {
    if (!has_started_) return;
    subscription_.end();
    const Resumption<Sync> resumption;
    const bool is_signalled = Resumption<Sync>::forget(*this);
    if (must_leave()) leave(is_signalled);
  }

  /// Returns the outcome of a call that is over, or throws the cause of its queue or the failure of a move.
  [[nodiscard]] QueueStatus finish() {
    subscription_.end();
    has_started_ = false;
    if (failure_ != nullptr) std::rethrow_exception(std::move(failure_));
    return status_;
  }

 private:
  /// Reasons to look at the queue.
  struct Notes {
    bool signalled = false;
    bool stopped = false;
  };

  void look_for(bool Notes::*reason) noexcept {
    const Resumption<Sync> resumption;
    if (begins_work(reason) && work()) resumption.resume(*this);
  }

  /// Leaves a note. Returns whether this thread has to work.
  bool begins_work(bool Notes::*reason) noexcept {
    const Guard guard(mutex_);
    if (is_over_) return false;
    notes_.*reason = true;
    if (is_abandoned_) changed_.notify_one();
    if (is_abandoned_ || is_worked_on_) return false;
    is_worked_on_ = true;
    take_notes();
    return true;
  }

  /// Looks at the queue until there are no more notes. Returns whether the call is over, and is to be resumed.
  bool work() noexcept {
    while (true) {
      const bool is_over = looks();
      const Guard guard(mutex_);
      if (!is_over && !is_abandoned_ && (notes_.signalled || notes_.stopped)) {
        take_notes();
        continue;
      }
      is_over_ = is_over;
      is_worked_on_ = false;
      if (is_abandoned_) changed_.notify_one();
      return is_over && !is_abandoned_;
    }
  }

  void take_notes() noexcept FOREBAY_REQUIRES(mutex_) {
    const Notes notes = std::exchange(notes_, Notes());
    has_signal_ = has_signal_ || notes.signalled;
  }

  enum class Found : unsigned char { over, wait, steps };

  /// Looks once; more often if it moves a large batch in steps. Returns whether the call is over.
  bool looks() noexcept {
    Found found = Found::steps;
    while (found == Found::steps) found = look();
    return found == Found::over;
  }

  Found look() noexcept {
    try {
      const Found found = visit();
      while (found == Found::steps && place_.hook->is_moving() &&
             place_.hook->advance(place_.waiter) == Progress::some) {
      }
      return found;
    } catch (...) {
      failure_ = std::current_exception();
      return place_.has_joined ? Found::steps : Found::over;  // if a step failed, the next visit leaves
    }
  }

  Found visit() {
    // Checked before the look, which therefore sees everything that arrived before the stop.
    const bool is_last = stop_.requested();
    Visit<Sync> visit(place_);
    if (!std::exchange(has_signal_, false) && visit.needs_signal()) return Found::wait;
    if (failure_ != nullptr) {
      visit.leave();
      return Found::over;
    }
    std::exception_ptr cause;
    const std::optional<QueueStatus> status = visit.look(is_last, cause);
    if (!status && place_.hook->is_moving()) {
      visit.attend();
      return Found::steps;
    }
    if (!status && !is_last) return Found::wait;
    status_ = status.value_or(QueueStatus::stopped);
    failure_ = std::move(cause);
    return Found::over;
  }

  /// Returns whether the call waits. From then on no thread works on it.
  bool must_leave() noexcept {
    const Guard guard(mutex_);
    is_abandoned_ = true;
    mutex_.wait(changed_, [this]() FOREBAY_REQUIRES(mutex_) { return !is_worked_on_; });
    return !is_over_;
  }

  /// Leaves the queue, so that other calls receive what this one could have received.
  void leave(bool is_signalled) noexcept {
    Visit<Sync> visit(place_);
    if (!has_signal_ && !is_signalled) visit.receive_signal([this] { await_signal(); });
    visit.leave();
  }

  void await_signal() noexcept {
    const Guard guard(mutex_);
    mutex_.wait(changed_, [this]() FOREBAY_REQUIRES(mutex_) { return notes_.signalled; });
  }

  const AnyStop<Sync> stop_;
  bool has_started_ = false;  // and has not finished

  // For the thread that works.
  Place<Sync> place_;
  bool has_signal_ = false;  // the signal to the waiter has arrived
  QueueStatus status_ = QueueStatus::ok;
  std::exception_ptr failure_;

  Mutex<Sync> mutex_;
  typename Sync::condition_variable changed_;  // for end()
  Notes notes_ FOREBAY_GUARDED_BY(mutex_);
  bool is_worked_on_ FOREBAY_GUARDED_BY(mutex_) = true;
  bool is_over_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_abandoned_ FOREBAY_GUARDED_BY(mutex_) = false;
  typename AnyStop<Sync>::Subscription subscription_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_SUSPENDED_CALL_HPP
