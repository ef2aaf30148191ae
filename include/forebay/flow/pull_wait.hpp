// SPDX-License-Identifier: MIT
//
// pull_wait.hpp: PullWait, which limits how long a pull through the stages may continue.

#ifndef FOREBAY_FLOW_PULL_WAIT_HPP
#define FOREBAY_FLOW_PULL_WAIT_HPP

#include <chrono>

#include "forebay/base/thread_record.hpp"
#include "forebay/context.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Gives a stage information about the thread that pulls. Stages do not know about threads.
class PullWait : public StopQuery {
 public:
  PullWait(const PullWait&) = delete;
  PullWait& operator=(const PullWait&) = delete;
  virtual ~PullWait() = default;

  /// Returns whether a source may wait for elements. If not, a source that would wait returns not_now; other sources
  /// continue.
  [[nodiscard]] bool may_block() const noexcept { return may_block_ && !is_forbidden_; }

  /// Returns whether a stage already has output. If so, the pull must return without claiming a chunk.
  [[nodiscard]] bool is_blocking_forbidden() const noexcept { return is_forbidden_; }

  /// Returns whether to stop before the next element: the deadline has passed, a stop was requested, or the caller does
  /// not wait at all. Checked before every element except the first one of a call.
  [[nodiscard]] virtual bool over() const noexcept = 0;

  /// Returns the time of the pipeline's steady clock.
  [[nodiscard]] virtual std::chrono::nanoseconds now() const noexcept = 0;

  /// Makes may_block() return false, for a stage that already has output. BlockingRestored undoes it.
  void forbid_blocking() const noexcept { is_forbidden_ = true; }

  /// Restores the state of may_block() when it is destroyed.
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
  mutable bool is_forbidden_ = false;  // only one thread at a time uses it
};

/// How a thread that waits for the output of a parallel stage helps that stage.
enum class Help : unsigned char {
  none,
  works_on_next,    ///< works on the chunk of the next output, which might otherwise wait until the source delivers
  works,            ///< works on claimed chunks
  claims_and_works  ///< also claims chunks
};

/// The PullWait of every pull in a pipeline of `Sync`. Stages that block use its wait().
template <class Sync>
class PullWaitOf : public PullWait {
 public:
  explicit PullWaitOf(const BasicWait<Sync>& wait, Help help = Help::none) noexcept
      : PullWait(wait.may_block()), wait_(wait), help_(help) {}

  /// Returns how long to block if may_block(). A user's wait does not include the pipeline's stop. Instead, the stop
  /// closes what the thread is blocked on (Host::on_stop).
  [[nodiscard]] const BasicWait<Sync>& wait() const noexcept { return wait_; }

  [[nodiscard]] bool over() const noexcept override {
    if (&wait_ == &BasicWait<Sync>::forever) return noted(stop_requested());  // called for every element
    return noted(wait_.given_up(QueueStatus::empty).has_value() || stop_requested());
  }

  [[nodiscard]] std::chrono::nanoseconds now() const noexcept override {
    return Sync::clock::now().time_since_epoch();
  }

  /// Return how the pulling thread can help, and whether it is to help: it then holds a claimed chunk.
  [[nodiscard]] Help help() const noexcept { return help_; }
  [[nodiscard]] bool has_claimed() const noexcept { return has_claimed_; }
  void claimed() const noexcept { has_claimed_ = true; }

 protected:
  /// Returns `over`. Unless it is over, an element was processed, which is progress.
  [[nodiscard]] static bool noted(bool over) noexcept {
    if (!over) ThreadRecord<Sync>::note_progress();
    return over;
  }

 private:
  const BasicWait<Sync>& wait_;
  Help help_;
  mutable bool has_claimed_ = false;
};

/// The PullWait of a pull that ends only with its own wait, not with a pipeline.
template <class Sync = StdSync>
class PlainPullWait final : public PullWaitOf<Sync> {
 public:
  using PullWaitOf<Sync>::PullWaitOf;
  [[nodiscard]] bool stop_requested() const noexcept override { return this->wait().stop_requested(); }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FLOW_PULL_WAIT_HPP
