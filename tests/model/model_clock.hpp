// SPDX-License-Identifier: MIT
//
// model_clock.hpp: the clock of a model. Its time passes when the scheduler chooses, by a millisecond, or when all
// threads wait, to the next deadline.

#ifndef FOREBAY_TESTS_MODEL_MODEL_CLOCK_HPP
#define FOREBAY_TESTS_MODEL_MODEL_CLOCK_HPP

#include <chrono>

#include "tests/model/scheduler.hpp"

namespace forebay_model {

struct ModelClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<ModelClock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept {
    Scheduler& scheduler = Scheduler::current();
    scheduler.perform({.kind = Kind::read_clock, .object = clock_object, .writes = false});
    return time_point(duration(scheduler.now()));
  }
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_MODEL_CLOCK_HPP
