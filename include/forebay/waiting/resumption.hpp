// SPDX-License-Identifier: MIT
//
// resumption.hpp: Resumption, which continues suspended calls in the thread that ends their wait, without its locks.
//
// A suspended call has no thread. The thread that signals or interrupts it looks at the queue in its place, and
// resumes its coroutine when the call is over. Both happen at the end of the outermost Resumption of that thread. So no
// coroutine runs under a lock, and coroutines that wake each other do not nest: the stack stays bounded.

#ifndef FOREBAY_WAITING_RESUMPTION_HPP
#define FOREBAY_WAITING_RESUMPTION_HPP

#include <utility>

#include "forebay/base/thread_record.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A call that waits without a thread.
class Resumable {
 public:
  Resumable() = default;
  Resumable(const Resumable&) = delete;
  Resumable& operator=(const Resumable&) = delete;

  /// Looks at the queue after the signal to its waiter. Runs no user code, apart from moves of elements.
  virtual void receive_signal() noexcept = 0;

  /// Looks at the queue because a stop was requested.
  virtual void interrupt() noexcept = 0;

  /// Continues the coroutine, which may destroy this object.
  virtual void resume() noexcept = 0;

  Resumable* next = nullptr;  ///< in its list

 protected:
  ~Resumable() = default;
};

/// Calls in order of arrival. A call is in at most one list.
class ResumableList {
 public:
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }

  void add(Resumable& call) noexcept {
    call.next = nullptr;
    (last_ != nullptr ? last_->next : first_) = &call;
    last_ = &call;
  }

  /// Removes and returns the first call, or null.
  Resumable* take() noexcept {
    Resumable* const call = first_;
    if (call == nullptr) return nullptr;
    first_ = call->next;
    if (first_ == nullptr) last_ = nullptr;
    return call;
  }

  /// Removes the call, if it is in the list.
  void remove(const Resumable& call) noexcept {
    ResumableList kept;
    while (Resumable* const each = take()) {
      if (each != &call) kept.add(*each);
    }
    *this = kept;
  }

 private:
  Resumable* first_ = nullptr;
  Resumable* last_ = nullptr;
};

/// Where a call continues when it is over.
enum class ResumesIn : unsigned char {
  this_thread,  ///< the thread that ended its wait
  pool,         ///< a pool of the user's, which this thread tells
};

/// Continues the calls that were added during its scope. Declare it before taking a lock. Only the outermost one of a
/// thread has lists.
template <class Sync>
class Resumption {
 public:
  Resumption() noexcept : outermost_(of_this_thread() != nullptr ? *of_this_thread() : *this) {
    of_this_thread() = &outermost_;
    ++outermost_.depth_;
  }
  ~Resumption() {
    if (--outermost_.depth_ == 0) outermost_.run();
    if (&outermost_ == this) of_this_thread() = nullptr;
  }
  Resumption(const Resumption&) = delete;
  Resumption& operator=(const Resumption&) = delete;

  /// Signals calls whose waiters were chosen or dismissed.
  [[gnu::noinline]] static void signal(ResumableList calls) noexcept {
    const Resumption resumption;
    while (Resumable* const call = calls.take()) resumption.outermost_.signalled_.add(*call);
  }

  /// Adds a call that is over.
  void resume(Resumable& call, ResumesIn where) const noexcept {
    (where == ResumesIn::pool ? outermost_.posted_ : outermost_.over_).add(call);
  }

  /// Does not resume a call that is over, because its coroutine is destroyed.
  static void forget(const Resumable& call) noexcept {
    Resumption* const own = of_this_thread();
    if (own == nullptr) return;
    own->posted_.remove(call);
    own->over_.remove(call);
  }

 private:
  [[nodiscard]] static Resumption*& of_this_thread() noexcept {
    return ThreadRecord<Sync>::of_this_thread().resumption;
  }

  /// A coroutine that runs may end other waits. Their signals and their pools are served before it continues, but
  /// their coroutines have to wait until it is suspended.
  [[gnu::noinline]] void run() noexcept {
    receive_signals();
    while (Resumable* const call = posted_.take()) call->resume();
    if (is_resuming_) return;
    is_resuming_ = true;
    while (Resumable* const call = over_.take()) call->resume();
    is_resuming_ = false;
  }

  /// A look may choose further waiters.
  void receive_signals() noexcept {
    ++depth_;
    while (Resumable* const call = signalled_.take()) call->receive_signal();
    --depth_;
  }

  Resumption& outermost_;
  int depth_ = 0;  ///< of the scopes at whose end the calls continue
  bool is_resuming_ = false;
  ResumableList signalled_;
  ResumableList posted_;
  ResumableList over_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_WAITING_RESUMPTION_HPP
