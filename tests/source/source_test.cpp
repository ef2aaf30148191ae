// SPDX-License-Identifier: MIT
//
// source_test.cpp: every source of elements: its epochs, and the arguments it rejects.

#include "forebay/sources.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/fifo_queue.hpp"
#include "forebay/from_queue.hpp"
#include "forebay/queue_ref.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/plain_run.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::FIFOQueue;
using forebay::from_callable;
using forebay::from_indexed;
using forebay::from_queue;
using forebay::from_slices;
using forebay::no_wait;
using forebay::per_epoch;
using forebay::range;
using forebay::redirect;
using forebay::skip;
using forebay::text_lines;

using Ints = std::vector<int>;
using Epochs = std::vector<Ints>;

// ---- from_slices

TEST(FromSlices, HasTheElementsOfARange) {
  EXPECT_EQ(elements_of(from_slices(Ints{3, 1, 2})), (Ints{3, 1, 2}));
  EXPECT_EQ(elements_of(from_slices({3, 1, 2})), (Ints{3, 1, 2}));
  EXPECT_EQ(elements_of(from_slices(std::list<int>{3, 1})), (Ints{3, 1}));
  EXPECT_EQ(elements_of(from_slices(std::array<int, 2>{3, 1})), (Ints{3, 1}));
}

TEST(FromSlices, OfNothingIsAnEmptyEpoch) { EXPECT_EQ(epochs_of(from_slices(Ints())), Epochs{{}}); }

TEST(FromSlices, HoldsTruthValues) {
  const std::vector<bool> flags{true, false, true};
  EXPECT_EQ(elements_of(from_slices(flags)), flags);
  EXPECT_EQ(elements_of(from_slices(flags, Ints{1, 2, 3})).at(2), std::make_tuple(true, 3));
}

TEST(FromSlices, CopiesWhatIsNotGivenAway) {
  Ints numbers{1, 2};
  const auto data = from_slices(numbers);
  numbers[0] = 7;
  EXPECT_EQ(elements_of(data), (Ints{1, 2}));
}

TEST(FromSlices, TakesOverWhatIsGivenAway) {
  std::vector<std::string> names{std::string(100, 'a')};
  const char* const storage = names[0].data();
  const auto data = from_slices(std::move(names));
  names.clear();
  EXPECT_EQ(data[0], std::string(100, 'a'));
  EXPECT_NE(data[0].data(), storage);
}

TEST(FromSlices, OfSeveralRangesHasTuples) {
  const auto data = from_slices(Ints{1, 2}, std::vector<std::string>{"one", "two"});
  EXPECT_EQ(data[1], std::make_tuple(2, std::string("two")));
  EXPECT_EQ(data.size(), 2U);
}

TEST(FromSlices, OfDifferentLengthsIsRefusedAtOnce) {
  EXPECT_EQ(rejection([] {
              return from_slices(Ints{1, 2}, Ints{1, 2, 3});
            }),
            "forebay: from_slices: the ranges have different lengths: 2, 3");
}

// ---- range

TEST(Range, IsHalfOpen) {
  EXPECT_EQ(elements_of(range(3)), (Ints{0, 1, 2}));
  EXPECT_EQ(elements_of(range(1, 3)), (Ints{1, 2}));
  EXPECT_EQ(elements_of(range(1, 8, 3)), (Ints{1, 4, 7}));
  EXPECT_EQ(elements_of(range(3, 0, -1)), (Ints{3, 2, 1}));
  EXPECT_EQ(elements_of(range(3, 0)), Ints());
  EXPECT_EQ(elements_of(range(-2)), Ints());
  EXPECT_EQ(elements_of(range(std::uint8_t{250}, std::uint8_t{255}, std::uint8_t{3})),
            (std::vector<std::uint8_t>{250, 253}));
}

TEST(Range, ReachesFromTheLeastToTheLargestNumber) {
  const auto all = range<std::int64_t>(INT64_MIN, INT64_MAX);
  EXPECT_EQ(all.size(), UINT64_MAX);
  EXPECT_EQ(all[UINT64_MAX - 1], INT64_MAX - 1);
}

TEST(Range, RefusesAStepOfNothing) {
  EXPECT_EQ(rejection([] { return range(0, 5, 0); }), "forebay: range: the step must not be 0");
}

// ---- from_indexed

TEST(FromIndexed, AsksForEachElement) {
  EXPECT_EQ(elements_of(from_indexed(3, [](std::size_t i) { return static_cast<int>(i * i); })), (Ints{0, 1, 4}));
}

TEST(FromIndexed, RefusesANegativeCount) {
  EXPECT_NE(rejection([] { return from_indexed(-1, [](std::size_t) { return 0; }); }), "nothing was thrown");
}

TEST(FromIndexed, NamesTheElementThatCannotBeHad) {
  const auto output = output_of(from_indexed(3, [](std::size_t i) {
    if (i == 2) throw Failure("gone");
    return static_cast<int>(i);
  }));
  EXPECT_EQ(output.all(), (Ints{0, 1}));
  EXPECT_EQ(output.failure, "forebay: from_indexed, epoch 0, number 2: gone");
}

/// An element that counts how often it is filled, and how often its memory was new.
struct Filled {
  std::string text;
  int times = 0;
};

TEST(FromIndexed, FillsElementsThatAreReused) {
  std::set<const char*> memory;
  const auto data = from_indexed<Filled>(100, [&](std::size_t i, Filled& into) {
    into.text.assign(100 + i % 7, 'x');
    ++into.times;
    memory.insert(into.text.data());
  });
  static_assert(std::is_same_v<decltype(data), const forebay::IndexedDataset<Filled>>);
  std::size_t sum = 0;
  auto pipeline = data.repeat(10).run();
  for (const Filled& element : pipeline) sum += element.text.size();
  EXPECT_EQ(sum, 10 * (100 * 100 + 14 * 21 + 1));
  EXPECT_LT(memory.size(), 200U);
  EXPECT_EQ(data[99].text.size(), 101U);
  EXPECT_EQ(data[99].times, 1);
}

TEST(FromIndexed, FillsTheElementOfEachThreadOfAMapThatLeavesIt) {
  std::atomic<int> times_without_memory = 0;
  const auto fill = [&](std::size_t i, std::string& into) {
    if (into.capacity() < 100) ++times_without_memory;
    into.assign(100 + i, 'x');
  };
  const auto size_of = [](const std::string& element) { return element.size(); };
  std::size_t sum = 0;
  for (const std::size_t size : from_indexed<std::string>(1000, fill).shuffle().map(2, size_of).run()) sum += size;
  EXPECT_EQ(sum, 1000U * 100 + 999 * 500);
  EXPECT_LE(times_without_memory, 3);
  const auto take = [](std::string element) {
    const std::string taken = std::move(element);
    return taken.size();
  };
  sum = 0;
  for (const std::size_t size : from_indexed<std::string>(5, fill).map(2, take).run()) sum += size;
  EXPECT_EQ(sum, 510U);
}

TEST(FromIndexed, ConvertsWhatIsReturnedToTheNamedType) {
  EXPECT_EQ(elements_of(from_indexed<double>(3, [](std::size_t i) { return static_cast<int>(i); })),
            (std::vector<double>{0, 1, 2}));
}

TEST(FromIndexed, NamesTheElementThatCannotBeFilled) {
  const auto fill = [](std::size_t i, std::string& into) { i == 2 ? throw Failure("gone") : into.assign(i, 'x'); };
  for (const auto& data : {forebay::Dataset(from_indexed<std::string>(3, fill)),
                           from_indexed<std::string>(3, fill).map(2, [](std::string&& text) { return text; })}) {
    const auto output = output_of(data);
    EXPECT_EQ(output.all(), (std::vector<std::string>{"", "x"}));
    EXPECT_EQ(output.failure, "forebay: from_indexed, epoch 0, number 2: gone");
  }
}

TEST(IndexedDataset, IsReadIntoAnElementOfTheUser) {
  const auto fill = [](std::size_t i, std::string& into) { into.assign(100 + i, 'x'); };
  const auto data = from_indexed<std::string>(10, fill).skip(2).shuffle();
  std::string element(200, 'y');
  const char* const memory = element.data();
  std::set<std::size_t> sizes;
  for (std::size_t i = 0; i < data.size(); ++i) {
    data.read(i, element);
    EXPECT_EQ(element.data(), memory);
    EXPECT_EQ(element, data[i]);
    sizes.insert(element.size());
  }
  EXPECT_EQ(sizes.size(), 8U);
  EXPECT_EQ(rejection([&] {
              data.read(-1, element);
              return 0;
            }),
            "forebay: read: place must be at least 0, not -1");
  EXPECT_THROW(data.read(8, element), std::out_of_range);
  int number = 7;
  range(5).read(3, number);
  EXPECT_EQ(number, 3);
  std::unique_ptr<int> pointer;
  from_indexed(3, [](std::size_t i) { return std::make_unique<int>(static_cast<int>(i)); }).read(2, pointer);
  EXPECT_EQ(*pointer, 2);
}

TEST(IndexedDataset, HasRandomAccess) {
  const auto data = range(100).shuffle().skip(10).take(50).shard(1, 3);
  const auto elements = elements_of(data);
  ASSERT_EQ(data.size(), 17U);
  ASSERT_EQ(elements.size(), 17U);
  for (std::size_t i = 0; i < data.size(); ++i) EXPECT_EQ(data[i], elements[i]);
}

TEST(IndexedDataset, HasNoElementBeyondItsEnd) {
  EXPECT_THROW(static_cast<void>(range(3)[3]), std::out_of_range);
  EXPECT_THROW(static_cast<void>(range(3)[-1]), std::invalid_argument);
}

// ---- from_callable

/// Yields the numbers below `last` as values.
struct Below {
  int last;
  int next = 0;
  std::optional<int> operator()() { return next < last ? std::optional(next++) : std::nullopt; }
};

TEST(FromCallable, EndsWithTheFirstNothing) { EXPECT_EQ(elements_of(from_callable(Below{3})), (Ints{0, 1, 2})); }

TEST(FromCallable, MayFillStorage) {
  const auto data = from_callable([next = 0](std::string& into) mutable {
    into = std::to_string(next);
    return next++ < 3;
  });
  EXPECT_EQ(elements_of(data), (std::vector<std::string>{"0", "1", "2"}));
}

TEST(FromCallable, OfAGenericLambdaIsToldWhatItFills) {
  const auto data = from_callable<int>([next = 0](auto& into) mutable {
    into = next;
    return next++ < 3;
  });
  EXPECT_EQ(elements_of(data), (Ints{0, 1, 2}));
}

TEST(FromCallable, MayReturnWhatReadsLikeAnOptional) {
  const std::array<int, 3> numbers{4, 5, 6};
  const auto pointers =
      from_callable([&numbers, i = std::size_t{0}]() mutable { return i < numbers.size() ? &numbers[i++] : nullptr; });
  EXPECT_EQ(elements_of(pointers), (Ints{4, 5, 6}));
  FIFOQueue<int> queue(3);
  static_cast<void>(queue.enqueue_many({7, 8}));
  queue.close();
  EXPECT_EQ(elements_of(from_callable([&] { return queue.dequeue(); })), (Ints{7, 8}));
}

// proves: single-run
TEST(FromCallable, EachRunAndEachEpochStartsFromTheCallableAsItWasGiven) {
  const auto data = from_callable(Below{2}).repeat(2);
  EXPECT_EQ(epochs_of(data), (Epochs{{0, 1}, {0, 1}}));
  EXPECT_EQ(epochs_of(data), (Epochs{{0, 1}, {0, 1}}));
}

// proves: single-run
TEST(FromCallable, AnEpochThatFindsNothingLeftIsAnErrorThatNamesPerEpoch) {
  int next = 0;
  const auto output = output_of(from_callable([&next] { return Below{3, next++}(); }).repeat(2));
  EXPECT_EQ(output.epochs, (Epochs{{0, 1, 2}}));
  EXPECT_TRUE(contains(output.failure, "per_epoch(factory)"));
}

TEST(FromCallable, AFactoryMakesAReaderForEveryEpoch) {
  int made = 0;
  const auto data = from_callable(per_epoch([&made] { return Below{++made}; })).repeat(3);
  EXPECT_EQ(epochs_of(data), (Epochs{{0}, {0, 1}, {0, 1, 2}}));
}

TEST(FromCallable, AFactoryMayMakeEmptyEpochs) {
  int made = 2;
  const auto data = from_callable(per_epoch([&made] { return Below{--made}; })).repeat(2);
  EXPECT_EQ(epochs_of(data), (Epochs{{0}, {}}));
}

// proves: single-run
TEST(FromCallable, WhatCannotBeCopiedIsOneRunOfOneEpoch) {
  const auto data = from_callable([left = std::make_unique<int>(2)]() -> std::optional<int> {
    return *left > 0 ? std::optional((*left)--) : std::nullopt;
  });
  EXPECT_TRUE(contains(rejection([&] { return data.repeat(2); }), "cannot be copied"));
  EXPECT_EQ(elements_of(data), (Ints{2, 1}));
  EXPECT_TRUE(contains(rejection([&] { return elements_of(data); }), "can be run once"));
}

/// A source that can be run only once: it yields 2, 1.
auto two_that_are_run_once() {
  return from_callable([left = std::make_unique<int>(2)]() -> std::optional<int> {
    return *left > 0 ? std::optional((*left)--) : std::nullopt;
  });
}

// proves: single-run
TEST(FromCallable, ARefusedRunDoesNotUseItUp) {
  const auto data = two_that_are_run_once();
  EXPECT_TRUE(contains(rejection([&] { return elements_of(forebay::zip(data, data)); }), "not in two branches"));
  EXPECT_NE(rejection([&] { return elements_of(forebay::zip(data, range(0).repeat())); }), "nothing was thrown");
  EXPECT_EQ(elements_of(data), (Ints{2, 1}));
}

TEST(FromCallable, ARunThatIsRefusedForAnotherOneDoesNotUseItUp) {
  const auto one = two_that_are_run_once();
  const auto other = two_that_are_run_once();
  ASSERT_EQ(elements_of(other), (Ints{2, 1}));
  EXPECT_TRUE(contains(rejection([&] { return elements_of(forebay::zip(one, other)); }), "and has been"));
  EXPECT_EQ(elements_of(one), (Ints{2, 1}));
}

/// Throws at the given calls.
struct Broken {
  std::vector<int> failing;
  int call = -1;
  std::optional<int> operator()() {
    ++call;
    for (const int at : failing) {
      if (at == call) throw Failure("broken");
    }
    return call < 10 ? std::optional(call) : std::nullopt;
  }
};

TEST(FromCallable, SkipsWhatFailsUpToALimit) {
  EXPECT_EQ(elements_of(from_callable(Broken{{2, 4}}, {.on_error = skip(2)})), (Ints{0, 1, 3, 5, 6, 7, 8, 9}));
  const auto output = output_of(from_callable(Broken{{2, 4, 6}}, {.on_error = skip(2)}));
  EXPECT_EQ(output.all(), (Ints{0, 1, 3, 5}));
  EXPECT_EQ(output.failure, "forebay: from_callable, epoch 0, number 4: broken");
}

// proves: redirect
TEST(FromCallable, RedirectsWhatFails) {
  std::vector<std::uint64_t> numbers;
  const auto note = [&](Position at, const std::exception_ptr& /*failure*/) { numbers.push_back(at.number); };
  EXPECT_EQ(elements_of(from_callable(Broken{{2, 4}}, {.on_error = redirect(note)})), (Ints{0, 1, 3, 5, 6, 7, 8, 9}));
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{2, 3}));
}

// proves: skip
TEST(FromCallable, CountsWhatItSkipsInEachEpoch) {
  EXPECT_EQ(epochs_of(from_callable(Broken{{8}}, {.on_error = skip(1)}).repeat(2)),
            (Epochs{{0, 1, 2, 3, 4, 5, 6, 7, 9}, {0, 1, 2, 3, 4, 5, 6, 7, 9}}));
}

// proves: skip
TEST(FromCallable, ThatFailsTwiceInARowHasEnded) {
  EXPECT_EQ(elements_of(from_callable(Broken{{2, 3}}, {.on_error = skip(100)})), (Ints{0, 1}));
}

// ---- text_lines

class TextLines : public testing::Test {
 public:
  TextLines() = default;
  TextLines(const TextLines&) = delete;
  TextLines& operator=(const TextLines&) = delete;
  ~TextLines() override { std::filesystem::remove_all(directory_); }

 protected:
  [[nodiscard]] std::string file(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(directory_);
    const auto path = directory_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }

  std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() /
      ("forebay_text_lines_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
};

using Lines = std::vector<std::string>;

TEST_F(TextLines, AreThoseOfOneFileAfterTheOther) {
  const Lines files{file("a", "one\ntwo\n"), file("empty", ""), file("b", "three\r\n\nfour")};
  EXPECT_EQ(elements_of(text_lines(files)), (Lines{"one", "two", "three", "", "four"}));
}

TEST_F(TextLines, MayBeLongerThanAnyBuffer) {
  const std::string line(200'000, 'x');
  EXPECT_EQ(elements_of(text_lines(Lines{file("long", line + "\r\n" + line)})), (Lines{line, line}));
}

TEST_F(TextLines, LeaveOutAByteOrderMark) {
  EXPECT_EQ(elements_of(text_lines(file("mark", "\xEF\xBB\xBFone\ntwo\xEF\xBB\xBF\n"))),
            (Lines{"one", "two\xEF\xBB\xBF"}));
  EXPECT_EQ(elements_of(text_lines(file("only", "\xEF\xBB\xBF"))), Lines());
}

TEST_F(TextLines, MayBeAskedForByPath) {
  const std::filesystem::path path(file("a", "one"));
  EXPECT_EQ(elements_of(text_lines(std::vector{path})), (Lines{"one"}));
}

TEST_F(TextLines, MayBeThoseOfASingleFile) {
  const std::string name = file("a", "one");
  EXPECT_EQ(elements_of(text_lines(name)), (Lines{"one"}));
  EXPECT_EQ(elements_of(text_lines(name.c_str())), (Lines{"one"}));
  EXPECT_EQ(elements_of(text_lines(std::filesystem::path(name))), (Lines{"one"})) << "not of its parts";
}

TEST_F(TextLines, MayBeThoseOfAList) {
  EXPECT_EQ(elements_of(text_lines({file("a", "one"), file("b", "two")})), (Lines{"one", "two"}));
}

TEST_F(TextLines, OfAFileThatIsMissingAreAFailureThatNamesIt) {
  const std::string missing = (directory_ / "missing").string();
  const auto output = output_of(text_lines(Lines{file("a", "one\n"), missing}));
  EXPECT_EQ(output.all(), (Lines{"one"}));
  EXPECT_EQ(output.failed_stage, "text_lines");
  EXPECT_TRUE(contains(output.failure, missing + "): cannot open"));
}

TEST_F(TextLines, OfADirectoryAreAFailure) {
  static_cast<void>(file("a", ""));
  const auto output = output_of(text_lines(Lines{directory_.string()}));
  EXPECT_TRUE(contains(output.failure, directory_.string()));
}

TEST_F(TextLines, MayLeaveOutWhatCannotBeRead) {
  const Lines files{(directory_ / "missing").string(), file("a", "one")};
  EXPECT_EQ(elements_of(text_lines(files, {.on_error = skip(1)})), (Lines{"one"}));
}

TEST_F(TextLines, CountEachFileThatCannotBeReadOnce) {
  const std::string missing = (directory_ / "missing").string();
  const Lines files{file("a", "one"), directory_.string(), missing, file("b", "two"), directory_.string()};
  EXPECT_EQ(elements_of(text_lines(files, {.on_error = skip(3)})), (Lines{"one", "two"}));
  const auto output = output_of(text_lines(files, {.on_error = skip(2)}));
  EXPECT_EQ(output.all(), (Lines{"one", "two"}));
  EXPECT_TRUE(contains(output.failure, directory_.string() + ":1): cannot read"));
}

TEST_F(TextLines, CountEachFileThatCannotBeReadOnceAcrossAResume) {
  const Lines files{file("a", "one\n"), directory_.string(), file("b", "two\nthree\n")};
  const auto data = text_lines(files, {.on_error = skip(1)});
  Lines lines;
  std::optional<std::string> checkpoint;
  for (int i = 0; i < 3; ++i) {
    auto run = data.run(checkpoint);
    lines.push_back(*run.next());
    checkpoint = run.checkpoint();
  }
  EXPECT_EQ(lines, (Lines{"one", "two", "three"}));
  EXPECT_FALSE(data.run(checkpoint).next());
}

// ---- from_queue

TEST(FromQueue, HasWhatIsInItUntilItIsClosed) {
  FIFOQueue<int> queue(10);
  static_cast<void>(queue.enqueue_many({1, 2, 3}));
  queue.close();
  EXPECT_EQ(epochs_of(from_queue(queue)), (Epochs{{1, 2, 3}}));
}

TEST(FromQueue, TakesAReferenceToAQueue) {
  FIFOQueue<int> queue(10);
  static_cast<void>(queue.enqueue_many({1, 2, 3}));
  queue.close();
  forebay::QueueRef<int> reference(queue);
  EXPECT_EQ(elements_of(from_queue(reference)), (Ints{1, 2, 3}));
}

TEST(FromQueue, DoesNotWaitToFillAChunk) {
  FIFOQueue<int> queue(10);
  static_cast<void>(queue.enqueue_many({1, 2}));
  PlainRun run(from_queue(queue));
  EXPECT_EQ(run.pull(7), PullResult::more);
  EXPECT_EQ(run.chunk().size(), 2U);
}

TEST(FromQueue, DoesNotWaitWhenItIsToldNotTo) {
  FIFOQueue<int> queue(10);
  PlainRun run(from_queue(queue));
  EXPECT_EQ(run.pull(7, no_wait), PullResult::not_now);
  static_cast<void>(queue.enqueue(1));
  EXPECT_EQ(run.pull(7, no_wait), PullResult::more);
}

TEST(FromQueue, PassesOnTheCauseOfItsClose) {
  FIFOQueue<int> queue(10);
  static_cast<void>(queue.enqueue(1));
  queue.close(failure("why"));
  const auto output = output_of(from_queue(queue));
  EXPECT_EQ(output.all(), Ints{1});
  EXPECT_EQ(output.failure, "forebay: from_queue, epoch 0, number 1: why");
}

// proves: single-run
TEST(FromQueue, IsOneRunOfOneEpoch) {
  FIFOQueue<int> queue(10);
  queue.close();
  const auto data = from_queue(queue);
  EXPECT_EQ(rejection([&] { return data.repeat(2); }), "forebay: repeat: a from_queue can be run once");
  EXPECT_EQ(elements_of(data), Ints());
  EXPECT_EQ(rejection([&] { return elements_of(data); }), "forebay: a from_queue can be run once, and has been");
}

}  // namespace
}  // namespace forebay_test
