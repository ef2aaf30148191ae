// SPDX-License-Identifier: MIT
//
// queue_kinds.hpp: the properties of each kind of queue that the scenarios need. To explore another kind, write a class
// like these and add it to QueueKinds.

#ifndef FOREBAY_TESTS_MODEL_QUEUE_KINDS_HPP
#define FOREBAY_TESTS_MODEL_QUEUE_KINDS_HPP

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/count.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/padding_fifo_queue.hpp"
#include "forebay/priority_queue.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "tests/model/model_object.hpp"
#include "tests/model/model_sync.hpp"
#include "tests/support/name_of_parameter.hpp"  // IWYU pragma: export

namespace forebay_model {

/// A move-only element. Only the queue guards its content against data races.
class Element {
 public:
  explicit Element(int value) : value_(value) {}
  [[nodiscard]] int value() const { return value_.get(); }
  friend bool operator<(const Element& a, const Element& b) { return a.value() < b.value(); }

 private:
  Shared<int> value_;
};

/// The usual kind: elements are Elements, and a batch is a vector of them that may exceed the capacity.
struct UsualKind {
  using Item = Element;
  static constexpr bool accumulates = true;
  static constexpr bool has_min_after_dequeue = false;  // also means that it has a window

  static Item make_item(int value) { return Item(value); }
  static std::vector<int> values_of(const Item& item) { return {item.value()}; }
  static std::vector<int> values_of(const std::vector<Item>& batch) {
    std::vector<int> values;
    for (const Item& item : batch) values.push_back(item.value());
    return values;
  }
};

struct FifoKind : UsualKind {
  using Queue = forebay::FIFOQueue<Item, ModelSync>;
  static std::string name() { return "FIFOQueue"; }
  static forebay::Capacity options(std::size_t capacity, std::size_t /*min_after_dequeue*/) { return capacity; }

  static std::optional<std::size_t> may_leave(const std::vector<int>& stored, int value) {
    if (stored.empty() || stored.front() != value) return std::nullopt;
    return 0;
  }
};

struct RandomShuffleKind : UsualKind {
  using Queue = forebay::RandomShuffleQueue<Item, ModelSync>;
  static constexpr bool has_min_after_dequeue = true;
  static std::string name() { return "RandomShuffleQueue"; }
  static forebay::RandomShuffleOptions options(std::size_t capacity, std::size_t min_after_dequeue) {
    return {.capacity = capacity, .min_after_dequeue = min_after_dequeue, .seed = 1};
  }
  static forebay::RandomShuffleOptions with_window(std::size_t capacity, std::size_t window) {
    return {.capacity = capacity, .seed = 1, .window = window};  // the second draw is not the oldest element
  }

  static std::optional<std::size_t> may_leave(const std::vector<int>& stored, int value) {
    const auto found = std::find(stored.begin(), stored.end(), value);
    if (found == stored.end()) return std::nullopt;
    return static_cast<std::size_t>(found - stored.begin());
  }
};

struct PaddingKind : FifoKind {
  using Queue = forebay::PaddingFIFOQueue<Item, ModelSync>;
  static std::string name() { return "PaddingFIFOQueue"; }
};

struct PriorityKind : UsualKind {
  using Queue = forebay::PriorityQueue<Item, std::less<>, ModelSync>;
  static constexpr bool accumulates = false;
  static std::string name() { return "PriorityQueue"; }
  static forebay::Capacity options(std::size_t capacity, std::size_t /*min_after_dequeue*/) { return capacity; }

  static std::optional<std::size_t> may_leave(const std::vector<int>& stored, int value) {
    const auto smallest = std::min_element(stored.begin(), stored.end());
    if (smallest == stored.end() || *smallest != value) return std::nullopt;
    return static_cast<std::size_t>(smallest - stored.begin());
  }
};

/// The same kinds with batches that move in steps of one element.
struct SteppedFifoKind : FifoKind {
  using Queue = forebay::FIFOQueue<Item, SteppedModelSync>;
};
struct SteppedRandomShuffleKind : RandomShuffleKind {
  using Queue = forebay::RandomShuffleQueue<Item, SteppedModelSync>;
};
struct SteppedPaddingKind : PaddingKind {
  using Queue = forebay::PaddingFIFOQueue<Item, SteppedModelSync>;
};
struct SteppedPriorityKind : PriorityKind {
  using Queue = forebay::PriorityQueue<Item, std::less<>, SteppedModelSync>;
};

using SteppedQueueKinds =
    testing::Types<SteppedFifoKind, SteppedRandomShuffleKind, SteppedPaddingKind, SteppedPriorityKind>;

using QueueKinds = testing::Types<FifoKind, RandomShuffleKind, PaddingKind, PriorityKind>;

/// The kinds that drop elements instead of waiting.
using DroppingQueueKinds = testing::Types<FifoKind, PaddingKind>;
using SteppedDroppingQueueKinds = testing::Types<SteppedFifoKind, SteppedPaddingKind>;

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_QUEUE_KINDS_HPP
