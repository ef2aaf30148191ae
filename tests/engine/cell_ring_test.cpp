// SPDX-License-Identifier: MIT
//
// The ring of cells by itself: which cells are constructed, which blocks are added and removed, and how distant cells
// are counted.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "forebay/count.hpp"
#include "forebay/engine/cell.hpp"
#include "forebay/engine/cell_ring.hpp"
#include "tests/support/counted_cells_sync.hpp"
#include "tests/support/elements.hpp"

namespace forebay_test {
namespace {

using forebay::unbounded;

constexpr std::size_t block = 4;
constexpr std::size_t most_at_once = 64;

std::size_t cells_made() { return CountedCellsSync::flags_made; }

/// A ring with both cursors, used by one thread.
template <class Element>
class Ring {
 public:
  explicit Ring(forebay::Capacity capacity)
      : ring_(capacity, Layout::of<Element>()), head_(ring_.head()), tail_(ring_.tail()) {}
  ~Ring() { ring_.clear<Element>(head_, tail_); }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  template <class... Arguments>
  void put(Arguments&&... arguments) {
    ring_.put<Element>(tail_, std::forward<Arguments>(arguments)...);
  }
  void put_many(std::size_t count) {
    const auto supply = [this](auto receive) { receive(next_++); };
    ring_.put_many<Element>(tail_, count, supply, std::identity());
  }
  std::vector<int> take(std::size_t count) {
    std::vector<int> taken;
    ring_.remove<Element>(head_, count, [&](Element& element) { taken.push_back(number_of(element)); });
    return taken;
  }

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(tail_.passed() - head_.passed()); }
  [[nodiscard]] bool is_full(std::size_t ahead) const { return ring_.is_full(head_, ahead); }
  [[nodiscard]] bool has_room(std::size_t count) const { return !ring_.is_full(tail_, count - 1); }
  [[nodiscard]] std::size_t count(std::size_t seen, std::size_t limit) const {
    return ring_.count_full(head_, seen, limit);
  }
  [[nodiscard]] Element& operator[](std::size_t i) { return ring_.elements<Element>(head_)[i]; }
  [[nodiscard]] bool is_right() const { return ring_.holds_exactly(head_, size()); }

 private:
  using Cells = forebay::detail::CellRing<CountedCellsSync>;
  using Layout = forebay::detail::CellLayout<CountedCellsSync>;

  static int number_of(int element) { return element; }
  template <class T>
  static int number_of(const T& element) {
    return element.number();
  }

  Cells ring_;
  Cells::Cursor head_;
  Cells::Cursor tail_;
  int next_ = 0;
};

std::vector<int> numbers_from(int first, std::size_t count) {
  std::vector<int> all(count);
  for (int& each : all) each = first++;
  return all;
}

// ---- Constructed cells

TEST(CellRing, OfAnyCapacityBeginsWithAFewCells) {
  for (const std::size_t capacity : {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{65},
                                     std::size_t{10'000}, std::size_t{100'000}}) {
    const std::size_t before = cells_made();
    const Ring<int> ring(capacity);
    EXPECT_EQ(cells_made() - before, std::min(capacity, most_at_once)) << capacity;
  }
}

TEST(CellRing, MakesCellsAsProducersComeNearThem) {
  const std::size_t before = cells_made();
  Ring<int> ring(1000);
  for (std::size_t used = 1; used <= 900; ++used) {
    ring.put(0);
    const std::size_t made = cells_made() - before;
    EXPECT_GT(made, used) << "behind a full cell there is one to look at";
    EXPECT_LE(made, used + most_at_once);
    ASSERT_TRUE(ring.is_right());
  }
}

TEST(CellRing, ThatHoldsLittleMakesEachCellOnce) {
  const std::size_t before = cells_made();
  Ring<int> ring(100);
  for (int i = 0; i < 1000; ++i) {
    ring.put(i);
    EXPECT_EQ(ring.take(1), std::vector{i});
  }
  EXPECT_EQ(cells_made() - before, 100U);
}

TEST(CellRing, CellsThatAreNotMadeAreEmptyFromBothSides) {
  Ring<int> ring(1000);
  ring.put(0);
  for (const std::size_t ahead : {1U, 63U, 64U, 500U, 999U}) {
    EXPECT_FALSE(ring.is_full(ahead)) << ahead;
    EXPECT_TRUE(ring.has_room(ahead)) << ahead;
  }
  EXPECT_FALSE(ring.has_room(1000));
}

TEST(CellRing, FullCellsAreSeenFromBehindThoseThatAreNotMade) {
  Ring<int> ring(100);
  ring.put_many(10);
  EXPECT_TRUE(ring.has_room(90));
  EXPECT_FALSE(ring.has_room(91));
  EXPECT_FALSE(ring.has_room(100));
}

TEST(CellRing, OfMoreThanTheAddressSpaceHoldsIsRejected) {
  EXPECT_THROW(Ring<int>(std::numeric_limits<std::size_t>::max() / 4), std::invalid_argument);
}

// ---- Blocks

TEST(UnboundedCellRing, KeepsOrderThroughManyBlocks) {
  Ring<int> ring(unbounded);
  int first = 0;
  for (std::size_t stored = 0; stored < 40; ++stored) {
    ring.put_many(stored + 3);
    ASSERT_TRUE(ring.is_right());
    EXPECT_EQ(ring.take(stored + 2), numbers_from(first, stored + 2));
    first += static_cast<int>(stored) + 2;
    ASSERT_TRUE(ring.is_right());
  }
}

TEST(UnboundedCellRing, GrowsWithoutMovingAnElement) {
  Ledger ledger;
  using Element = Tracked<Copying::forbidden, Moving::may_throw>;
  Ring<Element> ring(unbounded);
  std::vector<Element*> places;
  for (int i = 0; i < 1000; ++i) {
    ring.put(i, ledger);
    places.push_back(&ring[static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(ledger.moved(), 0U);
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(&ring[i], places[i]);
  ring.take(500);
  EXPECT_EQ(ledger.alive(), 500U);
}

// proves: allocation
TEST(UnboundedCellRing, ElementThatCannotBeMadeAtTheEndOfABlockChangesNothing) {
  Ledger ledger;
  using Element = Tracked<Copying::may_throw, Moving::never_throws>;
  const Element element(7, ledger);
  for (std::size_t stored = 0; stored < 3 * block; ++stored) {
    Ring<Element> ring(unbounded);
    for (std::size_t i = 0; i < stored; ++i) ring.put(static_cast<int>(i), ledger);
    std::size_t made = 0;
    for (int attempt = 0; attempt < 3; ++attempt) {
      ledger.fail_at(1);
      EXPECT_THROW(ring.put(element), ElementFailure);
      EXPECT_TRUE(ring.is_right());
      EXPECT_TRUE(attempt == 0 || cells_made() == made) << "it has its block already";
      made = cells_made();
    }
    ring.put(element);
    auto expected = numbers_from(0, stored);
    expected.push_back(7);
    EXPECT_EQ(ring.take(stored + 1), expected);
    EXPECT_TRUE(ring.is_right());
  }
}

TEST(UnboundedCellRing, UsesItsBlocksAgainWhileWhatIsStoredSwingsByLessThanABlock) {
  for (std::size_t least = 0; least < 5 * block; ++least) {
    Ring<int> ring(unbounded);
    ring.put_many(least);
    const auto swing = [&] {
      for (std::size_t i = 0; i < 10 * block; ++i) {
        ring.put_many(block - 1);
        ring.take(block - 1);
      }
    };
    swing();
    const std::size_t before = cells_made();
    swing();
    EXPECT_EQ(cells_made(), before) << "from " << least;
  }
}

/// Puts in as many elements as fill `blocks` blocks. Returns how many new cells that makes.
std::size_t cells_made_for_blocks(Ring<int>& ring, std::size_t blocks) {
  const std::size_t before = cells_made();
  ring.put_many(blocks * block);
  return cells_made() - before;
}

// proves: unbounded-shrinks
TEST(UnboundedCellRing, ThatIsDrainedHasTwoBlocksLeft) {
  for (std::size_t at_once = 1; at_once <= 3 * block; ++at_once) {
    Ring<int> ring(unbounded);
    ring.put_many(20 * block + at_once);
    while (ring.size() > 0) ring.take(std::min(at_once, ring.size()));
    EXPECT_EQ(cells_made_for_blocks(ring, 20), 19 * block) << at_once;  // and one more cell, in the current block
  }
}

// proves: unbounded-shrinks
TEST(UnboundedCellRing, HasTwoBlocksMoreThanItNeedsAtMost) {
  Ring<int> ring(unbounded);
  ring.put_many(20 * block);
  ring.take(10 * block);
  EXPECT_EQ(cells_made_for_blocks(ring, 10), 8 * block);
}

TEST(UnboundedCellRing, HasRoomForAnyNumber) {
  Ring<int> ring(unbounded);
  ring.put_many(3);
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{5}, std::size_t{1'000'000}, std::numeric_limits<std::size_t>::max() / 2})
    EXPECT_TRUE(ring.has_room(count)) << count;
  EXPECT_FALSE(ring.is_full(std::numeric_limits<std::size_t>::max() / 2));
}

// ---- Counting

TEST(CellRing, CountsWhatIsStoredWhateverWasSeen) {
  for (const forebay::Capacity capacity : {forebay::Capacity(700), forebay::Capacity(unbounded)}) {
    for (const std::size_t passed : {0U, 300U, 699U}) {
      Ring<int> ring(capacity);
      ring.put_many(passed), ring.take(passed);
      for (std::size_t stored = 0; stored <= 700; stored += 1 + stored / 9) {
        if (ring.size() < stored) ring.put_many(stored - ring.size());
        for (std::size_t seen = 0; seen <= stored; seen += 1 + stored / 7) {
          EXPECT_EQ(ring.count(seen, 700), stored);
          EXPECT_EQ(ring.count(seen, std::max(seen, stored / 2)), std::max(seen, stored / 2));
        }
      }
    }
  }
}

}  // namespace
}  // namespace forebay_test
