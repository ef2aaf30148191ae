// SPDX-License-Identifier: MIT
//
// resumption_test.cpp: when, and in which order, a thread continues suspended calls.

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

#include "forebay/sync.hpp"
#include "forebay/waiting/parker.hpp"
#include "forebay/waiting/resumption.hpp"
#include "forebay/waiting/stop_signal.hpp"

namespace forebay_test {
namespace {

using forebay::StdSync;
using forebay::detail::ResumesIn;
using Resumable = forebay::detail::Resumable<StdSync>;
using Resumption = forebay::detail::Resumption<StdSync>;
using StopSignal = forebay::detail::StopSignal<StdSync>;

/// A call that is over when it is signalled or interrupted. It appends its number to a log.
// Never destroyed through its base.
// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor)
class Call final : public Resumable {
 public:
  Call(int number, std::vector<int>& log, std::function<void()> then = {}, ResumesIn where = ResumesIn::this_thread)
      : Resumable(where), number_(number), log_(log), then_(std::move(then)) {}

  void receive_signal() noexcept override { Resumption().resume(*this); }
  void interrupt() noexcept override { Resumption().resume(*this); }
  void resume() noexcept override {
    log_.push_back(number_);
    if (then_) then_();
    log_.push_back(-number_);
  }

 private:
  const int number_;
  std::vector<int>& log_;
  const std::function<void()> then_;
};

void signal(std::initializer_list<Call*> calls) {
  const Resumption resumption;
  for (Call* const call : calls) resumption.signal(*call);
}

TEST(Resumption, ContinuesCallsInTheirOrder) {
  std::vector<int> log;
  Call first(1, log);
  Call second(2, log);
  signal({&first, &second});
  EXPECT_EQ(log, (std::vector{1, -1, 2, -2}));
}

// proves: awaited-resumption
TEST(Resumption, ComesAtTheEndOfTheOutermostScope) {
  std::vector<int> log;
  Call call(1, log);
  {
    const Resumption outermost;
    signal({&call});
    EXPECT_TRUE(log.empty());
  }
  EXPECT_EQ(log, (std::vector{1, -1}));
}

// proves: awaited-stack
TEST(Resumption, DoesNotNest) {
  std::vector<int> log;
  Call inner(2, log);
  Call outer(1, log, [&inner] { signal({&inner}); });
  signal({&outer});
  EXPECT_EQ(log, (std::vector{1, -1, 2, -2}));
}

// proves: awaited-resumption
TEST(Resumption, TellsAPoolAtOnce) {
  std::vector<int> log;
  Call inner(2, log, {}, ResumesIn::pool);
  Call outer(1, log, [&inner] { signal({&inner}); });
  signal({&outer});
  EXPECT_EQ(log, (std::vector{1, 2, -2, -1}));
}

// proves: awaited-stack
TEST(Resumption, DoesNotNestInAPoolThatResumesAtOnce) {
  std::vector<int> log;
  Call own(3, log);
  Call inner(2, log, {}, ResumesIn::pool);
  Call outer(
      1, log,
      [&] {
        signal({&own, &inner});
      },
      ResumesIn::pool);
  signal({&outer});
  EXPECT_EQ(log, (std::vector{1, -1, 2, -2, 3, -3}));
}

/// A call that says when it looks at its queue.
// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): as above
class LookingCall final : public Resumable {
 public:
  LookingCall(int number, std::vector<int>& log) : Resumable(ResumesIn::this_thread), number_(number), log_(log) {}

  void receive_signal() noexcept override {
    log_.push_back(number_);
    Resumption().resume(*this);
  }
  void interrupt() noexcept override {}
  void resume() noexcept override { log_.push_back(-number_); }

 private:
  const int number_;
  std::vector<int>& log_;
};

// proves: awaited-destruction
TEST(Resumption, ACallLooksOnlyWhenTheCoroutineBeforeItIsSuspended) {
  std::vector<int> log;
  LookingCall first(1, log);
  LookingCall second(2, log);
  {
    const Resumption resumption;
    resumption.signal(first);
    resumption.signal(second);
  }
  EXPECT_EQ(log, (std::vector{1, -1, 2, -2}));
}

// proves: awaited-destruction
TEST(Resumption, ForgetsACall) {
  std::vector<int> log;
  Call second(2, log);
  Call third(3, log);
  Call first(1, log, [&second] { EXPECT_TRUE(Resumption::forget(second)); });
  signal({&first, &second, &third});
  EXPECT_FALSE(Resumption::forget(second));
  EXPECT_EQ(log, (std::vector{1, -1, 3, -3}));
}

// proves: awaited-resumption
TEST(Resumption, OfAStopSignalHoldsNoMutex) {
  StopSignal stop;
  std::vector<int> log;
  forebay::detail::Parker<StdSync> parker;
  Call call(1, log, [&] { const StopSignal::Subscription locks(&stop, parker); });
  const StopSignal::Subscription subscription(&stop, static_cast<Resumable&>(call));
  stop.request();
  EXPECT_EQ(log, (std::vector{1, -1}));
}

}  // namespace
}  // namespace forebay_test
