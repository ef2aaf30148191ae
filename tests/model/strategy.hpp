// SPDX-License-Identifier: MIT
//
// strategy.hpp: Strategy, the interface of everything that decides which thread goes next.

#ifndef FOREBAY_TESTS_MODEL_STRATEGY_HPP
#define FOREBAY_TESTS_MODEL_STRATEGY_HPP

#include <cstddef>
#include <span>

#include "tests/model/footprint.hpp"
#include "tests/model/transition.hpp"

namespace forebay_model {

/// What can be done now, each with the objects it would touch.
struct Candidate {
  Transition transition;
  Footprint footprint;
  bool can_block = false;      ///< whether there are times at which its thread could not do it
  std::size_t enabled_by = 0;  ///< the step that created or woke its thread, counted from 1; 0: none
};

/// A place in an execution where there is a choice.
struct Junction {
  std::size_t step;                       ///< how many choices were made before this one
  std::span<const Candidate> candidates;  ///< never empty; the thread that ran last comes first
  std::span<const Candidate> blocked;     ///< what other threads would do, but cannot now
  bool last_can_go_on;                    ///< whether the first candidates are the thread's that ran last
  const Footprint& last_footprint;        ///< what the step before this one touched
};

class Strategy {
 public:
  Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  virtual ~Strategy() = default;

  /// The choice for this step, if it is known beforehand: it saves looking what else could be done.
  [[nodiscard]] virtual const Transition* prescribed(std::size_t /*step*/) noexcept { return nullptr; }

  /// Chooses. Returns the index of a candidate.
  [[nodiscard]] virtual std::size_t choose(const Junction& junction) = 0;

  /// Called after an execution of so many steps. Returns whether there is another one to explore.
  [[nodiscard]] virtual bool next(std::size_t steps, const Footprint& last_footprint) = 0;
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_STRATEGY_HPP
