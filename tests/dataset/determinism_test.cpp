// SPDX-License-Identifier: MIT
//
// determinism_test.cpp: a data set has the same outputs in the same epochs, and the same failure at the same position,
// in every way to run it: without threads, with 1 to 8 threads, with few or many chunks ahead, in a range-for or a
// for_each loop, and with any delays. Descriptions are drawn at random from all sources and stages.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/base/random_bits.hpp"
#include "forebay/dataset.hpp"
#include "tests/support/described_data.hpp"
#include "tests/support/pipeline_output.hpp"
#include "tests/support/plain_run.hpp"

namespace forebay_test {
namespace {

using forebay::detail::RandomBits;

/// Returns the message of the DatasetError that `call` throws, or nothing if it returns.
template <class Call>
std::string failure_of(Call call) {
  try {
    call();
  } catch (const DatasetError& error) {
    return error.what();
  }
  return {};
}

/// The result of a run.
struct Outcome {
  std::vector<std::vector<Number>> epochs;
  std::string failure;

  friend bool operator==(const Outcome&, const Outcome&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
    for (const auto& epoch : outcome.epochs) out << testing::PrintToString(epoch) << ' ';
    return out << outcome.failure;
  }
};

Outcome of_plain_loop(const Data& data, std::size_t most = 7) {
  auto output = output_of(data, most);
  return {std::move(output.epochs), std::move(output.failure)};
}

template <class Take>
Outcome of_pipeline(const Data& data, Take take) {
  auto pipeline = data.run();
  Outcome outcome;
  outcome.epochs = epochs_by(
      pipeline, [&](auto epoch, auto& outputs) { outcome.failure = failure_of([&] { take(epoch, outputs); }); });
  return outcome;
}

void expect_same(std::uint64_t number, const Settings& settings, const Outcome& expected) {
  SCOPED_TRACE("description " + std::to_string(number) + ", " + std::to_string(settings.threads) + " threads, " +
               std::to_string(settings.ahead) + " ahead, chunks of " + std::to_string(settings.chunk) +
               (settings.loop_helps ? ", helped" : ""));
  const Data plain = description(number, settings);
  const Data data = settings.delays ? plain.traced() : plain;  // neither may affect the outputs
  const Outcome by_loop = of_pipeline(data, [](auto& epoch, auto& outputs) {
    for (const Number& output : epoch) outputs.push_back(output);
  });
  ASSERT_EQ(by_loop, expected);
  const Outcome by_for_each = of_pipeline(data, [](auto& epoch, auto& outputs) {
    epoch.for_each([&outputs](const Number& output) { outputs.push_back(output); });
  });
  ASSERT_EQ(by_for_each, expected);
}

// proves: dataset-failure, interleave-failure, determinism
TEST(Determinism, NeitherThreadsNorTimingShow) {
  RandomBits bits(1);
  std::size_t failures = 0;
  for (std::uint64_t number = 0; number < descriptions; ++number) {
    const Outcome expected = of_plain_loop(description(number, one_thread));
    if (!expected.failure.empty()) ++failures;
    for (const std::size_t threads : {1U, 2U, 4U, 8U}) {
      const Settings settings{threads, 1 + static_cast<std::size_t>(bits.below(9)),
                              static_cast<std::size_t>(bits.below(9)), bits.below(2) == 0, bits.below(2) == 0};
      expect_same(number, settings, expected);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  EXPECT_GT(failures, descriptions / 20);
}

// proves: determinism
TEST(Determinism, HowMuchIsPulledAtATimeDoesNotShow) {
  for (std::uint64_t number = 0; number < descriptions; ++number) {
    const Outcome expected = of_plain_loop(description(number, one_thread));
    for (const std::size_t most : {1U, 3U, 100U}) {
      ASSERT_EQ(of_plain_loop(description(number, one_thread), most), expected) << number << " by " << most;
    }
  }
}

}  // namespace
}  // namespace forebay_test
