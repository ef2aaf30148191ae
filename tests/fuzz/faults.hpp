// SPDX-License-Identifier: MIT
//
// faults.hpp: the copy, comparison or allocation that fails, and elements that fail. (The elements of tests/support
// have a ledger that allocates, so they cannot be used when allocations fail.)

#ifndef FOREBAY_TESTS_FUZZ_FAULTS_HPP
#define FOREBAY_TESTS_FUZZ_FAULTS_HPP

#include <cstddef>
#include <exception>
#include <new>

#include "tests/fuzz/require.hpp"
#include "tests/support/aligned_memory.hpp"

namespace forebay_fuzz {

enum class Fault { none, element, comparison, allocation };

struct InjectedFailure : std::exception {};

inline Fault armed = Fault::none;
inline std::size_t until_failure = 0;
inline bool failed = false;

/// Returns whether this copy, comparison or allocation has to fail.
inline bool is_time_to_fail(Fault kind) noexcept {
  if (armed != kind || until_failure == 0 || --until_failure > 0) return false;
  failed = true;
  return true;
}
inline void may_fail(Fault kind) {
  if (is_time_to_fail(kind)) throw InjectedFailure();
}

inline void* allocate(std::size_t size, std::size_t alignment) {
  if (is_time_to_fail(Fault::allocation)) throw std::bad_alloc();
  return forebay_test::aligned_memory(size, alignment);
}

/// A number whose copies may fail, and whose moves may, too, if `move_may_fail`. It detects uses before its
/// construction and after its destruction.
template <bool move_may_fail>
class Element {
 public:
  static constexpr int moved_from = -1;
  inline static std::size_t alive = 0;

  explicit Element(int number) noexcept : number_(number) { begin(); }
  Element(const Element& other) : number_(other.number()) {
    may_fail(Fault::element);
    begin();
  }
  Element(Element&& other) noexcept(!move_may_fail) : number_(other.number()) {
    if constexpr (move_may_fail) may_fail(Fault::element);
    other.number_ = moved_from;
    begin();
  }
  Element& operator=(const Element&) = delete;
  Element& operator=(Element&&) = delete;
  ~Element() {
    require(self_ == this, "an element is destroyed that is not alive");
    self_ = nullptr;
    --alive;
  }

  [[nodiscard]] int number() const noexcept {
    require(self_ == this, "an element is used that is not alive");
    return number_;
  }

 private:
  void begin() noexcept {
    self_ = this;
    ++alive;
  }

  int number_;
  const void* self_ = nullptr;
};

}  // namespace forebay_fuzz

#endif  // FOREBAY_TESTS_FUZZ_FAULTS_HPP
