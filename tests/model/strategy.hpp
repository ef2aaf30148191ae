// SPDX-License-Identifier: MIT
//
// strategy.hpp: Strategy, the interface of classes that decide which thread runs next.

#ifndef FOREBAY_TESTS_MODEL_STRATEGY_HPP
#define FOREBAY_TESTS_MODEL_STRATEGY_HPP

#include <cstddef>
#include <span>

#include "tests/model/footprint.hpp"
#include "tests/model/transition.hpp"

namespace forebay_model {

/// A transition that is possible now, with the objects that it would touch.
struct Candidate {
  Transition transition;
  Footprint footprint;
  bool can_block = false;      ///< whether its thread is sometimes unable to perform it
  std::size_t enabled_by = 0;  ///< the step that created or woke its thread, counted from 1; 0 for none
};

/// A point of an execution with a choice.
struct Junction {
  std::size_t step;                       ///< how many choices were made before
  std::span<const Candidate> candidates;  ///< never empty; the thread that ran last comes first
  std::span<const Candidate> blocked;     ///< pending steps of other threads that are blocked now
  bool last_can_go_on;                    ///< whether the first candidates belong to the thread that ran last
  const Footprint& last_footprint;        ///< the objects that the preceding step touched
};

class Strategy {
 public:
  Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  virtual ~Strategy() = default;

  /// Returns the choice for this step if it is known beforehand, which avoids collecting the candidates.
  [[nodiscard]] virtual const Transition* prescribed(std::size_t /*step*/) noexcept { return nullptr; }

  /// Returns the index of the chosen candidate.
  [[nodiscard]] virtual std::size_t choose(const Junction& junction) = 0;

  /// Called after an execution of `steps` steps. Returns whether there is another one to explore.
  [[nodiscard]] virtual bool next(std::size_t steps, const Footprint& last_footprint) = 0;
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_STRATEGY_HPP
