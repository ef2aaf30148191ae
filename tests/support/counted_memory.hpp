// SPDX-License-Identifier: MIT
//
// counted_memory.hpp: counts allocations and lets one fail. It replaces operator new, so the source that includes it is
// a separate program. Sanitizers replace operator new, too, so that program is built without them.

#ifndef FOREBAY_TESTS_SUPPORT_COUNTED_MEMORY_HPP
#define FOREBAY_TESTS_SUPPORT_COUNTED_MEMORY_HPP

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "tests/support/aligned_memory.hpp"

namespace forebay_test {
namespace {

std::atomic<bool> counting = false;
std::atomic<std::size_t> allocations = 0;
std::atomic<std::size_t> allocated_bytes = 0;
std::atomic<std::size_t> until_failure = 0;
std::atomic<std::size_t> allocations_alive = 0;

#if defined(__GLIBC__)
// The currently allocated memory, and its maximum since the last reset.
std::atomic<std::size_t> bytes_alive = 0;
std::atomic<std::size_t> most_bytes_alive = 0;

void count_bytes(void* memory) noexcept {
  const std::size_t now = bytes_alive += malloc_usable_size(memory);
  std::size_t most = most_bytes_alive;
  while (now > most && !most_bytes_alive.compare_exchange_weak(most, now)) {
  }
}
void discount_bytes(void* memory) noexcept { bytes_alive -= malloc_usable_size(memory); }
#else
void count_bytes(void* /*memory*/) noexcept {}
void discount_bytes(void* /*memory*/) noexcept {}
#endif

void* allocate(std::size_t size, std::size_t alignment) {
  if (counting) {
    ++allocations;
    allocated_bytes += size;
    if (until_failure > 0 && --until_failure == 0) throw std::bad_alloc();
  }
  void* const memory = aligned_memory(size, alignment);
  ++allocations_alive;
  count_bytes(memory);
  return memory;
}

void* allocate_or_null(std::size_t size, std::size_t alignment) noexcept {
  try {
    return allocate(size, alignment);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

// Out of line because GCC otherwise warns that free() may not release what operator new returned.
[[gnu::noinline]] void release(void* memory) noexcept {
  if (memory != nullptr) {
    --allocations_alive;
    discount_bytes(memory);
  }
  std::free(memory);
}

constexpr std::size_t number(std::align_val_t alignment) { return static_cast<std::size_t>(alignment); }

}  // namespace
}  // namespace forebay_test

void* operator new(std::size_t size) { return forebay_test::allocate(size, 1); }
void* operator new[](std::size_t size) { return forebay_test::allocate(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return forebay_test::allocate(size, forebay_test::number(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return forebay_test::allocate(size, forebay_test::number(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return forebay_test::allocate_or_null(size, 1);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return forebay_test::allocate_or_null(size, 1);
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return forebay_test::allocate_or_null(size, forebay_test::number(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return forebay_test::allocate_or_null(size, forebay_test::number(alignment));
}
void operator delete(void* memory) noexcept { forebay_test::release(memory); }
void operator delete[](void* memory) noexcept { forebay_test::release(memory); }
void operator delete(void* memory, std::size_t) noexcept { forebay_test::release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { forebay_test::release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { forebay_test::release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { forebay_test::release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { forebay_test::release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { forebay_test::release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { forebay_test::release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { forebay_test::release(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept { forebay_test::release(memory); }
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  forebay_test::release(memory);
}

namespace forebay_test {
namespace {

/// Counts allocations by all threads from construction to stop().
class Count {
 public:
  Count() {
    allocations = 0;
    allocated_bytes = 0;
    counting = true;
  }
  ~Count() { counting = false; }
  Count(const Count&) = delete;
  Count& operator=(const Count&) = delete;

  static std::size_t stop() {
    counting = false;
    return allocations;
  }
};

template <class Operation>
std::size_t allocations_of(Operation operation) {
  const Count count;
  operation();
  return Count::stop();
}

/// Runs `operation` with its n-th allocation failing. Returns whether it threw std::bad_alloc.
template <class Operation>
bool fails_at(std::size_t n, Operation operation) {
  bool failed = false;
  until_failure = n;
  {
    const Count count;
    try {
      operation();
    } catch (const std::bad_alloc&) {
      failed = true;
    }
  }
  until_failure = 0;
  return failed;
}

}  // namespace
}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_COUNTED_MEMORY_HPP
