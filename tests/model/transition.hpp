// SPDX-License-Identifier: MIT
//
// transition.hpp: Operation, a thread's next action, and Transition, a choice of the scheduler.

#ifndef FOREBAY_TESTS_MODEL_TRANSITION_HPP
#define FOREBAY_TESTS_MODEL_TRANSITION_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/model/footprint.hpp"
#include "tests/model/vector_clock.hpp"

namespace forebay_model {

/// A location in the code under test. (clang 14 has no std::source_location.)
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

/// Nanoseconds on the model's clock.
using Time = std::int64_t;
inline constexpr Time never = INT64_MAX;

enum class Kind : std::uint8_t {
  load,
  store,
  modify,  // a read-modify-write
  lock,
  unlock,
  wait,    // on a condition variable: releases the mutex
  asleep,  // in a condition variable, not woken
  awake,   // woken; wants the mutex back
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

/// An operation on an object that other threads can see. A thread stops before each until the scheduler chooses it.
struct Operation {
  Kind kind;
  ObjectId object = no_object;
  bool writes = true;
  ObjectId second = no_object;           ///< another object that it writes
  const bool* blocked = nullptr;         ///< the operation is impossible while this is true
  Time deadline = never;                 ///< when asleep: the end of the wait
  const std::size_t* choices = nullptr;  ///< the number of ways to perform it; one way if null or 0
  SourceLocation where = {};

  [[nodiscard]] std::size_t ways() const noexcept { return choices == nullptr || *choices == 0 ? 1 : *choices; }
};

/// How a thread continues: its operation is performed in the n-th way, or it wakes up for another reason.
using Way = std::uint8_t;
inline constexpr Way told_timeout = 1;  ///< woken from a timed wait that reports a timeout, because its time is over
inline constexpr Way spuriously = 14;
inline constexpr Way timed_out = 15;

/// A choice of the scheduler.
struct Transition {
  std::uint8_t thread = 0;
  Way way = 0;

  friend bool operator==(const Transition&, const Transition&) = default;
};

/// Stands for a thread when time passes.
inline constexpr std::uint8_t clock_thread = most_threads;

using Schedule = std::vector<Transition>;

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_TRANSITION_HPP
