// SPDX-License-Identifier: MIT
//
// overtaking.hpp: Overtaking, which decides what may leave a parallel stage with any_order. Elements leave as soon as
// they are ready. The end of an epoch and a failure wait for all smaller sequence numbers, and nothing passes them.
// Elements beside which others were skipped wait, too, so that failures are counted in their order.
//
// Thread safety: none; the parallel stage's lock guards it.

#ifndef FOREBAY_PARALLEL_OVERTAKING_HPP
#define FOREBAY_PARALLEL_OVERTAKING_HPP

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

  /// Allocates for `usual` outputs in flight; only more of them need another allocation.
  explicit Overtaking(std::size_t usual) { in_flight_.reserve(usual); }

  /// Records that a sequence number is in flight, with `end` after its elements. Requires a larger number than before.
  void begin(std::uint64_t sequence_number, End end) { in_flight_.push_back({sequence_number, end, nullptr}); }

  /// Adds the output of a sequence number. Calls `leave(output)` for every output that may leave now.
  template <class Leave>
  void add(std::uint64_t sequence_number, Output output, Leave leave) {
    auto made = in_flight_.begin();
    while (made->number != sequence_number) ++made;
    made->end = output->end;  // the work may have failed
    made->output = std::move(output);
    auto kept = in_flight_.begin();
    auto next = in_flight_.begin();
    for (; next != in_flight_.end(); ++next) {
      if (next->end != End::none && (next->output == nullptr || kept != in_flight_.begin())) break;
      if (next->output != nullptr && (next->output->skipped.empty() || kept == in_flight_.begin())) {
        leave(std::exchange(next->output, nullptr));
      } else {
        if (kept != next) *kept = std::move(*next);
        ++kept;
      }
    }
    in_flight_.erase(kept, next);
  }

 private:
  struct InFlight {
    std::uint64_t number;
    End end;
    Output output;  // null until the output is ready
  };

  std::vector<InFlight> in_flight_;  // in their order
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_OVERTAKING_HPP
