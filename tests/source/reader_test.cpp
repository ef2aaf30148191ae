// SPDX-License-Identifier: MIT
//
// reader_test.cpp: what a reader may do besides reading, for every source that takes readers. It may take a Context,
// report where an element was read, and skip elements. Failures downstream of text_lines name the line.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/source/indexed.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/numbers.hpp"
#include "tests/support/pipeline_output.hpp"

#if __has_include(<poll.h>)
#include <poll.h>
#include <unistd.h>
#endif

namespace forebay_test {
namespace {

using forebay::Context;
using forebay::Dataset;
using forebay::DatasetError;
using forebay::Even;
using forebay::FIFOQueue;
using forebay::from_callable;
using forebay::from_slices;
using forebay::per_epoch;
using forebay::Position;
using forebay::QueueStatus;

using Ints = std::vector<int>;
using Positions = std::vector<Position>;

const auto same = [](int number) { return number; };

// ---- A stop reaches a reader with a Context

/// Waits in a queue for an element, until the pipeline stops.
struct OfQueue {
  FIFOQueue<int>* queue;
  [[nodiscard]] auto operator()(const Context& context) const { return queue->dequeue(context.until_stop()); }
};

struct Blocking {
  const char* name;
  Dataset<int> (*data)(FIFOQueue<int>& queue);
};

class BlockingReader : public testing::TestWithParam<Blocking> {};

INSTANTIATE_TEST_SUITE_P(
    Places, BlockingReader,
    testing::Values(Blocking{"Returning",
                             [](FIFOQueue<int>& queue) -> Dataset<int> { return from_callable(OfQueue{&queue}); }},
                    Blocking{"Filling",
                             [](FIFOQueue<int>& queue) -> Dataset<int> {
                               return from_callable([&queue](int& into, Context& context) {
                                 const auto element = queue.dequeue(context.until_stop());
                                 if (element) into = *element;
                                 return element.has_value();
                               });
                             }},
                    Blocking{"MadePerEpoch",
                             [](FIFOQueue<int>& queue) -> Dataset<int> {
                               return from_callable(per_epoch([&queue] { return OfQueue{&queue}; }));
                             }},
                    Blocking{"OfFlatMap",
                             [](FIFOQueue<int>& queue) -> Dataset<int> {
                               return from_slices({0}).flat_map([&queue](int) { return OfQueue{&queue}; });
                             }},
                    Blocking{"OfInterleave",
                             [](FIFOQueue<int>& queue) -> Dataset<int> {
                               return from_slices({0, 1}).interleave(2, 1, [&queue](int) { return OfQueue{&queue}; });
                             }},
                    Blocking{"OfInterleaveWithThreads",
                             [](FIFOQueue<int>& queue) -> Dataset<int> {
                               return from_slices({0, 1}).interleave({.cycle = 2, .block = 1, .prefetch = 4},
                                                                     [&queue](int) { return OfQueue{&queue}; });
                             }}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_P(BlockingReader, DoesNotHoldUpTheEndOfAPipeline) {
  FIFOQueue<int> queue(1);
  for (const int threads : {1, 3}) {
    const auto run = GetParam().data(queue).map({.threads = threads, .loop_helps = false}, same).run();
    ASSERT_TRUE(await([&] { return queue.waiting_consumers() > 0; }));
  }
  EXPECT_EQ(queue.waiting_consumers(), 0U);
}

TEST_P(BlockingReader, LetsTheLoopThatReadsSeeAStop) {
  FIFOQueue<int> queue(1);
  auto run = GetParam().data(queue).run();
  Background next([&] { return run.next().status(); });
  EXPECT_TRUE(await([&] { return queue.waiting_consumers() > 0; }));
  run.stop();
  EXPECT_EQ(next.get(), QueueStatus::stopped);
}

TEST_P(BlockingReader, ReadsUntilItsEnd) {
  FIFOQueue<int> queue(3);
  static_cast<void>(queue.enqueue_many({4, 4, 4}));
  queue.close();
  EXPECT_EQ(outputs_of(GetParam().data(queue)), (Ints{4, 4, 4}));
}

#if __has_include(<poll.h>)
/// Reads single bytes.
class PipeReader {
 public:
  PipeReader(int file, std::atomic<int>& polls) noexcept : file_(file), polls_(polls) {}

  std::optional<char> operator()(const Context& context) const {
    pollfd wanted{file_, POLLIN, 0};
    while (!context.should_stop()) {
      ++polls_;
      if (poll(&wanted, 1, 20) <= 0) continue;
      char byte = 0;
      return read(file_, &byte, 1) == 1 ? std::optional(byte) : std::nullopt;
    }
    return std::nullopt;
  }

 private:
  int file_;
  std::atomic<int>& polls_;
};

TEST(ReaderWithContext, OfAPipeThatIsNeverWrittenLetsThePipelineEnd) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  std::atomic<int> polls{0};
  {
    const auto run = from_callable(PipeReader(ends[0], polls)).map(2, [](char byte) { return byte; }).run();
    EXPECT_TRUE(await([&] { return polls > 0; }));
  }
  close(ends[1]);
  EXPECT_EQ(outputs_of(from_callable(PipeReader(ends[0], polls))), std::vector<char>());
  close(ends[0]);
}
#endif

// ---- The result of a stopped read is neither an end nor a failure

/// Yields 0, 1, 2, 3. If `waits`, waits before 2 until a stop is requested.
struct Hesitating {
  FIFOQueue<int>* queue;
  bool waits;
  bool throws = false;
  int next = 0;

  std::optional<int> operator()(Context& context) {
    if (next == 2 && waits) {
      static_cast<void>(queue->dequeue(context.until_stop()));
      if (throws) throw std::runtime_error("it was stopped");
      return std::nullopt;
    }
    return next < 4 ? std::optional(next++) : std::nullopt;
  }
  [[nodiscard]] int cursor() const { return next; }
  void seek(int cursor) { next = cursor; }
};

/// Takes two outputs of a run whose reader then waits, stops it, and resumes.
template <class Data>
Ints outputs_after_stop(const Data& data) {
  FIFOQueue<int> queue(1);
  std::string checkpoint;
  {
    auto run = data(Hesitating{&queue, true}).run();
    EXPECT_TRUE(run.next());
    EXPECT_TRUE(run.next());
    Background next([&] { return run.next().status(); });
    EXPECT_TRUE(await([&] { return queue.waiting_consumers() > 0; }));
    run.stop();
    EXPECT_EQ(next.get(), QueueStatus::stopped);
    checkpoint = run.checkpoint();
  }
  Ints outputs;
  for (const int output : data(Hesitating{&queue, false}).run(checkpoint)) outputs.push_back(output);
  return outputs;
}

TEST(ReaderWithContext, IsNotAtItsEndWhenItReturnsNothingAfterAStop) {
  EXPECT_EQ(outputs_after_stop([](auto reader) { return from_callable(reader); }), (Ints{2, 3}));
  EXPECT_EQ(
      outputs_after_stop([](auto reader) { return from_callable(reader).map({.threads = 2, .chunk = 1}, same); }),
      (Ints{2, 3}));
}

TEST(ReaderWithContext, OfAnInputIsNotAtItsEndWhenItReturnsNothingAfterAStop) {
  EXPECT_EQ(outputs_after_stop([](auto reader) { return from_slices({0}).flat_map([=](int) { return reader; }); }),
            (Ints{2, 3}));
  const auto with_thread = [](auto reader) {
    return from_slices({0}).interleave({.cycle = 1, .block = 1, .prefetch = 4}, [=](int) { return reader; });
  };
  EXPECT_EQ(outputs_after_stop(with_thread), (Ints{2, 3}));
}

TEST(ReaderWithContext, HasNotFailedWhenItThrowsAfterAStop) {
  FIFOQueue<int> queue(1);
  auto run = from_callable(Hesitating{&queue, true, true, 2}).run();
  Background next([&] { return run.next().status(); });
  EXPECT_TRUE(await([&] { return queue.waiting_consumers() > 0; }));
  run.stop();
  EXPECT_EQ(next.get(), QueueStatus::stopped);
}

// ---- Positions and draws

/// Yields `last` elements, each made of its position and a random number.
struct Drawing {
  int last;
  int next = 0;

  std::optional<std::pair<Position, std::uint64_t>> operator()(Context& context) {
    if (next == last) return std::nullopt;
    ++next;
    return std::pair(context.position(), context.draw()());
  }
  [[nodiscard]] int cursor() const { return next; }
  void seek(int cursor) { next = cursor; }
};

TEST(ReaderWithContext, IsToldThePositionsOfItsElements) {
  Positions positions;
  for (const auto& [position, drawn] : outputs_of(from_callable(Drawing{2}).repeat(2))) positions.push_back(position);
  EXPECT_EQ(positions, (Positions{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
}

TEST(ReaderWithContext, OfAnInputIsToldHowManyOfItsElementsItHasRead) {
  Positions positions;
  const auto data = from_slices({2, 1}).flat_map([](int count) { return Drawing{count}; });
  for (const auto& [position, drawn] : outputs_of(data)) positions.push_back(position);
  EXPECT_EQ(positions, (Positions{{0, 0}, {0, 1}, {0, 0}}));
}

TEST(ReaderWithContext, DrawsTheSameInEveryRunAndOtherwiseInEveryElement) {
  const auto inputs = from_slices({3, 3}).seed(7);
  const auto open = [](int count) { return Drawing{count}; };
  const auto check = [](const auto& data) {
    const auto outputs = outputs_of(data);
    EXPECT_EQ(outputs, outputs_of(data));
    std::set<std::uint64_t> drawn;
    for (const auto& output : outputs) drawn.insert(output.second);
    EXPECT_EQ(drawn.size(), outputs.size());
  };
  check(from_callable(Drawing{4}).repeat(2));
  check(inputs.flat_map(open).repeat(2));
  EXPECT_EQ(outputs_of(inputs.interleave(2, 1, open)),
            outputs_of(inputs.interleave({.cycle = 2, .block = 1, .prefetch = 4}, open)));
}

TEST(ReaderWithContext, DrawsTheSameAfterAResume) {
  const auto check = [](const auto& data) {
    auto outputs = outputs_of(data);
    std::optional<std::string> checkpoint;
    for (const auto& output : outputs) {
      auto run = data.run(checkpoint);
      EXPECT_EQ(run.next().value(), output);
      checkpoint = run.checkpoint();
    }
  };
  check(from_callable(Drawing{2}).repeat(2));
  check(from_slices({3, 3}).flat_map([](int count) { return Drawing{count}; }));
}

// ---- Locations

/// Yields 0 and 1, then fails at 2 and reports where.
struct FailingAtTwo {
  std::string file = "numbers";
  int next = 0;

  std::optional<int> operator()() {
    if (next == 2) throw std::runtime_error("no number");
    return next++;
  }
  [[nodiscard]] std::string location() const { return file + ':' + std::to_string(next + 1); }
};

/// The first failure of a run.
struct Failed {
  std::string what;
  std::string location;
  Position position;
};

template <class T>
Failed failure_of(const Dataset<T>& data) {
  try {
    for (T& output : data.run()) static_cast<void>(output);
  } catch (const DatasetError& error) {
    return {error.what(), error.location(), error.position()};
  }
  return {};
}

TEST(LocationOfAReader, IsInItsFailures) {
  const Failed failed = failure_of(from_callable(FailingAtTwo()));
  EXPECT_EQ(failed.what, "forebay: from_callable, epoch 0, number 2 (numbers:3): no number");
  EXPECT_EQ(failed.location, "numbers:3");
  EXPECT_EQ(failure_of(from_callable(per_epoch([] { return FailingAtTwo(); }))).location, "numbers:3");
}

TEST(LocationOfAReader, IsInTheFailuresOfEachPlaceWhereReadersAre) {
  const auto files = from_slices(std::vector<std::string>{"a", "b"});
  const auto open = [](const std::string& file) { return FailingAtTwo{file}; };
  EXPECT_EQ(failure_of(files.flat_map(open)).location, "a:3");
  EXPECT_EQ(failure_of(files.interleave(2, 1, open)).location, "a:3");
  const Failed failed = failure_of(files.interleave({.cycle = 2, .block = 1, .prefetch = 4}, open));
  EXPECT_EQ(failed.what, "forebay: interleave, epoch 0, number 4 (a:3): no number");
}

TEST(LocationOfAReader, IsToldToWhoeverTakesFailures) {
  std::vector<std::string> locations;
  const auto note = [&locations](Position /*position*/, const std::exception_ptr& failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const DatasetError& error) {
      locations.push_back(error.location());
    }
  };
  EXPECT_EQ(outputs_of(from_callable(FailingAtTwo(), {.on_error = forebay::redirect(note)})), (Ints{0, 1}));
  EXPECT_EQ(locations, (std::vector<std::string>{"numbers:3", "numbers:3"}));
}

TEST(LocationOfAReader, ThatThrowsIsUnknown) {
  struct Reader {
    std::optional<int> operator()() const { throw std::runtime_error("no number"); }
    [[nodiscard]] std::string location() const { throw std::runtime_error("no location"); }
  };
  EXPECT_EQ(failure_of(from_callable(Reader())).what, "forebay: from_callable, epoch 0, number 0: no number");
}

TEST(LocationOfAReader, IsNotAskedForWhileItDoesNotFail) {
  struct Reader {
    int* asked;
    int next = 0;
    std::optional<int> operator()() { return next < 100 ? std::optional(next++) : std::nullopt; }
    [[nodiscard]] std::string location() const { return std::to_string(++*asked); }
  };
  int asked = 0;
  EXPECT_EQ(outputs_of(from_callable(Reader{&asked}).map(2, same)).size(), 100U);
  EXPECT_EQ(asked, 0);
}

/// Two files: "a" has 100 lines, "b" has 50. Each line is its number in its file.
class FilesOfLines {
 public:
  FilesOfLines() {
    std::filesystem::create_directories(directory_);
    write(a, 100);
    write(b, 50);
  }
  FilesOfLines(const FilesOfLines&) = delete;
  FilesOfLines& operator=(const FilesOfLines&) = delete;
  ~FilesOfLines() { std::filesystem::remove_all(directory_); }

  [[nodiscard]] Dataset<std::string> lines() const { return forebay::text_lines({a, b}); }

 private:
  static void write(const std::string& name, int count) {
    std::ofstream file(name, std::ios::binary);
    for (int i = 1; i <= count; ++i) file << i << '\n';
  }

  std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() /
      ("forebay_lines_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));

 public:
  const std::string a = (directory_ / "a").string();
  const std::string b = (directory_ / "b").string();
};

/// Fails at the `call`-th line "37", counted from 1. One thread calls it.
auto fails_at_37(int call) {
  return [left = std::make_shared<int>(call)](const std::string& line) {
    if (line == "37" && --*left == 0) throw std::runtime_error("no number");
    return true;
  };
}

TEST(LocationDownstreamOfTextLines, IsTheLineOfTheElementThatFailed) {
  const FilesOfLines files;
  const auto lines = files.lines();
  for (const int call : {1, 2}) {
    const std::string expected = (call == 1 ? files.a : files.b) + ":37";
    const auto one_thread = fails_at_37(call);
    EXPECT_EQ(failure_of(lines.filter(fails_at_37(call))).location, expected);
    EXPECT_EQ(
        failure_of(lines.filter([](const std::string& line) { return line != "5"; }).map(fails_at_37(call))).location,
        expected);
    EXPECT_EQ(failure_of(lines.flat_map([=](const std::string& line) { return Ints{one_thread(line)}; })).location,
              expected);
    EXPECT_EQ(failure_of(lines.shuffle(20).prefetch(10).map(fails_at_37(call))).location, expected);
    EXPECT_EQ(failure_of(lines.apply([keep = fails_at_37(call)](std::string&& line, forebay::Out<std::string>& out) {
                if (keep(line)) out.emit(std::move(line));
              })).location,
              expected);
  }
}

TEST(LocationDownstreamOfTextLines, IsTheLineOfEachElementThatThreadsFailAt) {
  const FilesOfLines files;
  std::vector<std::string> locations;
  const auto note = [&locations](Position /*position*/, const std::exception_ptr& failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const DatasetError& error) {
      locations.push_back(error.location());
    }
  };
  const auto fail_at_each_tenth = [](const std::string& line) {
    if (line.back() == '0') throw std::runtime_error("no number");
    return line;
  };
  const auto data = files.lines().map({.threads = 3, .on_error = forebay::redirect(note)}, fail_at_each_tenth);
  EXPECT_EQ(outputs_of(data.repeat(2)).size(), 270U);
  std::vector<std::string> expected;
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (int i = 10; i <= 100; i += 10) expected.push_back(files.a + ':' + std::to_string(i));
    for (int i = 10; i <= 50; i += 10) expected.push_back(files.b + ':' + std::to_string(i));
  }
  EXPECT_EQ(locations, expected);
}

TEST(LocationDownstreamOfTextLines, IsKnownAfterAResume) {
  const FilesOfLines files;
  for (const int delivered : {1, 30, 99, 100, 101, 130}) {
    bool fails = false;
    const auto data = files.lines().map(2, [&fails](const std::string& line, const Context& context) {
      if (fails && context.position().number == 140) throw std::runtime_error("no number");
      return line;
    });
    std::string checkpoint;
    {
      auto run = data.run();
      for (int i = 0; i < delivered; ++i) EXPECT_TRUE(run.next());
      checkpoint = run.checkpoint();
    }
    fails = true;
    std::string location;
    try {
      for (const std::string& line : data.run(checkpoint)) static_cast<void>(line);
    } catch (const DatasetError& error) {
      location = error.location();
    }
    EXPECT_EQ(location, files.b + ":41") << delivered;
  }
}

TEST(LocationDownstreamOfTextLines, OfABatchIsThatOfItsFirstElement) {
  const FilesOfLines files;
  const auto length = [](const std::string& line) { return Ints(line == "37" ? 3 : 2); };
  for (const int threads : {1, 3}) {
    const Failed failed = failure_of(files.lines().map(threads, length).padded_batch(10, {.shape = {2}}));
    EXPECT_EQ(failed.location, files.a + ":31");
    EXPECT_TRUE(contains(failed.what, "padded_batch"));
  }
}

TEST(LocationDownstreamOfTextLines, IsUnknownWhereElementsAreRenumbered) {
  const FilesOfLines files;
  const auto fails = [](const auto& /*element*/) -> bool { throw std::runtime_error("no number"); };
  const auto lines = files.lines();
  EXPECT_EQ(failure_of(lines.repeat(2).seamless().filter(fails)).location, "");
  EXPECT_EQ(failure_of(lines.concatenate(lines).filter(fails)).location, "");
  EXPECT_EQ(failure_of(lines.enumerate().filter(fails)).location, "");
  EXPECT_EQ(failure_of(lines.batch(3).filter(fails)).location, "");
  EXPECT_EQ(failure_of(forebay::zip(lines).filter(fails)).location, "");
  EXPECT_EQ(failure_of(lines.filter(fails).batch(3).filter(fails)).location, files.a + ":1");
}

TEST(LocationOfTextLines, IsTheFileThatCannotBeRead) {
  const FilesOfLines files;
  const std::string directory = std::filesystem::path(files.a).parent_path().string();
  const Failed failed = failure_of(forebay::text_lines({files.a, directory}));
  EXPECT_EQ(failed.location, directory + ":1");
  EXPECT_EQ(failed.position, (Position{0, 100}));
}

// ---- Elements with a text

/// Fails at the element "c".
const auto fails_at_c = [](const auto& element) -> bool {
  if (forebay::detail::text_of_element(element) == "c") throw std::runtime_error("truncated");
  return true;
};

// proves: named-element
TEST(LocationDownstreamOfFromSlices, IsTheElementIfItIsATextOrPath) {
  const std::vector<std::string> texts{"a", "b", "c", "d"};
  const auto data = from_slices(texts);
  EXPECT_EQ(failure_of(data.filter(fails_at_c)).what, "forebay: filter, epoch 0, number 2 (c): truncated");
  EXPECT_EQ(failure_of(data.map(fails_at_c)).location, "c");
  EXPECT_EQ(failure_of(data.map(2, fails_at_c)).location, "c");
  EXPECT_EQ(failure_of(data.shuffle().map(2, fails_at_c)).location, "c");
  EXPECT_EQ(failure_of(data.shard(0, 2).map(2, fails_at_c)).location, "c");
  EXPECT_EQ(failure_of(data.repeat().shuffle(3).map(fails_at_c)).location, "c");
  EXPECT_EQ(failure_of(data.skip(1).flat_map([](const std::string& text) { return Ints{fails_at_c(text)}; })).location,
            "c");
  EXPECT_EQ(failure_of(data.interleave(2, 1, [](const std::string& text) { return Ints{fails_at_c(text)}; })).location,
            "c");
  EXPECT_EQ(failure_of(from_slices({"a", "c"}).map(fails_at_c)).location, "c");
  EXPECT_EQ(failure_of(from_slices(std::vector<std::string_view>{"c"}).map(fails_at_c)).location, "c");
  EXPECT_EQ(failure_of(from_slices(std::vector<std::filesystem::path>{"a", "c"}).map(fails_at_c)).location, "c");
  EXPECT_EQ(failure_of(data.collect().map(fails_at_c)).location, "c");
}

TEST(LocationDownstreamOfFromSlices, IsTheFirstTextOfATuple) {
  const Ints labels{1, 2, 3};
  const std::vector<std::string> texts{"a", "b", "c"};
  const std::vector<std::string> others{"d", "e", "f"};
  EXPECT_EQ(failure_of(from_slices(texts, labels).map(fails_at_c)).location, "c");
  EXPECT_EQ(failure_of(from_slices(labels, texts, others).map(2, fails_at_c)).location, "c");
}

TEST(LocationDownstreamOfFromSlices, IsUnknownIfTheElementHasNoTextOrIsRenumbered) {
  const auto fails = [](const auto& /*element*/) -> bool { throw std::runtime_error("truncated"); };
  EXPECT_EQ(failure_of(from_slices(Ints{1, 2}).map(fails)).location, "");
  EXPECT_EQ(failure_of(from_slices(Ints{1, 2}, Ints{3, 4}).map(fails)).location, "");
  EXPECT_EQ(failure_of(from_slices(std::vector<const char*>{nullptr}).map(fails)).location, "");
  const auto data = from_slices(std::vector<std::string>{"a"});
  EXPECT_EQ(failure_of(data.batch(1).map(fails)).location, "");
  EXPECT_EQ(failure_of(data.enumerate().map(fails)).location, "");
  EXPECT_EQ(failure_of(data.repeat(2).seamless().map(fails)).location, "");
  EXPECT_EQ(failure_of(data.concatenate(data).map(fails)).location, "");
  EXPECT_EQ(failure_of(forebay::zip(data, data).map(fails)).location, "");
  EXPECT_EQ(
      failure_of(data.flat_map([](const std::string& text) { return std::vector<std::string>{text}; }).map(fails))
          .location,
      "");
}

TEST(LocationDownstreamOfFromSlices, IsOneLineOfAtMost200Characters) {
  const auto fails = [](const std::string& /*text*/) -> bool { throw std::runtime_error("truncated"); };
  const std::string location = failure_of(from_slices({"a\nb" + std::string(1000, 'x')}).map(fails)).location;
  EXPECT_EQ(location.find('\n'), std::string::npos);
  EXPECT_LE(location.size(), 210U);
}

// ---- skip(n)

/// Yields the numbers below `last`, and counts what it reads.
struct Numbers {
  int last;
  int* read;
  int next = 0;

  std::optional<int> operator()() {
    if (next >= last) return std::nullopt;
    ++*read;
    return next++;
  }
  [[nodiscard]] int cursor() const { return next; }
  void seek(int cursor) { next = cursor; }
};

struct SkippingNumbers : Numbers {
  std::uint64_t skip(std::uint64_t count) {
    const auto skipped = std::min(count, static_cast<std::uint64_t>(last - next));
    next += static_cast<int>(skipped);
    return skipped;
  }
};

/// Returns the outputs, each with its position.
Ints numbers_and_positions(const Dataset<int>& data, const std::optional<std::string>& checkpoint = {}) {
  Ints found;
  auto run =
      data.map([](int number, Context& context) {
            return std::pair(number, static_cast<int>(100 * context.position().epoch + context.position().number));
          })
          .run(checkpoint);
  for (const auto& [number, position] : run) {
    found.push_back(number);
    found.push_back(position);
  }
  return found;
}

using Selection = Dataset<int> (*)(const Dataset<int>&);
const std::vector<Selection> selections{
    [](const Dataset<int>& data) { return data.skip(0); },
    [](const Dataset<int>& data) { return data.skip(3); },
    [](const Dataset<int>& data) { return data.skip(100); },
    [](const Dataset<int>& data) { return data.step_by(1); },
    [](const Dataset<int>& data) { return data.step_by(4); },
    [](const Dataset<int>& data) { return data.step_by(3).repeat(2); },
    [](const Dataset<int>& data) { return data.repeat(2).step_by(3).skip(1); },
    [](const Dataset<int>& data) { return data.shard(0, 3); },
    [](const Dataset<int>& data) { return data.shard(1, 3); },
    [](const Dataset<int>& data) { return data.shard(2, 3); },
    [](const Dataset<int>& data) { return data.shard(0, 1); },
    [](const Dataset<int>& data) { return data.shard(0, 3, Even::drop); },
    [](const Dataset<int>& data) { return data.shard(1, 3, Even::drop); },
    [](const Dataset<int>& data) { return data.shard(2, 3, Even::drop); },
    [](const Dataset<int>& data) { return data.shard(0, 3, Even::repeat); },
    [](const Dataset<int>& data) { return data.shard(1, 3, Even::repeat); },
    [](const Dataset<int>& data) { return data.shard(2, 3, Even::repeat); },
    [](const Dataset<int>& data) { return data.skip(2).shard(1, 2); },
    [](const Dataset<int>& data) { return data.shard(1, 2).skip(1).repeat(2); },
    [](const Dataset<int>& data) { return data.shard(1, 2).repeat(2); },
};

TEST(SkipOfAReader, GivesTheSameElementsAtTheSamePositionsAsReading) {
  int read = 0;
  for (std::size_t i = 0; i < selections.size(); ++i) {
    for (int last = 0; last < 12; ++last) {
      EXPECT_EQ(numbers_and_positions(selections[i](from_callable(SkippingNumbers{{last, &read}}))),
                numbers_and_positions(selections[i](from_callable(Numbers{last, &read}))))
          << "selection " << i << " of " << last;
    }
  }
}

/// Returns `count` outputs, one from each run. Runs of `first` and `second` alternate, and each resumes the last one.
Ints outputs_by_turns(const Dataset<int>& first, const Dataset<int>& second, std::size_t count) {
  std::optional<std::string> checkpoint;
  Ints outputs;
  for (std::size_t i = 0; i < count; ++i) {
    auto run = (i % 2 == 0 ? first : second).run(checkpoint);
    outputs.push_back(run.next().value());
    checkpoint = run.checkpoint();
  }
  return outputs;
}

TEST(SkipOfAReader, GivesTheSameElementsAfterResumesOfOneAnother) {
  int read = 0;
  for (const Selection& select : selections) {
    const auto reading = select(from_callable(Numbers{11, &read}));
    const auto skipping = select(from_callable(SkippingNumbers{{11, &read}}));
    const Ints expected = outputs_of(reading);
    EXPECT_EQ(outputs_by_turns(skipping, reading, expected.size()), expected)
        << "selection " << &select - selections.data();
  }
}

TEST(SkipOfAReader, IsCalledInsteadOfReadingWhatASelectionDrops) {
  int read = 0;
  const auto data = from_callable(SkippingNumbers{{1000, &read}});
  EXPECT_EQ(outputs_of(data.skip(990)).size(), 10U);
  EXPECT_EQ(read, 10);
  read = 0;
  EXPECT_EQ(outputs_of(data.step_by(100)).size(), 10U);
  EXPECT_EQ(read, 10);
  read = 0;
  EXPECT_EQ(outputs_of(data.shard(7, 100)).size(), 10U);
  EXPECT_EQ(read, 10);
  read = 0;
  EXPECT_EQ(outputs_of(data.shard(7, 100, Even::drop)).size(), 10U);
  EXPECT_EQ(read, 10);
  read = 0;
  EXPECT_EQ(outputs_of(data.shard(7, 100, Even::repeat)).size(), 10U);
  EXPECT_EQ(read, 100 + 9) << "the first group may be repeated";
}

/// A reader that cannot seek.
struct ForwardNumbers {
  SkippingNumbers numbers;
  std::optional<int> operator()() { return numbers(); }
  std::uint64_t skip(std::uint64_t count) { return numbers.skip(count); }
};

TEST(SkipOfAReader, IsCalledByAResumeInsteadOfReadingAgain) {
  int read = 0;
  const auto data = from_slices({100}).flat_map([&read](int last) { return ForwardNumbers{{{last, &read}}}; });
  std::string checkpoint;
  {
    auto run = data.run();
    for (int i = 0; i < 90; ++i) EXPECT_EQ(run.next().value(), i);
    checkpoint = run.checkpoint();
  }
  read = 0;
  auto run = data.run(checkpoint);
  EXPECT_EQ(run.next().value(), 90);
  EXPECT_LE(read, 40);  // in a chunk, or since the last note of the reader's position
}

/// Three inputs. The numbers of each begin at a different hundred.
template <class Reader>
std::vector<Dataset<int>> joined_inputs(int last, int& read) {
  const auto open = [last, counted = &read](int first) { return Reader{{first + last, counted, first}}; };
  const auto firsts = from_slices({0, 100, 200});
  return {firsts.flat_map(open), firsts.interleave(2, 1, open), firsts.interleave(2, 3, open),
          firsts.take(2).flat_map([=](int first) { return from_callable(open(first)).repeat(2); })};
}
struct PlainNumbers : Numbers {};

TEST(SkipOfAReader, OfAnInputGivesTheSameElementsAtTheSamePositionsAsReading) {
  int read = 0;
  for (std::size_t i = 0; i < selections.size(); ++i) {
    for (const int last : {0, 1, 2, 5, 7}) {
      const auto skipping = joined_inputs<SkippingNumbers>(last, read);
      const auto reading = joined_inputs<PlainNumbers>(last, read);
      for (std::size_t kind = 0; kind < skipping.size(); ++kind) {
        EXPECT_EQ(numbers_and_positions(selections[i](skipping[kind])),
                  numbers_and_positions(selections[i](reading[kind])))
            << "selection " << i << " of " << last << ", kind " << kind;
      }
    }
  }
}

TEST(SkipOfAReader, OfAnInputGivesTheSameElementsAfterResumesOfOneAnother) {
  int read = 0;
  for (const Selection& select : selections) {
    const auto kinds = joined_inputs<SkippingNumbers>(5, read);
    const auto plain_kinds = joined_inputs<PlainNumbers>(5, read);
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      const Dataset<int> skipping = select(kinds[kind]);
      const Dataset<int> reading = select(plain_kinds[kind]);
      const Ints expected = outputs_of(reading);
      EXPECT_EQ(outputs_by_turns(skipping, reading, expected.size()), expected)
          << "selection " << &select - selections.data() << ", kind " << kind;
    }
  }
}

TEST(SkipOfAReader, OfAnInputIsCalledInsteadOfReadingWhatASelectionDrops) {
  int read = 0;
  const auto open = [&read](int first) { return SkippingNumbers{{first + 1000, &read, first}}; };
  const auto data = from_slices({0, 1000}).flat_map(open);
  EXPECT_EQ(outputs_of(data.skip(1990)), outputs_of(forebay::range(1990, 2000)));
  EXPECT_LE(read, 100) << "the first elements of an input open it";
  read = 0;
  EXPECT_EQ(outputs_of(data.shard(7, 100)).size(), 20U);
  EXPECT_LE(read, 25);
  read = 0;
  EXPECT_EQ(outputs_of(from_slices({0, 1000}).interleave(2, 50, open).step_by(100)).size(), 20U);
  EXPECT_LE(read, 65) << "a turn has 50 elements";
}

TEST(SkipOfAReader, OfAnInputThatFailsNamesTheElement) {
  struct Reader {
    int next = 0;
    std::optional<int> operator()() { return next++; }
    [[nodiscard]] std::uint64_t skip(std::uint64_t /*count*/) const { throw std::runtime_error("no way"); }
    [[nodiscard]] std::string location() const { return "here"; }
  };
  const auto data = from_slices({0}).flat_map([](int) { return Reader(); });
  EXPECT_EQ(failure_of(data.step_by(7)).what, "forebay: flat_map, epoch 0, number 1 (here): no way");
}

TEST(SkipOfAReader, IsCalledAlsoWhereManyElementsAreAskedForAtOnce) {
  const auto read_by = [](const Selection& select) {
    int read = 0;
    EXPECT_EQ(outputs_of(select(from_callable(SkippingNumbers{{1000, &read}})).batch(10)).size(), 1U);
    return read;
  };
  EXPECT_EQ(read_by([](const Dataset<int>& data) { return data.step_by(100); }), 10);
  EXPECT_EQ(read_by([](const Dataset<int>& data) { return data.shard(7, 100); }), 10);
}

TEST(SkipOfAReader, IsNotCalledWhereFailuresAreLeftOut) {
  struct Reader {
    int next = 0;
    std::optional<int> operator()() {
      if (next++ % 3 == 1) throw std::runtime_error("no number");
      return next < 20 ? std::optional(next) : std::nullopt;
    }
    std::uint64_t skip(std::uint64_t count) {
      ADD_FAILURE();
      return count;
    }
  };
  EXPECT_EQ(outputs_of(from_callable(Reader(), {.on_error = forebay::skip(100)}).skip(2).take(2)), (Ints{4, 6}));
}

TEST(SkipOfAReader, ThatReturnsMoreThanItWasToldIsAFailureThatNamesIt) {
  struct Reader {
    long result;
    std::optional<int> operator()() const { return 0; }
    [[nodiscard]] long skip(std::uint64_t /*count*/) const { return result; }
    [[nodiscard]] std::string location() const { return "here"; }
  };
  EXPECT_EQ(failure_of(from_callable(Reader{8}).skip(7)).what,
            "forebay: from_callable, epoch 0, number 0 (here): skip(7) of a reader returned 8");
  EXPECT_EQ(failure_of(from_callable(Reader{-1}).skip(7)).what,
            "forebay: from_callable, epoch 0, number 0 (here): skip(7) of a reader returned -1");
}

// ---- Failures and resumes

/// Yields the numbers below 1000, but fails before each of them.
struct Stumbling {
  int next = 0;
  bool failed = false;

  std::optional<int> operator()() {
    failed = !failed;
    if (failed && next < 1000) throw std::runtime_error("no number");
    return next < 1000 ? std::optional(next++) : std::nullopt;
  }
};
struct SeekableStumbling : Stumbling {
  [[nodiscard]] int cursor() const { return 2 * next + (failed ? 1 : 0); }
  void seek(int cursor) {
    next = cursor / 2;
    failed = cursor % 2 != 0;
  }
};

TEST(FailuresOfAnInput, AreNotToldAgainWhereItIsReplayed) {
  int told = 0;
  const auto on_error = forebay::redirect([&told](Position, const std::exception_ptr&) { ++told; });
  const auto inputs = from_slices({0, 1});
  for (const Dataset<int>& data :
       {inputs.flat_map({.on_error = on_error}, [](int) { return Stumbling(); }),
        inputs.flat_map({.on_error = on_error}, [](int) { return SeekableStumbling(); }),
        inputs.interleave({.cycle = 2, .on_error = on_error}, [](int) { return Stumbling(); }),
        inputs.interleave({.cycle = 2, .prefetch = 2, .on_error = on_error}, [](int) { return Stumbling(); })}) {
    const Ints expected = outputs_of(data);
    auto first = data.run();
    for (int i = 0; i < 1900; ++i) ASSERT_TRUE(first.next());
    told = 0;
    auto second = data.run(first.checkpoint());
    for (std::size_t i = 1900; i < expected.size(); ++i) EXPECT_EQ(second.next().value(), expected[i]);
    EXPECT_FALSE(second.next());
    EXPECT_GE(told, 100);
    EXPECT_LT(told, 1000) << "those since the last note may be told again";
  }
}

}  // namespace
}  // namespace forebay_test
