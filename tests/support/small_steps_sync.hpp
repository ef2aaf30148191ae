// SPDX-License-Identifier: MIT
//
// small_steps_sync.hpp: StdSync with steps of three moves under a lock, so that small batches have several steps.

#ifndef FOREBAY_TESTS_SUPPORT_SMALL_STEPS_SYNC_HPP
#define FOREBAY_TESTS_SUPPORT_SMALL_STEPS_SYNC_HPP

#include <cstddef>

#include "forebay/engine/sides.hpp"
#include "forebay/sync.hpp"

namespace forebay_test {

struct SmallStepsSync : forebay::StdSync {};

}  // namespace forebay_test

template <>
inline constexpr std::size_t forebay::detail::most_moves_under_a_lock<forebay_test::SmallStepsSync> = 3;

#endif  // FOREBAY_TESTS_SUPPORT_SMALL_STEPS_SYNC_HPP
