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
using forebay::detail::Resumable;
using forebay::detail::ResumableList;
using forebay::detail::ResumesIn;
using Resumption = forebay::detail::Resumption<StdSync>;
using StopSignal = forebay::detail::StopSignal<StdSync>;

/// A call that is over when it is signalled or interrupted. It appends its number to a log.
// Never destroyed through its base.
// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor)
class Call final : public Resumable {
 public:
  Call(int number, std::vector<int>& log, std::function<void()> then = {}, ResumesIn where = ResumesIn::this_thread)
      : number_(number), log_(log), then_(std::move(then)), where_(where) {}

  void receive_signal() noexcept override { Resumption().resume(*this, where_); }
  void interrupt() noexcept override { Resumption().resume(*this, where_); }
  void resume() noexcept override {
    log_.push_back(number_);
    if (then_) then_();
    log_.push_back(-number_);
  }

 private:
  const int number_;
  std::vector<int>& log_;
  const std::function<void()> then_;
  const ResumesIn where_;
};

void signal(std::initializer_list<Call*> calls) {
  ResumableList list;
  for (Call* const call : calls) list.add(*call);
  Resumption::signal(list);
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

// proves: awaited-destruction
TEST(Resumption, ForgetsACall) {
  std::vector<int> log;
  Call second(2, log);
  Call third(3, log);
  Call first(1, log, [&second] { Resumption::forget(second); });
  signal({&first, &second, &third});
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
