// SPDX-License-Identifier: MIT
//
// coming_from_tensorflow_test.cpp: runs each line of examples/coming_from_tensorflow.md, copied word for word
// (style.snippets compares them). Checks that each line behaves like the helper or method it replaces.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/coordinator.hpp"
#include "forebay/csv_files.hpp"
#include "forebay/dataset.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/files.hpp"
#include "forebay/monitored_session.hpp"
#include "forebay/queue_runner.hpp"
#include "tests/support/numbers.hpp"
#include "tests/support/pipeline_output.hpp"
#include "tests/support/tfrecord_bytes.hpp"

namespace forebay_test {
namespace {

using forebay::any_order;
using forebay::Context;
using forebay::Coordinator;
using forebay::csv_rows;
using forebay::Dataset;
using forebay::drop;
using forebay::FIFOQueue;
using forebay::first_exhausted;
using forebay::fixed_size_records;
using forebay::from_callable;
using forebay::from_slices;
using forebay::list_files;
using forebay::mix;
using forebay::MonitoredSession;
using forebay::Out;
using forebay::PaddedBatch;
using forebay::per_epoch;
using forebay::Pipeline;
using forebay::QueueRunner;
using forebay::range;
using forebay::skip;
using forebay::text_lines;
using forebay::tfrecords;
using forebay::zip;

using Ints = std::vector<int>;
using Sizes = std::vector<std::size_t>;
using Strings = std::vector<std::string>;

template <class Batch>
Sizes sizes_of(const Dataset<Batch>& batches) {
  Sizes sizes;
  for (const Batch& batch : batches.run()) sizes.push_back(batch.size());
  return sizes;
}

/// Splits `elements` into parts of `size` and sorts each, to compare epochs whose order does not matter.
template <class T>
std::vector<std::vector<T>> sorted_parts(const std::vector<T>& elements, std::size_t size) {
  std::vector<std::vector<T>> parts;
  for (auto first = elements.begin(); first != elements.end(); first += static_cast<std::ptrdiff_t>(size)) {
    parts.push_back(sorted(std::vector<T>(first, first + static_cast<std::ptrdiff_t>(size))));
  }
  return parts;
}

/// A folder of this test, removed at the end. ctest runs several of these programs at the same time.
class TemporaryFolder {
 public:
  TemporaryFolder()
      : path_(std::filesystem::temp_directory_path() /
              ("forebay_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    std::filesystem::create_directory(path_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Returns the name of a new file in the folder.
  [[nodiscard]] std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

// ---- Definitions for the lines

Strings three_files() { return {"one", "two", "three"}; }
int decode(int record) { return 2 * record; }
bool keep(int record) { return record % 2 == 0; }

/// Opens a file.
Strings open(const std::string& file) { return {file + " 0", file + " 1"}; }

// ---- tf.train

TEST(FromTensorFlowTrain, StringInputProducer) {
  const auto files = three_files();
  const auto outputs = outputs_of(from_slices(files).shuffle().repeat(2));
  EXPECT_EQ(sorted_parts(outputs, 3), (std::vector<Strings>{{"one", "three", "two"}, {"one", "three", "two"}}));
}

TEST(FromTensorFlowTrain, InputProducer) {
  const std::vector<Ints> rows{{1, 2}, {3, 4}};
  EXPECT_EQ(outputs_of(from_slices(rows).repeat(2)), (std::vector<Ints>{{1, 2}, {3, 4}, {1, 2}, {3, 4}}));
}

TEST(FromTensorFlowTrain, RangeInputProducer) {
  const int limit = 5;
  const auto outputs = outputs_of(range(limit).shuffle().repeat().take(10));
  EXPECT_EQ(sorted_parts(outputs, 5), (std::vector<Ints>{{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}}));
}

TEST(FromTensorFlowTrain, SliceInputProducer) {
  const Strings images{"cat", "dog", "eel"};
  const Ints labels{0, 1, 2};
  for (const auto& [image, label] : from_slices(images, labels).shuffle().repeat(2).run()) {
    EXPECT_EQ(image, images[static_cast<std::size_t>(label)]);
  }
  EXPECT_THROW(static_cast<void>(from_slices(images, Ints{0})), std::invalid_argument);
}

TEST(FromTensorFlowTrain, LimitEpochs) {
  const auto rows = range(2);
  EXPECT_EQ(outputs_of(rows.repeat(3)), (Ints{0, 1, 0, 1, 0, 1}));
  EXPECT_THROW(static_cast<void>(rows.repeat(0)), std::invalid_argument);
}

TEST(FromTensorFlowTrain, Batch) {
  const auto records = range(100);
  EXPECT_EQ(sizes_of(records.map(4, decode).batch(32, {.remainder = drop})), (Sizes{32, 32, 32}));
  EXPECT_EQ(sizes_of(records.map(4, decode).batch(32)), (Sizes{32, 32, 32, 4}));
  EXPECT_EQ(outputs_of(records.map(4, decode).batch(32))[1][0], 64) << "the order is kept";
}

TEST(FromTensorFlowTrain, BatchOfRows) {
  const auto batches = range(100).batch(7);
  EXPECT_EQ(sizes_of(batches.unbatch().batch(32)), (Sizes{32, 32, 32, 4}));
}

TEST(FromTensorFlowTrain, BatchWithDynamicPad) {
  const auto sequences = from_slices({Ints{1}, Ints{2, 3}});
  for (const PaddedBatch<Ints>& batch : sequences.padded_batch(32).run()) {
    EXPECT_EQ(Ints(batch.values().begin(), batch.values().end()), (Ints{1, 0, 2, 3}));
  }
}

TEST(FromTensorFlowTrain, BatchJoin) {
  const auto files = from_slices(three_files());
  const auto batches = files.interleave({.cycle = 4, .prefetch = 64}, open).batch(32);
  EXPECT_EQ(outputs_of(batches), (std::vector<Strings>{{"one 0", "two 0", "three 0", "one 1", "two 1", "three 1"}}));
}

TEST(FromTensorFlowTrain, OtherJoins) {
  const auto files = from_slices(three_files());
  const auto keep = [](const std::string& record) { return record.ends_with('1'); };
  EXPECT_EQ(sizes_of(files.interleave({.cycle = 4, .prefetch = 64}, open).shuffle(1000).batch(32)), (Sizes{6}));
  EXPECT_EQ(sizes_of(files.interleave({.cycle = 4, .prefetch = 64}, open).filter(keep).batch(32)), (Sizes{3}));
  const auto all = files.interleave({.cycle = 4, .prefetch = 64}, open).filter(keep).shuffle(1000).batch(32);
  EXPECT_EQ(sizes_of(all), (Sizes{3}));
}

TEST(FromTensorFlowTrain, ShuffleBatch) {
  const auto records = range(100);
  const auto batches = outputs_of(records.shuffle(1000).map(4, decode).batch(32));
  EXPECT_EQ(batches.size(), 4U);
  EXPECT_NE(batches[0], sorted(batches[0]));
}

TEST(FromTensorFlowTrain, MaybeBatch) {
  const auto records = range(100);
  EXPECT_EQ(sizes_of(records.filter(keep).map(4, decode).batch(32)), (Sizes{32, 18}));
}

TEST(FromTensorFlowTrain, MaybeShuffleBatch) {
  const auto records = range(100);
  EXPECT_EQ(sizes_of(records.filter(keep).shuffle(1000).map(4, decode).batch(32)), (Sizes{32, 18}));
}

TEST(FromTensorFlowTrain, Bucket) {
  const auto records = range(100);
  const auto which_bucket = [](int record) { return record % 3; };
  const auto buckets = records.bucket_by_length(which_bucket, {.boundaries = {1, 2}, .batch_sizes = {32, 32, 32}});
  EXPECT_EQ(sizes_of(buckets), (Sizes{32, 32, 32, 2, 1, 1}));
}

TEST(FromTensorFlowTrain, BucketBySequenceLength) {
  const auto sentences = range(30).map([](int words) { return Ints(static_cast<std::size_t>(words), 1); });
  const auto length = [](const Ints& sentence) { return sentence.size(); };
  const auto plain = sentences.bucket_by_length(length, {.boundaries = {10, 20}, .batch_sizes = {64, 32, 16}});
  EXPECT_EQ(sizes_of(plain), (Sizes{10, 10, 10}));
  const auto padded = sentences.bucket_by_length(length, {.boundaries = {10, 20}, .batch_sizes = {64, 32, 16}}, {});
  Sizes lengths;
  for (const PaddedBatch<Ints>& batch : padded.run()) lengths.push_back(batch.extents()[1]);
  EXPECT_EQ(lengths, (Sizes{9, 19, 29}));
}

TEST(FromTensorFlowTrain, StartQueueRunnersOfADataSet) {
  const auto dataset = range(3);
  Coordinator coordinator;
  auto records = dataset.run(coordinator);
  EXPECT_EQ(records.next().value(), 0);
  coordinator.request_stop();
  EXPECT_FALSE(records.next());
}

TEST(FromTensorFlowTrain, StartQueueRunnersOfAQueue) {
  FIFOQueue<int> queue(50);
  Coordinator coordinator;
  const auto op = [n = 0]() mutable { return n < 3 ? std::optional(n++) : std::nullopt; };
  QueueRunner runner(queue, {op, op});
  runner.start(coordinator);
  EXPECT_EQ(sorted(queue.dequeue_up_to(9).value()), (Ints{0, 0, 1, 1, 2, 2}));
  coordinator.join();
}

TEST(FromTensorFlowTrain, MonitoredSession) {
  auto batches = range(100).batch(32).run();
  Sizes sizes;
  const auto step = [&] { sizes.push_back(batches.next().value().size()); };
  MonitoredSession session(batches);
  while (!session.should_stop()) session.run(step);
  EXPECT_EQ(sizes, (Sizes{32, 32, 32, 4}));
}

// ---- tf.data: where elements come from

TEST(FromTensorFlowData, FromTensorSlices) {
  EXPECT_EQ(outputs_of(from_slices({1, 2, 3})), (Ints{1, 2, 3}));
  const Strings images{"cat"};
  const Ints labels{7};
  EXPECT_EQ(from_slices(images, labels)[0], std::tuple("cat", 7));
}

TEST(FromTensorFlowData, FromTensors) {
  const Ints x{1, 2, 3};
  EXPECT_EQ(outputs_of(from_slices({x})), std::vector<Ints>{x});
}

TEST(FromTensorFlowData, Range) {
  EXPECT_EQ(outputs_of(range(5)), (Ints{0, 1, 2, 3, 4}));
  EXPECT_EQ(outputs_of(range(1, 10, 3)), (Ints{1, 4, 7}));
}

TEST(FromTensorFlowData, Counter) {
  const auto counter = range(10, std::numeric_limits<int>::max(), 5);
  EXPECT_EQ(outputs_of(counter.take(3)), (Ints{10, 15, 20}));
}

TEST(FromTensorFlowData, Random) {
  const auto numbers = range(1000).seed(7).map([](int, Context& context) { return context.draw()(); });
  const auto once = outputs_of(numbers);
  EXPECT_EQ(once, outputs_of(numbers));
  EXPECT_EQ(std::set(once.begin(), once.end()).size(), 1000U);
}

TEST(FromTensorFlowData, FromGenerator) {
  const auto numbers = from_callable([n = 0]() mutable { return n < 4 ? std::optional(n++) : std::nullopt; });
  EXPECT_EQ(outputs_of(numbers.repeat(2)), (Ints{0, 1, 2, 3, 0, 1, 2, 3}));
}

TEST(FromTensorFlowData, ListFiles) {
  const TemporaryFolder temporary;
  const Strings files{temporary.file("a.txt", ""), temporary.file("b.txt", "")};
  static_cast<void>(temporary.file("c.bin", ""));
  const std::string pattern = (temporary.path() / "*.txt").string();
  EXPECT_EQ(outputs_of(from_slices(list_files(pattern))), files);
  EXPECT_EQ(sorted(outputs_of(from_slices(list_files(pattern)).shuffle())), files);
}

TEST(FromTensorFlowData, TextLineDataset) {
  const TemporaryFolder folder;
  const Strings files{folder.file("one", "a\nb\n"), folder.file("two", "c")};
  EXPECT_EQ(outputs_of(text_lines(files)), (Strings{"a", "b", "c"}));
}

TEST(FromTensorFlowData, TFRecordDataset) {
  const TemporaryFolder folder;
  const Strings files{folder.file("one", tfrecord("hi") + tfrecord("")), folder.file("two", tfrecord("ho"))};
  EXPECT_EQ(outputs_of(tfrecords(files)), (Strings{"hi", "", "ho"}));
}

TEST(FromTensorFlowData, FixedLengthRecordDataset) {
  const TemporaryFolder folder;
  const Strings files{folder.file("one", std::string(2048, 'a')), folder.file("two", std::string(1024, 'b'))};
  EXPECT_EQ(outputs_of(fixed_size_records(files, 1024)),
            (Strings{std::string(1024, 'a'), std::string(1024, 'a'), std::string(1024, 'b')}));
}

TEST(FromTensorFlowData, CsvDataset) {
  const TemporaryFolder folder;
  const Strings files{folder.file("one", "id,name,price\n1,a,0.5\n"), folder.file("two", "id,name,price\n2,b,3\n")};
  EXPECT_EQ(outputs_of(csv_rows<std::tuple<int, float>>(files, {.header = true, .columns = {"id", "price"}})),
            (std::vector<std::tuple<int, float>>{{1, 0.5F}, {2, 3.0F}}));
}

/// Takes the next element from the input whose index is the next element of `choices`.
template <class T>
class Choice {
 public:
  Choice(const Dataset<std::size_t>& choices, const std::vector<Dataset<T>>& inputs)
      : choices_(std::make_unique<Pipeline<std::size_t>>(choices)) {
    for (const Dataset<T>& input : inputs) inputs_.push_back(std::make_unique<Pipeline<T>>(input));
  }

  std::optional<T> operator()() {
    const auto choice = choices_->next();
    if (!choice) return std::nullopt;
    auto element = inputs_.at(*choice)->next();
    return element ? std::optional(std::move(*element)) : std::nullopt;
  }

 private:
  std::unique_ptr<Pipeline<std::size_t>> choices_;
  std::vector<std::unique_ptr<Pipeline<T>>> inputs_;
};

TEST(FromTensorFlowData, ChooseFromDatasets) {
  const std::vector<Dataset<int>> inputs{range(3), range(10, 13)};
  const auto choices = from_slices(Sizes{0, 1, 1, 0, 1, 1, 0});
  const auto chosen = from_callable(per_epoch([=] { return Choice<int>(choices, inputs); }));
  EXPECT_EQ(outputs_of(chosen), (Ints{0, 10, 11, 1, 12})) << "it ends where the one that is chosen has ended";
}

TEST(FromTensorFlowData, SampleFromDatasets) {
  const Dataset<int> a = range(700);
  const Dataset<int> b = range(1000, 1300);
  const auto outputs = outputs_of(mix({a, b}, {0.7, 0.3}));
  EXPECT_EQ(outputs.size(), 1000U);
  const auto of_a = std::count_if(outputs.begin(), outputs.begin() + 500, [](int element) { return element < 1000; });
  EXPECT_NEAR(static_cast<double>(of_a), 350, 40);
  EXPECT_LT(outputs_of(mix({.stop = first_exhausted}, {a, b}, {0.7, 0.3})).size(), 1000U);
}

TEST(FromTensorFlowData, Concatenate) {
  const auto a = range(2);
  const auto b = range(7, 9);
  EXPECT_EQ(outputs_of(a.concatenate(b)), (Ints{0, 1, 7, 8}));
}

// ---- tf.data: which elements, in which order

TEST(FromTensorFlowData, Filter) { EXPECT_EQ(outputs_of(range(5).filter(keep)), (Ints{0, 2, 4})); }

TEST(FromTensorFlowData, Take) {
  const auto records = range(5);
  EXPECT_EQ(outputs_of(records.take(2)), (Ints{0, 1}));
}

TEST(FromTensorFlowData, Skip) {
  const auto records = range(5);
  EXPECT_EQ(outputs_of(records.skip(3)), (Ints{3, 4}));
}

TEST(FromTensorFlowData, Shard) {
  const auto records = range(7);
  EXPECT_EQ(outputs_of(records.shard(1, 3)), (Ints{1, 4}));
  EXPECT_THROW(static_cast<void>(records.shard(3, 1)), std::invalid_argument) << "in the order of tf.data";
}

TEST(FromTensorFlowData, Repeat) {
  const auto records = range(2);
  EXPECT_EQ(outputs_of(records.repeat().take(5)), (Ints{0, 1, 0, 1, 0}));
  EXPECT_EQ(outputs_of(records.repeat(2)), (Ints{0, 1, 0, 1}));
  EXPECT_EQ(sizes_of(range(5).repeat(2).batch(3)), (Sizes{3, 2, 3, 2})) << "a batch is of one epoch";
  EXPECT_EQ(sizes_of(range(5).repeat(2).seamless().batch(3)), (Sizes{3, 3, 3, 1})) << "as in TensorFlow";
}

TEST(FromTensorFlowData, Shuffle) {
  const auto records = range(100);
  EXPECT_EQ(sorted(outputs_of(records.shuffle(32))), outputs_of(records));
  const auto epochs = outputs_of(records.seed(7).shuffle(32).repeat(2));
  EXPECT_FALSE(std::equal(epochs.begin(), epochs.begin() + 100, epochs.begin() + 100));
}

TEST(FromTensorFlowData, ShuffleWithoutReshuffling) {
  const auto records = range(100);
  const auto epochs = outputs_of(records.shuffle(32).collect().repeat(2));
  EXPECT_TRUE(std::equal(epochs.begin(), epochs.begin() + 100, epochs.begin() + 100));
}

TEST(FromTensorFlowData, TakeWhile) {
  const auto numbers = from_slices({1, 2, 7, 3});
  const auto small = numbers.apply([](int&& number, Out<int>& out) {
    if (number >= 5) return out.end();
    out.emit(number);
  });
  EXPECT_EQ(outputs_of(small.repeat(2)), (Ints{1, 2, 1, 2}));
}

/// Drops elements that have already occurred in the epoch.
template <class T>
struct Unique {
  void operator()(T&& element, Out<T>& out) {
    if (seen.insert(element).second) out.emit(std::move(element));
  }

  std::set<T> seen{};
};

TEST(FromTensorFlowData, Unique) {
  const auto numbers = from_slices({1, 2, 1, 3, 2});
  EXPECT_EQ(outputs_of(numbers.apply(Unique<int>()).repeat(2)), (Ints{1, 2, 3, 1, 2, 3}));
}

TEST(FromTensorFlowData, RejectionResample) {
  const auto keep_share = [](int label) { return label == 0 ? 0.25 : 1.0; };
  const auto records = range(4000).map([](int number) { return number % 2; });
  const auto resampled = records.flat_map([=](int record, Context& context) {
    return Ints(context.draw().uniform() < keep_share(record) ? 1 : 0, record);
  });
  const auto outputs = outputs_of(resampled);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(outputs, 0)), 500, 75);
  EXPECT_EQ(std::ranges::count(outputs, 1), 2000);
}

// ---- tf.data: transformations

TEST(FromTensorFlowData, Apply) {
  const auto evens = [](const Dataset<int>& dataset) { return dataset.filter(keep); };
  EXPECT_EQ(outputs_of(evens(range(5))), (Ints{0, 2, 4}));
}

TEST(FromTensorFlowData, Map) {
  const auto records = range(3);
  EXPECT_EQ(outputs_of(records.map(decode)), (Ints{0, 2, 4}));
  EXPECT_EQ(outputs_of(records.map(4, decode)), (Ints{0, 2, 4}));
}

TEST(FromTensorFlowData, MapInAnyOrder) {
  const auto records = range(3);
  EXPECT_EQ(sorted(outputs_of(records.map({.threads = 4, .order = any_order}, decode))), (Ints{0, 2, 4}));
}

TEST(FromTensorFlowData, MapOfTuples) {
  const auto pairs = from_slices(Ints{1, 2}, Ints{3, 4});
  const auto sums = pairs.map([](std::tuple<int, int> pair) { return std::get<0>(pair) + std::get<1>(pair); });
  EXPECT_EQ(outputs_of(sums), (Ints{4, 6}));
}

TEST(FromTensorFlowData, FlatMap) {
  const auto files = from_slices({std::string("a"), std::string("b")});
  EXPECT_EQ(outputs_of(files.flat_map(open)), (Strings{"a 0", "a 1", "b 0", "b 1"}));
}

TEST(FromTensorFlowData, Interleave) {
  const auto files = from_slices(three_files());
  const Strings expected{"one 0", "one 1", "two 0", "two 1", "three 0", "three 1"};
  EXPECT_EQ(outputs_of(files.interleave(4, 2, open)), expected);
}

TEST(FromTensorFlowData, ParallelInterleave) {
  const auto files = from_slices(three_files());
  const Strings expected{"one 0", "two 0", "three 0", "one 1", "two 1", "three 1"};
  EXPECT_EQ(outputs_of(files.interleave({.cycle = 4, .block = 1, .prefetch = 64}, open)), expected);
}

TEST(FromTensorFlowData, IgnoreErrors) {
  const auto parse = [](const std::string& text) { return std::stoi(text); };
  const auto lines = from_slices({std::string("1"), std::string("two"), std::string("3")});
  EXPECT_EQ(outputs_of(lines.map({.threads = 4, .on_error = skip(100)}, parse)), (Ints{1, 3}));
}

/// Emits the sum of all numbers so far.
struct RunningSum {
  void operator()(int&& number, Out<int>& out) { out.emit(sum += number); }

  int sum = 0;  // initial_state
};

TEST(FromTensorFlowData, Scan) {
  const auto numbers = range(4);
  EXPECT_EQ(outputs_of(numbers.apply(RunningSum()).repeat(2)), (Ints{0, 1, 3, 6, 0, 1, 3, 6}));
}

TEST(FromTensorFlowData, Enumerate) {
  const auto records = range(7, 9);
  using Numbered = std::tuple<std::uint64_t, int>;
  EXPECT_EQ(outputs_of(records.enumerate()), (std::vector<Numbered>{{0, 7}, {1, 8}}));
  EXPECT_EQ(std::get<0>(outputs_of(records.repeat(2).enumerate())[2]), 0U) << "each epoch is counted for itself";
}

TEST(FromTensorFlowData, Zip) {
  EXPECT_EQ(outputs_of(zip(range(3), range(7, 9))), (std::vector<std::tuple<int, int>>{{0, 7}, {1, 8}}));
}

TEST(FromTensorFlowData, Reduce) {
  const auto numbers = range(5);
  int sum = 0;
  for (const int number : numbers.run()) sum += number;
  EXPECT_EQ(sum, 10);
}

TEST(FromTensorFlowData, GetSingleElement) {
  const auto dataset = from_slices({7});
  EXPECT_EQ(dataset.run().next().value(), 7);
}

TEST(FromTensorFlowData, Cardinality) {
  const auto records = range(10).shard(0, 3);
  EXPECT_EQ(records.size(), 4U);
}

TEST(FromTensorFlowData, Cache) {
  int decoded = 0;
  const auto once = range(3).map([&decoded](int record) { return decoded += record; });
  EXPECT_EQ(outputs_of(once.collect().shuffle().repeat(5)).size(), 15U);
  EXPECT_EQ(decoded, 3);
}

TEST(FromTensorFlowData, Prefetch) {
  const auto batches = range(100).batch(32);
  EXPECT_EQ(sizes_of(batches.prefetch(2)), (Sizes{32, 32, 32, 4}));
}

// ---- tf.data: batches

TEST(FromTensorFlowData, Batch) {
  const auto records = range(100);
  EXPECT_EQ(sizes_of(records.batch(32)), (Sizes{32, 32, 32, 4}));
  EXPECT_EQ(sizes_of(records.batch(32, {.remainder = drop})), (Sizes{32, 32, 32}));
}

TEST(FromTensorFlowData, BatchAsOneArray) {
  const auto records = range(4);
  for (const auto& batch : records.stacked_batch(4).run()) EXPECT_EQ(batch.values().size(), 4U);
}

TEST(FromTensorFlowData, PaddedBatch) {
  const auto sequences = from_slices({Ints{1}, Ints{2, 3}});
  for (const auto& batch : sequences.padded_batch(2, {.pad_value = -1, .shape = {3}}).run()) {
    EXPECT_EQ(Ints(batch.values().begin(), batch.values().end()), (Ints{1, -1, -1, 2, 3, -1}));
  }
}

TEST(FromTensorFlowData, RaggedBatch) {
  const auto sequences = from_slices({Ints{1}, Ints{2, 3}});
  EXPECT_EQ(outputs_of(sequences.batch(2)), (std::vector<std::vector<Ints>>{{{1}, {2, 3}}}));
}

TEST(FromTensorFlowData, Unbatch) {
  const auto batches = range(5).batch(2);
  EXPECT_EQ(outputs_of(batches.unbatch()), (Ints{0, 1, 2, 3, 4}));
}

/// Emits windows of `size` neighbours. Each window begins `shift` elements after the previous one, 1 to `size`.
template <class T>
struct Window {
  using value_type = std::vector<T>;

  void operator()(T&& element, Out<value_type>& out) {
    held.push_back(std::move(element));
    if (held.size() == size) leave(out);
  }
  void finish(Out<value_type>& out) {
    while (!held.empty()) leave(out);  // with drop_remainder=True: held.clear();
  }
  void leave(Out<value_type>& out) {
    out.emit(held);
    held.erase(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(std::min(shift, held.size())));
  }

  std::size_t size;
  std::size_t shift;
  value_type held{};
};

TEST(FromTensorFlowData, Window) {
  const auto numbers = range(5);
  const auto windows = numbers.apply(Window<int>{.size = 3, .shift = 1});
  EXPECT_EQ(outputs_of(windows), (std::vector<Ints>{{0, 1, 2}, {1, 2, 3}, {2, 3, 4}, {3, 4}, {4}}));
  EXPECT_EQ(sizes_of(range(7).apply(Window<int>{.size = 3, .shift = 3})), (Sizes{3, 3, 1}));
}

/// Groups elements with the same key.
template <class T, class Key>
struct GroupByWindow {
  using value_type = std::vector<T>;

  void operator()(T&& element, Out<value_type>& out) {
    value_type& group = groups[key(element)];
    group.push_back(std::move(element));
    if (group.size() == size) out.emit(std::exchange(group, {}));
  }
  void finish(Out<value_type>& out) {
    for (auto& [_, group] : groups) {
      if (!group.empty()) out.emit(std::move(group));
    }
    groups.clear();
  }

  Key key;
  std::size_t size;
  std::map<std::invoke_result_t<Key, const T&>, value_type> groups{};
};

TEST(FromTensorFlowData, GroupByWindow) {
  const auto is_even = [](int number) { return number % 2 == 0; };
  const auto groups = range(7).apply(GroupByWindow<int, decltype(is_even)>{.key = is_even, .size = 3});
  EXPECT_EQ(outputs_of(groups), (std::vector<Ints>{{0, 2, 4}, {1, 3, 5}, {6}}));
}

}  // namespace
}  // namespace forebay_test
