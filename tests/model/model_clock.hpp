// SPDX-License-Identifier: MIT
//
// model_clock.hpp: the clock of a model. Time passes by a millisecond when the scheduler chooses that. When all threads
// wait, it passes to the next deadline.

#ifndef FOREBAY_TESTS_MODEL_MODEL_CLOCK_HPP
#define FOREBAY_TESTS_MODEL_MODEL_CLOCK_HPP

#include "tests/model/scheduler.hpp"
#include "tests/support/nanosecond_clock.hpp"

namespace forebay_model {

struct ModelClock : forebay_test::NanosecondClock<ModelClock> {
  static time_point now() noexcept {
    Scheduler& scheduler = Scheduler::current();
    scheduler.perform({.kind = Kind::read_clock, .object = clock_object, .writes = false});
    return time_point(duration(scheduler.now()));
  }
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_MODEL_CLOCK_HPP
