// SPDX-License-Identifier: MIT
//
// resume_point.hpp: ResumePoint, where another run resumes: a state of a stream and the number of elements read since.

#ifndef FOREBAY_CHECKPOINT_RESUME_POINT_HPP
#define FOREBAY_CHECKPOINT_RESUME_POINT_HPP

#include <cstdint>

#include "forebay/checkpoint/snapshot.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

struct ResumePoint {
  /// The first item of a saved resume point.
  enum Kind : std::uint64_t {
    beginning,  ///< of the epoch
    state,      ///< of the stream
    end,        ///< of the epoch; nothing follows
  };

  Kind kind = beginning;
  Snapshot stream{};        // its state, if kind is `state`
  std::uint64_t since = 0;  // elements read since, which a resumed run replays
  bool is_known = false;

  /// Sets it to the beginning of an epoch. Keeps the storage.
  void begin_epoch() noexcept {
    kind = beginning;
    stream.clear();
    since = 0;
    is_known = true;
  }

  /// Makes it unknown. Keeps the storage.
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
