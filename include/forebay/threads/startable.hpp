// SPDX-License-Identifier: MIT
//
// startable.hpp: the arguments of start_queue_runners(), and access to their runners.

#ifndef FOREBAY_THREADS_STARTABLE_HPP
#define FOREBAY_THREADS_STARTABLE_HPP

#include <concepts>
#include <memory>
#include <ranges>
#include <type_traits>
#include <vector>

#include "forebay/threads/runner.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A type with a runner: a QueueRunner, as the lower layers see it.
template <class T, class Sync>
concept HasRunner = requires(const T& runner) {
  { runner.runner() } -> std::same_as<const std::shared_ptr<Runner<Sync>>&>;
};

template <class T, class Sync>
concept RunnerOrPointer = HasRunner<T, Sync> || requires(T& pointer) {
  { *pointer } -> HasRunner<Sync>;
};

/// Either, or a range of either.
template <class T, class Sync>
inline constexpr bool can_be_started = RunnerOrPointer<T, Sync>;
template <std::ranges::input_range T, class Sync>
inline constexpr bool can_be_started<T, Sync> = RunnerOrPointer<std::ranges::range_reference_t<T>, Sync>;

/// A temporary QueueRunner, which would be destroyed at once.
template <class T, class Sync>
concept TemporaryRunner = !std::is_reference_v<T> && HasRunner<T, Sync>;

/// Appends the runner of a QueueRunner, of a pointer's target, or of each element of a range. An array is a range, too,
/// though it can be dereferenced like a pointer.
template <class Sync, class T>
void append_runners(T& from, std::vector<std::shared_ptr<Runner<Sync>>>& runners) {
  if constexpr (HasRunner<T, Sync>) {
    runners.push_back(from.runner());
  } else if constexpr (std::ranges::input_range<T>) {
    for (auto&& each : from) append_runners<Sync>(each, runners);
  } else {
    append_runners<Sync>(*from, runners);
  }
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_THREADS_STARTABLE_HPP
