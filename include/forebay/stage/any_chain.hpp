// SPDX-License-Identifier: MIT
//
// any_chain.hpp: AnyChain, a stage that runs, whatever the type of its outputs: where it is, and how it is restored.

#ifndef FOREBAY_STAGE_ANY_CHAIN_HPP
#define FOREBAY_STAGE_ANY_CHAIN_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/stage/chain_place.hpp"
#include "forebay/stage/chunk.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/stage/snapshot.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

enum class Answer : unsigned char {
  more,         ///< at least one element was added; there may be more
  epoch_ended,  ///< the epoch ends behind what was added, which may be nothing
  ended,        ///< there is no such epoch, and nothing was added
  not_now,      ///< nothing was added, since the wait is over
};

/// Delivers the elements of an epoch, and then those of the next one: (more* epoch_ended)* ended, with not_now
/// anywhere. Whoever pulls may begin another epoch at any time.
///
/// Sequential code: one thread at a time has a chain, may block in it, and hands it on as it is.
///
/// Where it is in an epoch can be saved, and restored in another run of the same description: as a resume point where
/// it was before, and how many outputs it has delivered since. A chain that is restored delivers those once more and
/// drops them. So a stage has to say where it is only at moments that suit it. The beginning of an epoch is a resume
/// point that needs nothing to be saved.
class AnyChain {
 public:
  AnyChain() = default;
  AnyChain(const AnyChain&) = delete;
  AnyChain& operator=(const AnyChain&) = delete;
  virtual ~AnyChain() = default;

  /// The next pull delivers the first elements of `epoch`. What was not delivered of another one is not wanted any
  /// more. Does nothing if the chain stands there. Never blocks, and calls no code of the user's.
  void begin(const Epoch& epoch) {
    if (epoch == epoch_ && is_at_start()) return;
    enter(epoch);
  }

  /// Of which the next pull delivers elements.
  [[nodiscard]] const Epoch& epoch() const noexcept { return epoch_; }

  /// Says where it was in its epoch before the last pull delivered its last `unread` elements; if `mark_unread`, in the
  /// epoch that this pull ended. What `place` was does not matter, but for its storage: where it is is said often.
  virtual void place_before(ChainPlace& place, std::uint64_t unread, bool mark_unread) {
    place.begin_epoch();
    if (!is_pulled_ && !mark_unread) {
      place.base = here_.base;
      place.passed = to_drop();
      return;
    }
    if (to_drop() == 0 && !has_failed_ && save_state_before(place.base, unread, mark_unread)) return;
    if (can_say_where(unread, mark_unread)) {
      save_state(place.base);
      place.passed = to_drop();
      return;
    }
    const ChainPlace& noted = mark_unread ? ended_ : here_;
    place.base = noted.base;
    place.passed = noted.passed - unread + (mark_unread ? 0 : to_drop());
    is_note_due_ = true;
  }
  void save(Snapshot& to, std::uint64_t unread = 0, bool mark_unread = false) {
    if (is_pulled_ && can_say_where(unread, mark_unread)) {  // nothing is copied from stage to stage
      to.add(1);
      save_state(to);
      to.add(to_drop() * scale_);
    } else {
      place_before(saved_, unread, mark_unread);
      saved_.save(to, scale_);
    }
  }

  /// It is where another one was. Requires begin() of the epoch in which that was, and that nothing was pulled since.
  /// Throws a SnapshotError.
  virtual void restore(SnapshotReader& from) {
    const bool has_base = from.flag();
    if (has_base) restore_state(from);
    drop_until_ = from.divided(scale_);
    if (has_base) note();
  }

  /// For how many elements of all shards one stands here (see Opening::scale).
  void set_scale(std::uint64_t scale) noexcept { scale_ = scale; }
  [[nodiscard]] std::uint64_t scale() const noexcept { return scale_; }

  /// For a stage that knows better than by save_state(): the resume point is `state`, and is where the chain is.
  void set_base(const Snapshot& state) {
    saved_.begin_epoch();
    saved_.base = state;
    begin_at_saved();
  }

 protected:
  /// Counts what a pull adds to a chunk, also if it throws, and says to which epoch it belongs.
  class Delivery {
   public:
    Delivery(AnyChain& chain, AnyChunk& chunk) noexcept
        : chain_(chain), chunk_(chunk), epoch_(chain.epoch_), before_(chunk.size()) {
      chain.is_pulled_ = true;
      chain.has_failed_ = true;
      chunk.epoch = epoch_;
    }
    Delivery(const Delivery&) = delete;
    Delivery& operator=(const Delivery&) = delete;
    ~Delivery() { count(); }

    Answer ended_with(Answer answer) {
      count();
      chain_.has_failed_ = false;
      if (answer == Answer::epoch_ended) chain_.end_epoch();
      return answer;
    }

    /// Counts what was delivered to nobody.
    void skipped(std::uint64_t count) noexcept { chain_.here_.passed += count; }

   private:
    void count() noexcept {
      if (!std::exchange(is_counted_, true)) chain_.here_.passed += chunk_.size() - before_;
      chunk_.epoch = epoch_;
    }

    AnyChain& chain_;
    AnyChunk& chunk_;
    const Epoch epoch_;
    const std::size_t before_;
    bool is_counted_ = false;
  };

  void note_if_due() {
    if (is_note_due_ && knows_where()) note();
  }

  /// How many of the next elements were delivered before it was restored: those are delivered once more, and dropped.
  [[nodiscard]] std::uint64_t to_drop() const noexcept { return saturating_subtract(drop_until_, here_.passed); }

 private:
  /// Another epoch begins, epoch(): the stage forgets what it has of the one before, and begins that of its inputs.
  /// Also called when the chain has delivered the one before to its end; then the inputs may stand there.
  virtual void begin_epoch() = 0;

  /// Whether it has read what it has not delivered, so that it cannot say where it is.
  [[nodiscard]] virtual bool holds_outputs() const noexcept { return false; }

  /// Says where it is in its epoch, with what stands before it. Requires !holds_outputs().
  virtual void save_state(Snapshot& to) = 0;
  virtual void restore_state(SnapshotReader& from) = 0;

  /// The same of where it was before what save() says, if it knows without having been there.
  virtual bool save_state_before(Snapshot& /*to*/, std::uint64_t /*unread*/, bool /*mark_unread*/) { return false; }

  [[nodiscard]] bool can_say_where(std::uint64_t unread, bool mark_unread) const noexcept {
    return unread == 0 && !mark_unread && knows_where();
  }
  [[nodiscard]] bool knows_where() const noexcept { return !has_failed_ && !holds_outputs(); }

  [[nodiscard]] bool is_at_start() const noexcept { return !is_pulled_ && here_.base.empty() && drop_until_ == 0; }

  void enter(const Epoch& epoch) {
    epoch_ = epoch;
    here_.begin_epoch();
    drop_until_ = 0;
    is_pulled_ = false;
    is_note_due_ = false;
    has_failed_ = false;
    begin_epoch();
  }

  void end_epoch() {
    std::swap(ended_, here_);
    enter(epoch_.next());
  }

  void note() {
    saved_.begin_epoch();
    save_state(saved_.base);
    begin_at_saved();
    is_note_due_ = false;
  }

  void begin_at_saved() noexcept {
    drop_until_ = to_drop();
    std::swap(here_, saved_);
  }

  Epoch epoch_;
  ChainPlace here_;               // the last resume point that was noted, and what was delivered since
  ChainPlace ended_;              // the same of the epoch that the last pull ended
  ChainPlace saved_;              // only its storage counts
  std::uint64_t drop_until_ = 0;  // so many have been delivered since here_; for who pulls they were before
  std::uint64_t scale_ = 1;
  bool is_pulled_ = false;  // since the epoch began, or it was restored
  bool is_note_due_ = false;
  bool has_failed_ = false;  // what was delivered counts, but where it is is not known
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_ANY_CHAIN_HPP
