// SPDX-License-Identifier: MIT
//
// resume_point.hpp: ResumePoint, where another run goes on: a state of a stream, and how much was read since.

#ifndef FOREBAY_CHECKPOINT_RESUME_POINT_HPP
#define FOREBAY_CHECKPOINT_RESUME_POINT_HPP

#include <cstdint>

#include "forebay/checkpoint/snapshot.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

struct ResumePoint {
  /// What a saved one begins with.
  enum Kind : std::uint64_t {
    beginning,  ///< of the epoch
    state,      ///< of the stream
    end,        ///< of the epoch: nothing follows
  };

  Kind kind = beginning;
  Snapshot stream{};        // its state
  std::uint64_t since = 0;  // elements read since, which are replayed
  bool is_known = false;

  /// Makes it the beginning of an epoch. Keeps the storage.
  void begin_epoch() noexcept {
    kind = beginning;
    stream.clear();
    since = 0;
    is_known = true;
  }

  /// Keeps the storage.
  void clear() noexcept {
    begin_epoch();
    is_known = false;
  }

  void save(Snapshot& to) const {
    to.add(kind);
    if (kind == state) to.add_frame(stream);
    to.add(kind == end ? 0 : since);
  }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_CHECKPOINT_RESUME_POINT_HPP
