// SPDX-License-Identifier: MIT
//
// overtaking.hpp: Overtaking, which outputs of a segment may leave, in any order: elements as soon as they are there.
// What comes behind elements, a mark, a failure or the end, waits for all tickets before it, and lets none behind it
// pass.
//
// Thread safety: none; the segment's lock guards it.

#ifndef FOREBAY_PARALLEL_OVERTAKING_HPP
#define FOREBAY_PARALLEL_OVERTAKING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "forebay/flow/chunk.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

class Overtaking {
 public:
  using Output = std::unique_ptr<AnyChunk>;

  /// Allocates nothing more as long as no more than `usual` tickets are under way.
  explicit Overtaking(std::size_t usual) { under_way_.reserve(usual); }

  /// A ticket is under way, with `end` behind its elements. Requires that it is a later one than all before.
  void begin(std::uint64_t ticket, End end) { under_way_.push_back({ticket, end, nullptr}); }

  /// What was made for it. Calls `leave(output)` for everything that may leave now.
  template <class Leave>
  void add(std::uint64_t ticket, Output output, Leave leave) {
    const auto is_before = [](const Ticket& one, std::uint64_t number) { return one.number < number; };
    const auto made = std::lower_bound(under_way_.begin(), under_way_.end(), ticket, is_before);
    made->end = output->end;  // which may be a failure by now
    made->output = std::move(output);
    auto kept = under_way_.begin();
    auto next = under_way_.begin();
    for (; next != under_way_.end(); ++next) {
      if (next->end != End::none && (next->output == nullptr || kept != under_way_.begin())) break;
      if (next->output != nullptr) {
        leave(std::exchange(next->output, nullptr));
      } else {
        kept->number = next->number;
        kept->end = End::none;
        ++kept;
      }
    }
    under_way_.erase(kept, next);
  }

 private:
  struct Ticket {
    std::uint64_t number;
    End end;
    Output output;  // null until it is made
  };

  std::vector<Ticket> under_way_;  // in their order
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_OVERTAKING_HPP
