// SPDX-License-Identifier: MIT
//
// chain_place.hpp: ChainPlace, where a chain is: where it was once, and how much it has delivered since.

#ifndef FOREBAY_STAGE_CHAIN_PLACE_HPP
#define FOREBAY_STAGE_CHAIN_PLACE_HPP

#include <cstdint>

#include "forebay/stage/rounds.hpp"
#include "forebay/stage/snapshot.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// So many marks, and behind the last of them so many elements.
struct Passed {
  std::uint64_t marks = 0;
  std::uint64_t elements = 0;

  [[nodiscard]] bool nothing() const noexcept { return marks == 0 && elements == 0; }

  void pass_mark() noexcept { *this = {marks + 1, 0}; }

  /// What was delivered after `first`, too.
  [[nodiscard]] friend Passed operator+(const Passed& first, const Passed& then) noexcept {
    if (then.marks == 0) return {first.marks, first.elements + then.elements};
    return {first.marks + then.marks, then.elements};
  }

  /// `scale` is for how many elements of all shards one stands here (see Opening::scale).
  void save(Snapshot& to, std::uint64_t scale) const {
    to.add(marks);
    to.add(elements * scale);
  }
  [[nodiscard]] static Passed restored(SnapshotReader& from, std::uint64_t scale) {
    const std::uint64_t its_marks = from.number();
    if (its_marks > 0) from.drop_carry();
    return {its_marks, from.divided(scale)};
  }
};

struct ChainPlace {
  Snapshot base;  // what stages said there
  Passed passed{};
  bool goes_on = false;  // to `target`, behind that
  Epoch target{};

  void go_to(const Epoch& epoch) noexcept {
    goes_on = true;
    target = epoch;
  }

  /// Keeps the storage.
  void clear() noexcept {
    base.clear();
    passed = {};
    goes_on = false;
  }
  [[nodiscard]] bool is_known() const noexcept { return !base.empty(); }

  void save(Snapshot& to, std::uint64_t scale) const {
    to.add(base);
    passed.save(to, scale);
    to.add(goes_on ? 1 : 0);
    if (goes_on) target.save(to);
  }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_CHAIN_PLACE_HPP
