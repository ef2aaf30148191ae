// SPDX-License-Identifier: MIT
//
// model_thread.hpp: the threads of a model.

#ifndef FOREBAY_TESTS_MODEL_MODEL_THREAD_HPP
#define FOREBAY_TESTS_MODEL_MODEL_THREAD_HPP

#include <concepts>
#include <functional>
#include <memory>
#include <system_error>
#include <type_traits>
#include <utility>

#include "tests/model/scheduler.hpp"

namespace forebay_model {

class ModelThread;

template <class Body>
concept BodyOfModelThread = std::invocable<Body> && !std::same_as<std::remove_cvref_t<Body>, ModelThread>;

class ModelThread {
 public:
  class id {
   public:
    id() = default;
    friend bool operator==(const id&, const id&) = default;

   private:
    friend ModelThread;
    explicit id(const Scheduler::Thread* thread) : thread_(thread) {}
    const Scheduler::Thread* thread_ = nullptr;
  };

  ModelThread() = default;

  /// Returns 0: unknown.
  static unsigned hardware_concurrency() noexcept { return 0; }

  template <BodyOfModelThread Body>
  explicit ModelThread(Body&& body, SourceLocation where = SourceLocation::current()) {
    auto shared = std::make_shared<std::decay_t<Body>>(std::forward<Body>(body));
    thread_ = &Scheduler::current().create_thread([shared] { std::invoke(*shared); }, where);
  }

  ModelThread(ModelThread&& other) noexcept : thread_(std::exchange(other.thread_, nullptr)) {}
  ModelThread& operator=(ModelThread&& other) noexcept {
    require_not_joinable();
    thread_ = std::exchange(other.thread_, nullptr);
    return *this;
  }
  ~ModelThread() { require_not_joinable(); }

  [[nodiscard]] bool joinable() const noexcept { return thread_ != nullptr; }
  [[nodiscard]] id get_id() const noexcept { return id(thread_); }

  void join() {
    Scheduler& scheduler = Scheduler::current();
    if (thread_ == nullptr) throw std::system_error(std::make_error_code(std::errc::invalid_argument));
    if (thread_ == &scheduler.running()) {
      throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur));
    }
    scheduler.perform({.kind = Kind::join_thread,
                       .object = Scheduler::joined_object(*thread_),
                       .writes = false,
                       .blocked = &thread_->lives});
    scheduler.running().clock.join(thread_->clock);
    thread_ = nullptr;
  }

  [[nodiscard]] static id running() noexcept { return id(&Scheduler::current().running()); }

 private:
  void require_not_joinable() const {
    if (joinable()) Scheduler::current().fail("a thread is destroyed that was not joined");
  }

  Scheduler::Thread* thread_ = nullptr;
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_MODEL_THREAD_HPP
