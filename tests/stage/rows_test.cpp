// SPDX-License-Identifier: MIT
//
// rows_test.cpp: stacked_batch and padded_batch with a function that writes each row of a batch in place.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/ways_to_run.hpp"

namespace forebay_test {
namespace {

using forebay::Context;
using forebay::DatasetError;
using forebay::drop;
using forebay::MapOptions;
using forebay::per_thread;
using forebay::range;
using forebay::Row;
using forebay::skip;
using forebay::StackedBatch;

using Ints = std::vector<int>;

struct Example {
  std::array<std::array<int, 2>, 2> pixels;
  std::string name;
  int label;

  friend bool operator==(const Example&, const Example&) = default;
};

Example example(int i) { return {{{{i, i + 1}, {i + 2, i + 3}}}, std::string(static_cast<std::size_t>(i), 'x'), -i}; }

const auto write_example = [](int i, Row<Example>& into) {
  const Example made = example(i);
  const std::span<int, 4> pixels = into.component<&Example::pixels>();
  for (std::size_t j = 0; j < pixels.size(); ++j) pixels[j] = made.pixels[j / 2][j % 2];
  into.component<&Example::name>() = made.name;
  into.component<2>() = made.label;
};

std::vector<Example> examples_of(const StackedBatch<Example>& batch) {
  std::vector<Example> examples;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    Example& made = examples.emplace_back();
    for (std::size_t j = 0; j < 4; ++j) made.pixels[j / 2][j % 2] = batch.component<0>()(i, j / 2, j % 2);
    made.name = batch.component<1>()[i];
    made.label = batch.component<2>()[i];
  }
  return examples;
}

template <class Data>
std::vector<std::vector<Example>> batches_of(const Data& data) {
  std::vector<std::vector<Example>> batches;
  for (const auto& batch : data.run()) batches.push_back(examples_of(batch));
  return batches;
}

/// A batch as a text, with the true lengths.
template <class Batch>
std::string text_of(const Batch& batch) {
  std::string text;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    text += std::to_string(batch.length(i));
    text += ':';
    for (const int value : batch.element(i)) {
      text += ' ';
      text += std::to_string(value);
    }
    text += "; ";
  }
  return text;
}

template <class Data>
std::vector<std::string> texts_of(const Data& data) {
  std::vector<std::string> texts;
  for (const auto& batch : data.run()) texts.push_back(text_of(batch));
  return texts;
}

using Rows = InEachWay;
INSTANTIATE_TEST_SUITE_P(Ways, Rows, ways_to_run(), name_of_way);

TEST_P(Rows, AreThoseOfAMapAndAStackedBatch) {
  const auto stacked = [](const auto& data, forebay::BatchOptions batch) {
    return data.template stacked_batch<Example>(4, batch, options(), write_example);
  };
  const auto mapped_and_stacked = [](const auto& data, forebay::BatchOptions batch) {
    return data.map([](int i) { return example(i); }).stacked_batch(4, batch);
  };
  for (const int count : {0, 1, 3, 4, 5, 64, 103}) {
    const auto data = range(count).repeat(2);
    EXPECT_EQ(batches_of(stacked(data, {})), batches_of(mapped_and_stacked(data, {}))) << count;
    EXPECT_EQ(batches_of(stacked(data.seamless(), {drop})), batches_of(mapped_and_stacked(data.seamless(), {drop})));
  }
}

TEST_P(Rows, FillEachBatchIfSomeAreSkipped) {
  MapOptions skipping = options();
  skipping.on_error = skip(100);
  const auto write = [](int i, Row<Example>& into) {
    write_example(i, into);
    if (i % 3 == 0) throw Failure("three");
  };
  const auto batches = batches_of(range(40).stacked_batch<Example>(8, {}, skipping, write));
  ASSERT_EQ(batches.size(), 4U);
  int expected = 0;
  for (const auto& batch : batches) {
    for (const Example& made : batch) {
      while (expected % 3 == 0) ++expected;
      EXPECT_EQ(made, example(expected++));
    }
  }
  EXPECT_EQ(batches.back().size(), 26U % 8U);
}

TEST_P(Rows, FailAfterTheBatchesThatPrecede) {
  const auto write = [](int i, Row<Example>& into) {
    if (i == 9) throw Failure("nine");
    write_example(i, into);
  };
  auto pipeline = range(20).stacked_batch<Example>(4, {}, options(), write).run();
  EXPECT_EQ(examples_of(*pipeline.next())[3], example(3));
  EXPECT_EQ(examples_of(*pipeline.next())[3], example(7));
  EXPECT_EQ(message_of<DatasetError>([&] { return pipeline.next(); }), "forebay: map, epoch 0, number 9: nine");
}

TEST_P(Rows, ResumeAtAnyBatch) {
  const auto write = [](int i, Row<int>& into, Context& context) {
    into.component<0>() = i * 1000 + static_cast<int>(context.draw().below(1000));
  };
  const auto data = range(30).shuffle(8).stacked_batch<int>(4, {}, options(), write).repeat(2);
  const auto rest_of = [](auto pipeline) {
    std::vector<Ints> batches;
    while (const auto batch = pipeline.next()) batches.emplace_back(batch->begin(), batch->end());
    return batches;
  };
  const std::vector<Ints> whole = rest_of(data.run());
  for (std::size_t taken = 0; taken <= whole.size(); ++taken) {
    auto pipeline = data.run();
    for (std::size_t i = 0; i < taken; ++i) EXPECT_TRUE(pipeline.next());
    const auto first = whole.begin() + static_cast<std::ptrdiff_t>(taken);
    EXPECT_EQ(rest_of(data.run(pipeline.checkpoint())), std::vector<Ints>(first, whole.end())) << taken;
  }
}

TEST_P(Rows, ArePaddedBeyondTheirLengths) {
  const auto write = [](int i, Row<Ints>& into) {
    const std::span<int> row = into.component<0>();
    std::fill(row.begin(), row.end(), i);
    if (i != 3) into.set_length<0>(i % 3);
  };
  const auto data = range(5).padded_batch<Ints>(2, {.pad_value = -1, .shape = {3}}, {}, options(), write);
  EXPECT_EQ(texts_of(data),
            (std::vector<std::string>{"0: -1 -1 -1; 1: 1 -1 -1; ", "2: 2 2 -1; 3: 3 3 3; ", "1: 4 -1 -1; "}));
}

TEST(RowsOfTwoDimensions, ArePaddedInBoth) {
  const auto write = [](int i, Row<std::vector<Ints>>& into) {
    const std::span<int> scalars = into.component<0>();
    std::fill(scalars.begin(), scalars.end(), i);
    into.set_length<0>(i);
    for (int j = 0; j < i; ++j) into.set_length<0>(j + 1, j);
  };
  const auto data = range(3).padded_batch<std::vector<Ints>>(3, {.pad_value = 9, .shape = {2, 3}}, 1, write);
  auto pipeline = data.run();
  const auto batch = pipeline.next();
  EXPECT_EQ(Ints(batch->values().begin(), batch->values().end()),
            (Ints{9, 9, 9, 9, 9, 9, 1, 9, 9, 9, 9, 9, 2, 9, 9, 2, 2, 9}));
  const auto lengths = batch->lengths<1>();
  EXPECT_EQ(std::vector<std::size_t>(lengths.begin(), lengths.end()), (std::vector<std::size_t>{0, 1, 2}));
  const auto inner = batch->lengths<2>();
  EXPECT_EQ(std::vector<std::size_t>(inner.begin(), inner.end()), (std::vector<std::size_t>{0, 0, 1, 0, 1, 2}));
}

TEST(RowsOfStrings, ArePaddedWithCopies) {
  const auto write = [](int i, Row<std::vector<std::string>>& into) {
    for (std::string& text : into.component<0>()) text = std::string(40, 'a');
    into.set_length<0>(i % 3);
  };
  const std::string pad(30, '-');
  const auto data = range(40).padded_batch<std::vector<std::string>>(4, {.pad_value = pad, .shape = {2}}, 2, write);
  int i = 0;
  for (const auto& batch : data.run()) {
    for (std::size_t j = 0; j < batch.size(); ++j, ++i) {
      EXPECT_EQ(batch(j, 1), i % 3 == 2 ? std::string(40, 'a') : pad);
    }
  }
  EXPECT_EQ(i, 40);
}

TEST(RowsInSmallChunks, ArePutTogether) {
  const auto write = [](int i, Row<Ints>& into) {
    const auto row = into.component<0>();
    std::fill(row.begin(), row.end(), i);
    into.set_length<0>(i % 3);
  };
  const MapOptions small{.threads = 2, .chunk = 3};
  const auto in_small = range(50).padded_batch<Ints>(8, {.pad_value = -1, .shape = {2}}, {}, small, write);
  EXPECT_EQ(texts_of(in_small), texts_of(range(50).padded_batch<Ints>(8, {.pad_value = -1, .shape = {2}}, 1, write)));
}

TEST(RowsOfAnIndexedSource, AreFetchedByTheWorkers) {
  const auto source = forebay::from_indexed(40, [](std::size_t i) { return static_cast<int>(i); });
  EXPECT_EQ(batches_of(source.stacked_batch<Example>(4, 3, write_example)),
            batches_of(range(40).stacked_batch<Example>(4, 1, write_example)));
}

TEST(RowsOfAPerThread, AreWrittenByAFunctionOfEachThread) {
  std::atomic<int> made = 0;
  const auto factory = [&made] {
    ++made;
    return [calls = 0](int i, Row<int>& into) mutable { into.component<0>() = i + 0 * ++calls; };
  };
  const MapOptions two{.threads = 2, .loop_helps = false};
  const auto data = range(100).stacked_batch<int>(10, {}, two, per_thread(factory));
  int next = 0;
  for (const auto& batch : data.run()) {
    for (const int i : batch) EXPECT_EQ(i, next++);
  }
  EXPECT_GE(made, 1);
  EXPECT_LE(made, 2);
}

TEST(RowsOfAHugeBatch, TakeMemoryForWhatIsStored) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  for (const std::size_t size : {most, most - 1, most / 2 + 1, std::size_t{1} << 20U}) {
    for (const int threads : {1, 2}) {
      auto pipeline = range(10).stacked_batch<Example>(size, threads, write_example).run();
      EXPECT_EQ(pipeline.next()->size(), 10U) << size;
    }
  }
}

TEST(RowsOfABatchThatIsMovedAway, AreInNewStorage) {
  std::vector<StackedBatch<Example>> kept;
  for (auto& batch : range(40).stacked_batch<Example>(4, 2, write_example).run()) kept.push_back(std::move(batch));
  int i = 0;
  for (const auto& batch : kept) {
    for (const Example& made : examples_of(batch)) EXPECT_EQ(made, example(i++));
  }
  EXPECT_EQ(i, 40);
}

TEST(RowsWithImpossibleSettings, AreRejected) {
  const auto write = [](int /*i*/, Row<Ints>& /*into*/) {};
  EXPECT_EQ(rejection([&] { return range(5).padded_batch<Ints>(2, {}, 1, write); }),
            "forebay: padded_batch: shape: component 0 must have fixed extents");
  EXPECT_EQ(rejection([&] { return range(5).stacked_batch<Example>(0, 1, write_example); }),
            "forebay: stacked_batch: size must be at least 1, not 0");
  EXPECT_EQ(rejection([&] { return range(5).stacked_batch<Example>(2, -1, write_example); }),
            "forebay: map: threads must be at least 1, not -1");
  const MapOptions making{.make = [] { return Example(); }};
  EXPECT_EQ(rejection([&] { return range(5).stacked_batch<Example>(2, {}, making, write_example); }),
            "forebay: map: .make has no effect: the function writes into a batch");
}

TEST(RowsWithALengthBeyondTheExtent, FailWithBothNumbers) {
  const auto write = [](int i, Row<std::vector<Ints>>& into) {
    if (i == 0) into.set_length<0>(3);
    if (i == 1) into.set_length<0>(1, 2);
  };
  for (const int i : {0, 1}) {
    const auto data = range(i, i + 1).padded_batch<std::vector<Ints>>(1, {.shape = {2, 2}}, 1, write);
    const std::string message = message_of<DatasetError>([&] { return data.run().next(); });
    EXPECT_TRUE(contains(message, i == 0 ? "set_length: length must be at most 2, not 3"
                                         : "set_length: index 2 is not below the extent 2"))
        << message;
  }
}

}  // namespace
}  // namespace forebay_test
