// SPDX-License-Identifier: MIT
//
// queue_status_test.cpp: the names of statuses, and the states of Dequeued.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "forebay/queue_status.hpp"
#include "tests/support/death_test.hpp"

namespace forebay_test {
namespace {

using forebay::Dequeued;
using forebay::QueueStatus;

template <class T>
Dequeued<T> holding(T value) {
  return Dequeued<T>([&](std::optional<T>& element) {
    element.emplace(std::move(value));
    return QueueStatus::ok;
  });
}

TEST(QueueStatus, IsNamedAsItIsSpelled) {
  EXPECT_STREQ(to_string(QueueStatus::ok), "ok");
  EXPECT_STREQ(to_string(QueueStatus::closed), "closed");
  EXPECT_STREQ(to_string(QueueStatus::full), "full");
  EXPECT_STREQ(to_string(QueueStatus::empty), "empty");
  EXPECT_STREQ(to_string(QueueStatus::timed_out), "timed_out");
  EXPECT_STREQ(to_string(QueueStatus::stopped), "stopped");
}

TEST(QueueStatus, IsNamedEvenIfThereIsNoSuchStatus) {
  EXPECT_STREQ(to_string(static_cast<QueueStatus>(99)), "unknown");
}

TEST(Dequeued, HoldsAnElement) {
  auto dequeued = holding(std::string("word"));
  EXPECT_TRUE(dequeued);
  EXPECT_TRUE(dequeued.has_value());
  EXPECT_EQ(dequeued.status(), QueueStatus::ok);
  EXPECT_EQ(*dequeued, "word");
  EXPECT_EQ(dequeued->size(), 4U);
  EXPECT_EQ(dequeued.value(), "word");
  EXPECT_EQ(std::as_const(dequeued).value(), "word");
  EXPECT_EQ(*std::as_const(dequeued), "word");
  EXPECT_EQ(std::as_const(dequeued)->size(), 4U);
}

TEST(Dequeued, TellsWhyItHoldsNone) {
  for (const auto status :
       {QueueStatus::closed, QueueStatus::full, QueueStatus::empty, QueueStatus::timed_out, QueueStatus::stopped}) {
    const Dequeued<int> none(status);
    EXPECT_FALSE(none);
    EXPECT_FALSE(none.has_value());
    EXPECT_EQ(none.status(), status);
  }
}

TEST(Dequeued, GivesItsElementAway) {
  std::unique_ptr<int> element = holding(std::make_unique<int>(7)).value();
  EXPECT_EQ(*element, 7);
  element = *holding(std::make_unique<int>(8));
  EXPECT_EQ(*element, 8);
}

TEST(Dequeued, ValueThrowsOutOfRangeWhenClosed) {
  Dequeued<int> none(QueueStatus::closed);
  EXPECT_THROW(static_cast<void>(none.value()), forebay::OutOfRangeError);
  EXPECT_THROW(static_cast<void>(std::as_const(none).value()), forebay::OutOfRangeError);
  EXPECT_THROW(static_cast<void>(std::move(none).value()), forebay::OutOfRangeError);
}

TEST(Dequeued, ValueThrowsCancelledWhenStopped) {
  EXPECT_THROW(static_cast<void>(Dequeued<int>(QueueStatus::stopped).value()), forebay::CancelledError);
}

TEST(Dequeued, ValueThrowsDeadlineExceededWhenThereWasNoTime) {
  EXPECT_THROW(static_cast<void>(Dequeued<int>(QueueStatus::timed_out).value()), forebay::DeadlineExceededError);
  EXPECT_THROW(static_cast<void>(Dequeued<int>(QueueStatus::empty).value()), forebay::DeadlineExceededError);
}

#if !defined(NDEBUG) && GTEST_HAS_DEATH_TEST
// proves: missing-element
TEST(DequeuedDeathTest, ReadingAMissingElementSaysSo) {
  choose_death_test_style();
  Dequeued<std::string> none(QueueStatus::stopped);
  const char* const message = "the result has no element: check it first, or call value";
  EXPECT_DEATH(static_cast<void>(*none), message);
  EXPECT_DEATH(static_cast<void>(*std::as_const(none)), message);
  EXPECT_DEATH(static_cast<void>(*Dequeued<std::string>(QueueStatus::closed)), message);
  EXPECT_DEATH(static_cast<void>(none->size()), message);
  EXPECT_DEATH(static_cast<void>(std::as_const(none)->size()), message);
}
#endif

TEST(Dequeued, IsNotTakenForAnInteger) {
  static_assert(!std::is_convertible_v<Dequeued<int>, bool>);
  static_assert(!std::is_convertible_v<Dequeued<int>, int>);
}

TEST(QueueError, IsTheBaseOfWhatValueThrows) {
  static_assert(std::is_base_of_v<std::runtime_error, forebay::QueueError>);
  static_assert(std::is_base_of_v<forebay::QueueError, forebay::OutOfRangeError>);
  static_assert(std::is_base_of_v<forebay::QueueError, forebay::DeadlineExceededError>);
  static_assert(std::is_base_of_v<forebay::QueueError, forebay::CancelledError>);
}

TEST(QueueError, SaysWhatHappened) {
  const std::set<std::string> messages = {forebay::OutOfRangeError().what(), forebay::DeadlineExceededError().what(),
                                          forebay::CancelledError().what()};
  EXPECT_EQ(messages.size(), 3U);
  for (const std::string& message : messages) EXPECT_EQ(message.rfind("forebay: ", 0), 0U) << message;
  EXPECT_STREQ(forebay::OutOfRangeError("the file has ended").what(), "the file has ended");
}

TEST(QueueError, SpeaksOfAnyInput) {
  EXPECT_STREQ(forebay::OutOfRangeError().what(),
               "forebay: the input has ended: it is closed and has insufficient elements");
}

}  // namespace
}  // namespace forebay_test
