// SPDX-License-Identifier: MIT
#include "allocations.hpp"

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace forebay_benchmark::input {
namespace {

std::atomic<bool> is_counting{false};
std::atomic<std::uint64_t> allocation_count{0};
std::atomic<std::int64_t> bytes_now{0};
std::atomic<std::int64_t> bytes_at_most{0};

void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  if (!is_counting.load(std::memory_order_relaxed)) return memory;
  ++allocation_count;
  const auto size = static_cast<std::int64_t>(malloc_usable_size(memory));
  const std::int64_t now = bytes_now.fetch_add(size) + size;
  std::int64_t most = bytes_at_most.load();
  while (most < now && !bytes_at_most.compare_exchange_weak(most, now)) continue;
  return memory;
}

void give_back(void* memory) noexcept {
  if (is_counting.load(std::memory_order_relaxed)) bytes_now -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

Allocations::Allocations() {
  bytes_now = 0;
  bytes_at_most = 0;
  is_counting = true;
}

Allocations::~Allocations() { is_counting = false; }

std::uint64_t Allocations::count() { return allocation_count; }

// Not static: it refers to the time since this object was made.
std::int64_t Allocations::peak() const {
  return bytes_at_most;
}  // NOLINT(readability-convert-member-functions-to-static)

}  // namespace forebay_benchmark::input

// The other forms of new and delete call these. Forms with an alignment allocate separately.

void* operator new(std::size_t size) { return forebay_benchmark::input::counted(std::malloc(size == 0 ? 1 : size)); }

void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  return forebay_benchmark::input::counted(std::aligned_alloc(unit, (size + unit - 1) / unit * unit));
}

void operator delete(void* memory) noexcept { forebay_benchmark::input::give_back(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { forebay_benchmark::input::give_back(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  forebay_benchmark::input::give_back(memory);
}
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  forebay_benchmark::input::give_back(memory);
}
