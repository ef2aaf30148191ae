// SPDX-License-Identifier: MIT
//
// awaiter.hpp: Awaitable, the lazy object that an asynchronous call returns, and Awaiter, to which co_await turns it.

#ifndef FOREBAY_QUEUE_AWAITER_HPP
#define FOREBAY_QUEUE_AWAITER_HPP

#include <coroutine>
#include <memory>
#include <type_traits>
#include <utility>

#include "forebay/engine/suspended_call.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"
#include "forebay/waiting/any_stop.hpp"
#include "forebay/waiting/resumption.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Refers to the user's pool, if there is one.
class ResumeOn {
 public:
  ResumeOn() noexcept = default;
  template <class Pool>
  explicit ResumeOn(Pool& pool) noexcept
      : pool_(std::addressof(pool)), post_([](const void* where, std::coroutine_handle<> coroutine) noexcept {
          auto& original = *static_cast<Pool*>(const_cast<void*>(where));  // const again if it was
          static_cast<void>(original(coroutine));
        }) {}

  [[nodiscard]] ResumesIn where() const noexcept {
    return post_ != nullptr ? ResumesIn::pool : ResumesIn::this_thread;
  }
  void resume(std::coroutine_handle<> coroutine) const {
    post_ != nullptr ? post_(pool_, coroutine) : coroutine.resume();
  }

 private:
  const void* pool_ = nullptr;
  void (*post_)(const void*, std::coroutine_handle<>) noexcept = nullptr;
};

/// How a call is awaited.
template <class Sync>
struct AwaitedWith {
  AnyStop<Sync> stop{};
  ResumeOn on{};
};

/// One awaited call, in the frame of the coroutine. `Operation` performs it; see awaited_call.hpp.
// Final, and in the frame of the coroutine, so never destroyed through its base.
template <class Operation, class Sync>
// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor)
class Awaiter final : private Operation, private SuspendedCall<Sync> {
 public:
  template <class Call>
  Awaiter(Call&& call, const AwaitedWith<Sync>& with)
      : Operation(std::forward<Call>(call)),
        SuspendedCall<Sync>(Operation::hook(), with.stop, with.on.where()),
        on_(with.on) {}
  ~Awaiter() { this->end(); }
  Awaiter(const Awaiter&) = delete;
  Awaiter& operator=(const Awaiter&) = delete;

  [[nodiscard]] bool await_ready() { return Operation::try_now(); }

  // Not inlined: Clang before 18 keeps variables of an inlined await_suspend in the frame, which may be destroyed
  // before this returns.
  [[nodiscard, gnu::noinline]] bool await_suspend(std::coroutine_handle<> coroutine) {
    coroutine_ = coroutine;
    return this->start();
  }

  [[nodiscard]] auto await_resume() { return Operation::result(this->finish()); }

 private:
  void resume() noexcept override {
    const ResumeOn on = on_;
    on.resume(coroutine_);
  }

  const ResumeOn on_;
  std::coroutine_handle<> coroutine_;
};

/// A call that begins when it is awaited, once.
template <class Call, class Sync>
class [[nodiscard]] Awaitable {
 public:
  Awaitable(Call call, AwaitedWith<Sync> with) : call_(std::move(call)), with_(std::move(with)) {}

  [[nodiscard]] auto operator co_await() && {
    return Awaiter<typename Call::Operation, Sync>(std::move(call_), with_);
  }

 private:
  Call call_;
  AwaitedWith<Sync> with_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_QUEUE_AWAITER_HPP
