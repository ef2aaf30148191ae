// SPDX-License-Identifier: MIT

/// @file
/// Defines StdSync, the synchronisation policy of ordinary programs.
///
/// Every class of forebay that synchronises threads takes a policy as its last template parameter. Only this header
/// names the synchronisation types of the standard library. A test passes another policy with the same members, to run
/// the shipped templates under a scheduler that explores interleavings. Programs need not name a policy.

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

/// The synchronisation policy of the standard library: real threads and real time.
///
/// A policy of your own needs the members below; `thread_clock`, `stop_token` and `stop_callback` are optional.
struct StdSync {
  using mutex = std::mutex;                            ///< A mutex, as in the standard.
  using condition_variable = std::condition_variable;  ///< A condition variable for `std::unique_lock<mutex>`.
  template <class T>
  using atomic = std::atomic<T>;  ///< An atomic, as in the standard.
  /// An atomic for values that are only reported. Nothing depends on them, so a test scheduler need not explore them.
  template <class T>
  using relaxed_atomic = std::atomic<T>;
  using thread = std::thread;               ///< A thread, as in the standard.
  using clock = std::chrono::steady_clock;  ///< A steady clock.
#if defined(__linux__)
  /// Measures the CPU time of the thread that creates it. Other threads may call now() while that thread runs.
  using thread_clock = detail::ThreadClock;
#endif

#if defined(__cpp_lib_jthread)
  using stop_token = std::stop_token;  ///< A stop token; if the policy has this type, a Wait accepts stop tokens.
  template <class Callback>
  using stop_callback = std::stop_callback<Callback>;  ///< A stop callback, as in the standard.
#endif

  /// Whether to check a condition a few more times before parking.
  static constexpr bool may_spin = true;

  /// Tells the processor that this is a spin loop.
  static void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
    asm volatile("isb");  // `yield` is a no-op on most cores; isb waits about as long as the x86 pause
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
    _mm_pause();
#endif
  }

  /// Lets other threads run, while one of them is expected to make progress.
  static void yield() noexcept { std::this_thread::yield(); }

  /// Blocks for `duration`, while another thread is expected to make progress.
  template <class Rep, class Period>
  static void sleep_for(std::chrono::duration<Rep, Period> duration) {
    std::this_thread::sleep_for(duration);
  }

  /// Returns the id of the calling thread, which equals thread::get_id().
  static thread::id this_thread_id() noexcept { return std::this_thread::get_id(); }

  /// Returns the T of the calling thread, initially value-initialised. T is a literal type with a trivial destructor.
  template <class T>
  static T& of_this_thread() noexcept {
    static constinit thread_local T own{};  // constinit: no guard to check in each call
    return own;
  }

  /// Sets the name of the calling thread for debuggers, if the platform can. Linux truncates it to 15 characters.
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
