// SPDX-License-Identifier: MIT
//
// stream.hpp: Stream<T>, a running stage with all its upstream stages. It begins epochs, delivers chunks of their
// elements, and saves its position between pulls.

#ifndef FOREBAY_FLOW_STREAM_HPP
#define FOREBAY_FLOW_STREAM_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include "forebay/checkpoint/snapshot.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/flow/chunk.hpp"
#include "forebay/flow/pull_wait.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The result of a pull, or of a step of a stage.
enum class PullResult : unsigned char {
  more,     ///< elements were added, and more may follow. (A step may have added none.)
  last,     ///< elements were added, and the epoch ends after them
  ended,    ///< nothing was added: the epoch is over
  not_now,  ///< nothing was added, because the wait is over
  failed,   ///< elements may have been added; AnyChunk::failure follows them
};

/// The part of a stream that does not depend on the type of its elements.
///
/// A description is a function from an epoch to elements. The reader of a stream begins each epoch, and may leave it
/// for another one at any time. Streams are sequential: one thread at a time owns a stream, may block in it, and passes
/// it on.
class AnyStream {
 public:
  AnyStream() = default;
  AnyStream(const AnyStream&) = delete;
  AnyStream& operator=(const AnyStream&) = delete;
  virtual ~AnyStream() = default;

  /// Makes the next pull deliver the first elements of `epoch`. Drops undelivered elements of other epochs. Only
  /// records the epoch: the first pull or restore() opens readers and calls user code.
  virtual void begin(const Epoch& epoch) noexcept = 0;

  /// Saves a state of the epoch, at or before the position of the next element. Returns the number of elements from
  /// that state to that position. Requires can_save(), and that no pull has failed since begin(). Has no effect that a
  /// reader can observe.
  virtual std::uint64_t save(Snapshot& to) = 0;

  /// Returns whether save() is possible. If not, the beginning of the epoch and earlier saved states remain resume
  /// points.
  [[nodiscard]] virtual bool can_save() const noexcept { return true; }

  /// Skips up to `count` of the next elements without reading them, and subtracts the number skipped from `count`.
  /// Returns `ended`, `not_now`, or otherwise `more`. Requires can_skip().
  virtual PullResult skip(std::uint64_t& /*count*/, const PullWait& /*wait*/) { return PullResult::more; }
  [[nodiscard]] virtual bool can_skip() const noexcept { return false; }

  /// Restores a saved state. Requires begin() of the same epoch, and no pull since. Throws SnapshotError if there is no
  /// such state, and whatever a reader throws while it seeks there.
  virtual void restore(SnapshotReader& from) = 0;

  /// Makes the next pull deliver the element that `number` others precede in the epoch, or its end if there are fewer.
  /// Only records the number. Requires an elastic shard, or a stream downstream of one; begin(), and no pull since.
  ///
  /// The restored state may come from a run with another number of shards. It gives only a lower bound of how far the
  /// input of the shard was read. The shard skips the elements before the requested one.
  virtual void skip_to(std::uint64_t /*number*/) {}

  /// Returns the name of the stage, which errors about its saved state include. Empty for a part of another stage.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  void set_name(std::string name) noexcept { name_ = std::move(name); }

 private:
  std::string name_;
};

template <class T>
class Stream : public AnyStream {
 public:
  /// Adds elements to `chunk` until it has `most`, and sets its epoch. Elements already in the chunk belong to the same
  /// epoch and count. Requires begin(), and chunk.size() < most. Leaves `chunk.end` to the caller.
  ///
  /// May add fewer, because it waits only while it has added nothing. A stage that emits several elements at once may
  /// add more. After the end of the epoch it returns `ended` until begin(). After a failure, only begin() may follow.
  virtual PullResult pull(Chunk<T>& chunk, std::size_t most, const PullWait& wait) noexcept = 0;
};

/// Makes the exception that is being handled the failure of the chunk, and returns `failed`.
[[gnu::noinline, gnu::cold]] inline PullResult fail(AnyChunk& chunk) noexcept {
  chunk.failure = std::current_exception();
  return PullResult::failed;
}

/// Throws the failure of the chunk, which then has none.
[[noreturn]] inline void throw_failure(AnyChunk& chunk) {
  std::rethrow_exception(std::exchange(chunk.failure, nullptr));
}

/// Moves the failure from one chunk to another, and returns `failed`.
inline PullResult pass_failure(AnyChunk& from, AnyChunk& to) noexcept {
  to.failure = std::exchange(from.failure, nullptr);
  return PullResult::failed;
}

/// Converts the result of the last step into that of a whole pull, which began with `before` elements in the chunk.
[[nodiscard]] inline PullResult after_adding(PullResult result, const AnyChunk& chunk, std::size_t before) noexcept {
  const bool has_added = chunk.size() > before;
  if (result == PullResult::not_now) return has_added ? PullResult::more : PullResult::not_now;
  if (result == PullResult::more || result == PullResult::failed) return result;
  return has_added ? PullResult::last : PullResult::ended;
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FLOW_STREAM_HPP
