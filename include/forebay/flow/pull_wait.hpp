// SPDX-License-Identifier: MIT
//
// pull_wait.hpp: PullWait, how long a pull through the stages may go on.

#ifndef FOREBAY_FLOW_PULL_WAIT_HPP
#define FOREBAY_FLOW_PULL_WAIT_HPP

#include "forebay/base/thread_record.hpp"
#include "forebay/context.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// What a stage, which knows of no threads, may ask about the thread that pulls.
class PullWait : public StopQuery {
 public:
  PullWait(const PullWait&) = delete;
  PullWait& operator=(const PullWait&) = delete;
  virtual ~PullWait() = default;

  /// Whether a source may wait for what is not there yet. Else it answers not_now; one that never waits goes on.
  [[nodiscard]] bool may_block() const noexcept { return may_block_ && !is_forbidden_; }

  /// Whether a stage has something to hand out already: then the caller has to return, with no chunk in hand.
  [[nodiscard]] bool is_blocking_forbidden() const noexcept { return is_forbidden_; }

  /// Whether no further element is to be begun: the deadline has passed, a stop was requested, or the caller does not
  /// wait at all. Looked at before every element but the first one of a call.
  [[nodiscard]] virtual bool over() const noexcept = 0;

  /// From now on may_block() does not hold, for a stage that has something to hand out already ...
  void forbid_blocking() const noexcept { is_forbidden_ = true; }

  /// ... and at the end of this it is as it was.
  class BlockingRestored {
   public:
    explicit BlockingRestored(const PullWait& wait) noexcept : wait_(wait), before_(wait.is_forbidden_) {}
    BlockingRestored(const BlockingRestored&) = delete;
    BlockingRestored& operator=(const BlockingRestored&) = delete;
    ~BlockingRestored() { wait_.is_forbidden_ = before_; }

   private:
    const PullWait& wait_;
    const bool before_;
  };

 protected:
  explicit PullWait(bool may_block) noexcept : may_block_(may_block) {}

 private:
  const bool may_block_;
  mutable bool is_forbidden_ = false;  // one thread's at any time
};

/// How a thread that waits for the output of a parallel stage helps there.
enum class Help : unsigned char {
  none,
  works_on_next,  ///< works on the chunk of the next output, which otherwise might not come until the source delivers
  works,          ///< works on chunks that are claimed
  claims_and_works  ///< claims chunks, too
};

/// The PullWait of every pull in a pipeline of `Sync`: what blocks needs the wait itself.
template <class Sync>
class PullWaitOf : public PullWait {
 public:
  explicit PullWaitOf(const BasicWait<Sync>& wait, Help help = Help::none) noexcept
      : PullWait(wait.may_block()), wait_(wait), help_(help) {}

  /// How long to block, where may_block(). The stop of the pipeline is not in it where it is a user's wait: what is
  /// blocked in is closed by a stop (Host::on_stop).
  [[nodiscard]] const BasicWait<Sync>& wait() const noexcept { return wait_; }

  [[nodiscard]] bool over() const noexcept override {
    if (&wait_ == &BasicWait<Sync>::forever) return noted(stop_requested());  // asked for every element
    return noted(wait_.given_up(QueueStatus::empty).has_value() || stop_requested());
  }

  /// How the thread that pulls would help, and whether it is to help: then a chunk is in hand.
  [[nodiscard]] Help help() const noexcept { return help_; }
  [[nodiscard]] bool has_claimed() const noexcept { return has_claimed_; }
  void claimed() const noexcept { has_claimed_ = true; }

 protected:
  /// What over() returns: if it is not over, an element has been dealt with, which is progress.
  [[nodiscard]] static bool noted(bool over) noexcept {
    if (!over) ThreadRecord<Sync>::note_progress();
    return over;
  }

 private:
  const BasicWait<Sync>& wait_;
  Help help_;
  mutable bool has_claimed_ = false;
};

/// The same where nothing but the wait's own stop stops.
template <class Sync = StdSync>
class PlainPullWait final : public PullWaitOf<Sync> {
 public:
  using PullWaitOf<Sync>::PullWaitOf;
  [[nodiscard]] bool stop_requested() const noexcept override { return this->wait().stop_requested(); }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FLOW_PULL_WAIT_HPP
