// SPDX-License-Identifier: MIT
//
// awaiter.hpp: Awaitable, the lazy object that an asynchronous call returns, and Awaiter, to which co_await turns it.

#ifndef FOREBAY_QUEUE_AWAITER_HPP
#define FOREBAY_QUEUE_AWAITER_HPP

#include <concepts>
#include <coroutine>
#include <optional>
#include <memory>
#include <type_traits>
#include <utility>

#include "forebay/base/thread_record.hpp"
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
    exceptions_ = ThreadRecord<Sync>::uncaught_exceptions();
    return this->start();
  }

  [[nodiscard]] auto await_resume() { return Operation::result(this->finish()); }

 private:
  void resume() noexcept override {
    const ResumeOn on = on_;
    const typename ThreadRecord<Sync>::Resuming resuming(exceptions_);
    on.resume(coroutine_);
  }

  const ResumeOn on_;
  std::coroutine_handle<> coroutine_;
  int exceptions_ = 0;  // that unwound the code which has started the coroutine
};

/// A call that begins when it is awaited, once.
template <class Call, class Sync>
class [[nodiscard]] Awaitable {
 public:
  Awaitable(Call call, AwaitedWith<Sync> with) : call_(std::move(call)), with_(std::move(with)) {}

  using Awaiter = detail::Awaiter<typename Call::Operation, Sync>;

  [[nodiscard]] Awaiter operator co_await() && { return Awaiter(std::move(call_), with_); }
  void begin_in(std::optional<Awaiter>& awaiter) && { awaiter.emplace(std::move(call_), with_); }

 private:
  Call call_;
  AwaitedWith<Sync> with_;
};

/// An awaited call of a handle. If the handle refers to no queue, there is no call, and the result is `closed`.
template <class Call>
class AwaiterOfHandle {
 public:
  explicit AwaiterOfHandle(std::optional<Call>&& call) {
    if (call) std::move(*call).begin_in(awaiter_);
  }
  AwaiterOfHandle(const AwaiterOfHandle&) = delete;
  AwaiterOfHandle& operator=(const AwaiterOfHandle&) = delete;
  ~AwaiterOfHandle() = default;

  [[nodiscard]] bool await_ready() { return !awaiter_ || awaiter_->await_ready(); }
  // Not inlined, like that of Awaiter.
  [[nodiscard, gnu::noinline]] bool await_suspend(std::coroutine_handle<> coroutine) {
    return awaiter_->await_suspend(coroutine);
  }
  [[nodiscard]] auto await_resume() {
    using Result = decltype(awaiter_->await_resume());
    if (awaiter_) return awaiter_->await_resume();
    if constexpr (std::same_as<Result, EnqueueManyResult>) {
      return Result{QueueStatus::closed, 0};
    } else {
      return Result(QueueStatus::closed);
    }
  }

 private:
  std::optional<typename Call::Awaiter> awaiter_;
};

/// The lazy object of an awaited call of a handle.
template <class Call>
class [[nodiscard]] AwaitableOfHandle {
 public:
  explicit AwaitableOfHandle(std::optional<Call> call) : call_(std::move(call)) {}

  [[nodiscard]] auto operator co_await() && { return AwaiterOfHandle<Call>(std::move(call_)); }

 private:
  std::optional<Call> call_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_QUEUE_AWAITER_HPP
