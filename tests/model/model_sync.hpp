// SPDX-License-Identifier: MIT
//
// model_sync.hpp: ModelSync, the synchronisation policy of a model. forebay's own classes run on it under a Scheduler,
// exactly as they are shipped.

#ifndef FOREBAY_TESTS_MODEL_MODEL_SYNC_HPP
#define FOREBAY_TESTS_MODEL_MODEL_SYNC_HPP

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <typeindex>
#include <typeinfo>

#include "forebay/engine/sides.hpp"
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

  /// Blocks until an object that the caller has just read changes. An earlier look would see the same.
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
  template <class T>
  static T& of_this_thread() {
    std::shared_ptr<void>& own = Scheduler::current().running().own[typeid(T)];
    if (own == nullptr) own = std::make_shared<T>();
    return *static_cast<T*>(own.get());
  }
};

/// The same with one move in each hold of a lock, so that batches of two elements move in steps.
struct SteppedModelSync : ModelSync {};

}  // namespace forebay_model

template <>
inline constexpr std::size_t forebay::detail::most_moves_under_a_lock<forebay_model::SteppedModelSync> = 1;

#endif  // FOREBAY_TESTS_MODEL_MODEL_SYNC_HPP
