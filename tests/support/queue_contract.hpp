// SPDX-License-Identifier: MIT
//
// queue_contract.hpp: common parts of the contract's suites, which run on every kind of queue.

#ifndef FOREBAY_TESTS_SUPPORT_QUEUE_CONTRACT_HPP
#define FOREBAY_TESTS_SUPPORT_QUEUE_CONTRACT_HPP

#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

#include "forebay/count.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/wait.hpp"
#include "tests/support/blocking_operations.hpp"

namespace forebay_test {

/// The cause of a close.
struct Cause : std::runtime_error {
  Cause() : Cause("why the queue was closed") {}
  using std::runtime_error::runtime_error;
};

template <class... Text>
std::exception_ptr cause(Text... text) {
  return std::make_exception_ptr(Cause(text...));
}

/// Calls a function when an exception destroys it.
template <class Call>
struct DuringUnwinding {
  Call call;
  ~DuringUnwinding() { call(); }
};

/// Throws a Cause through a scope whose destructor calls `call`.
template <class Call>
void unwind(Call call) {
  EXPECT_THROW(
      {
        const DuringUnwinding<Call> scope{std::move(call)};
        throw Cause();
      },
      Cause);
}

/// The base class of the fixtures of typed suites over QueueFactories.
template <class Factory>
class QueueContractTest : public testing::Test {
 protected:
  template <class T>
  using Queue = typename Factory::template Queue<T>;

  template <class T = int>
  static Queue<T> make(forebay::Capacity capacity) {
    return Factory::template make<T>(capacity);
  }

  /// Converts a batch of any kind.
  template <class Batch>
  static std::vector<int> elements_of(const Batch& batch) {
    return {batch.begin(), batch.end()};
  }

  /// Expects these elements, in this order if this kind of queue keeps it.
  template <class Batch>
  static void expect_elements(const Batch& batch, std::vector<int> expected) {
    std::vector<int> actual = elements_of(batch);
    if (!Factory::keeps_order) {
      std::ranges::sort(actual);
      std::ranges::sort(expected);
    }
    EXPECT_EQ(actual, expected);
  }

  static std::vector<int> take_all(Queue<int>& queue) {
    std::vector<int> all;
    while (const auto element = queue.dequeue(forebay::no_wait)) all.push_back(*element);
    return all;
  }

  static void fill(Queue<int>& queue, int count) {
    ASSERT_EQ(queue.enqueue_many(numbers(count), forebay::no_wait).status, QueueStatus::ok);
  }
};

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_QUEUE_CONTRACT_HPP
