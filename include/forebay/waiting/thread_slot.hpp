// SPDX-License-Identifier: MIT
//
// thread_slot.hpp: ThreadSlot, in which a thread says what it waits for, so that other threads can look.
//
// A thread that is about to sleep puts a note, which is on its stack, into its slot, and removes it afterwards. The
// thread that looks does the rest, under the lock of the slot: so the note and what it refers to exist meanwhile.

#ifndef FOREBAY_WAITING_THREAD_SLOT_HPP
#define FOREBAY_WAITING_THREAD_SLOT_HPP

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/base/thread_record.hpp"
#include "forebay/thread_activity.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// What a thread waits for.
class WaitNote {
 public:
  /// `idle` says whether it waits for a stop, or for other threads to end, and not for elements.
  explicit WaitNote(bool idle) noexcept : idle_(idle) {}
  WaitNote(const WaitNote&) = delete;
  WaitNote& operator=(const WaitNote&) = delete;
  virtual ~WaitNote() = default;

  [[nodiscard]] bool idle() const noexcept { return idle_; }

  /// Sets the operation and the place.
  virtual void tell(ThreadActivity& activity) const = 0;

 private:
  const bool idle_;
};

template <class Sync>
class ThreadSlot {
 public:
  using Time = typename Sync::clock::time_point;

  /// Since when the thread has moved no element, and its progress then. Noticed when a wait begins: an operation that
  /// need not wait reads no clock.
  struct Standstill {
    Time since{};
    std::uint64_t progress = 0;
  };

  explicit ThreadSlot(const Standstill& standstill = {}) noexcept : standstill_(standstill) {}
  ThreadSlot(const ThreadSlot&) = delete;
  ThreadSlot& operator=(const ThreadSlot&) = delete;

  /// Makes a slot that of the calling thread, until its end, unless the thread has one.
  class Use {
   public:
    explicit Use(ThreadSlot& slot) noexcept : before_(of_this_thread()) {
      if (before_ == nullptr) of_this_thread() = &slot;
    }
    ~Use() { of_this_thread() = before_; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    ThreadSlot* before_;
  };

  /// The calling thread waits, until its end.
  class Waiting {
   public:
    explicit Waiting(const WaitNote& note) : slot_(of_this_thread()) {
      if (slot_ != nullptr) slot_->put(note);
    }
    ~Waiting() {
      if (slot_ != nullptr) slot_->remove();
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

   private:
    ThreadSlot* slot_;
  };

  /// Null if it has none.
  [[nodiscard]] static ThreadSlot*& of_this_thread() noexcept { return ThreadRecord<Sync>::of_this_thread().slot; }

  // For its own thread, the first one before another thread looks. Without the lock: nobody else writes.
  void go_on_from(const Standstill& standstill) noexcept FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
    standstill_ = standstill;
  }
  [[nodiscard]] const Standstill& standstill() const noexcept FOREBAY_NO_THREAD_SAFETY_ANALYSIS { return standstill_; }

  /// What the thread does, under this name.
  [[nodiscard]] ThreadActivity activity(std::string name) const {
    ThreadActivity activity{.name = std::move(name)};
    const Guard guard(mutex_);
    activity.time = std::chrono::duration_cast<std::chrono::nanoseconds>(Sync::clock::now() - standstill_.since);
    if (note_ == nullptr) return activity;
    note_->tell(activity);
    activity.idle = note_->idle();
    return activity;
  }

 private:
  // Not inlined: GCC 12 would warn that the address of a note on the stack is stored, though remove() follows.
  [[gnu::noinline]] void put(const WaitNote& note) {
    const std::uint64_t progress = ThreadRecord<Sync>::of_this_thread().progress();
    const Guard guard(mutex_);
    if (note.idle() || progress != standstill_.progress) standstill_ = {Sync::clock::now(), progress};
    note_ = &note;
  }

  [[gnu::noinline]] void remove() {
    const Guard guard(mutex_);
    if (note_->idle()) standstill_.since = Sync::clock::now();
    note_ = nullptr;
  }

  mutable Mutex<Sync> mutex_;
  const WaitNote* note_ FOREBAY_GUARDED_BY(mutex_) = nullptr;
  Standstill standstill_ FOREBAY_GUARDED_BY(mutex_);
};

/// A wait for a stop, or for the end of other threads, until its end.
template <class Sync>
class IdleWait final : public WaitNote {
 public:
  IdleWait(std::string_view operation, std::string_view place)
      : WaitNote(true), operation_(operation), place_(place), waiting_(*this) {}
  ~IdleWait() override = default;
  IdleWait(const IdleWait&) = delete;
  IdleWait& operator=(const IdleWait&) = delete;

  void tell(ThreadActivity& activity) const override {
    activity.operation = operation_;
    activity.place = place_;
  }

 private:
  const std::string_view operation_;
  const std::string_view place_;
  const typename ThreadSlot<Sync>::Waiting waiting_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_WAITING_THREAD_SLOT_HPP
