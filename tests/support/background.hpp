// SPDX-License-Identifier: MIT
//
// background.hpp: runs a call in its own thread.

#ifndef FOREBAY_TESTS_SUPPORT_BACKGROUND_HPP
#define FOREBAY_TESTS_SUPPORT_BACKGROUND_HPP

#include <exception>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

namespace forebay_test {

/// Use: `Background call([&] { return queue.dequeue(); });` and later `call.get()`. The destructor joins the thread.
template <class Result>
class Background {
 public:
  template <class Call>
  explicit Background(Call call)
      : thread_([this, call = std::move(call)]() mutable {
          try {
            result_.emplace(call());
          } catch (...) {
            exception_ = std::current_exception();
          }
        }) {}
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// Waits for the call, and returns its result or rethrows its exception. May be called once.
  Result get() {
    thread_.join();
    if (exception_ != nullptr) std::rethrow_exception(std::exchange(exception_, nullptr));
    return *std::move(result_);
  }

 private:
  std::optional<Result> result_;
  std::exception_ptr exception_;
  std::jthread thread_;
};

template <class Call>
Background(Call) -> Background<std::invoke_result_t<Call&>>;

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_BACKGROUND_HPP
