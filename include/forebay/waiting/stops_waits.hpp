// SPDX-License-Identifier: MIT
//
// stops_waits.hpp: the types that can stop a wait: a stop token of the policy, if it has one, or a stop signal.

#ifndef FOREBAY_WAITING_STOPS_WAITS_HPP
#define FOREBAY_WAITING_STOPS_WAITS_HPP

#include <concepts>

#include "forebay/version.hpp"
#include "forebay/waiting/stop_signal.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Stands in for the stop token of a policy that has none.
struct NoStopToken {
  [[nodiscard]] static constexpr bool stop_requested() noexcept { return false; }
};

template <class Sync>
concept HasStopTokens = requires {
  typename Sync::stop_token;
};

template <class Sync>
struct StopTokenOf {
  using type = NoStopToken;
};
template <HasStopTokens Sync>
struct StopTokenOf<Sync> {
  using type = typename Sync::stop_token;
};

/// A type with a stop signal: a coordinator, as the lower layers see it.
template <class Stop, class Sync>
concept HasStopSignal = requires(const Stop& stop) {
  { stop.stop_signal() } -> std::same_as<StopSignal<Sync>&>;
};

template <class Stop, class Sync>
concept IsStopToken = HasStopTokens<Sync> && std::same_as<Stop, typename StopTokenOf<Sync>::type>;

template <class Stop, class Sync>
concept StopsWaits = HasStopSignal<Stop, Sync> || IsStopToken<Stop, Sync>;

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_WAITING_STOPS_WAITS_HPP
