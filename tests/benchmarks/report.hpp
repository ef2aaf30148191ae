// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_REPORT_HPP
#define FOREBAY_BENCHMARK_REPORT_HPP

#include <cstdio>
#include <fstream>
#include <iomanip>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contender.hpp"
#include "row.hpp"

namespace forebay_benchmark {

// An aligned table on standard output, one column per contender. Optionally writes the same figures to a CSV file.
class Report {
 public:
  Report(std::vector<Contender> contenders, const std::string& csv_path) : contenders_(std::move(contenders)) {
    if (csv_path.empty()) return;
    csv_.open(csv_path);
    if (!csv_) throw std::invalid_argument("cannot write " + csv_path);
    csv_ << "cell,capacity,contender,median_ns,relative_speed\n";
  }

  void title(const char* what) const {
    std::printf("\n%-40s%9s", what, "capacity");
    for (const Contender& contender : contenders_) std::printf("%17s", contender.name.data());
    std::printf("\n%s\n", std::string(49 + 17 * contenders_.size(), '-').c_str());
  }

  // Prints times with their multiples of the textbook queue's speed.
  void times(const Row& row) {
    heading(row);
    for (const Contender& contender : contenders_) {
      const double time = row.values[contender.index];
      const double ratio = row.times_the_textbook(contender.index);
      std::printf("%10.*f%6.*fx", decimals(time), time, ratio < 1 ? 2 : 1, ratio);
      record(row.name, row.capacity, contender.name, time, ratio);
    }
    end_line();
  }

  // Writes a line to the CSV file.
  void record(std::string_view cell, std::size_t capacity, std::string_view contender, double time,
              double relative_speed) {
    csv_ << std::quoted(cell) << ',' << capacity << ',' << std::quoted(contender) << ',' << time << ','
         << relative_speed << '\n';
  }

  void values(const Row& row) const {
    heading(row);
    for (double value : row.values) std::printf("%17.*f", decimals(value), value);
    end_line();
  }

 private:
  static void heading(const Row& row) { std::printf("%-40s%9zu", row.name.c_str(), row.capacity); }

  static int decimals(double value) { return value < 10 ? 2 : value < 100 ? 1 : 0; }

  // Flushes each line, so that a user can follow a long run.
  static void end_line() {
    std::puts("");
    std::fflush(stdout);
  }

  const std::vector<Contender> contenders_;
  std::ofstream csv_;
};

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_REPORT_HPP
