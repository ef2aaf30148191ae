// SPDX-License-Identifier: MIT
//
// aligned_memory.hpp: memory of any alignment, for programs that replace operator new. The caller frees it.

#ifndef FOREBAY_TESTS_SUPPORT_ALIGNED_MEMORY_HPP
#define FOREBAY_TESTS_SUPPORT_ALIGNED_MEMORY_HPP

#include <cstddef>
#include <cstdlib>
#include <new>

namespace forebay_test {

/// Returns `size` bytes for std::free. Throws std::bad_alloc if there are none.
[[nodiscard]] inline void* aligned_memory(std::size_t size, std::size_t alignment) {
  void* memory = nullptr;
  if (alignment > alignof(std::max_align_t)) {
    const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
    memory = std::aligned_alloc(alignment, rounded);
  } else {
    memory = std::malloc(size);
  }
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_ALIGNED_MEMORY_HPP
