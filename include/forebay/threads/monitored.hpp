// SPDX-License-Identifier: MIT
//
// monitored.hpp: Monitored, the coordinator or pipeline that a MonitoredSession stops and joins. Pipelines are in a
// higher layer, so they are accessed through functions.

#ifndef FOREBAY_THREADS_MONITORED_HPP
#define FOREBAY_THREADS_MONITORED_HPP

#include <concepts>
#include <exception>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A Pipeline, by the members that a session needs.
template <class Pipeline>
concept CanBeMonitored = requires(Pipeline& pipeline, const Pipeline& asked) {
  { asked.should_stop() } -> std::same_as<bool>;
  pipeline.stop();
  pipeline.join();
};

/// A type-erased reference to the coordinator or pipeline.
class Monitored {
 public:
  using IsCleanStop = bool (*)(const void* object, const std::exception_ptr& exception);

  /// Calls `tells_clean_stops` with the address of `object`.
  template <class Object>
  Monitored(Object& object, IsCleanStop tells_clean_stops) noexcept
      : object_(&object),
        should_stop_([](const void* its) { return static_cast<const Object*>(its)->should_stop(); }),
        stop_and_join_([](void* its) {
          Object& its_object = *static_cast<Object*>(its);
          if constexpr (CanBeMonitored<Object>) {
            its_object.stop();
          } else {
            its_object.request_stop();
          }
          its_object.join();
        }),
        is_clean_stop_(tells_clean_stops) {}

  [[nodiscard]] bool should_stop() const { return should_stop_(object_); }

  /// Joins; rethrows the first failure.
  void stop_and_join() const { stop_and_join_(object_); }

  [[nodiscard]] bool is_clean_stop(const std::exception_ptr& exception) const {
    return is_clean_stop_(object_, exception);
  }

 private:
  void* object_;
  bool (*should_stop_)(const void* object);
  void (*stop_and_join_)(void* object);
  IsCleanStop is_clean_stop_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_THREADS_MONITORED_HPP
