// SPDX-License-Identifier: MIT
//
// stream.hpp: Stream<T>, a running stage with all that is upstream of it: begins epochs, delivers chunks of their
// elements, and says between two pulls where it is.

#ifndef FOREBAY_FLOW_STREAM_HPP
#define FOREBAY_FLOW_STREAM_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "forebay/checkpoint/snapshot.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/flow/chunk.hpp"
#include "forebay/flow/pull_wait.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// What a pull, or a step of a stage, has come to.
enum class Answer : unsigned char {
  more,     ///< elements were added; there may be more. (A step may have added none.)
  last,     ///< elements were added, and the epoch ends behind them
  ended,    ///< nothing was added: the epoch is over
  not_now,  ///< nothing was added, since the wait is over
};

/// A stream, whatever the type of its elements.
///
/// A description is a function from an epoch to elements. The reader of a stream begins each epoch, and may leave it
/// for another one at any time. Sequential code: one thread at a time has a stream, may block in it, and hands it on.
class AnyStream {
 public:
  AnyStream() = default;
  AnyStream(const AnyStream&) = delete;
  AnyStream& operator=(const AnyStream&) = delete;
  virtual ~AnyStream() = default;

  /// The next pull delivers the first elements of `epoch`. What was not delivered of another one is not wanted any
  /// more. Only notes it: readers are opened, and user code is called, by the first pull or by restore().
  virtual void begin(const Epoch& epoch) noexcept = 0;

  /// Adds a state in the epoch, from which restore() goes on. Returns how many elements have been delivered since,
  /// the last `rewind` of which are to be delivered once more. Requires can_save(rewind), and that no pull has failed
  /// since begin(). Changes nothing that a reader can tell.
  virtual std::uint64_t save(Snapshot& to, std::uint64_t rewind) = 0;

  /// If not, the beginning of the epoch is a resume point, and so is what was saved before.
  [[nodiscard]] virtual bool can_save(std::uint64_t rewind) const noexcept { return rewind == 0; }

  /// Passes over up to `count` of the elements that come next without reading them, and lowers `count` by as many.
  /// Answers as a pull that adds nothing. Requires can_skip().
  virtual Answer skip(std::uint64_t& /*count*/, const PullWait& /*wait*/) { return Answer::more; }
  [[nodiscard]] virtual bool can_skip() const noexcept { return false; }

  /// Goes to the state. Requires begin() of the same epoch, and no pull since. Throws a SnapshotError if there is no
  /// such state, and what a reader throws that is to go there.
  virtual void restore(SnapshotReader& from) = 0;

  /// The next pull delivers the element that `number` others precede in the epoch, or its end if there are fewer. Only
  /// notes it. Requires an elastic shard, or a stream downstream of one; begin(), and no pull since.
  ///
  /// The state of such a stream may be that of a shard of another number of them. It says only how far the input of the
  /// shard was read, at least: the shard passes over what comes before the element.
  virtual void skip_to(std::uint64_t /*number*/) {}

  /// The name of its stage, which errors about its saved state name. Empty for a part of another stage.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  void set_name(std::string name) noexcept { name_ = std::move(name); }

 private:
  std::string name_;
};

template <class T>
class Stream : public AnyStream {
 public:
  /// Adds elements to `chunk` until it has `most`, and sets its epoch. What the chunk holds already belongs to the same
  /// epoch, and counts. Requires begin(), and chunk.size() < most. `chunk.end` is left to the caller.
  ///
  /// It may add fewer: it waits only while it has added nothing. A stage that emits several elements at once may add
  /// more. After the end of the epoch it answers `ended` until begin(). What was added before it throws stands before
  /// the failure; then only begin() may follow.
  virtual Answer pull(Chunk<T>& chunk, std::size_t most, const PullWait& wait) = 0;
};

/// Adding to a chunk that had `before` elements has come to `answer`, which says nothing of what was added before.
[[nodiscard]] inline Answer after_adding(Answer answer, const AnyChunk& chunk, std::size_t before) noexcept {
  const bool has_added = chunk.size() > before;
  if (answer == Answer::not_now) return has_added ? Answer::more : Answer::not_now;
  if (answer == Answer::more) return answer;
  return has_added ? Answer::last : Answer::ended;
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FLOW_STREAM_HPP
