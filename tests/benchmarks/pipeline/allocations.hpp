// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_PIPELINE_ALLOCATIONS_HPP
#define FOREBAY_BENCHMARK_PIPELINE_ALLOCATIONS_HPP

#include <cstdint>

namespace forebay_benchmark::input {

// Counts what the whole program allocates by `new` while an object of this class exists. The program replaces operator
// new, which otherwise only checks whether to count. Memory that libraries get directly from malloc, and the stacks of
// threads, are not included.
class Allocations {
 public:
  Allocations();
  ~Allocations();
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;

  static std::uint64_t count();

  // Returns the maximum number of allocated bytes, beyond those allocated before.
  std::int64_t peak() const;
};

}  // namespace forebay_benchmark::input

#endif  // FOREBAY_BENCHMARK_PIPELINE_ALLOCATIONS_HPP
