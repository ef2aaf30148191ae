// SPDX-License-Identifier: MIT
//
// background.hpp: a call that runs in a thread of its own.

#ifndef FOREBAY_TESTS_SUPPORT_BACKGROUND_HPP
#define FOREBAY_TESTS_SUPPORT_BACKGROUND_HPP

#include <exception>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

namespace forebay_test {

/// `Background call([&] { return queue.dequeue(); });` and later `call.get()`. Its end waits for the thread.
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

  /// Waits for the call. Returns what it returned, or throws what it threw. To be called once.
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
