// SPDX-License-Identifier: MIT
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <vector>

#include "cell.hpp"
#include "compute_neighbours.hpp"
#include "contender.hpp"
#include "forebay/usable_cores.hpp"
#include "measurements.hpp"
#include "options.hpp"
#include "order.hpp"
#include "padding.hpp"
#include "pipeline/section.hpp"
#include "report.hpp"
#include "row.hpp"
#include "run_together.hpp"
#include "store.hpp"
#include "summary.hpp"

namespace forebay_benchmark {
namespace {

// One run of the program. Each member function below run() measures one section and passes it to report and summary.
class Benchmark {
 public:
  explicit Benchmark(const Options& options) : options_(options), report_(contenders_, options.csv_path) {}

  void run() {
    throughput();
    priority();
    spinning();
    if (begin(options_.selects("ping-pong"), "ns for half a round trip")) ping_pong();
    if (begin(options_.selects("blocked consumer"), "microseconds of CPU per second blocked")) blocked_consumer();
    if (begin(options_.selects("voluntary switches"), "fast trainer, per batch of 32")) fast_trainer();
    if (begin(options_.selects("neighbours"), "ns per element")) neighbours();
    padding();
    pipeline();
    store();
    order();
    if (!anything_selected_) throw std::invalid_argument("no cell has " + options_.filter + " in its name");
    summary_.print();
  }

 private:
  bool begin(bool selected, const char* title) {
    if (!selected) return false;
    anything_selected_ = true;
    report_.title(title);
    return true;
  }

  void priority() {
    std::vector<Cell> cells = priority_cells();
    std::erase_if(cells, [this](const Cell& cell) { return !options_.selects(cell.name); });
    if (cells.empty()) return;
    anything_selected_ = true;
    const std::vector<Contender> contenders = priority_contenders();
    Report report(contenders, "");
    report.title("smallest first, ns per element");
    for (const Cell& cell : cells) {
      const Row row = measure_throughput(contenders, cell, options_.repetitions(), options_.repetition_time());
      report.times(row);
      summary_.add_priority(row);
    }
  }

  // The ring is no peer, because it uses its cores while it waits, so it has a section of its own.
  void spinning() {
    std::vector<Cell> cells = throughput_cells();
    for (Cell& cell : cells) cell.name = "spinning " + cell.name;
    std::erase_if(cells, [this](const Cell& cell) { return !options_.selects(cell.name); });
    if (cells.empty()) return;
    anything_selected_ = true;
    const std::vector<Contender> contenders = spinning_contenders();
    const Report report(contenders, "");
    report.title("beside threads that never sleep, ns per element");
    double logarithms = 0;
    for (const Cell& cell : cells) {
      const Row row = measure_throughput(contenders, cell, options_.repetitions(), options_.repetition_time());
      report.values(row);
      logarithms += std::log(row.values[0] / row.values[1]);
    }
    const double mean = std::exp(logarithms / static_cast<double>(cells.size()));
    summary_.add_limit("time relative to a spinning ring, mean", mean, 1 / 0.9);
  }

  Row measure(const Cell& cell, int stretch = 1) const {
    return measure_throughput(contenders_, cell, options_.repetitions(), options_.repetition_time() * stretch);
  }

  void throughput() {
    std::vector<Cell> cells = throughput_cells();
    std::erase_if(cells, [this](const Cell& cell) { return !options_.selects(cell.name); });
    if (!begin(!cells.empty(), "ns per element")) return;
    for (const Cell& cell : cells) {
      const Row row = measure(cell);
      report_.times(row);
      summary_.add_throughput(row);
    }
  }

  void ping_pong() {
    const auto halves = take_turns(contenders_, options_.repetitions(), [this](const Contender& contender) {
      return contender.ping_pong(options_.repetition_time(), {}).halves;
    });
    const Row p50{"ping-pong p50", 1, medians(halves)};
    report_.times(p50);
    report_.times({"ping-pong p99", 1, quantiles(halves, 0.99)});
    summary_.add_latency(p50);
    ping_pong_with_gaps();
  }

  void ping_pong_with_gaps() {
    std::vector<Samples> used(contenders_.size());
    const auto halves = take_turns(contenders_, options_.repetitions(), [&](const Contender& contender) {
      PingPong measured = contender.ping_pong(options_.repetition_time() * 4, std::chrono::microseconds(100));
      used[contender.index].push_back(measured.cpu_time_of_round_trip);
      return std::move(measured.halves);
    });
    report_.times({"ping-pong, 100 us apart, p50", 1, medians(halves)});
    report_.values({"  us of CPU a round trip", 1, medians(used)});
  }

  void blocked_consumer() {
    const auto burnt = take_turns(contenders_, options_.quick ? 1 : 3, [this](const Contender& contender) {
      return Samples{contender.blocked_consumer(options_.blocked_time())};
    });
    report_.values({"blocked consumer", 64, medians(burnt)});
  }

  void fast_trainer() {
    std::vector<Samples> shares(contenders_.size());
    const auto switches = take_turns(contenders_, options_.repetitions(), [&](const Contender& contender) {
      const TrainerCost cost = contender.fast_trainer(options_.repetition_time());
      shares[contender.index].push_back(cost.percent_of_core);
      return Samples{cost.switches_per_batch};
    });
    const Row row{"voluntary switches", 1024, medians(switches)};
    report_.values(row);
    report_.values({"  percent of a core used", 1024, medians(shares)});
    summary_.add_limit(row, 1.2);
  }

  void neighbours() {
    for (const Cell& cell : {pairing(1, 1, 64, 1), training(1024)}) {
      Row alone = measure(cell);
      alone.name += " alone";
      report_.times(alone);
      const Row beside = measure_beside_neighbours(cell);
      report_.times(beside);
      Row factor{"  times as long", cell.capacity, beside.values};
      for (std::size_t i = 0; i < factor.values.size(); ++i) factor.values[i] /= alone.values[i];
      report_.values(factor);
      factor.name = beside.name;
      summary_.add_limit(factor, 10);
    }
  }

  // A time slice lost to a neighbour takes milliseconds, so the repetitions are longer than elsewhere.
  Row measure_beside_neighbours(const Cell& cell) const {
    const ComputeNeighbours neighbours(2);
    Row row = measure(cell, 4);
    row.name += " beside neighbours";
    return row;
  }

  // No contender pads, so this section has its own columns.
  void padding() {
    if (!options_.selects("padding")) return;
    anything_selected_ = true;
    const PaddingCost cost = PaddingBenchmark().measure(options_.quick ? 100 : 5000);
    std::printf("\n%-40s%9s%17s%17s%17s%17s\n", "ns per batch of 128 sequences", "capacity", "vectors", "by hand",
                "spans", "memcpy + fill");
    std::printf("%-40s%9zu%10.0f%6.2fx%10.0f%6.2fx%10.0f%6.2fx%17.0f\n", "padding", padded_sequences,
                cost.vectors.count(), cost.vectors / cost.bare, cost.by_hand.count(), cost.by_hand / cost.bare,
                cost.spans.count(), cost.spans / cost.bare, cost.bare.count());
    summary_.add_limit({"padding against by hand", padded_sequences, {1, cost.vectors / cost.by_hand}}, 1.3);
    summary_.add_limit({"padding", padded_sequences, {1, cost.vectors / cost.bare}}, 1.3);
    summary_.add_limit({"padding of spans", padded_sequences, {1, cost.spans / cost.bare}}, 1.3);
  }

  // Whole pipelines have their own columns, too.
  void pipeline() {
    const auto judge = [this](const std::string& what, double value, double limit) {
      summary_.add_limit(what, value, limit);
    };
    if (input::Section(options_, report_).run(judge)) anything_selected_ = true;
  }

  // Each store has its own process and columns.
  void store() {
    if (!options_.selects("store")) return;
    anything_selected_ = true;
    StoreBenchmark(options_.quick).run();
  }

  void order() {
    if (!options_.selects("order")) return;
    anything_selected_ = true;
    OrderBenchmark(options_).run();
  }

  const Options options_;
  const std::vector<Contender> contenders_ = all_contenders();
  Report report_;
  Summary summary_{contenders_};
  bool anything_selected_ = false;
};

int run(int count, const char* const* arguments) {
  const Options options = Options::parse(count, arguments);
  if (options.help) {
    std::fputs(Options::usage, stdout);
    return EXIT_SUCCESS;
  }
  threads_are_pinned = options.pin;
  std::printf("%zu usable cores, medians of %zu repetitions (%zu of pipelines); x: times the textbook queue's speed\n",
              forebay::usable_cores(), options.repetitions(), options.pipeline_repetitions());
  Benchmark(options).run();
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace forebay_benchmark

int main(int count, char** arguments) {
  try {
    return forebay_benchmark::run(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "forebay_benchmark: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
