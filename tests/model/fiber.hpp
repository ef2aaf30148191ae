// SPDX-License-Identifier: MIT
//
// fiber.hpp: Fiber, a stack that a thread can switch to and from. The threads of a model are fibers.
//
// On x86-64 the switch is a few instructions. Elsewhere, or with FOREBAY_MODEL_UCONTEXT defined, it is POSIX's
// ucontext, about four times slower. Each fiber has its own exceptions in flight. The address and thread sanitizers are
// notified of every switch.

#ifndef FOREBAY_TESTS_MODEL_FIBER_HPP
#define FOREBAY_TESTS_MODEL_FIBER_HPP

#include <cstddef>
#include <memory>

#if !defined(__x86_64__) || !defined(__GNUC__)
#define FOREBAY_MODEL_UCONTEXT
#endif
#if defined(FOREBAY_MODEL_UCONTEXT)
#include <ucontext.h>
#endif

namespace forebay_model {

class Fiber {
 public:
  using Entry = void (*)(void* argument);

  /// Represents the stack on which the calling thread runs.
  Fiber();

  /// Will run entry(argument) on its own stack. `entry` must not return.
  Fiber(Entry entry, void* argument);

  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  /// Leaves the running fiber `from` and continues in `to`. Returns when a fiber switches back.
  static void switch_to(Fiber& from, Fiber& to) noexcept;

 private:
  /// The exception state of a thread in the C++ runtime (Itanium C++ ABI, __cxa_eh_globals).
  struct Exceptions {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  };

  static void arrive() noexcept;
  static void run_on_new_stack() noexcept;

  std::unique_ptr<std::byte[]> stack_;
  [[maybe_unused]] std::size_t stack_bytes_ = 0;
  [[maybe_unused]] const void* stack_bottom_ = nullptr;
  Entry entry_ = nullptr;
  void* argument_ = nullptr;
  Exceptions exceptions_;
#if defined(FOREBAY_MODEL_UCONTEXT)
  ucontext_t context_;
#else
  void* stack_pointer_ = nullptr;
#endif
  [[maybe_unused]] void* fake_stack_ = nullptr;    // for the address sanitizer
  [[maybe_unused]] void* thread_state_ = nullptr;  // for the thread sanitizer
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_FIBER_HPP
