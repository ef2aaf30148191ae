// SPDX-License-Identifier: MIT
//
// thread_slot.hpp: ThreadSlot, where a thread says what it waits for, and others look.
//
// Who is about to sleep puts a note on its stack into its slot, and takes it out afterwards. All else is done by who
// looks, under the lock of the slot: so the note, and what it refers to, is there meanwhile.

#ifndef FOREBAY_BASE_THREAD_SLOT_HPP
#define FOREBAY_BASE_THREAD_SLOT_HPP

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/thread_activity.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// What a thread waits for.
template <class Sync>
class WaitNote {
 public:
  using Time = typename Sync::clock::time_point;

  WaitNote() = default;
  WaitNote(const WaitNote&) = delete;
  WaitNote& operator=(const WaitNote&) = delete;
  virtual ~WaitNote() = default;

  [[nodiscard]] virtual Time since() const noexcept = 0;

  /// Sets what it waits for, and of what.
  virtual void tell(ThreadActivity& activity) const = 0;
};

template <class Sync>
class ThreadSlot {
 public:
  using Time = typename Sync::clock::time_point;

  ThreadSlot() = default;
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
    explicit Waiting(const WaitNote<Sync>& note) : slot_(of_this_thread()) {
      if (slot_ != nullptr) slot_->put(&note);
    }
    ~Waiting() {
      if (slot_ != nullptr) slot_->put(nullptr);
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

   private:
    ThreadSlot* slot_;
  };

  /// Null if it has none.
  [[nodiscard]] static ThreadSlot*& of_this_thread() noexcept {
    return Sync::template slot_of_this_thread<ThreadSlot>();
  }

  /// Since when the thread waits; none if it runs.
  [[nodiscard]] std::optional<Time> waits_since() const {
    const std::unique_lock lock(mutex_);
    if (note_ == nullptr) return std::nullopt;
    return note_->since();
  }

  /// What it does, under this name.
  [[nodiscard]] ThreadActivity activity(std::string name) const {
    ThreadActivity activity{.name = std::move(name)};
    const std::unique_lock lock(mutex_);
    if (note_ == nullptr) return activity;
    note_->tell(activity);
    activity.waited = std::chrono::duration_cast<std::chrono::nanoseconds>(Sync::clock::now() - note_->since());
    return activity;
  }

 private:
  void put(const WaitNote<Sync>* note) {
    const std::unique_lock lock(mutex_);
    note_ = note;
  }

  mutable typename Sync::mutex mutex_;
  const WaitNote<Sync>* note_ = nullptr;  // under mutex_
};

/// A wait that is no queue's, until its end.
template <class Sync>
class OtherWait final : public WaitNote<Sync> {
 public:
  using typename WaitNote<Sync>::Time;

  OtherWait(std::string_view operation, std::string_view place)
      : operation_(operation), place_(place), waiting_(*this) {}
  ~OtherWait() override = default;
  OtherWait(const OtherWait&) = delete;
  OtherWait& operator=(const OtherWait&) = delete;

  [[nodiscard]] Time since() const noexcept override { return since_; }
  void tell(ThreadActivity& activity) const override {
    activity.operation = operation_;
    activity.place = place_;
  }

 private:
  const std::string_view operation_;
  const std::string_view place_;
  const Time since_ = Sync::clock::now();
  const typename ThreadSlot<Sync>::Waiting waiting_;
};

/// Since when all of several threads wait.
template <class Sync>
class CommonWait {
 public:
  using Time = typename Sync::clock::time_point;

  void add(const ThreadSlot<Sync>& thread) {
    const std::optional<Time> since = thread.waits_since();
    if (!since) some_run_ = true;
    if (since && (!latest_ || *latest_ < *since)) latest_ = since;
  }

  /// None if one of them runs, or if there are none.
  [[nodiscard]] std::optional<Time> since() const noexcept { return some_run_ ? std::nullopt : latest_; }

 private:
  bool some_run_ = false;
  std::optional<Time> latest_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_THREAD_SLOT_HPP
