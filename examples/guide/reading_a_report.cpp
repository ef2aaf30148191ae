// SPDX-License-Identifier: MIT
//
// reading_a_report.cpp: three reports. Their figures are computed and not measured, so that they are always the same;
// in a program of yours, write std::cout << pipeline.report().

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>

#include <forebay/queues.hpp>

using namespace std::chrono_literals;
using std::chrono::microseconds;

/// What each part of a pipeline takes for a record.
struct Costs {
  microseconds read;
  microseconds decode;
  microseconds train;
};

constexpr auto run_time = 10s;
constexpr int decoders = 2;

/// What 10 s of that pipeline look like on 8 cores: the slowest part always works, and the others wait for it.
forebay::PipelineStatistics statistics_of(Costs costs) {
  const microseconds slowest = std::max({costs.read, costs.decode / decoders, costs.train});
  const auto records = run_time / slowest;

  forebay::StageStatistics read{.name = "before decode", .is_serial = true};
  read.working = records * costs.read;
  read.blocked = run_time - read.working;

  forebay::StageStatistics decode{.name = "decode", .threads = decoders};
  decode.working = records * costs.decode;
  decode.processor_time = decode.working;
  (costs.train == slowest ? decode.blocked : decode.starved) = decoders * run_time - decode.working;

  forebay::StageStatistics loop{.name = "loop"};
  loop.working = records * costs.train;
  loop.starved = run_time - loop.working;

  for (auto* stage : {&read, &decode, &loop}) stage->elements = static_cast<std::uint64_t>(records);
  return {.stages = {read, decode},
          .loop = loop,
          .time = run_time,
          .processor_time = decode.working,
          .machine_time = decode.working,
          .cores = 8};
}

int main() {
  std::cout << forebay::report(statistics_of({.read = 400us, .decode = 120us, .train = 40us})) << '\n';
  std::cout << forebay::report(statistics_of({.read = 20us, .decode = 800us, .train = 40us})) << '\n';
  std::cout << forebay::report(statistics_of({.read = 20us, .decode = 100us, .train = 200us}));
}
