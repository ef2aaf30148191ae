// SPDX-License-Identifier: MIT
//
// async_contract_test.cpp: the table of the contract, for every operation of every kind of queue, awaited by a
// coroutine. A call whose Wait has a time, or that must not wait, blocks: it has no awaited form.

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "forebay/count.hpp"
#include "tests/support/awaited_queue.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/operation_contract.hpp"
#include "tests/support/queue_factories.hpp"

namespace forebay_test {
namespace {

template <class Factory>
struct Awaited : Factory {
  static std::string name() { return "Awaited" + Factory::name(); }

  template <class T>
  using Queue = AwaitedQueue<typename Factory::template Queue<T>>;

  template <class T>
  static Queue<T> make(forebay::Capacity capacity) {
    return Queue<T>(std::in_place, [&] { return Factory::template make<T>(capacity); });
  }
};

using AwaitedFactories = testing::Types<Awaited<FifoFactory>, Awaited<RandomShuffleFactory>, Awaited<PaddingFactory>,
                                        Awaited<PriorityFactory>>;

using EveryAwaitedOperation =
    Joined<OnEach<AwaitedFactories, Enqueue, EnqueueMany, EnqueueManyLargerThanCapacity, Dequeue, DequeueMany,
                  DequeueManyReused, DequeueUpTo, DequeueUpToReused, DequeueAvailable, DequeueAvailableReused>::type,
           OnEach<Accumulating<AwaitedFactories>::type, DequeueManyLargerThanCapacity,
                  DequeueUpToLargerThanCapacity>::type>::type;

// proves: awaited-calls
INSTANTIATE_TYPED_TEST_SUITE_P(EveryAwaitedQueue, OperationContract, EveryAwaitedOperation, NameOfParameter);

}  // namespace
}  // namespace forebay_test
