// SPDX-License-Identifier: MIT
//
// elements.hpp: elements that count their operations, that throw on request, or that are awkward to store.

#ifndef FOREBAY_TESTS_SUPPORT_ELEMENTS_HPP
#define FOREBAY_TESTS_SUPPORT_ELEMENTS_HPP

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tests/support/numbers.hpp"

namespace forebay_test {

/// What an element throws when its ledger requests it.
struct ElementFailure : std::runtime_error {
  ElementFailure() : std::runtime_error("an element's copy or move fails, as the test wants") {}
};

/// Records how many elements were constructed, in which way, and which are alive. Destroying an element twice, or using
/// it after its destruction, fails the test.
class Ledger {
 public:
  Ledger() = default;
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;
  ~Ledger() { EXPECT_EQ(alive(), 0U) << "elements outlive the test"; }

  /// Makes the n-th copy or throwing move from now fail, counted from 1. 0 means none.
  void fail_at(std::size_t n) {
    const std::lock_guard guard(mutex_);
    until_failure_ = n;
  }

  /// Returns whether the requested failure is still pending, and cancels it.
  bool take_pending_failure() {
    const std::lock_guard guard(mutex_);
    const bool pending = until_failure_ > 0;
    until_failure_ = 0;
    return pending;
  }

  std::size_t constructed() const { return read(constructed_); }
  std::size_t copied() const { return read(copied_); }
  std::size_t moved() const { return read(moved_); }
  std::size_t destroyed() const { return read(destroyed_); }
  std::size_t alive() const {
    const std::lock_guard guard(mutex_);
    return alive_.size();
  }

  // ---- Called by elements

  void note_construction(const void* element) { begin(element, constructed_); }

  /// Throws ElementFailure when the requested failure is due.
  void note_copy(const void* element, const void* from) {
    fail_if_it_is_time();
    note_use(from);
    begin(element, copied_);
  }
  void note_throwing_move(const void* element, const void* from) {
    fail_if_it_is_time();
    note_move(element, from);
  }
  void note_move(const void* element, const void* from) {
    note_use(from);
    begin(element, moved_);
  }

  void note_throwing_assignment(const void* element, const void* from) {
    fail_if_it_is_time();
    note_use(element);
    note_use(from);
  }

  void note_destruction(const void* element) {
    const std::lock_guard guard(mutex_);
    ++destroyed_;
    EXPECT_EQ(alive_.erase(element), 1U) << "an element is destroyed that is not alive";
  }

  void note_use(const void* element) const {
    const std::lock_guard guard(mutex_);
    EXPECT_TRUE(alive_.contains(element)) << "an element is used that is not alive";
  }

 private:
  std::size_t read(const std::size_t& counter) const {
    const std::lock_guard guard(mutex_);
    return counter;
  }

  void begin(const void* element, std::size_t& counter) {
    const std::lock_guard guard(mutex_);
    ++counter;
    EXPECT_TRUE(alive_.insert(element).second) << "an element is made where one lives";
  }

  void fail_if_it_is_time() {
    const std::lock_guard guard(mutex_);
    if (until_failure_ > 0 && --until_failure_ == 0) throw ElementFailure();
  }

  mutable std::mutex mutex_;
  std::size_t constructed_ = 0;
  std::size_t copied_ = 0;
  std::size_t moved_ = 0;
  std::size_t destroyed_ = 0;
  std::size_t until_failure_ = 0;
  std::unordered_set<const void*> alive_;
};

enum class Copying { forbidden, may_throw };
enum class Moving { never_throws, may_throw };

/// A number with a ledger. Neither default-constructible nor assignable, because no queue may require that.
template <Copying copying, Moving moving>
class Tracked {
 public:
  static constexpr int moved_from = -1;

  Tracked(int number, Ledger& ledger) : number_(number), ledger_(&ledger) { ledger_->note_construction(this); }

  Tracked(const Tracked& other) requires(copying == Copying::may_throw)
      : number_(other.number_), ledger_(other.ledger_) {
    ledger_->note_copy(this, &other);
  }

  Tracked(Tracked&& other) noexcept(moving == Moving::never_throws) : number_(other.number_), ledger_(other.ledger_) {
    if constexpr (moving == Moving::never_throws) {
      ledger_->note_move(this, &other);
    } else {
      ledger_->note_throwing_move(this, &other);
    }
    other.number_ = moved_from;
  }

  Tracked& operator=(const Tracked&) = delete;
  Tracked& operator=(Tracked&&) = delete;
  ~Tracked() { ledger_->note_destruction(this); }

  /// Returns moved_from if the element was moved from.
  [[nodiscard]] int number() const {
    ledger_->note_use(this);
    return number_;
  }

 private:
  int number_;
  Ledger* ledger_;
};

/// Copies may fail, moves cannot, as for most element types.
using Counted = Tracked<Copying::may_throw, Moving::never_throws>;
using ThrowingCopy = Counted;
/// Copies and moves may fail.
using ThrowingMove = Tracked<Copying::may_throw, Moving::may_throw>;
/// Cannot be copied; moves cannot fail.
using MoveOnly = Tracked<Copying::forbidden, Moving::never_throws>;
/// Cannot be copied; moves may fail.
using ThrowingMoveOnly = Tracked<Copying::forbidden, Moving::may_throw>;

/// An element for data sets, which also assign elements to storage. Copies, moves and assignments may fail.
class ThrowingAssignment {
 public:
  static constexpr int moved_from = -1;

  ThrowingAssignment(int number, Ledger& ledger) : number_(number), ledger_(&ledger) {
    ledger_->note_construction(this);
  }
  ThrowingAssignment(const ThrowingAssignment& other) : number_(other.number_), ledger_(other.ledger_) {
    ledger_->note_copy(this, &other);
  }
  ThrowingAssignment(ThrowingAssignment&& other)  // NOLINT(performance-noexcept-move-constructor)
      : number_(other.number_), ledger_(other.ledger_) {
    ledger_->note_throwing_move(this, &other);
    other.number_ = moved_from;
  }
  ThrowingAssignment& operator=(const ThrowingAssignment& other) {
    if (this == &other) return *this;
    ledger_->note_throwing_assignment(this, &other);
    number_ = other.number_;
    return *this;
  }
  ThrowingAssignment& operator=(ThrowingAssignment&& other) {  // NOLINT(performance-noexcept-move-constructor)
    ledger_->note_throwing_assignment(this, &other);
    number_ = std::exchange(other.number_, moved_from);
    return *this;
  }
  ~ThrowingAssignment() { ledger_->note_destruction(this); }

  [[nodiscard]] int number() const {
    ledger_->note_use(this);
    return number_;
  }

 private:
  int number_;
  Ledger* ledger_;
};

/// Makes elements with the numbers first to first + count - 1, each from its number and `more`.
template <class Element, class... More>
std::vector<Element> numbered(int count, int first, More&... more) {
  std::vector<Element> elements;
  elements.reserve(static_cast<std::size_t>(count));
  for (const int number : numbers(count, first)) elements.emplace_back(number, more...);
  return elements;
}

template <class Elements>
std::vector<int> numbers_of(const Elements& elements) {
  std::vector<int> numbers;
  for (const auto& element : elements) numbers.push_back(element.number());
  return numbers;
}

/// Needs more alignment than operator new guarantees by default.
struct alignas(64) OverAligned {
  int number = 0;

  [[nodiscard]] bool is_aligned() const { return reinterpret_cast<std::uintptr_t>(this) % alignof(OverAligned) == 0; }
};

/// A picture of 28 x 28 pixels with its label.
struct Large {
  int number = 0;
  std::array<std::byte, 785> payload{};
};

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_ELEMENTS_HPP
