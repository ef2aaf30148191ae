// SPDX-License-Identifier: MIT
//
// monitored.hpp: Monitored, what a MonitoredSession stops and joins: a coordinator, or a pipeline, of which this room
// knows only what it can do.

#ifndef FOREBAY_THREADS_MONITORED_HPP
#define FOREBAY_THREADS_MONITORED_HPP

#include <concepts>
#include <exception>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A Pipeline.
template <class Pipeline>
concept CanBeMonitored = requires(Pipeline& pipeline, const Pipeline& asked) {
  { asked.should_stop() } -> std::same_as<bool>;
  pipeline.stop();
  pipeline.join();
};

/// Refers to it.
class Monitored {
 public:
  using IsCleanStop = bool (*)(const void* object, const std::exception_ptr& exception);

  /// `tells_clean_stops` is given the address of `object`.
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

  /// Throws the first failure.
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
