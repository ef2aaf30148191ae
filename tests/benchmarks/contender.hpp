// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_CONTENDER_HPP
#define FOREBAY_BENCHMARK_CONTENDER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cell.hpp"
#include "contenders.hpp"
#include "ping_pong.hpp"
#include "priority_contenders.hpp"
#include "spinning_ring.hpp"
#include "throughput.hpp"
#include "waiting.hpp"

namespace forebay_benchmark {

// Every measurement of one adapter, type-erased, so that the contenders can take turns in a loop.
struct Contender {
  std::size_t index;
  std::string_view name;
  Nanoseconds (*throughput)(const Cell& cell, std::uint64_t count);
  PingPong (*ping_pong)(Nanoseconds budget, Nanoseconds gap);
  double (*blocked_consumer)(Nanoseconds duration);
  TrainerCost (*fast_trainer)(Nanoseconds budget);
};

template <class Adapter>
void add_contender(std::vector<Contender>& contenders) {
  contenders.push_back({contenders.size(), Adapter::name, &run_throughput<Adapter>, &run_ping_pong<Adapter>,
                        &run_blocked_consumer<Adapter>, &run_fast_trainer<Adapter>});
}

inline constexpr std::size_t textbook_index = 0;
inline constexpr std::size_t judged_index = 1;
inline constexpr std::size_t first_peer_index = 3;

// In the order of the columns.
inline std::vector<Contender> all_contenders() {
  std::vector<Contender> contenders;
  add_contender<TextbookAdapter>(contenders);
  add_contender<FifoAdapter>(contenders);
  add_contender<ShuffleAdapter>(contenders);
#ifdef FOREBAY_BENCHMARK_HAS_TBB
  add_contender<TbbAdapter>(contenders);
#endif
#ifdef FOREBAY_BENCHMARK_HAS_BOOST
  add_contender<BoostAdapter>(contenders);
#endif
#ifdef FOREBAY_BENCHMARK_HAS_MOODYCAMEL
  add_contender<MoodycamelAdapter>(contenders);
#endif
  return contenders;
}

// The contenders that deliver the smallest element first, in the order of their columns.
inline std::vector<Contender> priority_contenders() {
  std::vector<Contender> contenders;
  add_contender<TextbookPriorityAdapter>(contenders);
  add_contender<PriorityAdapter>(contenders);
  add_contender<BatchingPriorityAdapter>(contenders);
  return contenders;
}

// forebay and the ring, which spins instead of sleeping.
inline std::vector<Contender> spinning_contenders() {
  std::vector<Contender> contenders;
  add_contender<FifoAdapter>(contenders);
  add_contender<SpinningRing>(contenders);
  return contenders;
}

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_CONTENDER_HPP
