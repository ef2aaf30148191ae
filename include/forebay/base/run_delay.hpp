// SPDX-License-Identifier: MIT
//
// run_delay.hpp: how long a thread could have run, but had no core, as Linux reports it.

#ifndef FOREBAY_BASE_RUN_DELAY_HPP
#define FOREBAY_BASE_RUN_DELAY_HPP

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>

#include "forebay/base/text_fields.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Returns for how long the thread of the clock could have run since it began, but had no core; none if unknown. Throws
/// nothing, also without memory: a thread that begins calls it.
template <class Clock>
[[nodiscard]] std::optional<std::chrono::nanoseconds> run_delay([[maybe_unused]] const Clock& clock) noexcept {
  if constexpr (requires { clock.thread(); }) {
    std::array<char, 64> text{};
    static_cast<void>(std::snprintf(text.data(), text.size(), "/proc/self/task/%ld/schedstat", clock.thread()));
    const FilePointer file(std::fopen(text.data(), "rb"));
    const std::size_t size = file != nullptr ? std::fread(text.data(), 1, text.size(), file.get()) : 0;
    std::string_view fields(text.data(), size);
    static_cast<void>(take_field(fields, ' '));  // its CPU time
    if (const std::optional<std::uint64_t> delay = number_of(take_field(fields, ' '))) {
      return std::chrono::nanoseconds(static_cast<std::int64_t>(*delay));
    }
  }
  return std::nullopt;
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_RUN_DELAY_HPP
