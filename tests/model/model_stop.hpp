// SPDX-License-Identifier: MIT
//
// model_stop.hpp: the stop tokens of a model, with the promises of <stop_token>. Callbacks run in the thread that
// requests the stop, or immediately if it was requested before. The destructor of a callback waits until the callback
// no longer runs in another thread.

#ifndef FOREBAY_TESTS_MODEL_MODEL_STOP_HPP
#define FOREBAY_TESTS_MODEL_MODEL_STOP_HPP

#include <memory>
#include <utility>
#include <vector>

#include "tests/model/model_object.hpp"

namespace forebay_model {

class ModelStopState : public ModelObject {
 public:
  struct Callback {
    virtual void run() noexcept = 0;
    bool runs = false;
    bool* ended_meanwhile = nullptr;

   protected:
    ~Callback() = default;
  };

  [[nodiscard]] bool requested() const noexcept {
    perform({.kind = Kind::load, .writes = false});
    acquire();
    return requested_;
  }

  bool request() {
    perform({.kind = Kind::store});
    release();
    if (requested_) return false;
    requested_ = true;
    requester_ = &Scheduler::current().running();
    while (!callbacks_.empty()) run_last();
    return true;
  }

  /// Returns whether the callback was registered. If not, the stop was already requested and the callback has to run
  /// now.
  [[nodiscard]] bool add(Callback& callback) {
    perform({.kind = Kind::modify});
    acquire();
    if (!requested_) callbacks_.push_back(&callback);
    return !requested_;
  }

  void remove(Callback& callback) {
    perform({.kind = Kind::modify});
    std::erase(callbacks_, &callback);
    if (!callback.runs) return;
    if (requester_ == &Scheduler::current().running()) {
      *callback.ended_meanwhile = true;
      return;
    }
    perform({.kind = Kind::join_thread, .writes = false, .blocked = &callback.runs});
    acquire();
  }

 private:
  void run_last() {
    Callback& callback = *callbacks_.back();
    callbacks_.pop_back();
    bool ended = false;
    callback.ended_meanwhile = &ended;
    callback.runs = true;
    callback.run();
    perform({.kind = Kind::modify});
    release();
    if (!ended) callback.runs = false;
  }

  bool requested_ = false;
  const Scheduler::Thread* requester_ = nullptr;
  std::vector<Callback*> callbacks_;
};

class ModelStopToken {
 public:
  ModelStopToken() = default;
  [[nodiscard]] bool stop_possible() const noexcept { return state_ != nullptr; }
  [[nodiscard]] bool stop_requested() const noexcept { return state_ != nullptr && state_->requested(); }

 private:
  friend class ModelStopSource;
  template <class Function>
  friend class ModelStopCallback;
  explicit ModelStopToken(std::shared_ptr<ModelStopState> state) : state_(std::move(state)) {}

  std::shared_ptr<ModelStopState> state_;
};

class ModelStopSource {
 public:
  [[nodiscard]] ModelStopToken get_token() const noexcept { return ModelStopToken(state_); }
  bool request_stop() const { return state_->request(); }

 private:
  std::shared_ptr<ModelStopState> state_ = std::make_shared<ModelStopState>();
};

template <class Function>
class ModelStopCallback final : private ModelStopState::Callback {
 public:
  template <class Argument>
  ModelStopCallback(const ModelStopToken& token, Argument&& function)
      : function_(std::forward<Argument>(function)), state_(token.state_) {
    if (state_ == nullptr) return;
    registered_ = state_->add(*this);
    if (!registered_) function_();
  }
  ModelStopCallback(const ModelStopCallback&) = delete;
  ModelStopCallback& operator=(const ModelStopCallback&) = delete;
  ~ModelStopCallback() {
    if (registered_) state_->remove(*this);
  }

 private:
  void run() noexcept override { function_(); }

  Function function_;
  std::shared_ptr<ModelStopState> state_;
  bool registered_ = false;
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_MODEL_STOP_HPP
