// SPDX-License-Identifier: MIT

/// @file
/// Lets coroutines await the operations of a queue.
///
/// @code
/// #include <forebay/async.hpp>
///
/// Task train(forebay::FIFOQueue<Image>& queue, std::stop_token stop) {
///   while (auto batch = co_await queue.async_dequeue_many(32, stop)) step(*batch);
/// }
/// @endcode
///
/// With this header, every queue has async_dequeue(), async_dequeue_many(), async_dequeue_up_to(),
/// async_dequeue_available(), async_enqueue() and async_enqueue_many(). Each behaves like the function without
/// `async_`, but suspends the coroutine where that one blocks the thread. Coroutines and threads wait in one queue, in
/// order of arrival; waiting_consumers(), waiting_producers() and statistics() count both.
///
/// The calls return a lazy object, which begins when it is awaited, as an rvalue. It can be moved until then. Awaiting
/// it allocates nothing: all that a waiting call needs is in the coroutine's frame. A call that can succeed at once
/// does not suspend. The coroutine type must accept any awaitable; `std::generator` and `asio::awaitable` do not.
///
/// Where the coroutine continues: without further options, in the call that ends its wait, such as an enqueue() or
/// close() of another thread, or in request_stop(). That call has released all locks of the library. It does not return
/// before the coroutine is suspended again, so such a coroutine should not block. Other coroutines whose wait the same
/// call ends continue after it, and take their elements or room only then: a coroutine that blocks in their queue may
/// wait for them for ever. If an exception leaves the coroutine's resume(), the program ends. With `on(pool)`, that
/// call passes the coroutine to `pool(handle)` instead. Coroutines that wake each other do not nest, and neither do
/// pools that resume at once.
///
/// A stop: pass a stop token or a coordinator. A token of another library needs `stop_requested()` and
/// `callback_type<F>`, as in P2300. There are no deadlines, because a coroutine that waits has no thread to watch the
/// time. Request a stop from a timer of your event loop, or dequeue in a thread.
///
/// Stop callbacks of your own: a `std::stop_callback` that enqueues, dequeues or closes resumes coroutines inside the
/// callback. The destructor of a callback waits for another thread that runs it. So two coroutines can wait for each
/// other for ever: each owns a callback that enqueues to the other one, and two threads request both stops at once.
/// Each coroutine is then resumed by the callback of the other one, and destroys its own, which has not returned. The
/// library cannot prevent this. Pass the token to the awaited call instead: its own callback is safe. Otherwise use
/// `on(pool)`, with a pool that resumes coroutines in threads of its own, so that the callbacks return at once.
///
/// Lifetime: the queue, the pool and a coordinator must outlive the call. A coroutine may be destroyed while it waits,
/// also by a coroutine that the same call resumes before it: the call leaves the queue, and takes no element. A call
/// that succeeds at once does not wait: the coroutines that it resumes must not destroy its own. A call that has passed
/// its coroutine to a pool is over. If the pool destroys the coroutine, what it has received is destroyed, too. As with
/// every coroutine, make sure that no other thread ends the wait at that time. To end a wait that other threads may
/// end, too, request a stop.
///
/// P2300 accepts a call as a sender, because it is awaitable. Connecting it creates a coroutine frame, and does not
/// forward the receiver's stop token, so pass a token to the call.

#ifndef FOREBAY_ASYNC_HPP
#define FOREBAY_ASYNC_HPP

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "forebay/blocking_queue.hpp"
#include "forebay/engine/demand.hpp"
#include "forebay/queue/awaited_call.hpp"
#include "forebay/queue/awaiter.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"
#include "forebay/waiting/any_stop.hpp"

namespace forebay::FOREBAY_ABI {

/// Makes an awaited call continue its coroutine by `pool(handle)`: `co_await queue.async_dequeue(on(pool))`.
///
/// `pool` is called with a `std::coroutine_handle<>`, which it has to resume, in any thread and at any time. If it
/// resumes the coroutine before it returns, the calls that this coroutine ends tell their pools when it is suspended.
/// `pool` must be noexcept, because it is called where a wait ends, such as in close(). It must outlive the call, to
/// which it is not copied. A call that does not suspend continues in its own thread.
///
/// @code
/// const auto pool = [&](std::coroutine_handle<> coroutine) noexcept { loop.post(coroutine); };
/// auto element = co_await queue.async_dequeue({stop, on(pool)});
/// @endcode
template <class Pool>
[[nodiscard]] detail::ResumeOn on(Pool& pool) noexcept {
  static_assert(std::is_nothrow_invocable_v<Pool&, std::coroutine_handle<>>,
                "forebay: on(pool): pool(handle) must accept a std::coroutine_handle<> and be noexcept, because it is "
                "called where a wait ends, for example in close()");
  return detail::ResumeOn(pool);
}

/// Says what can stop an awaited call, and where its coroutine continues.
///
/// Converts implicitly from stop tokens, coordinators and `on(pool)`. Write `AwaitOptions` without template arguments:
/// it is an alias of `BasicAwaitOptions<StdSync>`.
///
/// @code
/// co_await queue.async_dequeue();                   // waits without a limit
/// co_await queue.async_dequeue(stop_token);         // until a stop is requested
/// co_await queue.async_dequeue(coordinator);        // until the coordinator is asked to stop
/// co_await queue.async_dequeue({stop, on(pool)});   // the same, and continues in the pool
/// @endcode
template <class Sync>
class BasicAwaitOptions {
 public:
  /// Waits without a limit, and continues in the call that ends the wait.
  BasicAwaitOptions() noexcept = default;

  /// Waits until a stop is requested of `stop`: a stop token, or a coordinator, which must outlive the call.
  template <detail::StopsSuspendedCalls<Sync> Stop>
  BasicAwaitOptions(const Stop& stop) noexcept : with_{detail::AnyStop<Sync>(stop), {}} {}

  /// Continues in the pool of `where`, which on() returns.
  BasicAwaitOptions(detail::ResumeOn where) noexcept : with_{{}, where} {}

  /// Waits until a stop is requested of `stop`, and continues in the pool of `where`.
  template <detail::StopsSuspendedCalls<Sync> Stop>
  BasicAwaitOptions(const Stop& stop, detail::ResumeOn where) noexcept : with_{detail::AnyStop<Sync>(stop), where} {}

  /// @cond
  template <class Rep, class Period>
  BasicAwaitOptions(std::chrono::duration<Rep, Period>) = delete;  // forebay: a coroutine has no timer
  template <class Clock, class Duration>
  BasicAwaitOptions(std::chrono::time_point<Clock, Duration>) = delete;  // forebay: a coroutine has no timer
  BasicAwaitOptions(NoWait) = delete;  // forebay: dequeue(no_wait) never blocks, so there is nothing to await

  [[nodiscard]] const detail::AwaitedWith<Sync>& with() const noexcept { return with_; }
  /// @endcond

 private:
  detail::AwaitedWith<Sync> with_;
};

/// Says what can stop an awaited call, and where its coroutine continues: BasicAwaitOptions with the standard
/// synchronisation.
using AwaitOptions = BasicAwaitOptions<StdSync>;

namespace detail {

/// Makes the lazy objects of the calls of a queue.
template <class Sync>
struct Async {
  using Options = BasicAwaitOptions<Sync>;

  template <class Engine>
  [[nodiscard]] static auto dequeue(Engine& engine, const Options& options) {
    return lazy(AwaitedDequeue<Engine>{&engine}, options);
  }

  template <class Engine>
  [[nodiscard]] static auto dequeue_batch(Engine& engine, const Demand& demand, const Options& options) {
    engine.require_possible(demand);
    return lazy(AwaitedDequeueMany<Engine>{&engine, demand}, options);
  }

  template <class Engine, class Into>
  [[nodiscard]] static auto dequeue_batch_into(Engine& engine, Into& batch, const Demand& demand,
                                               const Options& options) {
    engine.require_possible(demand);
    return lazy(AwaitedDequeueInto<Engine, Into>{&engine, demand, std::addressof(batch)}, options);
  }

  template <class Engine, class T>
  [[nodiscard]] static auto enqueue(Engine& engine, T&& element, const Options& options) {
    return lazy(AwaitedEnqueue<Engine, T>{&engine, std::addressof(element)}, options);
  }

  template <class Engine, class T>
  [[nodiscard]] static auto enqueue_copy(Engine& engine, const T& element, const Options& options) {
    return lazy(AwaitedEnqueueCopy<Engine, T>{&engine, element}, options);
  }

  template <class T, class Range, class Engine>
  [[nodiscard]] static auto enqueue_many(Engine& engine, std::remove_reference_t<Range>& range,
                                         const Options& options) {
    return lazy(AwaitedEnqueueMany<Engine, T, Range>{&engine, std::addressof(range)}, options);
  }

  /// Returns the lazy object of a handle, for which `call(queue)` returns that of the queue. `queue` may be null.
  template <class Target, class Call>
  [[nodiscard]] static auto of_handle(const Target& queue, const Call& call) {
    static_assert(std::is_pointer_v<Target>,
                  "forebay: a QueueRef and its handles have no awaited calls; use those of the queue");
    using Lazy = decltype(call(*queue));
    return AwaitableOfHandle<Lazy>(queue ? std::optional<Lazy>(call(*queue)) : std::nullopt);
  }

 private:
  template <class Call>
  static Awaitable<Call, Sync> lazy(Call call, const Options& options) {
    return Awaitable<Call, Sync>(std::move(call), options.with());
  }
};

}  // namespace detail
}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_ASYNC_HPP
