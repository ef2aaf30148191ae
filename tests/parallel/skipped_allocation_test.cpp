// SPDX-License-Identifier: MIT
//
// skipped_allocation_test.cpp: on_error skips or redirects exceptions of user code. A failed allocation of the library
// is not a failed element: it ends the run.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "forebay/dataset.hpp"
#include "tests/support/failing_allocation.hpp"

namespace forebay_test {
namespace {

using forebay::Dataset;
using forebay::from_callable;
using forebay::MapOptions;
using forebay::OnError;
using forebay::Out;
using forebay::Position;
using forebay::range;
using forebay::redirect;
using forebay::skip;

using Ints = std::vector<int>;

/// Allocates nothing, so that only the library allocates in these tests.
struct Failure : std::exception {};

int fails_at_some(int i) {
  if (i % 5 == 2) throw Failure();
  return i;
}
std::array<int, 3> three(int i) { return {fails_at_some(i), i + 100, i + 200}; }

/// An element large enough to stay in its slot.
struct Large {
  std::array<int, 100> numbers{};
};
Large large(int i) { return {{fails_at_some(i)}}; }
void fill_large(int i, Large& into) { into.numbers[0] = fails_at_some(i); }
int first(const Large& element) { return element.numbers[0]; }

struct Reader {
  std::optional<int> operator()() {
    if (next == last) return std::nullopt;
    return fails_at_some(next++);
  }
  int next = 0;
  int last = 13;
};
struct Filling {
  bool operator()(Large& into) {
    if (next == 13) return false;
    into.numbers[0] = fails_at_some(next++);
    return true;
  }
  int next = 0;
};

struct Twice {
  void operator()(int&& i, Out<int>& out) const {
    out.emit(i);
    out.emit(fails_at_some(i));
  }
};

/// A file whose lines allocate memory.
std::string file_of_lines() {
  std::string name = testing::TempDir() + "forebay_skipped_allocation_test.txt";
  std::ofstream file(name);
  for (int i = 0; i < 5; ++i) file << std::string(static_cast<std::size_t>(40 + i), 'x') << '\n';
  return name;
}

struct Case {
  const char* name;
  Dataset<int> data;
};

std::vector<Case> cases(const OnError& on_error) {
  const MapOptions one{.on_error = on_error};
  const MapOptions two{.threads = 2, .ahead = 3, .chunk = 2, .on_error = on_error};
  const MapOptions beside{.threads = 2, .ahead = 3, .chunk = 2, .on_error = on_error, .loop_helps = false};
  const forebay::InterleaveOptions turns{.cycle = 2, .on_error = on_error};
  const forebay::InterleaveOptions threads{.cycle = 2, .prefetch = 3, .on_error = on_error};
  const auto numbers = range(13);
  const auto reader = [](int i) { return Reader{i, i + 4}; };
  const auto length = [](int i) { return i; };
  const auto cost = [](int i) { return i + 1; };
  const auto size_of_line = [](const std::string& line) { return static_cast<int>(line.size()); };
  const auto size = [](const Ints& batch) { return static_cast<int>(batch.size()) * 1000 + batch.front(); };
  auto inner = range(7).map([](int i) { return fails_at_some(i); }).batch(2).unbatch().shuffle(2);
  auto inner_stage = range(7).apply(Twice());
  auto inner_reader = from_callable(Reader(), {.on_error = on_error}).shuffle(3);
  const forebay::BucketOptions buckets{
      .boundaries = {5}, .batch_sizes = {2, 2}, .max_length = 9, .too_long = on_error};
  return {
      {"map", numbers.map(one, fails_at_some)},
      {"map with threads", numbers.map(two, fails_at_some)},
      {"map with threads beside the loop", numbers.map(beside, fails_at_some)},
      {"map behind a source that is not indexed", numbers.filter([](int) { return true; }).map(two, fails_at_some)},
      {"map to large elements", numbers.map(one, large).shuffle(3).map(first)},
      {"map to large elements with threads", numbers.map(two, large).shuffle(3).map(first)},
      {"map that fills", numbers.map(one, fill_large).map(first)},
      {"map that fills with threads", numbers.map(two, fill_large).shuffle(3).map(first)},
      {"map of batches", numbers.batch(3).map(one, [=](const Ints& batch) { return fails_at_some(size(batch)); })},
      {"map behind which are batches", numbers.map(two, fails_at_some).batch(3).map(size)},
      {"flat_map", numbers.flat_map({.on_error = on_error}, three)},
      {"flat_map of readers", numbers.flat_map({.on_error = on_error}, reader)},
      {"flat_map of data sets", numbers.flat_map({.on_error = on_error}, [inner](int) { return inner; })},
      {"flat_map of data sets with a stage",
       numbers.flat_map({.on_error = on_error}, [inner_stage](int) { return inner_stage; })},
      {"flat_map of data sets that skip",
       range(3).flat_map({.on_error = on_error}, [inner_reader](int) { return inner_reader; })},
      {"interleave", numbers.interleave(turns, three)},
      {"interleave of readers", numbers.interleave(turns, reader)},
      {"interleave of data sets", numbers.interleave(turns, [inner](int) { return inner; })},
      {"interleave with threads", numbers.interleave(threads, three)},
      {"interleave of readers with threads", numbers.interleave(threads, reader)},
      {"interleave of data sets with threads", range(4).interleave(threads, [inner](int) { return inner; })},
      {"from_callable", from_callable(Reader(), {.on_error = on_error}).repeat(2)},
      {"from_callable that fills", from_callable<Large>(Filling(), {.on_error = on_error}).shuffle(3).map(first)},
      {"from_callable before threads", from_callable(Reader(), {.on_error = on_error}).map(two, fails_at_some)},
      {"text_lines",
       forebay::text_lines({file_of_lines(), file_of_lines()}, {.on_error = on_error}).map(size_of_line)},
      {"bucket_by_length", numbers.bucket_by_length(length, buckets).map(size)},
      {"batch_by_cost", numbers.batch_by_cost(cost, {.limit = 9, .sort_window = 4, .too_costly = on_error}).map(size)},
  };
}

void expect_all_outputs_or_a_failure(const Case& its) {
  SCOPED_TRACE(its.name);
  const Ints expected = run_with_failure_at(0, its.data, take_by_loop).outputs;
  const std::size_t last = allocations + 3;
  ASSERT_FALSE(expected.empty());
  for (std::size_t n = 1; n <= last; ++n) {
    const Outcome outcome = run_with_failure_at(n, its.data, take_by_loop);
    if (!outcome.failed) {
      ASSERT_EQ(outcome.outputs, expected) << "allocation " << n << " of " << last << " counts as an element";
    }
    ASSERT_LE(outcome.outputs.size(), expected.size()) << "allocation " << n;
    const Ints before(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(outcome.outputs.size()));
    ASSERT_EQ(outcome.outputs, before) << "allocation " << n << " of " << last;
  }
}

// proves: pipeline-allocation
TEST(AnAllocationThatFails, IsNotSkipped) {
  for (const Case& each : cases(skip(1000))) expect_all_outputs_or_a_failure(each);
}

// proves: pipeline-allocation
TEST(AnAllocationThatFails, IsNotRedirected) {
  std::size_t others = 0;
  const auto is_ours = [&others](Position, const std::exception_ptr& failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const forebay::DatasetError& error) {
      try {
        error.rethrow_nested();
      } catch (const Failure&) {
        return;
      } catch (const std::invalid_argument&) {
        return;  // the element is too long
      } catch (...) {
        ++others;
      }
    } catch (...) {
      ++others;
    }
  };
  for (const Case& each : cases(redirect(is_ours))) {
    expect_all_outputs_or_a_failure(each);
    EXPECT_EQ(others, 0U) << each.name;
  }
}

}  // namespace
}  // namespace forebay_test
