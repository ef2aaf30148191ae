// SPDX-License-Identifier: MIT
//
// fiber.hpp: Fiber, a stack of its own that a thread can switch to and from: what the threads of a model are made of.
//
// On x86-64 the switch is a few instructions; elsewhere, or when FOREBAY_MODEL_UCONTEXT is defined, it is POSIX's
// ucontext, about four times slower. Each fiber has its own exceptions in flight. The address and thread sanitizers
// are told of every switch.

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

  /// Stands for the stack that the calling thread runs on.
  Fiber();

  /// Will run entry(argument), which must not return, on a stack of its own.
  Fiber(Entry entry, void* argument);

  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  /// Leaves `from`, which has to be the running one, and continues in `to`. Returns when a fiber switches back.
  static void switch_to(Fiber& from, Fiber& to) noexcept;

 private:
  /// What the C++ runtime keeps for each thread (Itanium C++ ABI, __cxa_eh_globals).
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
  [[maybe_unused]] void* fake_stack_ = nullptr;    // the address sanitizer's
  [[maybe_unused]] void* thread_state_ = nullptr;  // the thread sanitizer's
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_FIBER_HPP
