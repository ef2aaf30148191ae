// SPDX-License-Identifier: MIT
//
// user_code_test.cpp: user code, except the move of T, runs while no lock of the queue is held. It may block, and may
// even call the queue. A call under the lock would hang these tests.

#include <gtest/gtest.h>

#include <concepts>
#include <cstddef>
#include <forward_list>
#include <functional>
#include <list>
#include <memory>
#include <ranges>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "forebay/fifo_queue.hpp"
#include "forebay/priority_queue.hpp"
#include "forebay/queue_ref.hpp"
#include "forebay/queue_status.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/queue_contract.hpp"
#include "tests/support/queue_factories.hpp"

namespace forebay_test {
namespace {

using forebay::no_wait;
using forebay::QueueStatus;

/// A number whose copy calls a function of the test.
class Asking {
 public:
  Asking(int number, const std::function<void()>& ask) : number_(number), ask_(&ask) {}
  Asking(const Asking& other) : number_(other.number_), ask_(other.ask_) { (*ask_)(); }
  Asking(Asking&& other) noexcept = default;
  Asking& operator=(const Asking&) = delete;
  Asking& operator=(Asking&&) = delete;
  ~Asking() = default;

  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
  const std::function<void()>* ask_;
};

/// compute(0) to compute(count - 1), each computed when it is read.
template <class Compute>
class Computed {
 public:
  class Iterator {
   public:
    using value_type = int;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    Iterator(const Compute& compute, int number) : compute_(&compute), number_(number) {}

    [[nodiscard]] int operator*() const { return (*compute_)(number_); }
    Iterator& operator++() {
      ++number_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++number_;
      return before;
    }
    [[nodiscard]] bool operator==(const Iterator& other) const { return number_ == other.number_; }

   private:
    const Compute* compute_ = nullptr;
    int number_ = 0;
  };

  Computed(int count, Compute compute) : count_(count), compute_(std::move(compute)) {}

  [[nodiscard]] Iterator begin() const { return Iterator(compute_, 0); }
  [[nodiscard]] Iterator end() const { return Iterator(compute_, count_); }

 private:
  int count_;
  Compute compute_;
};

template <class Factory>
class UserCode : public QueueContractTest<Factory> {
 protected:
  using Queue = typename Factory::template Queue<Asking>;

  Asking asking(int number) const { return {number, ask_}; }

  Queue queue_ = Factory::template make<Asking>(8);
  std::size_t asked_ = 0;
  std::function<void()> ask_ = [this] {
    asked_ += queue_.size() + 1;  // takes both locks
  };
};
TYPED_TEST_SUITE(UserCode, QueueFactories, NameOfParameter);

// proves: user-code-unlocked
TYPED_TEST(UserCode, CopyOfAnElementMayAskTheQueue) {
  const Asking element = this->asking(1);
  ASSERT_EQ(this->queue_.enqueue(element), QueueStatus::ok);
  EXPECT_EQ(this->asked_, 1U);
}

// proves: user-code-unlocked
TYPED_TEST(UserCode, CopiesOfARangeMayAskTheQueue) {
  std::list<Asking> elements;
  for (const int number : numbers(3)) elements.push_back(this->asking(number));
  const auto result = this->queue_.enqueue_many(elements);
  EXPECT_EQ(result.count, 3U);
  EXPECT_EQ(this->asked_, 3U);
}

TYPED_TEST(UserCode, CopiesOfAListInBracesMayAskTheQueue) {
  const Asking element = this->asking(1);
  const auto result = this->queue_.enqueue_many({element, element});
  EXPECT_EQ(result.count, 2U);
}

// proves: user-code-unlocked
TYPED_TEST(UserCode, CopiesThroughAReferenceMayAskTheQueue) {
  const forebay::QueueRef<Asking> ref(this->queue_);
  const std::vector<Asking> elements{this->asking(1), this->asking(2)};
  EXPECT_EQ(ref.enqueue(elements.front()), QueueStatus::ok);
  EXPECT_EQ(ref.enqueue_many(elements).count, 2U);
}

// proves: user-code-unlocked
TYPED_TEST(UserCode, RangeThatComputesMayAskTheQueue) {
  auto queue = this->template make<int>(8);
  const Computed computed(3, [&queue](int number) { return number + static_cast<int>(queue.size()); });
  static_assert(std::ranges::forward_range<decltype(computed)>);
  EXPECT_EQ(queue.enqueue_many(computed).count, 3U);
  EXPECT_EQ(this->take_all(queue).size(), 3U);
}

TYPED_TEST(UserCode, DestructorOfAnElementMayAskWhenItsQueueHasEnded) {
  const auto other = std::make_unique<forebay::FIFOQueue<int>>(1);
  struct Asks {
    explicit Asks(forebay::FIFOQueue<int>& asked) : queue(&asked) {}
    Asks(Asks&& from) noexcept : queue(std::exchange(from.queue, nullptr)) {}
    Asks(const Asks&) = delete;
    Asks& operator=(const Asks&) = delete;
    Asks& operator=(Asks&&) = delete;
    ~Asks() {
      if (queue != nullptr) queue->close();
    }
    forebay::FIFOQueue<int>* queue;
  };
  {
    auto queue = this->template make<Asks>(2);
    ASSERT_EQ(queue.enqueue(Asks(*other)), QueueStatus::ok);
  }
  EXPECT_TRUE(other->is_closed());
}

// ---- What an operation reads, and when

using Fifo = forebay::FIFOQueue<int>;

// proves: user-code-unlocked
TEST(EnqueueManyOf, AQueueThatIsEmptyHoldsNobodyUp) {
  Fifo in(4);
  Fifo out(4);
  Background mover([&] { return out.enqueue_many(in); });
  ASSERT_TRUE(await_waiting_consumers(in, 1));
  EXPECT_EQ(out.dequeue(no_wait).status(), QueueStatus::empty);
  EXPECT_EQ(out.enqueue(7, no_wait), QueueStatus::ok);
  ASSERT_EQ(in.enqueue_many(numbers(3)).status, QueueStatus::ok);
  in.close();
  EXPECT_EQ(mover.get().count, 3U);
  EXPECT_EQ(out.dequeue_many(4).value(), (std::vector{7, 0, 1, 2}));
}

TEST(EnqueueManyOf, AQueueThatFailsPutsInWhatCameBefore) {
  Fifo in(4);
  Fifo out(4);
  ASSERT_EQ(in.enqueue_many(numbers(3)).status, QueueStatus::ok);
  in.close(cause());
  EXPECT_THROW(static_cast<void>(out.enqueue_many(in)), Cause);
  EXPECT_EQ(out.dequeue_many(3).value(), numbers(3));
}

TEST(EnqueueManyOf, AContainerThatCannotTellItsSizeTakesItsElements) {
  const std::forward_list<int> list{1, 2, 3};
  forebay::FIFOQueue<int> queue(forebay::unbounded);
  EXPECT_EQ(queue.enqueue_many(list).count, 3U);
  EXPECT_EQ(queue.dequeue_many(3).value(), (std::vector{1, 2, 3}));
}

TEST(EnqueueManyOf, AContainerGivenAwayLeavesWhatDidNotGoIn) {
  forebay::FIFOQueue<std::unique_ptr<int>> queue(1);
  std::vector<std::unique_ptr<int>> elements;
  elements.push_back(std::make_unique<int>(1));
  elements.push_back(std::make_unique<int>(2));
  EXPECT_EQ(queue.enqueue_many(std::move(elements), no_wait).count, 1U);
  EXPECT_EQ(elements[0], nullptr);  // NOLINT(bugprone-use-after-move): that is what is tested
  ASSERT_NE(elements[1], nullptr);
  EXPECT_EQ(*elements[1], 2);
}

TEST(EnqueueManyOf, ElementsThatAreMadeOfOthersLeavesThoseUntouched) {
  forebay::FIFOQueue<std::string> queue(1);
  std::vector<const char*> words{"to", "be"};
  EXPECT_EQ(queue.enqueue_many(std::move(words), no_wait).count, 1U);
  EXPECT_STREQ(words[1], "be");  // NOLINT(bugprone-use-after-move): that is what is tested
}

// ---- The parts of a prioritized element

// proves: user-code-unlocked
TEST(EnqueueOfPriorityAndValue, CopiesTheValueBeforeItTakesALock) {
  forebay::PriorityQueue<forebay::Prioritized<Asking>> queue(4);
  const std::function<void()> ask = [&queue] { static_cast<void>(queue.size()); };
  const Asking value(1, ask);
  EXPECT_EQ(queue.enqueue(3, value), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue()->value.number(), 1);
}

TEST(EnqueueOfPriorityAndValue, LeavesWhatWasGivenAwayWhenItIsFull) {
  forebay::PriorityQueue<forebay::Prioritized<std::string>> queue(1);
  std::string word = "a word that is too long for the string itself";
  const std::string copy = word;
  EXPECT_EQ(queue.enqueue(3, word), QueueStatus::ok);
  EXPECT_EQ(queue.enqueue(2, std::move(word), no_wait), QueueStatus::full);
  EXPECT_EQ(word, copy);  // NOLINT(bugprone-use-after-move): that is what is tested
}

// ---- Elements whose address is hard to take

struct WithoutAddress {
  explicit WithoutAddress(int number_) : number(number_) {}
  void operator&() const = delete;
  [[nodiscard]] friend bool operator<(const WithoutAddress& a, const WithoutAddress& b) { return a.number < b.number; }

  int number;
};

TYPED_TEST(UserCode, ElementMayHaveAnAddressOperatorOfItsOwn) {
  auto queue = this->template make<WithoutAddress>(4);
  const WithoutAddress element(1);
  ASSERT_EQ(queue.enqueue(element), QueueStatus::ok);
  ASSERT_EQ(queue.enqueue(WithoutAddress(1)), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue()->number, 1);
  std::vector<WithoutAddress> batch;
  EXPECT_EQ(queue.dequeue_many(1, batch), QueueStatus::ok);
}

#if !defined(__clang__) || __clang_major__ >= 16  // earlier versions cannot compile the views of libstdc++

// ---- Views

TYPED_TEST(UserCode, ViewThatComputesMayAskTheQueue) {
  auto queue = this->template make<int>(8);
  const auto ask = [&queue](int number) { return number + static_cast<int>(queue.size()); };
  const std::vector<int> stored = numbers(3);
  EXPECT_EQ(queue.enqueue_many(stored | std::views::transform(ask)).count, 3U);
}

TYPED_TEST(UserCode, PredicateOfAViewMayAskTheQueue) {
  auto queue = this->template make<int>(8);
  const auto ask = [&queue](int number) { return number != 1 && queue.size() == 0; };
  std::vector<int> stored = numbers(3);
  EXPECT_EQ(queue.enqueue_many(stored | std::views::filter(ask)).count, 2U);
}

TEST(EnqueueManyOf, AnInputStreamTakesItsNumbers) {
  std::istringstream stream("3 1 2");
  Fifo queue(4);
  EXPECT_EQ(queue.enqueue_many(std::views::istream<int>(stream)).count, 3U);
  EXPECT_EQ(queue.dequeue_many(3).value(), (std::vector{3, 1, 2}));
}

TEST(EnqueueManyOf, ABoolMadeByAViewIsOne) {
  forebay::FIFOQueue<bool> queue(4);
  const auto is_odd = [](int number) { return number % 2 == 1; };
  EXPECT_EQ(queue.enqueue_many(numbers(3) | std::views::transform(is_odd)).count, 3U);
  EXPECT_EQ(queue.dequeue_many(3).value(), (std::vector{false, true, false}));
}

#endif

}  // namespace
}  // namespace forebay_test
