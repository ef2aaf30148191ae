// SPDX-License-Identifier: MIT
//
// pull_wait.hpp: PullWait, which limits how long a pull through the stages may continue.

#ifndef FOREBAY_FLOW_PULL_WAIT_HPP
#define FOREBAY_FLOW_PULL_WAIT_HPP

#include <atomic>
#include <chrono>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/thread_record.hpp"
#include "forebay/context.hpp"
#include "forebay/coordinator.hpp"
#include "forebay/queue_status.hpp"
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

/// Ends a claim if the consumer starves: at once, or after a while. Then the consumer gets the elements that were
/// claimed so far.
template <class Sync>
class ClaimLimit {
 public:
  using Starves = typename Sync::template relaxed_atomic<bool>;
  using Time = typename Sync::clock::time_point;

  /// The claim began at `since`. `consumer_starves` must outlive the object.
  ClaimLimit(bool at_once, Time since, const Starves& consumer_starves) noexcept
      : at_once_(at_once), since_(since), consumer_starves_(consumer_starves) {}

  [[nodiscard]] bool is_reached() noexcept {
    if (!consumer_starves_.load(std::memory_order_relaxed)) return false;
    if (at_once_) return true;
    if (asked_++ < next_look_) return false;
    next_look_ += smaller(asked_, most_between_looks);
    return Sync::clock::now() - since_ >= a_while;
  }

 private:
  static constexpr std::chrono::milliseconds a_while{1};  // long enough that the overhead stays below 1 %
  static constexpr unsigned most_between_looks = 32;      // a look at the clock costs as much as a fast element

  const bool at_once_;
  const Time since_;
  const Starves& consumer_starves_;
  unsigned asked_ = 0;
  unsigned next_look_ = 0;  // looks become rarer, so that slow elements delay the end of the claim little
};

/// The PullWait of every pull in a pipeline of `Sync`. Stages that block use its wait().
template <class Sync>
class PullWaitOf final : public PullWait {
 public:
  using Coordinator = BasicCoordinator<Sync>;
  using Flag = typename Sync::template atomic<bool>;

  /// The arguments must outlive the object. `coordinator` is that of the pipeline.
  PullWaitOf(const Coordinator& coordinator, const BasicWait<Sync>& wait, Help help = Help::none) noexcept
      : PullWait(wait.may_block()), coordinator_(coordinator), wait_(wait), help_(help) {}
  PullWaitOf(const Coordinator& coordinator, const BasicWait<Sync>& wait, ClaimLimit<Sync>* limit) noexcept
      : PullWait(wait.may_block()), coordinator_(coordinator), wait_(wait), limit_(limit) {}

  /// Like `other`, but `is_left` stops it, too.
  PullWaitOf(const PullWaitOf& other, const Flag& is_left) noexcept
      : PullWait(other.wait_.may_block()), coordinator_(other.coordinator_), wait_(other.wait_), is_left_(&is_left) {}

  /// Returns how long to block if may_block(). A user's wait does not include the pipeline's stop. Instead, the stop
  /// closes what the thread is blocked on (Runtime::on_stop).
  [[nodiscard]] const BasicWait<Sync>& wait() const noexcept { return wait_; }

  [[nodiscard]] bool stop_requested() const noexcept override {
    return coordinator_.should_stop() || (is_left_ != nullptr && is_left_->load());
  }
  [[nodiscard]] Wait until_stop() const noexcept override {
    return SignalledStop::wait_for(coordinator_.stop_signal());
  }

  /// Unless it is over, an element was processed, which is progress.
  [[nodiscard]] bool over() const noexcept override {
    if (stop_requested() || (limit_ != nullptr && limit_->is_reached())) return true;
    if (is_limited_ ? wait_.given_up(QueueStatus::empty).has_value() : wait_.stop_requested()) return true;
    ThreadRecord<Sync>::note_progress();
    return false;
  }

  [[nodiscard]] std::chrono::nanoseconds now() const noexcept override {
    return Sync::clock::now().time_since_epoch();
  }

  /// Return how the pulling thread can help, and whether it is to help: it then holds a claimed chunk.
  [[nodiscard]] Help help() const noexcept { return help_; }
  [[nodiscard]] bool has_claimed() const noexcept { return has_claimed_; }
  void claimed() const noexcept { has_claimed_ = true; }

 private:
  const Coordinator& coordinator_;
  const BasicWait<Sync>& wait_;
  const bool is_limited_ = wait_.deadline() || !wait_.may_block();  // known here, because over() is called so often
  const Help help_ = Help::none;
  ClaimLimit<Sync>* const limit_ = nullptr;
  const Flag* const is_left_ = nullptr;
  mutable bool has_claimed_ = false;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FLOW_PULL_WAIT_HPP
