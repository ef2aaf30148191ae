// SPDX-License-Identifier: MIT

#include "tests/model/fiber.hpp"

#include <cstdint>
#include <cstdlib>
#include <cxxabi.h>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define FOREBAY_MODEL_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FOREBAY_MODEL_ADDRESS_SANITIZER
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define FOREBAY_MODEL_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FOREBAY_MODEL_THREAD_SANITIZER
#endif
#endif

#if defined(FOREBAY_MODEL_ADDRESS_SANITIZER)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(FOREBAY_MODEL_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

#if !defined(FOREBAY_MODEL_UCONTEXT)
// void forebay_model_switch(void** left, void* entered): pushes the callee-saved registers on the current stack, and
// stores its pointer to *left.
asm(R"(
.text
.p2align 4
.globl forebay_model_switch
.type forebay_model_switch, @function
forebay_model_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size forebay_model_switch, .-forebay_model_switch
)");
extern "C" void forebay_model_switch(void** left, void* entered);
#endif

namespace forebay_model {
namespace {

constexpr std::size_t stack_bytes = std::size_t{256} * 1024;

// The fibers between which a switch happens. A new stack has no other way to get them.
Fiber* left = nullptr;
Fiber* entered = nullptr;

}  // namespace

Fiber::Fiber() {  // NOLINT(modernize-use-equals-default): not under every sanitizer
#if defined(FOREBAY_MODEL_THREAD_SANITIZER)
  thread_state_ = __tsan_get_current_fiber();
#endif
}

Fiber::Fiber(Entry entry, void* argument)
    : stack_(new std::byte[stack_bytes]),
      stack_bytes_(stack_bytes),
      stack_bottom_(stack_.get()),
      entry_(entry),
      argument_(argument) {
#if defined(FOREBAY_MODEL_THREAD_SANITIZER)
  thread_state_ = __tsan_create_fiber(0);
#endif
#if defined(FOREBAY_MODEL_UCONTEXT)
  if (getcontext(&context_) != 0) std::abort();
  context_.uc_stack.ss_sp = stack_.get();
  context_.uc_stack.ss_size = stack_bytes;
  context_.uc_link = nullptr;
  makecontext(&context_, &Fiber::run_on_new_stack, 0);
#else
  // The words that the switch pops: six registers, the return address, and one more word, as after a call.
  const auto address = reinterpret_cast<std::uintptr_t>(stack_.get()) + stack_bytes;
  auto** const words = reinterpret_cast<void**>(stack_.get() + stack_bytes - address % 16) - 8;
  for (int i = 0; i < 8; ++i) words[i] = nullptr;
  words[6] = reinterpret_cast<void*>(&Fiber::run_on_new_stack);
  stack_pointer_ = words;
#endif
}

Fiber::~Fiber() {  // NOLINT(modernize-use-equals-default): not under every sanitizer
#if defined(FOREBAY_MODEL_THREAD_SANITIZER)
  if (entry_ != nullptr) __tsan_destroy_fiber(thread_state_);
#endif
}

void Fiber::switch_to(Fiber& from, Fiber& to) noexcept {
  static auto* const exceptions = reinterpret_cast<Exceptions*>(__cxxabiv1::__cxa_get_globals());
  from.exceptions_ = std::exchange(*exceptions, to.exceptions_);
  left = &from;
  entered = &to;
#if defined(FOREBAY_MODEL_ADDRESS_SANITIZER)
  __sanitizer_start_switch_fiber(&from.fake_stack_, to.stack_bottom_, to.stack_bytes_);
#endif
#if defined(FOREBAY_MODEL_THREAD_SANITIZER)
  __tsan_switch_to_fiber(to.thread_state_, 0);
#endif
#if defined(FOREBAY_MODEL_UCONTEXT)
  if (swapcontext(&from.context_, &to.context_) != 0) std::abort();
#else
  forebay_model_switch(&from.stack_pointer_, to.stack_pointer_);
#endif
  arrive();
}

/// The first action on a stack after a switch to it.
void Fiber::arrive() noexcept {
#if defined(FOREBAY_MODEL_ADDRESS_SANITIZER)
  const void* bottom = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(entered->fake_stack_, &bottom, &size);
  // The bounds of a thread's own stack are unknown until the first switch away from it.
  left->stack_bottom_ = bottom;
  left->stack_bytes_ = size;
#endif
}

void Fiber::run_on_new_stack() noexcept {
  arrive();
  entered->entry_(entered->argument_);
  std::abort();
}

}  // namespace forebay_model
