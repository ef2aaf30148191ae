// SPDX-License-Identifier: MIT
//
// priority_queue_test.cpp: the order in which elements leave a PriorityQueue, and the possible comparators. A failing
// comparison loses nothing.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/priority_queue.hpp"
#include "forebay/queue_status.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/elements.hpp"
#include "tests/support/scaled_time.hpp"

namespace forebay_test {
namespace {

using forebay::By;
using forebay::no_wait;
using forebay::Prioritized;
using forebay::PriorityQueue;
using Ints = std::vector<int>;

/// A job. Only its due time is compared.
struct Job {
  int due;
  std::string name;

  [[nodiscard]] int deadline() const { return due; }
  friend bool operator<(const Job& a, const Job& b) { return a.due < b.due; }
};

/// Returns what all elements say, in the order in which they leave one by one.
template <class Queue, class Say>
auto in_order(Queue& queue, Say say) {
  std::vector<decltype(say(*queue.dequeue(no_wait)))> said;
  while (const auto element = queue.dequeue(no_wait)) said.push_back(say(*element));
  return said;
}

template <class Queue>
std::string names(Queue& queue) {
  std::string all;
  while (const auto element = queue.dequeue(no_wait)) all += element->name;
  return all;
}

template <class Queue>
Ints all_of(Queue& queue) {
  Ints all;
  while (const auto element = queue.dequeue(no_wait)) all.push_back(*element);
  return all;
}

/// a and e are due at 3, b and c at 1, d at 2.
std::vector<Job> jobs() { return {{3, "a"}, {1, "b"}, {1, "c"}, {2, "d"}, {3, "e"}}; }

template <class Queue>
void store_jobs(Queue& queue) {
  ASSERT_EQ(queue.enqueue_many(jobs()).status, QueueStatus::ok);
}

// ---- The order

TEST(PriorityQueue, SmallestLeavesFirst) {
  PriorityQueue<int> queue(8);
  ASSERT_EQ(queue.enqueue_many({5, 3, 8, 1, 7}).count, 5U);
  EXPECT_EQ(all_of(queue), (Ints{1, 3, 5, 7, 8}));
}

TEST(PriorityQueue, EqualElementsLeaveInOrderOfArrival) {
  PriorityQueue<Job> queue(8);
  store_jobs(queue);
  EXPECT_EQ(names(queue), "bcdae");
}

TEST(PriorityQueue, ManyEqualElementsLeaveInOrderOfArrival) {
  PriorityQueue<Job> queue(100);
  std::string expected;
  for (const int due : {0, 1, 2}) {
    for (int i = 0; i < 100; ++i) {
      if (i % 3 == due) expected += std::to_string(i) + " ";
    }
  }
  for (int i = 0; i < 100; ++i) ASSERT_EQ(queue.enqueue({i % 3, std::to_string(i) + " "}), QueueStatus::ok);
  EXPECT_EQ(names(queue), expected);
}

TEST(PriorityQueue, BatchIsTheSmallestOfWhatIsStoredSorted) {
  PriorityQueue<int> queue(8);
  ASSERT_EQ(queue.enqueue_many({5, 3, 8, 1, 7, 3}).count, 6U);
  EXPECT_EQ(queue.dequeue_many(4).value(), (Ints{1, 3, 3, 5}));
  EXPECT_EQ(queue.dequeue_many(2).value(), (Ints{7, 8}));
}

TEST(PriorityQueue, LaterElementGoesAheadOfWhatIsStored) {
  PriorityQueue<int> queue(4);
  ASSERT_EQ(queue.enqueue_many({5, 3, 4}).count, 3U);
  EXPECT_EQ(queue.dequeue().value(), 3);
  ASSERT_EQ(queue.enqueue_many({1, 6}).count, 2U);
  EXPECT_EQ(all_of(queue), (Ints{1, 4, 5, 6}));
}

TEST(PriorityQueue, UpToTakesWhatIsLeftAfterCloseSorted) {
  PriorityQueue<int> queue(8);
  ASSERT_EQ(queue.enqueue_many({5, 3, 8}).count, 3U);
  queue.close();
  EXPECT_EQ(queue.dequeue_up_to(8).value(), (Ints{3, 5, 8}));
  EXPECT_EQ(queue.dequeue_up_to(8).status(), QueueStatus::closed);
}

TEST(PriorityQueue, AvailableTakesTheSmallestOfWhatIsThere) {
  PriorityQueue<int> queue(8);
  ASSERT_EQ(queue.enqueue_many({5, 3, 8}).count, 3U);
  EXPECT_EQ(queue.dequeue_available(2).value(), (Ints{3, 5}));
  EXPECT_EQ(queue.dequeue_available(100).value(), (Ints{8}));
}

TEST(PriorityQueue, WaitingBatchTakesTheSmallestOfAllThatCame) {
  PriorityQueue<int> queue(4);
  Background batch([&] { return queue.dequeue_many(3); });
  ASSERT_TRUE(await_waiting_consumers(queue, 1));
  ASSERT_EQ(queue.enqueue_many({9, 2}).count, 2U);
  EXPECT_EQ(queue.waiting_consumers(), 1U);
  ASSERT_EQ(queue.enqueue(5), QueueStatus::ok);
  EXPECT_EQ(batch.get().value(), (Ints{2, 5, 9}));
}

TEST(PriorityQueue, UnboundedKeepsTheOrderWhileItGrows) {
  PriorityQueue<int> queue(forebay::unbounded);
  Ints expected;
  std::minstd_rand engine(1);
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 20; ++i) {
      expected.push_back(static_cast<int>(engine() % 1000));
      ASSERT_EQ(queue.enqueue(expected.back()), QueueStatus::ok);
    }
    std::ranges::sort(expected);
    EXPECT_EQ(queue.dequeue_many(5).value(), Ints(expected.begin(), expected.begin() + 5));
    expected.erase(expected.begin(), expected.begin() + 5);
  }
  EXPECT_EQ(all_of(queue), expected);
}

// ---- Ways to define the order

TEST(PriorityQueue, LargestLeavesFirstByGreater) {
  PriorityQueue<int, std::greater<>> by_std(4);
  PriorityQueue<int, std::ranges::greater> by_ranges(4);
  ASSERT_EQ(by_std.enqueue_many({2, 3, 1}).count, 3U);
  ASSERT_EQ(by_ranges.enqueue_many({2, 3, 1}).count, 3U);
  EXPECT_EQ(all_of(by_std), (Ints{3, 2, 1}));
  EXPECT_EQ(all_of(by_ranges), (Ints{3, 2, 1}));
}

TEST(PriorityQueue, EqualElementsLeaveInOrderOfArrivalByGreater) {
  PriorityQueue<Job, By<&Job::due, std::greater<>>> queue(8);
  store_jobs(queue);
  EXPECT_EQ(names(queue), "aedbc");
}

TEST(PriorityQueue, OrdersByMember) {
  PriorityQueue<Job, By<&Job::name>> queue(8);
  ASSERT_EQ(queue.enqueue_many(std::vector<Job>{{1, "b"}, {2, "c"}, {3, "a"}}).count, 3U);
  EXPECT_EQ(names(queue), "abc");
}

TEST(PriorityQueue, OrdersByMemberFunction) {
  PriorityQueue<Job, By<&Job::deadline>> queue(8);
  store_jobs(queue);
  EXPECT_EQ(names(queue), "bcdae");
}

TEST(PriorityQueue, OrdersByLambdaAsProjection) {
  PriorityQueue<Job, By<[](const Job& job) { return -job.due; }>> queue(8);
  store_jobs(queue);
  EXPECT_EQ(names(queue), "aedbc");
}

TEST(PriorityQueue, OrdersPairsByTheirFirst) {
  using Pair = std::pair<int, std::string>;
  PriorityQueue<Pair, By<&Pair::first>> queue(8);
  ASSERT_EQ(queue.enqueue_many(std::vector<Pair>{{2, "z"}, {1, "y"}, {2, "a"}, {1, "b"}}).count, 4U);
  EXPECT_EQ(in_order(queue, [](const Pair& pair) { return pair.second; }),
            (std::vector<std::string>{"y", "b", "z", "a"}));
}

TEST(PriorityQueue, OrdersPairsAndTuplesAsTheyOrderThemselves) {
  using Tuple = std::tuple<int, std::string>;
  PriorityQueue<Tuple> queue(8);
  ASSERT_EQ(queue.enqueue_many(std::vector<Tuple>{{2, "z"}, {1, "y"}, {2, "a"}, {1, "b"}}).count, 4U);
  EXPECT_EQ(in_order(queue, [](const Tuple& tuple) { return std::get<1>(tuple); }),
            (std::vector<std::string>{"b", "y", "a", "z"}));
}

TEST(PriorityQueue, OrdersByLambda) {
  const auto longer = [](const std::string& a, const std::string& b) { return a.size() > b.size(); };
  PriorityQueue<std::string, decltype(longer)> queue(4);
  ASSERT_EQ(queue.enqueue_many(std::vector<std::string>{"a", "ccc", "bb"}).count, 3U);
  EXPECT_EQ(queue.dequeue_many(3).value(), (std::vector<std::string>{"ccc", "bb", "a"}));
}

TEST(PriorityQueue, OrdersByFunction) {
  PriorityQueue<int, bool (*)(int, int)> queue(4, [](int a, int b) { return a > b; });
  ASSERT_EQ(queue.enqueue_many({2, 3, 1}).count, 3U);
  EXPECT_EQ(all_of(queue), (Ints{3, 2, 1}));
}

TEST(PriorityQueue, KeepsTheStateOfItsComparator) {
  struct NearestTo {
    bool operator()(int a, int b) const {
      ++*comparisons;
      return std::abs(a - centre) < std::abs(b - centre);
    }
    int centre;
    int* comparisons;
  };
  int comparisons = 0;
  PriorityQueue<int, NearestTo> queue(8, NearestTo{10, &comparisons});
  ASSERT_EQ(queue.enqueue_many({1, 12, 9, 20, 10}).count, 5U);
  EXPECT_EQ(all_of(queue), (Ints{10, 9, 12, 1, 20}));
  EXPECT_GT(comparisons, 0);
}

TEST(PriorityQueue, TakesAComparatorThatCanOnlyBeMoved) {
  auto less = [limit = std::make_unique<int>(2)](int a, int b) { return a % *limit < b % *limit; };
  PriorityQueue<int, decltype(less)> queue(4, std::move(less));
  ASSERT_EQ(queue.enqueue_many({1, 2, 3, 4}).count, 4U);
  EXPECT_EQ(all_of(queue), (Ints{2, 4, 1, 3}));
}

// ---- Batches that could never be complete

// proves: impossible-setting
TEST(PriorityQueue, BatchLargerThanTheCapacityIsRejected) {
  PriorityQueue<int> queue(4);
  Ints batch;
  EXPECT_THROW(static_cast<void>(queue.dequeue_many(5)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(queue.dequeue_many(5, batch)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(queue.dequeue_up_to(5)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(queue.dequeue_up_to(5, batch, no_wait)), std::invalid_argument);
  try {
    static_cast<void>(queue.dequeue_many(5));
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "forebay: a batch of 5 elements exceeds the capacity of 4");
  }
}

TEST(PriorityQueue, AsMuchAsTheCapacityAllowsIsNotRejected) {
  PriorityQueue<int> queue(4);
  ASSERT_EQ(queue.enqueue_many({4, 3, 2, 1}).count, 4U);
  EXPECT_EQ(queue.dequeue_many(4).value(), (Ints{1, 2, 3, 4}));
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue_available(100).value(), (Ints{1}));
}

TEST(PriorityQueue, CapacityThatCannotBeIsRejected) {
  EXPECT_THROW(PriorityQueue<int>(0), std::invalid_argument);
  EXPECT_THROW(PriorityQueue<char>(std::numeric_limits<std::size_t>::max() / 2), std::invalid_argument);
  EXPECT_THROW(PriorityQueue<char>(std::numeric_limits<std::size_t>::max() - 1), std::invalid_argument);
}

// ---- NaN

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// proves: rejected-element
TEST(PriorityQueue, NaNIsRejected) {
  PriorityQueue<double> queue(4);
  PriorityQueue<float, std::greater<>> floats(4);
  EXPECT_THROW(static_cast<void>(queue.enqueue(nan)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(floats.enqueue(std::numeric_limits<float>::signaling_NaN())), std::invalid_argument);
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_EQ(queue.enqueue(-std::numeric_limits<double>::infinity()), QueueStatus::ok);
  EXPECT_EQ(queue.size(), 1U);
}

struct Move {
  double score;
  std::unique_ptr<int> board;
};

// proves: rejected-element
TEST(PriorityQueue, ElementWithANaNIsLeftToTheCaller) {
  PriorityQueue<Move, By<&Move::score>> queue(4);
  Move move{nan, std::make_unique<int>(7)};
  EXPECT_THROW(static_cast<void>(queue.enqueue(std::move(move))), std::invalid_argument);
  ASSERT_NE(move.board, nullptr);
  move.score = 1;
  EXPECT_EQ(queue.enqueue(std::move(move)), QueueStatus::ok);
}

// proves: rejected-element
TEST(PriorityQueue, ElementsBeforeTheOneWithANaNAreIn) {
  PriorityQueue<Move, By<&Move::score>> queue(8);
  std::vector<Move> moves;
  for (const double score : {3.0, 1.0, nan, 2.0}) moves.push_back({score, std::make_unique<int>(1)});
  EXPECT_THROW(static_cast<void>(queue.enqueue_many(std::move(moves))), std::invalid_argument);
  EXPECT_EQ(moves[0].board, nullptr);
  EXPECT_EQ(moves[1].board, nullptr);
  EXPECT_NE(moves[2].board, nullptr);
  EXPECT_NE(moves[3].board, nullptr);
  EXPECT_EQ(in_order(queue, [](const Move& move) { return move.score; }), (std::vector<double>{1, 3}));
}

TEST(PriorityQueue, PriorityThatIsNaNLeavesItsValueToTheCaller) {
  PriorityQueue<Prioritized<std::unique_ptr<int>, double>> queue(4);
  auto value = std::make_unique<int>(7);
  EXPECT_THROW(static_cast<void>(queue.enqueue(nan, std::move(value))), std::invalid_argument);
  ASSERT_NE(value, nullptr);
  EXPECT_THROW(static_cast<void>(queue.enqueue({nan, nullptr})), std::invalid_argument);
  EXPECT_EQ(queue.enqueue(1, std::move(value)), QueueStatus::ok);
  EXPECT_EQ(*queue.dequeue()->value, 7);
}

// proves: rejected-element
TEST(PriorityQueue, ConsumerIsServedAfterANaN) {
  PriorityQueue<double> queue(4);
  Background taken([&] { return queue.dequeue().value(); });
  ASSERT_TRUE(await_waiting_consumers(queue, 1));
  EXPECT_THROW(static_cast<void>(queue.enqueue(nan)), std::invalid_argument);
  EXPECT_EQ(queue.enqueue(1.5), QueueStatus::ok);
  EXPECT_EQ(taken.get(), 1.5);
}

TEST(PriorityQueue, ExaminesFloatingPointPrioritiesOnly) {
  static_assert(forebay::SmallestFirst<double, std::less<>>::examines);
  static_assert(forebay::SmallestFirst<Move, By<&Move::score, std::greater<>>>::examines);
  static_assert(forebay::SmallestFirst<Prioritized<int, float>, std::less<>>::examines);
  static_assert(!forebay::SmallestFirst<int, std::less<>>::examines);
  static_assert(!forebay::SmallestFirst<Job, By<&Job::due>>::examines);
  static_assert(!forebay::SmallestFirst<Prioritized<double>, std::less<>>::examines);
  static_assert(!forebay::SmallestFirst<std::optional<double>, std::less<>>::examines);
}

// ---- A priority and a value

TEST(PriorityQueue, TakesAPriorityAndAValue) {
  PriorityQueue<Prioritized<std::string>> queue(8);
  EXPECT_EQ(queue.enqueue(2, "b"), QueueStatus::ok);
  EXPECT_EQ(queue.enqueue(std::int64_t{-1}, std::string("a"), scaled(std::chrono::seconds(1))), QueueStatus::ok);
  EXPECT_EQ(queue.enqueue({2, "c"}, no_wait), QueueStatus::ok);
  EXPECT_EQ(queue.enqueue(9U, {'z', 'z'}), QueueStatus::ok);
  EXPECT_EQ(queue.enqueue(Prioritized<std::string>{.priority = 0, .value = "o"}), QueueStatus::ok);
  EXPECT_EQ(in_order(queue, [](const auto& element) { return element.value; }),
            (std::vector<std::string>{"a", "o", "b", "c", "zz"}));
}

TEST(PriorityQueue, TakesAPriorityAndAValueOfOtherTypes) {
  PriorityQueue<Job> of_jobs(4);
  PriorityQueue<std::pair<int, std::string>> of_pairs(4);
  EXPECT_EQ(of_jobs.enqueue(2, "b"), QueueStatus::ok);
  EXPECT_EQ(of_jobs.enqueue(1, "a"), QueueStatus::ok);
  EXPECT_EQ(of_pairs.enqueue(2, "b"), QueueStatus::ok);
  EXPECT_EQ(of_pairs.enqueue(1, "a"), QueueStatus::ok);
  EXPECT_EQ(names(of_jobs), "ab");
  EXPECT_EQ(of_pairs.dequeue()->second, "a");
}

TEST(PriorityQueue, TellsAWaitFromAValue) {
  PriorityQueue<int> numbers_queue(1);
  EXPECT_EQ(numbers_queue.enqueue(1, short_time()), QueueStatus::ok);
  EXPECT_EQ(numbers_queue.enqueue(1, no_wait), QueueStatus::full);
  EXPECT_EQ(numbers_queue.enqueue(1, short_time()), QueueStatus::timed_out);
  PriorityQueue<Job> job_queue(1);
  const Job job{1, "a"};
  EXPECT_EQ(job_queue.enqueue(job, short_time()), QueueStatus::ok);
  EXPECT_EQ(job_queue.enqueue({1, "a"}, no_wait), QueueStatus::full);
  EXPECT_EQ(job_queue.enqueue(1, "a", no_wait), QueueStatus::full);
  // A time can be a value, too.
  PriorityQueue<std::pair<int, std::chrono::milliseconds>> times(2);
  EXPECT_EQ(times.enqueue(1, std::chrono::milliseconds(7)), QueueStatus::ok);
  EXPECT_EQ(times.dequeue()->second, std::chrono::milliseconds(7));
}

TEST(PriorityQueue, AFractionIsNoWholePriority) {
  const auto takes = [](auto& queue, auto priority) {
    return requires { queue.enqueue(priority, 1); };
  };
  PriorityQueue<Prioritized<int>> whole(1);
  PriorityQueue<Prioritized<int, double>> fractional(1);
  EXPECT_TRUE(takes(whole, 1));
  EXPECT_FALSE(takes(whole, 1.5));
  EXPECT_TRUE(takes(fractional, 1));
  EXPECT_TRUE(takes(fractional, 1.5));
}

TEST(PriorityQueue, PriorityAndValueThatAreTurnedDownAreUntouched) {
  PriorityQueue<std::pair<std::string, std::unique_ptr<int>>> queue(1);
  ASSERT_EQ(queue.enqueue("first", std::make_unique<int>(1)), QueueStatus::ok);
  std::string priority = "a priority that is too long for the string itself";
  auto value = std::make_unique<int>(7);
  EXPECT_EQ(queue.enqueue(std::move(priority), std::move(value), no_wait), QueueStatus::full);
  EXPECT_EQ(queue.enqueue(std::move(priority), std::move(value), short_time()), QueueStatus::timed_out);
  queue.close();
  EXPECT_EQ(queue.enqueue(std::move(priority), std::move(value)), QueueStatus::closed);
  EXPECT_EQ(priority, "a priority that is too long for the string itself");
  ASSERT_NE(value, nullptr);
  EXPECT_EQ(*value, 7);
}

TEST(PriorityQueue, PriorityAndValueWaitForRoom) {
  PriorityQueue<Prioritized<std::string>> queue(1);
  ASSERT_EQ(queue.enqueue(1, "a"), QueueStatus::ok);
  Background put([&] { return queue.enqueue(0, "b"); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  EXPECT_EQ(queue.dequeue()->value, "a");
  EXPECT_EQ(put.get(), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue()->value, "b");
}

// ---- Against a model

/// A queue of numbers that are compared by their tens. Ties are frequent and distinguishable.
struct ByTens {
  bool operator()(int a, int b) const { return a / 10 < b / 10; }
};

/// The ways in which a heap stores an element: a copy ordered by a comparator, a copy ordered by its number, or a
/// pointer. The pointer comes with or without the number. Each element converts from a number and is equivalent to it.
struct CopiedAndCompared {
  using Element = int;
  using Compare = ByTens;
};
struct Copied {
  struct Element {
    Element(int number) : tens(number / 10), ones(number % 10) {}  // NOLINT(google-explicit-constructor)
    operator int() const { return 10 * tens + ones; }              // NOLINT(google-explicit-constructor)
    int tens;
    int ones;
  };
  using Compare = By<&Element::tens>;
};
struct Pointed {
  struct Element : Copied::Element {
    using Copied::Element::Element;
    std::string word = "makes it large";
  };
  using Compare = ByTens;
};
struct PointedWithNumber : Pointed {
  static double tens(const Element& element) { return element.tens; }
  using Compare = By<&tens>;
};

/// The promises of a PriorityQueue in their simplest form.
class Model {
 public:
  void put(int number) { stored_.push_back(number); }
  Ints take(std::size_t count) {
    std::ranges::stable_sort(stored_, ByTens());
    const auto end = stored_.begin() + static_cast<std::ptrdiff_t>(std::min(count, stored_.size()));
    Ints taken(stored_.begin(), end);
    stored_.erase(stored_.begin(), end);
    return taken;
  }
  [[nodiscard]] std::size_t size() const { return stored_.size(); }

 private:
  Ints stored_;
};

template <class Way>
void expect_like_model(forebay::Capacity capacity, std::size_t most, unsigned seed) {
  using Element = typename Way::Element;
  const auto ints = [](const std::vector<Element>& elements) { return Ints(elements.begin(), elements.end()); };
  PriorityQueue<Element, typename Way::Compare> queue(capacity);
  Model model;
  std::minstd_rand engine(seed);
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(engine() % bound); };
  for (int step = 0; step < 3000; ++step) {
    const std::size_t room = most - model.size();
    switch (below(6)) {
      case 0:
      case 1: {
        Ints several(below(std::min<std::size_t>(room, 7) + 1));
        for (int& number : several) number = static_cast<int>(below(100));
        for (const int number : several) model.put(number);
        ASSERT_EQ(queue.enqueue_many(several).count, several.size());
        break;
      }
      case 2: {
        if (room == 0) break;
        const int number = static_cast<int>(below(100));
        model.put(number);
        ASSERT_EQ(queue.enqueue(number, no_wait), QueueStatus::ok);
        break;
      }
      case 3: {
        const auto element = queue.dequeue(no_wait);
        ASSERT_EQ(element.has_value(), model.size() > 0);
        if (element) {
          ASSERT_EQ(Ints{int{*element}}, model.take(1));
        }
        break;
      }
      case 4: {
        const std::size_t count = below(model.size() + 1);
        ASSERT_EQ(ints(queue.dequeue_many(count, no_wait).value()), model.take(count));
        break;
      }
      default: {
        const std::size_t count = 1 + below(8);
        const auto batch = queue.dequeue_available(count, no_wait);
        ASSERT_EQ(batch.has_value(), model.size() > 0);
        if (batch) {
          ASSERT_EQ(ints(*batch), model.take(count));
        }
      }
    }
    ASSERT_EQ(queue.size(), model.size());
  }
  EXPECT_TRUE(queue.invariants_hold());
  EXPECT_EQ(all_of(queue), model.take(most));
}

template <class Way>
void expect_like_model() {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    for (const int capacity : {1, 2, 5, 16, 33, 100}) {
      expect_like_model<Way>(capacity, static_cast<std::size_t>(capacity), seed);
      if (testing::Test::HasFailure()) return;
    }
    expect_like_model<Way>(forebay::unbounded, 1000, seed);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(PriorityQueue, DoesWhatTheModelDoes) { expect_like_model<CopiedAndCompared>(); }
TEST(PriorityQueue, DoesWhatTheModelDoesByANumber) { expect_like_model<Copied>(); }
TEST(PriorityQueue, DoesWhatTheModelDoesWithLargeElements) { expect_like_model<Pointed>(); }
TEST(PriorityQueue, DoesWhatTheModelDoesWithLargeElementsByANumber) { expect_like_model<PointedWithNumber>(); }

// ---- Comparators that throw

struct ComparisonFailure : std::runtime_error {
  ComparisonFailure() : std::runtime_error("a comparison fails, as the test wants") {}
};

/// Throws at the k-th comparison from now, or never if k is 0.
struct ThrowingComparison {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    if (*until_failure > 0 && --*until_failure == 0) throw ComparisonFailure();
    if constexpr (requires { a.number(); }) {
      return a.number() / 10 < b.number() / 10;
    } else {
      return a / 10 < b / 10;
    }
  }
  int* until_failure;
};

/// 12 numbers in no order, with ties.
Ints shuffled_numbers() { return {52, 31, 90, 11, 75, 38, 33, 12, 99, 10, 53, 20}; }

/// Runs `operation(queue)` with the first, second, ... comparison failing, until none fails. The operation returns what
/// it took. After a failure all elements are still there. In every case they leave as if nothing had failed. Returns
/// the number of failures.
template <class Operation>
int for_every_failing_comparison(std::size_t taken_before, Operation operation) {
  for (int failure = 1;; ++failure) {
    int until_failure = 0;
    PriorityQueue<int, ThrowingComparison> queue(16, ThrowingComparison{&until_failure});
    Model model;
    for (const int number : shuffled_numbers()) {
      model.put(number);
      EXPECT_EQ(queue.enqueue(number), QueueStatus::ok);
      if (queue.size() == 8) {
        EXPECT_EQ(queue.dequeue_many(taken_before).value(), model.take(taken_before));
      }
    }
    until_failure = failure;
    bool failed = false;
    Ints taken;
    try {
      taken = operation(queue, model);
    } catch (const ComparisonFailure&) {
      failed = true;
    }
    EXPECT_EQ(until_failure == 0, failed) << "a failure was swallowed";
    until_failure = 0;
    EXPECT_TRUE(queue.invariants_hold());
    if (!failed) {
      EXPECT_EQ(taken, model.take(taken.size()));
    }
    EXPECT_EQ(queue.size(), model.size()) << "after failure " << failure;
    EXPECT_EQ(all_of(queue), model.take(100)) << "after failure " << failure;
    if (!failed || testing::Test::HasFailure()) return failure - 1;
  }
}

// proves: comparison-throws
TEST(PriorityQueueComparison, DequeueThatFailsLosesNothingAndKeepsTheOrder) {
  for (const std::size_t before : {0U, 3U}) {
    EXPECT_GT(for_every_failing_comparison(before, [](auto& queue, Model&) { return Ints{queue.dequeue().value()}; }),
              5);
  }
}

// proves: comparison-throws
TEST(PriorityQueueComparison, DequeueManyThatFailsLosesNothingAndKeepsTheOrder) {
  for (const std::size_t before : {0U, 3U}) {
    EXPECT_GT(for_every_failing_comparison(before, [](auto& queue, Model&) { return queue.dequeue_many(5).value(); }),
              10);
  }
}

// proves: comparison-throws
TEST(PriorityQueueComparison, DequeueUpToThatFailsLosesNothingAndKeepsTheOrder) {
  for (const std::size_t before : {0U, 3U}) {
    EXPECT_GT(for_every_failing_comparison(before,
                                           [](auto& queue, Model&) {
                                             queue.close();
                                             return queue.dequeue_up_to(16).value();
                                           }),
              10);
  }
}

// proves: comparison-throws
TEST(PriorityQueueComparison, DequeueAvailableThatFailsLosesNothingAndKeepsTheOrder) {
  EXPECT_GT(for_every_failing_comparison(0, [](auto& queue, Model&) { return queue.dequeue_available(7).value(); }),
            10);
}

// proves: large-batch
TEST(PriorityQueueComparison, LargeBatchThatFailsLosesNothingAndKeepsTheOrder) {
  constexpr int large = 3'000;
  int until_failure = 0;
  PriorityQueue<int, ThrowingComparison> queue(large, ThrowingComparison{&until_failure});
  Model model;
  for (int i = 0; i < large; ++i) {
    model.put(i * 7 % large);
    ASSERT_EQ(queue.enqueue(i * 7 % large), QueueStatus::ok);
  }
  for (const int failure : {1, 1'000, 20'000}) {
    until_failure = failure;
    EXPECT_THROW(static_cast<void>(queue.dequeue_many(large - 2)), ComparisonFailure);
    EXPECT_TRUE(queue.invariants_hold());
    until_failure = 0;
    EXPECT_EQ(queue.dequeue_many(10).value(), model.take(10));
    for (const int number : numbers(10)) {
      model.put(number);
      ASSERT_EQ(queue.enqueue(number), QueueStatus::ok);
    }
  }
  EXPECT_EQ(queue.dequeue_many(large).value(), model.take(large));
}

/// An element of a trivial type, whose key is computed, and throws at the k-th call from now, or never if k is 0.
template <class Key, std::size_t size>
struct ComputedKey {
  Key key() const {
    if (until_failure > 0 && --until_failure == 0) throw ComparisonFailure();
    return static_cast<Key>(number / 10);
  }
  int number;
  std::array<char, size> filling{};
  inline static int until_failure = 0;
};

/// Lets the first, second, ... call of the key fail during an enqueue and a dequeue_many, until none fails. Returns the
/// number of failures.
template <class Element>
int for_every_failing_key() {
  int& until_failure = Element::until_failure;
  for (int failure = 1;; ++failure) {
    PriorityQueue<Element, forebay::By<&Element::key>> queue(16);
    Model model;
    for (const int number : shuffled_numbers()) {
      model.put(number);
      EXPECT_EQ(queue.enqueue(Element{number}), QueueStatus::ok);
    }
    until_failure = failure;
    bool failed = false;
    try {
      EXPECT_EQ(queue.enqueue(Element{44}), QueueStatus::ok);
      model.put(44);
      const auto batch = queue.dequeue_many(5).value();
      until_failure = 0;
      for (const int number : model.take(5)) {
        EXPECT_TRUE(std::ranges::count(batch, number, &Element::number) > 0);
      }
    } catch (const ComparisonFailure&) {
      failed = true;
    }
    until_failure = 0;
    EXPECT_TRUE(queue.invariants_hold());
    Ints rest;
    while (const auto element = queue.dequeue(forebay::no_wait)) rest.push_back(element->number);
    EXPECT_EQ(rest, model.take(100)) << "after failure " << failure;
    if (!failed || testing::Test::HasFailure()) return failure - 1;
  }
}

// proves: comparison-throws
TEST(PriorityQueueComparison, KeyThatThrowsLosesNothingAndKeepsTheOrder) {
  EXPECT_GT((for_every_failing_key<ComputedKey<int, 1>>()), 10);
  EXPECT_GT((for_every_failing_key<ComputedKey<double, 4>>()), 10);
  EXPECT_GT((for_every_failing_key<ComputedKey<int, 100>>()), 5);
  EXPECT_GT((for_every_failing_key<ComputedKey<float, 100>>()), 5);
}

TEST(PriorityQueueComparison, EnqueueComparesNothing) {
  const auto failures = for_every_failing_comparison(3, [](auto& queue, Model& model) {
    model.put(15);
    model.put(35);
    model.put(15);
    EXPECT_EQ(queue.enqueue(15), QueueStatus::ok);
    EXPECT_EQ(queue.enqueue_many({35, 15}).count, 2U);
    return Ints();
  });
  EXPECT_EQ(failures, 0);
}

// proves: comparison-throws
TEST(PriorityQueueComparison, FailureAfterFailureLosesNothing) {
  int until_failure = 0;
  PriorityQueue<int, ThrowingComparison> queue(16, ThrowingComparison{&until_failure});
  Model model;
  for (int failure = 1; failure < 60; ++failure) {
    if (queue.size() < 16) {
      model.put(failure * 7 % 100);
      ASSERT_EQ(queue.enqueue(failure * 7 % 100), QueueStatus::ok);
    }
    until_failure = 1 + failure * 5 % 23;
    try {
      const auto batch = queue.dequeue_available(3);
      EXPECT_EQ(*batch, model.take(3));
    } catch (const ComparisonFailure&) {
    }
    until_failure = 0;
    ASSERT_EQ(queue.size(), model.size());
  }
  EXPECT_EQ(all_of(queue), model.take(100));
}

// proves: comparison-throws
TEST(PriorityQueueComparison, ConsumerWhoseComparisonFailsLeavesTheElementsToTheNext) {
  int until_failure = 0;
  PriorityQueue<int, ThrowingComparison> queue(4, ThrowingComparison{&until_failure});
  Background failing([&] {
    try {
      return queue.dequeue_many(2).status();
    } catch (const ComparisonFailure&) {
      return QueueStatus::empty;
    }
  });
  ASSERT_TRUE(await_waiting_consumers(queue, 1));
  Background next([&] { return queue.dequeue_many(2); });
  ASSERT_TRUE(await_waiting_consumers(queue, 2));
  until_failure = 1;
  ASSERT_EQ(queue.enqueue_many({30, 10}).count, 2U);
  EXPECT_EQ(failing.get(), QueueStatus::empty);
  EXPECT_EQ(next.get().value(), (Ints{10, 30}));
}

TEST(PriorityQueueComparison, ElementsOutliveFailures) {
  Ledger ledger;
  int until_failure = 0;
  for (int failure = 1; failure < 40; ++failure) {
    PriorityQueue<ThrowingMoveOnly, ThrowingComparison> queue(16, ThrowingComparison{&until_failure});
    for (const int number : shuffled_numbers()) {
      ASSERT_EQ(queue.enqueue(ThrowingMoveOnly(number, ledger)), QueueStatus::ok);
    }
    until_failure = failure;
    EXPECT_THROW(
        while (true) { EXPECT_TRUE(queue.dequeue()); }, ComparisonFailure);
    until_failure = 0;
    EXPECT_EQ(ledger.alive(), queue.size());
    int last = 0;
    while (const auto element = queue.dequeue(no_wait)) {
      EXPECT_LE(last / 10, element->number() / 10);
      last = element->number();
    }
  }
  EXPECT_EQ(ledger.alive(), 0U);
}

// ---- Copies that fail after the order is determined

TEST(PriorityQueue, WhatCouldNotLeaveKeepsItsPlace) {
  Ledger ledger;
  const auto by_tens = [](const ThrowingMove& a, const ThrowingMove& b) { return a.number() / 10 < b.number() / 10; };
  for (std::size_t failure = 1; failure <= 4; ++failure) {
    PriorityQueue<ThrowingMove, decltype(by_tens)> queue(16);
    Model model;
    const auto put = [&](int number) {
      model.put(number);
      ASSERT_EQ(queue.enqueue(ThrowingMove(number, ledger)), QueueStatus::ok);
    };
    for (const int number : shuffled_numbers()) put(number);
    ledger.fail_at(failure);
    EXPECT_THROW(static_cast<void>(queue.dequeue_many(4)), ElementFailure);
    put(13);
    put(5);
    Ints all;
    while (const auto element = queue.dequeue(no_wait)) all.push_back(element->number());
    EXPECT_EQ(all, model.take(100));
  }
}

// ---- Moves

TEST(PriorityQueue, MovesNoMoreThanOneExchangeForEachElementThatLeaves) {
  Ledger ledger;
  const auto largest = [](const MoveOnly& a, const MoveOnly& b) { return a.number() > b.number(); };
  PriorityQueue<MoveOnly, decltype(largest)> queue(64);
  for (const int number : numbers(64)) ASSERT_EQ(queue.enqueue(MoveOnly(number, ledger)), QueueStatus::ok);
  EXPECT_EQ(ledger.moved(), 64U);
  while (queue.dequeue(no_wait)) {
  }
  EXPECT_LE(ledger.moved(), 64U + 64U + 3U * 64U) << "in, out, and three moves for an exchange";
}

}  // namespace
}  // namespace forebay_test
