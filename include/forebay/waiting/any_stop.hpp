// SPDX-License-Identifier: MIT
//
// any_stop.hpp: AnyStop, what can request a stop of a suspended call: a stop token of any type, or a stop signal.

#ifndef FOREBAY_WAITING_ANY_STOP_HPP
#define FOREBAY_WAITING_ANY_STOP_HPP

#include <concepts>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "forebay/version.hpp"
#include "forebay/waiting/resumption.hpp"
#include "forebay/waiting/stop_signal.hpp"
#include "forebay/waiting/stops_waits.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Interrupts a suspended call: the function of a stop callback. The call may destroy the callback that runs it.
template <class Sync>
struct Interrupt {
  Resumable<Sync>* call;
  void operator()() const noexcept { call->interrupt(); }
};

/// A stop token with its type of callbacks, as in P2300 (`std::inplace_stop_token`) and C++26.
template <class Stop, class Sync>
concept StoppableToken = requires(const Stop& stop) {
  { stop.stop_requested() } -> std::convertible_to<bool>;
  typename Stop::template callback_type<Interrupt<Sync>>;
}
&&std::is_nothrow_copy_constructible_v<Stop>;

template <class Stop, class Sync>
concept StopsSuspendedCalls = StopsWaits<Stop, Sync> || StoppableToken<Stop, Sync>;

/// A stop signal, with the interface of a token.
template <class Sync>
struct StopSignalToken {
  StopSignal<Sync>* signal;
  [[nodiscard]] bool stop_requested() const noexcept { return signal->requested(); }
};

/// The callback of a token that calls interrupt() of a Resumable.
template <class Token, class Sync>
struct StopCallback {
  typename Token::template callback_type<Interrupt<Sync>> callback;
  StopCallback(const Token& token, Resumable<Sync>& call) : callback(token, Interrupt<Sync>{&call}) {}
};
template <class Token, class Sync>
requires IsStopToken<Token, Sync>
struct StopCallback<Token, Sync> {
  typename Sync::template stop_callback<Interrupt<Sync>> callback;
  StopCallback(const Token& token, Resumable<Sync>& call) : callback(token, Interrupt<Sync>{&call}) {}
};
template <class Sync>
struct StopCallback<StopSignalToken<Sync>, Sync> {
  typename StopSignal<Sync>::Subscription callback;
  StopCallback(const StopSignalToken<Sync>& token, Resumable<Sync>& call) : callback(token.signal, call) {}
};

/// Stores a copy of the token in place. Without a token, no stop can be requested.
template <class Sync>
class AnyStop {
  static constexpr std::size_t token_size = 4 * sizeof(void*);
  static constexpr std::size_t callback_size = 12 * sizeof(void*);

  struct Ways {
    void (*copy)(const std::byte* from, std::byte* to) noexcept;
    void (*destroy)(std::byte* token) noexcept;
    bool (*requested)(const std::byte* token) noexcept;
    void (*subscribe)(const std::byte* token, std::byte* callback, Resumable<Sync>& call);
    void (*unsubscribe)(std::byte* callback) noexcept;
  };

 public:
  AnyStop() noexcept = default;
  template <StopsSuspendedCalls<Sync> Stop>
  explicit AnyStop(const Stop& stop) noexcept {
    if constexpr (HasStopSignal<Stop, Sync>) {
      store(StopSignalToken<Sync>{&stop.stop_signal()});
    } else {
      store(stop);
    }
  }
  AnyStop(const AnyStop& other) noexcept : ways_(other.ways_) {
    if (ways_ != nullptr) ways_->copy(other.token_, token_);
  }
  AnyStop& operator=(const AnyStop&) = delete;
  ~AnyStop() {
    if (ways_ != nullptr) ways_->destroy(token_);
  }

  [[nodiscard]] bool requested() const noexcept { return ways_ != nullptr && ways_->requested(token_); }

  /// Interrupts a call when the stop is requested, from begin() to end(). The end waits for an interruption in
  /// progress, unless that runs in the same thread.
  class Subscription {
   public:
    Subscription() noexcept = default;
    Subscription(const Subscription&) = delete;
    Subscription& operator=(const Subscription&) = delete;
    ~Subscription() { end(); }

    /// Interrupts at once, in this thread, if the stop was requested before.
    void begin(const AnyStop& stop, Resumable<Sync>& call) {
      if (stop.ways_ == nullptr) return;
      stop.ways_->subscribe(stop.token_, callback_, call);
      ways_ = stop.ways_;
    }
    void end() noexcept {
      if (ways_ != nullptr) std::exchange(ways_, nullptr)->unsubscribe(callback_);
    }

   private:
    const Ways* ways_ = nullptr;
    alignas(std::max_align_t) std::byte callback_[callback_size];
  };

 private:
  template <class Stored>
  [[nodiscard]] static auto& at(std::byte* place) noexcept {
    return *std::launder(reinterpret_cast<Stored*>(place));
  }
  template <class Stored>
  [[nodiscard]] static const auto& at(const std::byte* place) noexcept {
    return *std::launder(reinterpret_cast<const Stored*>(place));
  }

  template <class Stored>
  static constexpr bool is_aligned = alignof(Stored) <= alignof(std::max_align_t);
  template <class Stored, std::size_t size>
  static constexpr bool fits = sizeof(Stored) <= size&& is_aligned<Stored>;

  template <class Token>
  static constexpr Ways ways_of = {
      [](const std::byte* from, std::byte* to) noexcept { ::new (static_cast<void*>(to)) Token(at<Token>(from)); },
      [](std::byte* token) noexcept { at<Token>(token).~Token(); },
      [](const std::byte* token) noexcept -> bool { return at<Token>(token).stop_requested(); },
      [](const std::byte* token, std::byte* callback, Resumable<Sync>& call) {
        ::new (static_cast<void*>(callback)) StopCallback<Token, Sync>(at<Token>(token), call);
      },
      [](std::byte* callback) noexcept {
        using Callback = StopCallback<Token, Sync>;
        at<Callback>(callback).~Callback();
      }};

  template <class Token>
  void store(const Token& token) noexcept {
    static_assert(fits<Token, token_size> && fits<StopCallback<Token, Sync>, callback_size>,
                  "forebay: a stop token may have the size of 4 pointers, and its callback that of 12");
    ::new (static_cast<void*>(token_)) Token(token);
    ways_ = &ways_of<Token>;
  }

  const Ways* ways_ = nullptr;
  alignas(std::max_align_t) std::byte token_[token_size];
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_WAITING_ANY_STOP_HPP
