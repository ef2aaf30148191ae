// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_OPTIONS_HPP
#define FOREBAY_BENCHMARK_OPTIONS_HPP

#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tests/support/arguments.hpp"

namespace forebay_benchmark {

// The command line. parse() throws a std::invalid_argument with the line to print.
struct Options {
  static constexpr const char* usage =
      "usage: forebay_benchmark [options]\n"
      "  --quick             2 short repetitions: shows that everything runs, the figures mean little\n"
      "  --filter SUBSTRING  only the cells with SUBSTRING in their names\n"
      "  --repetitions N     repetitions per cell and contender, of which the median counts (default 7;\n"
      "                      15 of whole pipelines)\n"
      "  --pin               keep every thread on one core: less like real life, steadier figures\n"
      "  --csv FILE          also write cell,capacity,contender,median_ns,relative_speed; the speed is relative\n"
      "                      to the textbook queue, that of pipelines to the loop by hand\n"
      "  --help              this text\n";

  bool help = false;
  bool quick = false;
  bool pin = false;
  std::string filter;
  std::string csv_path;
  std::optional<std::size_t> chosen_repetitions;

  std::size_t repetitions() const { return chosen_repetitions.value_or(quick ? 2 : 7); }
  std::size_t pipeline_repetitions() const { return chosen_repetitions.value_or(quick ? 2 : 15); }
  std::chrono::milliseconds repetition_time() const { return std::chrono::milliseconds(quick ? 5 : 45); }
  std::chrono::milliseconds blocked_time() const { return std::chrono::milliseconds(quick ? 20 : 300); }
  bool selects(const std::string& name) const { return name.find(filter) != std::string::npos; }

  static Options parse(int count, const char* const* values) {
    Options options;
    forebay_test::Arguments arguments(count, values);
    while (!arguments.empty()) {
      const std::string_view name = arguments.take();
      if (name == "--help") {
        options.help = true;
      } else if (name == "--quick") {
        options.quick = true;
      } else if (name == "--pin") {
        options.pin = true;
      } else if (name == "--filter") {
        options.filter = arguments.take_value(name);
      } else if (name == "--csv") {
        options.csv_path = arguments.take_value(name);
      } else if (name == "--repetitions") {
        options.chosen_repetitions = arguments.take_positive_number(name);
      } else {
        throw std::invalid_argument("unknown option " + std::string(name) + ", see --help");
      }
    }
    return options;
  }
};

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_OPTIONS_HPP
