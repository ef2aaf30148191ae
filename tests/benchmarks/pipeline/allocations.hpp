// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_PIPELINE_ALLOCATIONS_HPP
#define FOREBAY_BENCHMARK_PIPELINE_ALLOCATIONS_HPP

#include <cstdint>

namespace forebay_benchmark::input {

// Counts what the whole program allocates by `new` while one of these exists: the program's own operator new, which
// otherwise does nothing but look whether it has to. What libraries get from malloc by themselves, and the stacks of
// threads, is not in it.
class Allocations {
 public:
  Allocations();
  ~Allocations();
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;

  static std::uint64_t count();

  // The most bytes that were there at one time, beyond those that were there before.
  std::int64_t peak() const;
};

}  // namespace forebay_benchmark::input

#endif  // FOREBAY_BENCHMARK_PIPELINE_ALLOCATIONS_HPP
