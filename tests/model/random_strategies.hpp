// SPDX-License-Identifier: MIT
//
// random_strategies.hpp: strategies for scenarios too large to explore completely: RandomWalk and RandomPriorities.

#ifndef FOREBAY_TESTS_MODEL_RANDOM_STRATEGIES_HPP
#define FOREBAY_TESTS_MODEL_RANDOM_STRATEGIES_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "forebay/base/random_bits.hpp"
#include "tests/model/strategy.hpp"

namespace forebay_model {

/// Makes every choice with the same probability.
class RandomWalk final : public Strategy {
 public:
  explicit RandomWalk(std::uint64_t seed) : bits_(seed) {}

  [[nodiscard]] std::size_t choose(const Junction& junction) override {
    return static_cast<std::size_t>(bits_.below(junction.candidates.size()));
  }
  [[nodiscard]] bool next(std::size_t /*steps*/, const Footprint& /*last_footprint*/) override { return true; }

 private:
  forebay::detail::RandomBits bits_;
};

/// Probabilistic concurrency testing (S. Burckhardt and others). Threads have random priorities, and the highest one
/// runs. At `depth` - 1 random steps the running thread gets the lowest priority. The probability of finding a bug that
/// needs `depth` ordered steps does not depend on where the other steps are.
class RandomPriorities final : public Strategy {
 public:
  RandomPriorities(std::uint64_t seed, std::size_t depth) : bits_(seed), falls_(depth - 1) { draw(); }

  [[nodiscard]] std::size_t choose(const Junction& junction) override {
    const std::uint8_t first = highest(junction);
    if (std::find(falls_.begin(), falls_.end(), junction.step) != falls_.end()) priorities_[first] = --lowest_;
    const std::uint8_t thread = highest(junction);
    std::size_t ways = 0;
    std::size_t chosen = 0;
    for (std::size_t i = 0; i < junction.candidates.size(); ++i) {
      if (junction.candidates[i].transition.thread == thread && bits_.below(++ways) == 0) chosen = i;
    }
    return chosen;
  }

  [[nodiscard]] bool next(std::size_t steps, const Footprint& /*last_footprint*/) override {
    most_steps_ = std::max(most_steps_, steps);
    draw();
    return true;
  }

 private:
  [[nodiscard]] std::uint8_t highest(const Junction& junction) const noexcept {
    std::uint8_t best = junction.candidates.front().transition.thread;
    for (const Candidate& each : junction.candidates) {
      if (priorities_[each.transition.thread] > priorities_[best]) best = each.transition.thread;
    }
    return best;
  }

  void draw() {
    for (std::int64_t& priority : priorities_) priority = static_cast<std::int64_t>(bits_() >> 2U);
    for (std::size_t& step : falls_) step = static_cast<std::size_t>(bits_.below(most_steps_));
    lowest_ = 0;
  }

  forebay::detail::RandomBits bits_;
  std::array<std::int64_t, most_threads + 1> priorities_{};
  std::vector<std::size_t> falls_;
  std::int64_t lowest_ = 0;
  std::size_t most_steps_ = 50;
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_RANDOM_STRATEGIES_HPP
