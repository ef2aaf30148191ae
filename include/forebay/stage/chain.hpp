// SPDX-License-Identifier: MIT
//
// chain.hpp: Chain<T>, a stage that runs, with all that stands before it, and Worker<In, Out>, what a map does to a
// chunk. Both are erased per chunk, not per element.

#ifndef FOREBAY_STAGE_CHAIN_HPP
#define FOREBAY_STAGE_CHAIN_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>

#include "forebay/base/arithmetic.hpp"
#include "forebay/stage/any_chain.hpp"
#include "forebay/stage/chunk.hpp"
#include "forebay/stage/pull_wait.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A chain whose outputs are elements of T.
template <class T>
class Chain : public AnyChain {
 public:
  /// Adds elements to `chunk` until it has `most`, and sets its epoch. What the chunk holds already belongs to the same
  /// epoch, and counts. Requires chunk.size() < most.
  ///
  /// It may add fewer: it waits only while it has added nothing. It throws only if it could not add `most`; then what
  /// was added stands before the failure, and the next call has to be begin() of another epoch, if there is one.
  /// After `ended` it answers `ended` again, unless begin() comes. `chunk.end` is left to the caller.
  Answer pull(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    note_if_due();
    const Answer answer = skip_delivered(chunk, most, wait);
    return answer == Answer::more ? deliver(chunk, most, wait) : answer;
  }

  /// Skips up to `count` of the elements that pull() would deliver, and lowers `count` by as many. Answers as pull().
  /// What is read for it stands in `chunk` meanwhile, which may have `most` elements.
  Answer skip(std::uint64_t& count, Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    note_if_due();
    const Answer answer = skip_delivered(chunk, most, wait);
    return answer == Answer::more ? skip_counted(count, chunk, most, wait) : answer;
  }

  /// Whether skip() does not read the elements.
  [[nodiscard]] virtual bool skips_unread() const noexcept { return false; }

 protected:
  /// See skip(). Reads and drops them.
  virtual Answer skip_on(std::uint64_t& count, Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    const std::size_t before = chunk.size();
    const auto drop = [&] {
      count -= chunk.size() - before;
      chunk.drop(before);
    };
    const auto wanted = static_cast<std::size_t>(smaller<std::uint64_t>(count, most - before));
    Answer answer = Answer::more;
    try {
      answer = pull_on(chunk, before + wanted, wait);
    } catch (...) {
      drop();
      throw;
    }
    drop();
    return answer;
  }

 private:
  /// See pull().
  virtual Answer pull_on(Chunk<T>& chunk, std::size_t most, const PullWait& wait) = 0;

  Answer deliver(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    Delivery delivery(*this, chunk);
    return delivery.ended_with(pull_on(chunk, most, wait));
  }

  Answer skip_counted(std::uint64_t& count, Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    Delivery delivery(*this, chunk);
    const std::uint64_t before = count;
    const Answer answer = skip_on(count, chunk, most, wait);
    delivery.skipped(before - count);
    return delivery.ended_with(answer);
  }

  /// Skips what was delivered before it was restored. Answers `more` when that is done.
  Answer skip_delivered(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    while (to_drop() > 0) {
      std::uint64_t left = to_drop();
      const Answer answer = skip_counted(left, chunk, most, wait);
      if (answer == Answer::epoch_ended && left > 0) {
        throw std::runtime_error("there are fewer elements in the epoch than there were");
      }
      if (answer != Answer::more) return answer;
      if (wait.over()) return Answer::not_now;
    }
    return Answer::more;
  }
};

/// A chain made of steps, each of which adds at most a few elements: `Own::step(chunk, most, wait)` answers `more` if
/// the next step is to follow, whether or not it has added something.
template <class Own, class T>
class SteppedChain : public Chain<T> {
 private:
  Answer pull_on(Chunk<T>& chunk, std::size_t most, const PullWait& wait) final {
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

/// What one thread does to the chunks of a map, of whatever types.
class AnyWorker {
 public:
  AnyWorker() = default;
  AnyWorker(const AnyWorker&) = delete;
  AnyWorker& operator=(const AnyWorker&) = delete;
  virtual ~AnyWorker() = default;

  /// See Worker<In, Out>::run(): of these types the chunks have to be.
  virtual bool run_any(AnyChunk& in, std::size_t& next, AnyChunk& out, const PullWait& wait) noexcept = 0;

  /// What is left to do when `out` has been handed out, if the segment works on.
  virtual void work_on(const PullWait& /*wait*/) noexcept {}
};

template <class In, class Out>
class Worker : public AnyWorker {
 public:
  /// Makes `out`, which is cleared first, of `in`: elements, numbers, epoch, end and failure. What f throws ends `out`
  /// before that element. Returns false if `wait` ends between two elements: then the next call, by a worker of any
  /// thread, goes on with the element `next`. Requires next == 0 in the first call.
  virtual bool run(Chunk<In>& in, std::size_t& next, Chunk<Out>& out, const PullWait& wait) noexcept = 0;

 private:
  bool run_any(AnyChunk& in, std::size_t& next, AnyChunk& out, const PullWait& wait) noexcept final {
    return run(static_cast<Chunk<In>&>(in), next, static_cast<Chunk<Out>&>(out), wait);
  }
};

/// How long workers have waited for room, and those who take what they make for that, where they see to it themselves.
struct WorkWaits {
  std::chrono::nanoseconds blocked{};
  std::chrono::nanoseconds starved{};
};

/// What a map does, for all its threads.
class AnyWork {
 public:
  AnyWork() = default;
  AnyWork(const AnyWork&) = delete;
  AnyWork& operator=(const AnyWork&) = delete;
  virtual ~AnyWork() = default;

  /// A worker for the calling thread, which alone uses it. Called by several threads at once. Throws what the factory
  /// of a per_thread throws.
  [[nodiscard]] virtual std::unique_ptr<AnyWorker> begin() const = 0;

  [[nodiscard]] virtual WorkWaits waits() const { return {}; }
};

/// Its workers are Worker<In, Out>.
template <class In, class Out>
class Work : public AnyWork {};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_CHAIN_HPP
