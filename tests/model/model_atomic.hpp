// SPDX-License-Identifier: MIT
//
// model_atomic.hpp: the atomic variables of a model. All threads see all changes in one order. Memory orders only
// determine which accesses to plain variables (Shared) are ordered.

#ifndef FOREBAY_TESTS_MODEL_MODEL_ATOMIC_HPP
#define FOREBAY_TESTS_MODEL_MODEL_ATOMIC_HPP

#include <atomic>
#include <type_traits>

#include "tests/model/model_object.hpp"

namespace forebay_model {

template <class T>
class ModelAtomic : public ModelObject {
  using Order = std::memory_order;
  using Where = SourceLocation;

 public:
  ModelAtomic() = default;
  explicit(false) ModelAtomic(T value) { set(value); }

  T load(Order order = Order::seq_cst, Where where = Where::current()) const noexcept {
    step(Kind::load, order, where);
    Scheduler::current().looks_at(id());
    if (order != Order::relaxed) acquire();
    return value_;
  }

  void store(T value, Order order = Order::seq_cst, Where where = Where::current()) noexcept {
    step(Kind::store, order, where);
    set(value);
    forget_releases();
    if (order != Order::relaxed) release();
    Scheduler::current().changed(id());
  }

  T exchange(T value, Order order = Order::seq_cst, Where where = Where::current()) noexcept {
    if constexpr (std::is_integral_v<T>) {
      if (value == 1 && order == Order::acquire && Scheduler::current().model().spin_locks_block)
        return take_lock(where);
    }
    return modify(order, where, [value](T) { return value; });
  }

  T fetch_add(T value, Order order = Order::seq_cst, Where where = Where::current()) noexcept {
    return modify(order, where, [value](T old) { return static_cast<T>(old + value); });
  }
  T fetch_sub(T value, Order order = Order::seq_cst, Where where = Where::current()) noexcept {
    return modify(order, where, [value](T old) { return static_cast<T>(old - value); });
  }

  bool compare_exchange_strong(T& expected, T desired, Order order = Order::seq_cst,
                               Where where = Where::current()) noexcept {
    const T wanted = expected;
    expected = modify(order, where, [&](T old) { return old == wanted ? desired : old; });
    return expected == wanted;
  }
  bool compare_exchange_weak(T& expected, T desired, Order order = Order::seq_cst,
                             Where where = Where::current()) noexcept {
    return compare_exchange_strong(expected, desired, order, where);
  }

  operator T() const noexcept { return load(); }
  T operator=(T value) noexcept {
    store(value);
    return value;
  }

 private:
  void step(Kind kind, Order order, Where where) const {
    if (order == Order::relaxed && !Scheduler::current().model().hints_are_steps) return require_alive();
    perform({.kind = kind, .writes = kind != Kind::load, .where = where});
  }

  template <class Change>
  T modify(Order order, Where where, Change change) {
    step(Kind::modify, order, where);
    Scheduler::current().looks_at(id());
    const T old = value_;
    set(change(old));
    if (order == Order::acquire || order == Order::acq_rel || order == Order::seq_cst) acquire();
    if (order == Order::release || order == Order::acq_rel || order == Order::seq_cst) release();
    if (value_ != old) Scheduler::current().changed(id());
    return old;
  }

  T take_lock(Where where) {
    perform({.kind = Kind::lock, .blocked = &is_set_, .where = where});
    set(1);
    acquire();
    Scheduler::current().changed(id());
    return 0;
  }

  void set(T value) {
    value_ = value;
    if constexpr (std::is_integral_v<T>) is_set_ = value != 0;
  }

  T value_{};
  bool is_set_ = false;  // as with a spin lock
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_MODEL_ATOMIC_HPP
