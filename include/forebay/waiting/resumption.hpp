// SPDX-License-Identifier: MIT
//
// resumption.hpp: Resumption, which continues suspended calls in the thread that ends their wait, without its locks.
//
// A suspended call has no thread. The thread that signals or interrupts it looks at the queue in its place, and
// resumes its coroutine when the call is over. Both happen at the end of the outermost Resumption of that thread. So no
// coroutine runs under a lock, and coroutines that wake each other do not nest: the stack stays bounded.
//
// A signalled call looks only when its coroutine can run next. So what it takes cannot be lost: a coroutine that runs
// before may destroy it, and then it has taken nothing.

#ifndef FOREBAY_WAITING_RESUMPTION_HPP
#define FOREBAY_WAITING_RESUMPTION_HPP

#include <atomic>

#include "forebay/base/thread_record.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Where a call continues when it is over.
enum class ResumesIn : unsigned char {
  this_thread,  ///< the thread that ended its wait
  pool,         ///< a pool of the user's, which this thread tells
};

/// A call that waits without a thread.
template <class Sync>
class Resumable {
 public:
  explicit Resumable(ResumesIn where) noexcept : where_(where) {}
  Resumable(const Resumable&) = delete;
  Resumable& operator=(const Resumable&) = delete;

  /// Looks at the queue after the signal to its waiter. Runs no user code, apart from moves of elements.
  virtual void receive_signal() noexcept = 0;

  /// Looks at the queue because a stop was requested.
  virtual void interrupt() noexcept = 0;

  /// Continues the coroutine, which may destroy this object.
  virtual void resume() noexcept = 0;

  [[nodiscard]] ResumesIn where() const noexcept { return where_; }

  // For ResumableList. Not a friend, because a class with friends needs a virtual destructor (-Wnon-virtual-dtor).
  Resumable* previous = nullptr;
  Resumable* next = nullptr;
  // The list that has it. Relaxed: a thread that finds a list of its own has added the call itself.
  typename Sync::template relaxed_atomic<const void*> list{nullptr};

 protected:
  ~Resumable() = default;

 private:
  const ResumesIn where_;
};

/// Calls in order of arrival, of one thread. A call is in at most one list.
template <class Sync>
class ResumableList {
 public:
  void add(Resumable<Sync>& call) noexcept {
    call.previous = last_;
    call.next = nullptr;
    call.list.store(this, std::memory_order_relaxed);
    (last_ != nullptr ? last_->next : first_) = &call;
    last_ = &call;
  }

  /// Removes and returns the first call, or null.
  Resumable<Sync>* take() noexcept {
    Resumable<Sync>* const call = first_;
    if (call != nullptr) remove(*call);
    return call;
  }

  /// Removes the call. Returns whether it was in the list.
  bool remove(Resumable<Sync>& call) noexcept {
    if (call.list.load(std::memory_order_relaxed) != this) return false;
    call.list.store(nullptr, std::memory_order_relaxed);
    (call.previous != nullptr ? call.previous->next : first_) = call.next;
    (call.next != nullptr ? call.next->previous : last_) = call.previous;
    return true;
  }

 private:
  Resumable<Sync>* first_ = nullptr;
  Resumable<Sync>* last_ = nullptr;
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

  /// Adds a call whose waiter was chosen or dismissed.
  void signal(Resumable<Sync>& call) const noexcept { outermost_.calls_for(call).signalled.add(call); }

  /// Adds a call that is over.
  void resume(Resumable<Sync>& call) const noexcept { outermost_.calls_for(call).over.add(call); }

  /// Removes a call whose coroutine is destroyed. Returns whether this thread was to signal or to resume it.
  static bool forget(Resumable<Sync>& call) noexcept {
    Resumption* const own = of_this_thread();
    if (own == nullptr) return false;
    Calls& calls = own->calls_for(call);
    return calls.signalled.remove(call) || calls.over.remove(call);
  }

 private:
  struct Calls {
    ResumableList<Sync> signalled;
    ResumableList<Sync> over;
    bool are_run = false;
  };

  [[nodiscard]] static Resumption*& of_this_thread() noexcept {
    return ThreadRecord<Sync>::of_this_thread().resumption;
  }

  [[nodiscard]] Calls& calls_for(const Resumable<Sync>& call) noexcept {
    return call.where() == ResumesIn::pool ? of_pools_ : own_;
  }

  /// A coroutine that runs may end other waits. Their pools are told before it continues, unless it runs inside a call
  /// of a pool. All other coroutines have to wait until it is suspended.
  [[gnu::noinline]] void run() noexcept {
    run_of_pools();
    if (of_pools_.are_run || own_.are_run) return;
    own_.are_run = true;
    while (continue_one(own_)) run_of_pools();
    own_.are_run = false;
  }

  void run_of_pools() noexcept {
    if (of_pools_.are_run) return;
    of_pools_.are_run = true;
    while (continue_one(of_pools_)) {
    }
    of_pools_.are_run = false;
  }

  /// Continues a call that is over, or lets one look and continues it if it is over then. In between runs no other
  /// coroutine, which could destroy it. Returns false if there is none.
  bool continue_one(Calls& calls) noexcept {
    Resumable<Sync>* over = calls.over.take();
    if (over == nullptr) {
      Resumable<Sync>* const signalled = calls.signalled.take();
      if (signalled == nullptr) return false;
      ++depth_;
      signalled->receive_signal();
      --depth_;
      over = calls.over.take();
    }
    if (over != nullptr) over->resume();
    return true;
  }

  Resumption& outermost_;
  int depth_ = 0;  ///< of the scopes at whose end the calls continue
  Calls of_pools_;
  Calls own_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_WAITING_RESUMPTION_HPP
