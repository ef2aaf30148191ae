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
#include <optional>
#include <stdexcept>

#include "forebay/base/arithmetic.hpp"
#include "forebay/stage/chain_place.hpp"
#include "forebay/stage/chunk.hpp"
#include "forebay/stage/pull_wait.hpp"
#include "forebay/stage/rounds.hpp"
#include "forebay/stage/snapshot.hpp"
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
///
/// Where it is can be saved, and restored in another run of the same description: as a place where it was before, its
/// base, and how many outputs, marks among them, it has delivered since. A chain that is restored delivers those once
/// more and drops them. So a stage has to say where it is only at moments that suit it.
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
  Answer pull(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    if (is_base_due_ && knows_where()) set_base();
    while (!to_drop_.nothing()) {
      const Answer answer = drop(chunk, most, wait);
      if (to_drop_.nothing() && target_) {
        skip_to(*std::exchange(target_, std::nullopt));
      } else if (answer != Answer::more) {
        return answer;
      }
      if (wait.over()) return Answer::not_now;
    }
    return deliver(chunk, most, wait);
  }

  /// What comes before the epoch of `rounds` is not wanted: the next pull begins with that epoch. If the chain is
  /// there already, or beyond, with no round left since, this does nothing. Requires !rounds.over(); never blocks.
  void go_to(const Rounds& rounds) {
    is_base_due_ = true;  // outputs will be missing
    has_failed_ = false;
    if (to_drop_.nothing()) {
      skip_to(rounds);
    } else {
      target_ = rounds;
    }
  }

  /// Says where it was before the last pull delivered its last `unread` elements, and a mark if `mark_unread`. What
  /// `place` was does not matter, but for its storage: where it is is said often.
  virtual void place_before(ChainPlace& place, std::uint64_t unread, bool mark_unread) {
    place.clear();
    if (to_drop_.nothing() && !has_failed_ && save_state_before(place.base, unread, mark_unread)) return;
    if (unread == 0 && !mark_unread && to_drop_.nothing() && knows_where()) {
      set_base();
    } else {
      is_base_due_ = true;
    }
    place.base = base_;
    if (target_) place.go_to(target_->epoch());
    place.passed = passed_before(unread, mark_unread);
  }
  void save(Snapshot& to, std::uint64_t unread = 0, bool mark_unread = false) {
    place_before(saved_, unread, mark_unread);
    saved_.save(to, scale_);
  }

  /// It is where another one was. Requires that nothing was pulled from it. Throws a SnapshotError.
  virtual void restore(SnapshotReader& from) {
    restore_state(from);
    set_base();
    to_drop_ = Passed::restored(from, scale_);
    if (from.flag()) go_to(Rounds::of(Epoch::restored(from)));
  }

  /// For how many elements of all shards one stands here (see Opening::scale).
  void set_scale(std::uint64_t scale) noexcept { scale_ = scale; }

 protected:
  [[nodiscard]] std::uint64_t scale() const noexcept { return scale_; }

  /// How much of what was delivered since the base is before what save() says.
  [[nodiscard]] Passed passed_before(std::uint64_t unread, bool mark_unread) const noexcept {
    Passed passed = since_base_ + to_drop_;
    if (mark_unread) passed = {passed.marks - 1, before_mark_};
    passed.elements -= unread;
    return passed;
  }

  /// The base is `state`, and is where the chain is.
  void set_base(const Snapshot& state) {
    base_ = state;
    since_base_ = {};
  }

 private:
  /// See pull() and go_to().
  virtual Answer pull_on(Chunk<T>& chunk, std::size_t most, const PullWait& wait) = 0;
  virtual void skip_to(const Rounds& rounds) = 0;

  /// Whether it has read what it has not delivered, so that it cannot say where it is.
  [[nodiscard]] virtual bool holds_outputs() const noexcept { return false; }

  /// Says where it is, with what stands before it. Requires !holds_outputs().
  virtual void save_state(Snapshot& to) = 0;
  virtual void restore_state(SnapshotReader& from) = 0;

  /// The same of where it was before what save() says, if it knows without having been there.
  virtual bool save_state_before(Snapshot& /*to*/, std::uint64_t /*unread*/, bool /*mark_unread*/) { return false; }

  [[nodiscard]] bool knows_where() const noexcept { return !has_failed_ && !holds_outputs(); }

  void set_base() {
    base_.clear();
    save_state(base_);
    since_base_ = {};
    is_base_due_ = false;
  }

  Answer deliver(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    struct Counting {
      Chain& chain;
      const Chunk<T>& chunk;
      const std::size_t before = chunk.size();
      ~Counting() { chain.since_base_.elements += chunk.size() - before; }
    };
    Answer answer{};
    {
      const Counting counting{*this, chunk};
      has_failed_ = true;
      answer = pull_on(chunk, most, wait);
      has_failed_ = false;
    }
    if (answer == Answer::epoch_ended) {
      before_mark_ = since_base_.elements;
      since_base_.pass_mark();
    }
    return answer;
  }

  /// Delivers a part of what was delivered before, and drops it. Answers more, or what there is to hand out or to wait
  /// for.
  Answer drop(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    const std::size_t before = chunk.size();
    const std::uint64_t wanted = to_drop_.marks > 0 ? most : to_drop_.elements;
    const Answer answer =
        deliver(chunk, before + static_cast<std::size_t>(smaller<std::uint64_t>(wanted, most - before)), wait);
    if (to_drop_.marks == 0) to_drop_.elements -= chunk.size() - before;
    chunk.drop(before);
    if (answer != Answer::epoch_ended || to_drop_.nothing()) return answer;  // ended: the last repeat has fewer turns
    if (to_drop_.marks == 0) throw std::runtime_error("there are fewer elements in the epoch than there were");
    --to_drop_.marks;
    return Answer::more;
  }

  Snapshot base_;
  ChainPlace saved_;  // only its storage counts
  Passed since_base_;
  std::uint64_t before_mark_ =
      0;            // so many elements of since_base_ came before the last mark and behind that before it
  Passed to_drop_;  // of what was delivered before
  std::optional<Rounds> target_{};  // of a go_to() that came meanwhile
  std::uint64_t scale_ = 1;
  bool is_base_due_ = true;
  bool has_failed_ = false;  // what was delivered counts, but where it is is not known
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

/// How long workers have waited for room, and those who take what they make for that, where they see to it themselves.
struct WorkWaits {
  std::chrono::nanoseconds blocked{};
  std::chrono::nanoseconds starved{};
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

  [[nodiscard]] virtual WorkWaits waits() const { return {}; }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_CHAIN_HPP
