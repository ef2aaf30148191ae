// SPDX-License-Identifier: MIT
//
// chain.hpp: Chain<T>, a stage that runs, with all that stands before it, and Worker<In, Out>, what a map does to a
// chunk. Both are erased per chunk, not per element.

#ifndef FOREBAY_STAGE_CHAIN_HPP
#define FOREBAY_STAGE_CHAIN_HPP

#include <cstddef>
#include <memory>

#include "forebay/stage/chunk.hpp"
#include "forebay/stage/pull_wait.hpp"
#include "forebay/stage/rounds.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

enum class Answer : unsigned char {
  more,         ///< at least one element was added; there may be more
  epoch_ended,  ///< the epoch ends behind what was added, which may be nothing
  ended,        ///< there is nothing more, and nothing was added
  not_now,      ///< nothing was added, since the wait is over
};

/// Every sequence of answers is that of whole epochs: (more* epoch_ended)* ended, with not_now anywhere.
///
/// Sequential code: one thread at a time has a chain, may block in it, and hands it on as it is.
template <class T>
class Chain {
 public:
  Chain() = default;
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;
  virtual ~Chain() = default;

  /// Adds elements to `chunk` until it has `most`, and sets its epoch (unless it answers ended or not_now). What the
  /// chunk holds already belongs to the same epoch, and counts. Requires chunk.size() < most.
  ///
  /// It may add fewer: it waits only while it has added nothing. It throws only if it could not add `most`; then what
  /// was added stands before the failure, and the next call has to be go_to() with a later epoch, if there is one.
  /// After `ended` it answers `ended` again, unless go_to() comes. `chunk.end` is left to the caller.
  virtual Answer pull(Chunk<T>& chunk, std::size_t most, const PullWait& wait) = 0;

  /// What comes before the epoch of `rounds` is not wanted: the next pull begins with that epoch. If the chain is
  /// there already, or beyond, with no round left since, this does nothing. Requires !rounds.over(); never blocks.
  virtual void go_to(const Rounds& rounds) = 0;
};

/// A chain made of steps, each of which adds at most a few elements: `Own::step(chunk, most, wait)` answers `more` if
/// the next step is to follow, whether or not it has added something.
template <class Own, class T>
class SteppedChain : public Chain<T> {
 public:
  Answer pull(Chunk<T>& chunk, std::size_t most, const PullWait& wait) final {
    const std::size_t before = chunk.size();
    const PullWait::BlockingRestored restored(wait);
    Answer answer = Answer::more;
    for (bool first = true; answer == Answer::more && chunk.size() < most; first = false) {
      if (!first && wait.over()) answer = Answer::not_now;
      if (chunk.size() > before) wait.forbid_blocking();
      if (answer == Answer::more) answer = static_cast<Own&>(*this).step(chunk, most, wait);
    }
    return answer == Answer::not_now && chunk.size() > before ? Answer::more : answer;
  }
};

/// What one thread does to the chunks of a map.
template <class In, class Out>
class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  virtual ~Worker() = default;

  /// Makes `out`, which is cleared first, of `in`: elements, numbers, epoch, end and failure. What f throws ends `out`
  /// before that element. Gives up between two elements when `stop` is requested; then `out` is not to be used.
  virtual void run(Chunk<In>& in, Chunk<Out>& out, const PullWait& stop) noexcept = 0;

  /// What is left to do when `out` has been handed out, if the segment works on.
  virtual void work_on(const PullWait& /*wait*/) noexcept {}
};

/// What a map does, for all its threads.
template <class In, class Out>
class Work {
 public:
  Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  virtual ~Work() = default;

  /// A worker for the calling thread, which alone uses it. Called by several threads at once. Throws what the factory
  /// of a per_thread throws.
  [[nodiscard]] virtual std::unique_ptr<Worker<In, Out>> begin() const = 0;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_CHAIN_HPP
