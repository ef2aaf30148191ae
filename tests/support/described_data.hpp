// SPDX-License-Identifier: MIT
//
// described_data.hpp: descriptions of data sets, drawn at random from all sources and stages, so that what holds of
// every data set is seen to hold.

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

/// What must not show in the outputs.
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

  /// Gives others the processor now and then.
  void delay(Number number) const {
    if (delays && number % 3 == 0) std::this_thread::yield();
  }
};

/// A description of up to four stages, drawn by its number.
Data description(std::uint64_t number, const Settings& settings);

inline constexpr std::uint64_t descriptions = iterations(240);

inline constexpr Settings one_thread{1, 1, 0, true, false};

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_DESCRIBED_DATA_HPP
