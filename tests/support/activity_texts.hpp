// SPDX-License-Identifier: MIT
//
// activity_texts.hpp: lists of thread activities as tests compare them: in any order and without times.

#ifndef FOREBAY_TESTS_SUPPORT_ACTIVITY_TEXTS_HPP
#define FOREBAY_TESTS_SUPPORT_ACTIVITY_TEXTS_HPP

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "forebay/thread_activity.hpp"
#include "tests/support/await.hpp"

namespace forebay_test {

using Texts = std::multiset<std::string>;

inline Texts texts_of(const std::vector<forebay::ThreadActivity>& threads) {
  Texts texts;
  for (const forebay::ThreadActivity& each : threads) {
    const std::string text = each.text();
    texts.insert(text.substr(0, text.find(" (")));
  }
  return texts;
}

/// Waits until the threads of a coordinator or a pipeline do exactly this, and returns whether they did.
template <class Watched>
bool come_to(const Watched& watched, const Texts& texts) {
  const bool have = await([&] { return texts_of(watched.threads()) == texts; });
  if (!have) ADD_FAILURE() << to_string(watched.threads());
  return have;
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_ACTIVITY_TEXTS_HPP
