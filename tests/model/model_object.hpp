// SPDX-License-Identifier: MIT
//
// model_object.hpp: ModelObject, the base of all objects that threads of a model share; and Shared<T>, a plain variable
// whose data races are detected.

#ifndef FOREBAY_TESTS_MODEL_MODEL_OBJECT_HPP
#define FOREBAY_TESTS_MODEL_MODEL_OBJECT_HPP

#include <cstdint>
#include <string>
#include <utility>

#include "tests/model/scheduler.hpp"
#include "tests/model/transition.hpp"
#include "tests/model/vector_clock.hpp"

namespace forebay_model {

class ModelObject {
 public:
  ModelObject() : id_(Scheduler::current().new_object()) {}
  ModelObject(const ModelObject&) = delete;
  ModelObject& operator=(const ModelObject&) = delete;

  /// Later uses by other threads are errors, and are reported if the memory still allows that.
  ~ModelObject() {
    Scheduler::current().touch(id_);
    id_ = destroyed;
    asm volatile("" : : "r"(this) : "memory");  // otherwise the compiler omits the store because the object ends
  }

  [[nodiscard]] ObjectId id() const noexcept { return id_; }

 protected:
  /// Lets other threads run first, then returns so that the caller performs the operation.
  Way perform(Operation operation) const {
    operation.object = id_;
    const Way way = Scheduler::current().perform(operation);
    require_alive();
    return way;
  }

  void require_alive() const {
    if (id_ == destroyed) Scheduler::current().fail("an object is used after its end");
  }

  /// Everything that happened before the releases of this object happens before the caller's next steps.
  void acquire() const noexcept { Scheduler::current().running().clock.join(released_); }

  void release() const noexcept {
    Scheduler::Thread& thread = Scheduler::current().running();
    released_.join(thread.clock);
    thread.clock.advance(thread.index);
  }

  void forget_releases() noexcept { released_ = VectorClock(); }

 private:
  static constexpr ObjectId destroyed = UINT32_MAX;

  ObjectId id_;
  mutable VectorClock released_;
};

/// A variable that several threads use and that something else has to guard. An access must happen after every earlier
/// write, and a write also after every earlier read.
template <class T>
class Shared {
 public:
  Shared() = default;
  explicit(false) Shared(T value) : value_(std::move(value)) { wrote(); }
  Shared(Shared&& other) noexcept : value_(std::move(other.get_to_move())) { wrote(); }
  Shared& operator=(Shared&& other) noexcept {
    set(std::move(other.get_to_move()));
    return *this;
  }
  ~Shared() { wrote(); }

  [[nodiscard]] const T& get() const {
    Scheduler::Thread& me = Scheduler::current().running();
    require_known(writes_, "a data race: a read, and a write it does not know of");
    reads_.set(me.index, me.clock[me.index]);
    return value_;
  }

  void set(T value) {
    wrote();
    value_ = std::move(value);
  }

 private:
  T& get_to_move() {
    wrote();
    return value_;
  }

  void wrote() {
    Scheduler::Thread& me = Scheduler::current().running();
    require_known(writes_, "a data race: two writes that do not know of each other");
    require_known(reads_, "a data race: a write, and a read it does not know of");
    writes_.set(me.index, me.clock[me.index]);
  }

  static void require_known(const VectorClock& past, const char* otherwise) {
    if (!past.happened_before(Scheduler::current().running().clock)) Scheduler::current().fail(otherwise);
  }

  T value_{};
  VectorClock writes_;
  mutable VectorClock reads_;
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_MODEL_OBJECT_HPP
