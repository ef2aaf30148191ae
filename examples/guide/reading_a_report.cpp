// SPDX-License-Identifier: MIT
//
// reading_a_report.cpp: asks a pipeline which stage limits it. With an argument, it prints the whole reports.

#include <chrono>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <forebay/dataset.hpp>

using namespace std::chrono_literals;

/// How long each part takes; the sleeps stand for a disk, a decoder and a device that are slow.
struct Costs {
  std::chrono::milliseconds read{};
  std::chrono::milliseconds decode{};
  std::chrono::milliseconds train{};
};

void run(const std::string& title, Costs costs, bool whole_report) {
  const auto read = [costs, n = 0]() mutable -> std::optional<int> {
    std::this_thread::sleep_for(costs.read);
    return n < 160 ? std::optional(n++) : std::nullopt;
  };
  const auto decode = [costs](int record) {
    std::this_thread::sleep_for(costs.decode);
    return record;
  };
  auto pipeline =
      forebay::from_callable(read).map({.threads = 2, .loop_helps = false}, decode).named("decode").batch(8).run();
  for ([[maybe_unused]] const std::vector<int>& batch : pipeline) std::this_thread::sleep_for(costs.train);

  const forebay::PipelineStatistics statistics = pipeline.statistics();
  const forebay::StageStatistics* const limiting = forebay::limiting_stage(statistics);
  std::cout << title << ": " << (limiting != nullptr ? limiting->name : "no stage") << " limits\n";
  if (whole_report) std::cout << forebay::report(statistics) << '\n';
}

int main(int argument_count, char**) {
  const bool whole_report = argument_count > 1;
  run("slow disk", {.read = 2ms}, whole_report);
  run("slow decoder", {.decode = 4ms}, whole_report);
  run("slow device", {.train = 20ms}, whole_report);
}
