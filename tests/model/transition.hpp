// SPDX-License-Identifier: MIT
//
// transition.hpp: what a thread is about to do (Operation), and what a scheduler can choose (Transition).

#ifndef FOREBAY_TESTS_MODEL_TRANSITION_HPP
#define FOREBAY_TESTS_MODEL_TRANSITION_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/model/footprint.hpp"
#include "tests/model/vector_clock.hpp"

namespace forebay_model {

/// A place in the code under test. (clang 14 has no std::source_location.)
class SourceLocation {
 public:
  constexpr SourceLocation() = default;
  static constexpr SourceLocation current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) noexcept {
    SourceLocation here;
    here.file_ = file;
    here.line_ = line;
    return here;
  }
  [[nodiscard]] const char* file_name() const noexcept { return file_; }
  [[nodiscard]] int line() const noexcept { return line_; }

 private:
  const char* file_ = "";
  int line_ = 0;
};

/// Nanoseconds of the model's clock.
using Time = std::int64_t;
inline constexpr Time never = INT64_MAX;

enum class Kind : std::uint8_t {
  load,
  store,
  modify,  // a read-modify-write
  lock,
  unlock,
  wait,    // of a condition variable: the release of the mutex
  asleep,  // in a condition variable, not woken
  awake,   // woken, wants the mutex back
  notify_one,
  notify_all,
  create_thread,
  join_thread,
  read_clock,
  sleep,
  pause,
  call,
  result,
};

[[nodiscard]] const char* name_of(Kind kind) noexcept;

/// An operation on an object that others can see. A thread stops before each, until the scheduler chooses it.
struct Operation {
  Kind kind;
  ObjectId object = no_object;
  bool writes = true;
  ObjectId second = no_object;           ///< another object that is written
  const bool* blocked = nullptr;         ///< the operation cannot be done while this is true
  Time deadline = never;                 ///< when asleep: until then
  const std::size_t* choices = nullptr;  ///< in how many ways it can be done; none, or 0: in one
  SourceLocation where = {};

  [[nodiscard]] std::size_t ways() const noexcept { return choices == nullptr || *choices == 0 ? 1 : *choices; }
};

/// How a thread goes on: in the n-th way its operation can be done, or by waking up for another reason.
using Way = std::uint8_t;
inline constexpr Way told_timeout = 1;  ///< woken from a timed wait, and told that it timed out: so it did, too
inline constexpr Way spuriously = 14;
inline constexpr Way timed_out = 15;

/// One choice of the scheduler.
struct Transition {
  std::uint8_t thread = 0;
  Way way = 0;

  friend bool operator==(const Transition&, const Transition&) = default;
};

/// In the place of a thread: time passes.
inline constexpr std::uint8_t clock_thread = most_threads;

using Schedule = std::vector<Transition>;

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_TRANSITION_HPP
