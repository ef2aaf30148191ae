// SPDX-License-Identifier: MIT
//
// erased_sink.hpp: ErasedSink, the destination of an element from a queue of any kind.

#ifndef FOREBAY_HANDLE_ERASED_SINK_HPP
#define FOREBAY_HANDLE_ERASED_SINK_HPP

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Takes one element. A sink like those of transfer.hpp.
template <class T>
class ErasedSink {
 public:
  static constexpr bool takes_one = true;

  ErasedSink() = default;
  ErasedSink(const ErasedSink&) = delete;
  ErasedSink& operator=(const ErasedSink&) = delete;
  virtual ~ErasedSink() = default;

  template <class Elements>
  void prepare(std::size_t /*count*/, const Elements& /*elements*/) const noexcept {}

  virtual void put(T&& element) = 0;
  /// For an element whose move may throw. Requires that it can be copied.
  virtual void put(const T& element) = 0;
  virtual void undo() noexcept = 0;
};

/// Constructs the element in place, in a Result, which is constructed from a position and an element.
template <class T, class Result, class Position>
class PositionSink final : public ErasedSink<T> {
 public:
  PositionSink(std::optional<Result>& result, Position position) noexcept : result_(result), position_(position) {}

  void put(T&& element) override { result_.emplace(position_, std::move(element)); }
  void put([[maybe_unused]] const T& element) override {
    if constexpr (std::is_copy_constructible_v<T>) result_.emplace(position_, element);
  }
  void undo() noexcept override { result_.reset(); }

 private:
  std::optional<Result>& result_;
  const Position position_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_HANDLE_ERASED_SINK_HPP
