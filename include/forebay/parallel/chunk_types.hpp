// SPDX-License-Identifier: MIT
//
// chunk_types.hpp: ChunkTypes, the few operations of a parallel stage that depend on the types of its elements. The
// rest is compiled once.

#ifndef FOREBAY_PARALLEL_CHUNK_TYPES_HPP
#define FOREBAY_PARALLEL_CHUNK_TYPES_HPP

#include <cstddef>
#include <memory>
#include <utility>

#include "forebay/flow/chunk.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/pull_wait.hpp"
#include "forebay/stage/work.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

using ChunkPointer = std::unique_ptr<AnyChunk>;

struct ChunkTypes {
  ChunkPointer (*make_input)();
  ChunkPointer (*make_output)();

  /// See Input::pull().
  PullResult (*pull)(AnyInput& from, AnyChunk& input, std::size_t most, const PullWait& wait) noexcept;

  /// Moves elements of the output `from`, beginning with `next`, to `to` until it has `most` elements. `chunk` is the
  /// usual number of elements in an output.
  void (*hand_over)(AnyChunk& from, std::size_t& next, AnyChunk& to, std::size_t most, std::size_t chunk);
};

template <class T>
[[nodiscard]] ChunkPointer make_chunk() {
  return ChunkPointer(new Chunk<T>());
}

template <class T>
PullResult pull_chunk(AnyInput& from, AnyChunk& input, std::size_t most, const PullWait& wait) noexcept {
  return static_cast<Input<T>&>(from).pull(static_cast<Chunk<T>&>(input), most, wait);
}

/// Exchanges the chunks, but not what comes behind their elements.
template <class T>
void swap_elements(Chunk<T>& one, Chunk<T>& other) noexcept {
  std::swap(one, other);
  std::swap(one.end, other.end);
  std::swap(one.failure, other.failure);
  std::swap(one.resume_point, other.resume_point);
}

/// If it can, it exchanges the chunks, but not what comes behind their elements. It does not exchange a chunk for more
/// storage than a chunk needs: then all chunks of a map would become as large as a batch downstream.
template <class T>
void hand_over_chunk(AnyChunk& any_from, std::size_t& next, AnyChunk& any_to, std::size_t most, std::size_t chunk) {
  auto& from = static_cast<Chunk<T>&>(any_from);
  auto& to = static_cast<Chunk<T>&>(any_to);
  if (to.empty() && next == 0 && from.size() <= most && to.stored() <= chunk) {
    swap_elements(to, from);
    return;
  }
  to.epoch = from.epoch;
  for (; next < from.size() && to.size() < most; ++next) to.push(std::move(from[next]), from.number(next));
}

template <class In, class Out>
inline constexpr ChunkTypes chunk_types{make_chunk<In>, make_chunk<Out>, pull_chunk<In>, hand_over_chunk<Out>};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_CHUNK_TYPES_HPP
