// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_SUMMARY_HPP
#define FOREBAY_BENCHMARK_SUMMARY_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "contender.hpp"
#include "row.hpp"

namespace forebay_benchmark {

// Compares forebay's queues with their targets. It never changes the exit status, because a speed is not a test.
class Summary {
 public:
  explicit Summary(const std::vector<Contender>& contenders) : contenders_(contenders) {}

  void add_throughput(const Row& row) {
    if (has_peers()) against_peers_.push_back(against_best_peer(row));
    for (const Target& target : targets) {
      if (target.cell != row.name || target.capacity != row.capacity) continue;
      const double ratio = row.times_the_textbook(judged_index);
      add_line(row, text("%.1fx the textbook", ratio), text("at least %.0fx", target.ratio), ratio >= target.ratio);
      if (has_peers()) lines_.back() += text("  %.2fx ", against_peers_.back().ratio) + against_peers_.back().peer;
    }
  }

  // The priority queue has a target only for batches in both directions.
  void add_priority(const Row& row) {
    if (row.name != "priority 4P1C batches of 32") return;
    const double ratio = row.times_the_textbook(judged_index);
    add_line(row, text("%.1fx the textbook", ratio), "at least 1.5x", ratio >= 1.5);
  }

  void add_latency(const Row& row) {
    if (!has_peers()) return;
    const PeerRatio best = against_best_peer(row);
    add_line(row, text("%.2fx ", best.ratio) + best.peer, "at least 1x", best.ratio >= 1);
  }

  void add_limit(const Row& row, double limit) {
    const double value = row.values[judged_index];
    add_line(row, text("%.2f", value), text("at most %.1f", limit), value <= limit);
  }

  // For figures without a capacity, which need more digits.
  void add_limit(const std::string& what, double value, double limit) {
    char buffer[256];
    std::snprintf(buffer, sizeof buffer, "  %-45s   %-20.3fat most %-6.3f%-6s", what.c_str(), value, limit,
                  value <= limit ? "met" : "missed");
    lines_.emplace_back(buffer);
  }

  void print() const {
    if (lines_.empty() && against_peers_.empty()) return;
    std::puts("\nforebay against its targets, and against the best peer where one is named");
    for (const std::string& line : lines_) std::puts(line.c_str());
    if (against_peers_.empty()) return;
    double logarithms = 0;
    for (const PeerRatio& each : against_peers_) logarithms += std::log(each.ratio);
    const PeerRatio& slowest = *std::min_element(against_peers_.begin(), against_peers_.end(),
                                                 [](const auto& a, const auto& b) { return a.ratio < b.ratio; });
    std::printf("  best peer of each cell: %.2fx in the slowest (%s, %s), %.2fx as the geometric mean of %zu cells\n",
                slowest.ratio, slowest.cell.c_str(), slowest.peer.c_str(),
                std::exp(logarithms / static_cast<double>(against_peers_.size())), against_peers_.size());
  }

 private:
  struct Target {
    std::string_view cell;
    std::size_t capacity;
    double ratio;
  };

  // The speed relative to the fastest peer.
  struct PeerRatio {
    std::string cell;
    std::string peer;
    double ratio;
  };

  static constexpr Target targets[] = {{"1 thread in and out", 64, 2},
                                       {"1 thread in and out", 1024, 2},
                                       {"1P1C", 64, 6},
                                       {"1P1C", 1024, 6},
                                       {"2P2C", 64, 8},
                                       {"2P2C", 1024, 8},
                                       {"4P1C dequeue_many(32)", 64, 8},
                                       {"4P1C dequeue_many(32)", 1024, 8},
                                       {"2P2C batches of 32", 1024, 20}};

  static std::string text(const char* format, double value) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, format, value);
    return buffer;
  }

  bool has_peers() const { return contenders_.size() > first_peer_index; }

  PeerRatio against_best_peer(const Row& row) const {
    const auto first_peer = row.values.begin() + first_peer_index;
    const auto best = std::min_element(first_peer, row.values.end());
    const std::string_view name = contenders_[static_cast<std::size_t>(best - row.values.begin())].name;
    return {row.name + " at " + std::to_string(row.capacity), std::string(name), *best / row.values[judged_index]};
  }

  void add_line(const Row& row, const std::string& measured, const std::string& target, bool met) {
    char buffer[256];
    std::snprintf(buffer, sizeof buffer, "  %-40s%5zu   %-20s%-14s%-6s", row.name.c_str(), row.capacity,
                  measured.c_str(), target.c_str(), met ? "met" : "missed");
    lines_.push_back(buffer);
  }

  const std::vector<Contender> contenders_;
  std::vector<std::string> lines_;
  std::vector<PeerRatio> against_peers_;
};

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_SUMMARY_HPP
