// SPDX-License-Identifier: MIT
//
// coroutines.hpp: the simplest coroutine types.

#ifndef FOREBAY_TESTS_SUPPORT_COROUTINES_HPP
#define FOREBAY_TESTS_SUPPORT_COROUTINES_HPP

#include <coroutine>
#include <exception>
#include <functional>
#include <utility>

namespace forebay_test {

// The language gives the names, and clang-tidy 14 warns of each call of a static function.
// NOLINTBEGIN(readability-identifier-naming,readability-convert-member-functions-to-static)

/// A coroutine that starts at once, and destroys itself at its end. An exception that it does not catch ends the
/// program.
struct Detached {
  struct promise_type {
    Detached get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};

/// A coroutine that starts at once, and that its owner destroys.
class Owned {
 public:
  struct promise_type {
    Owned get_return_object() { return Owned(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };

  Owned(Owned&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  Owned& operator=(Owned&&) = delete;
  ~Owned() { destroy(); }

  /// Returns whether the coroutine has ended.
  [[nodiscard]] bool is_over() const { return coroutine_.done(); }

  void destroy() {
    if (coroutine_ != nullptr) std::exchange(coroutine_, nullptr).destroy();
  }

 private:
  explicit Owned(std::coroutine_handle<promise_type> coroutine) : coroutine_(coroutine) {}

  std::coroutine_handle<promise_type> coroutine_;
};

// NOLINTEND(readability-identifier-naming,readability-convert-member-functions-to-static)

/// A pool that resumes a coroutine at once, in the call that ends its wait.
inline constexpr auto resume_at_once = [](std::coroutine_handle<> coroutine) noexcept { coroutine.resume(); };

/// Awaits an element, and then calls `then`, in the call that supplies the element.
template <class Queue>
Owned take_and_call(Queue& queue, std::function<void()> then) {
  const auto element = co_await queue.async_dequeue();
  if (element) then();
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_COROUTINES_HPP
