// SPDX-License-Identifier: MIT
//
// described_data.hpp: random descriptions of data sets, built from all sources, file formats and stages, for properties
// that hold for every data set.

#ifndef FOREBAY_TESTS_SUPPORT_DESCRIBED_DATA_HPP
#define FOREBAY_TESTS_SUPPORT_DESCRIBED_DATA_HPP

#include <cstddef>
#include <cstdint>
#include <thread>

#include "forebay/dataset.hpp"
#include "tests/support/iterations.hpp"

namespace forebay_test {

using forebay::Dataset;
using forebay::MapOptions;

using Number = std::uint64_t;
using Data = Dataset<Number>;

/// Settings that must not affect the outputs.
struct Settings {
  std::size_t threads;
  std::size_t ahead;
  std::size_t chunk;
  bool loop_helps;
  bool delays;

  [[nodiscard]] MapOptions options() const {
    MapOptions options{.threads = threads, .ahead = ahead, .loop_helps = loop_helps};
    if (chunk > 0) options.chunk = chunk;
    return options;
  }

  /// Yields to other threads now and then.
  void delay(Number number) const {
    if (delays && number % 3 == 0) std::this_thread::yield();
  }
};

/// Returns a data set of files, of one of the formats.
Data data_of_files(std::uint64_t kind);

/// Returns description `number`: up to four stages of any kind, or, for one in five, stages whose functions fail.
Data description(std::uint64_t number, const Settings& settings);

inline constexpr std::uint64_t descriptions = iterations(300);

inline constexpr Settings one_thread{1, 1, 0, true, false};

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_DESCRIBED_DATA_HPP
