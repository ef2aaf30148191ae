// SPDX-License-Identifier: MIT
//
// segment.hpp: Segment, a part of a pipeline that has threads, as a chain: a stage that makes Out of In.

#ifndef FOREBAY_PIPELINE_SEGMENT_HPP
#define FOREBAY_PIPELINE_SEGMENT_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "forebay/pipeline/any_segment.hpp"
#include "forebay/pipeline/chunk_types.hpp"
#include "forebay/pipeline/pipeline_host.hpp"
#include "forebay/pipeline/segment_settings.hpp"
#include "forebay/stage/chain.hpp"
#include "forebay/stage/failing.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Lifetime: may be destroyed when the threads of the host have ended.
///
/// Thread safety: pull and begin are for the thread that has the chain of which this is a part.
template <class In, class Out, class Sync>
class Segment final : public Chain<Out>, public AnySegment<Sync> {
 public:
  Segment(PipelineHost<Sync>& host, std::unique_ptr<Chain<In>> chain, std::unique_ptr<const Work<In, Out>> work,
          SegmentSettings settings, SkipCount skipped = {{}, {}})
      : AnySegment<Sync>(host, *this, chunk_types<In, Out>, std::move(chain), std::move(work), std::move(settings),
                         std::move(skipped)) {}

 private:
  Answer pull_on(Chunk<Out>& chunk, std::size_t most, const PullWait& wait) override {
    return this->pull_any(chunk, most, wait);
  }
  void begin_epoch() override { this->begin_epoch_of_outputs(); }

  /// What passes elements on says where its chain is, by place_before().
  [[nodiscard]] bool holds_outputs() const noexcept override { return this->is_running() || this->passes_on(); }
  void save_state(Snapshot& to) override { this->save_place(to); }
  void restore_state(SnapshotReader& from) override { this->restore_place(from); }

  void place_before(ChainPlace& place, std::uint64_t unread, bool mark_unread) override {
    AnyChain::place_before(place, unread, mark_unread);
    if (this->passes_on()) this->place_chain_there(place);
  }
  void restore(SnapshotReader& from) override {
    if (this->passes_on()) return this->restore_chain(from);
    AnyChain::restore(from);
  }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PIPELINE_SEGMENT_HPP
