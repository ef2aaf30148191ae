// SPDX-License-Identifier: MIT
//
// sync.hpp: StdSync, the synchronisation policy that programs run on.
//
// Every class of forebay that synchronises takes a policy as its last template parameter and names no synchronisation
// type of the standard library itself. This header is the one place that does. A test puts another policy in, with the
// same members, and so runs the very templates that programs include under a scheduler of its own.

#ifndef FOREBAY_SYNC_HPP
#define FOREBAY_SYNC_HPP

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "forebay/base/operating_system.hpp"
#include "forebay/version.hpp"

#if defined(__cpp_lib_jthread)
#include <stop_token>
#endif
#if defined(__linux__) || defined(__APPLE__)
#include <pthread.h>
#endif
#if defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
#include <intrin.h>
#endif

namespace forebay::FOREBAY_ABI {

/// The policy of the standard library: real threads, real time.
///
/// What a policy has to offer:
///  - `mutex`, `condition_variable` (used with std::unique_lock<mutex>), `atomic<T>`, `thread`: as in the standard;
///  - `relaxed_atomic<T>`: as atomic<T>, of which nothing depends but what is told, so that it need not be explored;
///  - `clock`: a steady clock;
///  - `thread_clock`, where there is one: made by a thread, its CPU time, which others read by now() while it runs;
///  - `stop_token` and `stop_callback<F>`, where there are any: a queue then accepts stop tokens;
///  - `pause()`, `yield()`, `sleep_for(d)`: hints and delays while another thread is expected to make progress;
///  - `may_spin`: whether it pays to look again a few times before parking;
///  - `this_thread_id()`: the id of the calling thread, as thread::get_id() tells it;
///  - `name_this_thread(name)`: shows a name in debuggers, as far as the platform can;
///  - `of_this_thread<T>()`: a reference to the calling thread's own T, value-initialised. T is a literal type with a
///    trivial destructor.
struct StdSync {
  using mutex = std::mutex;
  using condition_variable = std::condition_variable;
  template <class T>
  using atomic = std::atomic<T>;
  template <class T>
  using relaxed_atomic = std::atomic<T>;
  using thread = std::thread;
  using clock = std::chrono::steady_clock;
#if defined(__linux__)
  using thread_clock = detail::ThreadClock;
#endif

#if defined(__cpp_lib_jthread)
  using stop_token = std::stop_token;
  template <class Callback>
  using stop_callback = std::stop_callback<Callback>;
#endif

  static constexpr bool may_spin = true;

  /// Tells the processor that this is a waiting loop.
  static void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
    asm volatile("isb");  // `yield` is a no-op on most cores; isb waits about as long as the x86 pause
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
    _mm_pause();
#endif
  }

  static void yield() noexcept { std::this_thread::yield(); }

  template <class Rep, class Period>
  static void sleep_for(std::chrono::duration<Rep, Period> duration) {
    std::this_thread::sleep_for(duration);
  }

  static thread::id this_thread_id() noexcept { return std::this_thread::get_id(); }

  template <class T>
  static T& of_this_thread() noexcept {
    static constinit thread_local T own{};  // constinit: no guard to look at in each call
    return own;
  }

  /// Linux shows at most 15 characters; longer names are cut there.
  static void name_this_thread([[maybe_unused]] const char* name) noexcept {
#if defined(__APPLE__)
    pthread_setname_np(name);
#elif defined(__linux__)
    char shown[16] = {};
    for (int i = 0; i < 15 && name[i] != '\0'; ++i) shown[i] = name[i];
    pthread_setname_np(pthread_self(), shown);
#endif
  }
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_SYNC_HPP
