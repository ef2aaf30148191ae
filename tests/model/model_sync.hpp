// SPDX-License-Identifier: MIT
//
// model_sync.hpp: ModelSync, the synchronisation policy of a model: forebay's own classes, as they are shipped, run on
// it under a Scheduler.

#ifndef FOREBAY_TESTS_MODEL_MODEL_SYNC_HPP
#define FOREBAY_TESTS_MODEL_MODEL_SYNC_HPP

#include <any>
#include <atomic>
#include <chrono>

#include "tests/model/model_atomic.hpp"
#include "tests/model/model_clock.hpp"
#include "tests/model/model_mutex.hpp"
#include "tests/model/model_stop.hpp"
#include "tests/model/model_thread.hpp"

namespace forebay_model {

struct ModelSync {
  using mutex = ModelMutex;
  using condition_variable = ModelConditionVariable;
  template <class T>
  using atomic = ModelAtomic<T>;
  template <class T>
  using relaxed_atomic = std::atomic<T>;
  using thread = ModelThread;
  using clock = ModelClock;
  using stop_source = ModelStopSource;
  using stop_token = ModelStopToken;
  template <class Function>
  using stop_callback = ModelStopCallback<Function>;

  static constexpr bool may_spin = false;

  /// Blocks until what the caller has just looked at changes: looking again before would show the same.
  static void pause() noexcept { Scheduler::current().pause(); }
  static void yield() noexcept { Scheduler::current().pause(); }

  template <class Rep, class Period>
  static void sleep_for(std::chrono::duration<Rep, Period> duration) {
    Scheduler& scheduler = Scheduler::current();
    const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
    scheduler.perform({.kind = Kind::sleep, .deadline = scheduler.now() + time});
  }

  static thread::id this_thread_id() noexcept { return ModelThread::running(); }
  static void name_this_thread(const char* name) noexcept { Scheduler::current().running().name = name; }
  template <class Slot>
  static Slot*& slot_of_this_thread() {
    std::any& slot = Scheduler::current().running().slot;
    if (!slot.has_value()) slot = static_cast<Slot*>(nullptr);
    return *std::any_cast<Slot*>(&slot);
  }
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_MODEL_SYNC_HPP
