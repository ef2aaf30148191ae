// SPDX-License-Identifier: MIT
//
// properties_test.cpp: how each stage, with each of its options, changes the properties of a description. The
// properties are its text, which checkpoints have to match, its size and epochs, its rows of describe(), and a
// pipeline's checks before it runs.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/from_queue.hpp"
#include "tests/describe/expected_properties.hpp"

namespace forebay_test {
namespace {

using forebay::BucketOptions;
using forebay::Context;
using forebay::Dataset;
using forebay::drop;
using forebay::Even;
using forebay::IndexedDataset;
using forebay::Out;
using forebay::Position;
using forebay::range;
namespace detail = forebay::detail;

using Ints = std::vector<int>;

int same(int i) { return i; }
int same_with_context(int i, Context& /*context*/) { return i; }
bool keeps(int /*i*/) { return true; }
Ints one(int i) { return {i}; }
Ints one_with_context(int i, Context& /*context*/) { return {i}; }
IndexedDataset<int> data_of(int i) { return range(i); }
void ignore(Position /*position*/, const std::exception_ptr& /*failure*/) {}

struct Resumable {
  void operator()(int i, Out<int>& out) { out.emit(i); }
};
struct WithContext {
  void operator()(int i, Context& context, Out<int>& out) { out.emit(i + (context.draw().below(2) > 0 ? 1 : 0)); }
};
struct Replayed {
  void operator()(int i, Out<int>& out) const { out.emit(i + state); }
  int state = 0;
};

struct Cursorless {
  std::optional<int> operator()() { return std::nullopt; }
};
struct Seekable {
  std::optional<int> operator()() { return std::nullopt; }
  [[nodiscard]] int cursor() const { return 0; }
  void seek(int /*cursor*/) {}
};
struct MoveOnly {
  std::optional<int> operator()() { return std::nullopt; }
  std::unique_ptr<int> owned;
};

/// Writes the members that differ from their defaults.
class Fields {
 public:
  explicit Fields(std::ostream& to) : to_(to) {}
  template <class Value>
  Fields& add(const char* name, const Value& value, const Value& usual = {}) {
    if (value != usual) to_ << ' ' << name << '=' << value;
    return *this;
  }

 private:
  std::ostream& to_;
};

std::string text_of(const detail::DescribedStage& stage) {
  std::ostringstream to;
  to << "  | " << stage.known.name << ": " << stage.known.what << " |";
  Fields(to)
      .add("threads", stage.known.threads)
      .add("ahead", stage.known.ahead)
      .add("chunk", stage.known.chunk)
      .add("inputs", stage.known.inputs)
      .add("outputs", stage.known.outputs)
      .add("bytes", stage.known.bytes)
      .add("extra_ahead", stage.extra_ahead)
      .add("takes_fused", stage.takes_fused)
      .add("is_complete", stage.is_complete)
      .add("works_on_inputs", stage.works_on_inputs)
      .add("collates", stage.collates)
      .add("is_source", stage.is_source)
      .add("elements", stage.elements)
      .add("buffers", stage.buffers)
      .add("has_type", stage.type != nullptr, true);
  to << '\n';
  return to.str();
}

std::string without(const std::string& start, const std::string& text) {
  return !start.empty() && text.starts_with(start) ? "..." + text.substr(start.size()) : text;
}

/// Returns the properties of `data`, without those that have the same text in `upstream`.
template <class T>
std::string text_of(const std::string& call, const Dataset<T>& data, const detail::Properties& upstream = {}) {
  const detail::Properties& properties = data.node()->properties();
  std::ostringstream to;
  to << call << "\n  " << without(upstream.description, properties.description) << "\n ";
  if (properties.epochs.is_endless()) to << " endless epochs";
  if (!properties.epochs.is_endless()) to << " epochs=" << properties.epochs.number();
  if (properties.size) to << " size=" << *properties.size;
  Fields(to)
      .add("seed", properties.seed)
      .add("random_stages", properties.random_stages)
      .add("shard", properties.shard)
      .add("salt", properties.salt)
      .add("may_block", properties.may_block)
      .add("has_threads", properties.has_threads)
      .add("ends", properties.ends, true)
      .add("batched", properties.batched)
      .add<std::string>("unit", properties.unit, "elements")
      .add("traced", properties.make_trace != nullptr)
      .add("shards", properties.shards, std::uint64_t{1})
      .add("batched_shards", properties.batched_shards)
      .add("single_uses", properties.single_uses.size());
  to << '\n';
  if (!properties.elastic_description.empty())
    to << "  elastic: " << without(upstream.elastic_description, properties.elastic_description) << '\n';
  if (!properties.cannot_resume.empty()) to << "  cannot resume: " << properties.cannot_resume << '\n';
  if (!properties.endless.empty()) to << "  endless: " << properties.endless << '\n';
  for (std::size_t i = 0; i < properties.stages.size(); ++i) {
    const std::string text = text_of(properties.stages[i]);
    if (i >= upstream.stages.size() || text_of(upstream.stages[i]) != text) to << text;
  }
  return to.str();
}

/// Returns the properties of every stage applied to `data`, in the order of dataset.hpp.
std::string text_of_stages_of(const Dataset<int>& data) {
  const auto text_of_stage = [&](const std::string& call, const auto& made) {
    return text_of(call, made, data.node()->properties());
  };
  std::string text = text_of("data", data);
  text += text_of_stage("seed(7)", data.seed(7));
  text += text_of_stage("repeat()", data.repeat());
  text += text_of_stage("repeat(3)", data.repeat(3));
  text += text_of_stage("seamless()", data.seamless());
  text += text_of_stage("take(4)", data.take(4));
  text += text_of_stage("skip(4)", data.skip(4));
  text += text_of_stage("step_by(4)", data.step_by(4));
  text += text_of_stage("shard(1, 3)", data.shard(1, 3));
  text += text_of_stage("shard(1, 3, drop)", data.shard(1, 3, Even::drop));
  text += text_of_stage("shard(1, 3, repeat)", data.shard(1, 3, Even::repeat));
  text += text_of_stage("concatenate", data.concatenate(range(5)));
  text += text_of_stage("filter", data.filter(keeps));
  text += text_of_stage("shuffle(8)", data.shuffle(8));
  text += text_of_stage("map", data.map(same));
  text += text_of_stage("map with a Context", data.map(same_with_context));
  text += text_of_stage("map(4)", data.map(4, same));
  text += text_of_stage("map, skip", data.map({.threads = 2, .on_error = forebay::skip(6)}, same));
  text += text_of_stage("map, redirect", data.map({.on_error = forebay::redirect(ignore)}, same_with_context));
  text += text_of_stage("map, any_order", data.map({.threads = 2, .order = forebay::any_order, .chunk = 5}, same));
  text += text_of_stage("map, all threads", data.map({.ahead = 7, .loop_helps = false}, same));
  text += text_of_stage("flat_map", data.flat_map(one));
  text += text_of_stage("flat_map with a Context", data.flat_map(one_with_context));
  text += text_of_stage("flat_map of data, skip", data.flat_map({forebay::skip(6)}, data_of));
  text += text_of_stage("interleave(4, 2)", data.interleave(4, 2, one));
  text += text_of_stage("interleave(1, 2)", data.interleave(1, 2, one));
  text += text_of_stage("interleave, prefetch",
                        data.interleave({.cycle = 4, .block = 2, .prefetch = 5, .on_error = forebay::skip(6)}, one));
  text += text_of_stage("apply", data.apply(Resumable()));
  text += text_of_stage("apply with a Context", data.apply(WithContext()));
  text += text_of_stage("apply, replayed", data.apply(Replayed()));
  text += text_of_stage("enumerate", data.enumerate());
  text += text_of_stage("batch(3)", data.batch(3));
  text += text_of_stage("batch(3), drop", data.batch(3, {.remainder = drop}));
  text += text_of_stage("padded_batch(3)", data.padded_batch(3));
  text += text_of_stage("stacked_batch(3), drop", data.stacked_batch(3, {.remainder = drop}));
  text += text_of_stage("prefetch(6)", data.prefetch(6));
  const BucketOptions buckets{.boundaries = {2, 8}, .batch_sizes = Ints{4, 2, 1}};
  text += text_of_stage("bucket_by_length", data.bucket_by_length(same, buckets));
  text += text_of_stage("bucket_by_length, all options", data.bucket_by_length(same,
                                                                               {.boundaries = {2},
                                                                                .batch_sizes = Ints{4, 2},
                                                                                .max_length = 9,
                                                                                .too_long = forebay::skip(6),
                                                                                .remainder = drop},
                                                                               {}));
  text += text_of_stage("split", data.split(same, {0.75, 0.25})[1]);
  text += text_of_stage("batch_by_cost", data.batch_by_cost(same, {.limit = 9}));
  text += text_of_stage("batch_by_cost, all options", data.batch_by_cost(same, {.limit = 9,
                                                                                .count_times_largest = true,
                                                                                .most_elements = 4,
                                                                                .sort_window = 8,
                                                                                .too_costly_alone = true,
                                                                                .remainder = drop}));
  text += text_of_stage("batch_by_cost, in order",
                        data.batch_by_cost(same, {.limit = 9, .sort_window = 8, .shuffle_batches = false}));
  text += text_of_stage("unbatch", data.batch(3).unbatch());
  text += text_of_stage("named", data.named("name, of a stage"));
  text += text_of_stage("traced", data.traced());
  text += text_of_stage("zip", forebay::zip(data, range(5)));
  text += text_of_stage("mix", forebay::mix<int>({data, range(5), range(6)}, {2, 1, 0}));
  text += text_of_stage("mix until the first has ended",
                        forebay::mix<int>({.stop = forebay::first_exhausted}, {data, range(5)}, {2, 1}));
  return text + text_of_stage("mix that restarts", forebay::mix<int>({.restart = true}, {data, range(5)}, {2, 1}));
}

/// Returns the properties of stages that depend on more than the preceding stage.
std::string text_of_chains() {
  const auto read = range(20).filter(keeps);
  const auto mapped = read.map(4, same);
  std::string text;
  text += text_of("shard behind shard", range(20).shard(1, 2).shard(0, 3));
  text += text_of("elastic batch of batches", read.shard(1, 2).map(4, same).batch(3).batch(2, {.remainder = drop}));
  text += text_of("elastic map that skips", read.shard(1, 2).map({.on_error = forebay::skip(1)}, same).batch(3));
  text +=
      text_of("batch behind skipping threads", read.map({.threads = 2, .on_error = forebay::skip(1)}, same).batch(3));
  text += text_of("batch behind a chunk", read.map({.threads = 2, .chunk = 5}, same).batch(3));
  text += text_of("padded batch behind threads", mapped.padded_batch(3).prefetch(2));
  text += text_of("map of batches", mapped.batch(3).map(2, [](const Ints& batch) { return batch; }).prefetch(2));
  text += text_of("prefetch behind prefetch", read.prefetch(200).prefetch(3));
  text += text_of("prefetch behind map and prefetch", mapped.prefetch(6).prefetch(3));
  text += text_of("two endless repeats", read.repeat().repeat(2).take(3).repeat());
  text += text_of("endless repeat of nothing", range(0).repeat());
  text += text_of("seamless endless repeat", range(3).repeat().seamless());
  text += text_of("zip of repeats", forebay::zip(range(3).repeat(2), range(4).shuffle(), read.shard(0, 2)));
  text += text_of("zip of an end and none", forebay::zip(range(3).repeat(), range(4)));
  text += text_of("zip of equal lengths", forebay::zip({.lengths = forebay::equal}, range(3), range(4)));
  text += text_of("concatenate an endless one", read.concatenate(read.repeat()));
  text += text_of("concatenate shards", range(9).shard(1, 2).concatenate(range(9).shard(0, 2)).seed(3).shuffle(2));
  text += text_of("a name behind repeat", read.repeat(2).named("twice"));
  return text;
}

std::string text_of_sources() {
  const auto indexed = range(10).shuffle();
  forebay::FIFOQueue<int> queue(3);
  std::string text;
  text += text_of("from_slices", forebay::from_slices({1, 2, 3}));
  text += text_of("from_slices of two", forebay::from_slices(Ints{1, 2}, Ints{3, 4}));
  text += text_of("range(2, 20, 3)", range(2, 20, 3));
  text += text_of("from_indexed", forebay::from_indexed(6, [](std::size_t i) { return static_cast<int>(i); }));
  text += text_of("shuffle()", indexed);
  text += text_of("shuffle_pages(4)", indexed.shuffle_pages(4));
  text += text_of("seed(7)", indexed.seed(7).shuffle());
  text += text_of("take(4)", indexed.take(4));
  text += text_of("skip(4)", indexed.skip(4));
  text += text_of("step_by(4)", indexed.step_by(4));
  text += text_of("shard(1, 3)", indexed.shard(1, 3));
  text += text_of("shard(1, 3, drop)", indexed.shard(1, 3, Even::drop));
  text += text_of("shard(1, 3, repeat)", indexed.shard(1, 3, Even::repeat).batch(2));
  text += text_of("named", indexed.named("name"));
  text += text_of("traced", indexed.traced());
  text += text_of("map of numbers", indexed.repeat(2).map(4, same));
  text += text_of("collect", indexed.collect());
  text += text_of("from_callable", forebay::from_callable(Cursorless()));
  text += text_of("from_callable that seeks", forebay::from_callable(Seekable(), {forebay::skip(6)}));
  text += text_of("from_callable that moves", forebay::from_callable(MoveOnly()));
  text += text_of("text_lines", forebay::text_lines("file", {forebay::skip(6)}));
  return text + text_of("from_queue", forebay::from_queue(queue));
}

TEST(Properties, OfStagesOfDataWithRandomAccess) { EXPECT_EQ(text_of_stages_of(range(10)), expected::indexed); }
TEST(Properties, OfStagesOfRepeatedShards) {
  EXPECT_EQ(text_of_stages_of(range(10).shard(1, 2).shuffle(4).repeat(2)), expected::repeated);
}
TEST(Properties, OfStagesOfThreads) {
  const auto data = range(20).filter(keeps).shard(1, 2).map({.threads = 3, .ahead = 6}, same);
  EXPECT_EQ(text_of_stages_of(data), expected::threads);
}
TEST(Properties, OfStagesThatDependOnSeveralOthers) { EXPECT_EQ(text_of_chains(), expected::chains); }
TEST(Properties, OfSources) { EXPECT_EQ(text_of_sources(), expected::sources); }

}  // namespace
}  // namespace forebay_test
