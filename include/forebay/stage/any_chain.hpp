// SPDX-License-Identifier: MIT
//
// any_chain.hpp: AnyChain, a stage that runs, whatever the type of its outputs: where it is, and how it is restored.

#ifndef FOREBAY_STAGE_ANY_CHAIN_HPP
#define FOREBAY_STAGE_ANY_CHAIN_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/stage/chain_place.hpp"
#include "forebay/stage/chunk.hpp"
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
class AnyChain {
 public:
  AnyChain() = default;
  AnyChain(const AnyChain&) = delete;
  AnyChain& operator=(const AnyChain&) = delete;
  virtual ~AnyChain() = default;

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
  [[nodiscard]] std::uint64_t scale() const noexcept { return scale_; }

  /// For a stage that knows better than by save_state(): the base is `state`, and is where the chain is.
  void set_base(const Snapshot& state) {
    base_ = state;
    since_base_ = {};
  }

 protected:
  /// Counts what a pull adds to a chunk, also if it throws.
  class Delivery {
   public:
    Delivery(AnyChain& chain, const AnyChunk& chunk) noexcept : chain_(chain), chunk_(chunk), before_(chunk.size()) {
      chain.has_failed_ = true;
    }
    Delivery(const Delivery&) = delete;
    Delivery& operator=(const Delivery&) = delete;
    ~Delivery() { count(); }

    Answer ended_with(Answer answer) noexcept {
      count();
      chain_.has_failed_ = false;
      if (answer == Answer::epoch_ended) {
        chain_.before_mark_ = chain_.since_base_.elements;
        chain_.since_base_.pass_mark();
      }
      return answer;
    }

   private:
    void count() noexcept { chain_.since_base_.elements += chunk_.size() - std::exchange(before_, chunk_.size()); }

    AnyChain& chain_;
    const AnyChunk& chunk_;
    std::size_t before_;
  };

  void set_base_if_due() {
    if (is_base_due_ && knows_where()) set_base();
  }

  /// What was delivered before it was restored, and is to be delivered once more.
  [[nodiscard]] const Passed& to_drop() const noexcept { return to_drop_; }

  /// How many elements of that to deliver at once, out of `most` that are asked for, with room for so many.
  [[nodiscard]] std::size_t most_to_drop(std::size_t most, std::size_t room) const noexcept {
    const std::uint64_t wanted = to_drop_.marks > 0 ? most : to_drop_.elements;
    return static_cast<std::size_t>(smaller<std::uint64_t>(wanted, room));
  }

  void count_dropped(std::size_t elements) noexcept {
    if (to_drop_.marks == 0) to_drop_.elements -= elements;
  }

  /// They were dropped, and that was the answer. Answers more, or what there is to hand out or to wait for.
  Answer has_dropped(Answer answer) {
    if (answer != Answer::epoch_ended || to_drop_.nothing()) return answer;  // ended: the last repeat has fewer turns
    if (to_drop_.marks == 0) throw std::runtime_error("there are fewer elements in the epoch than there were");
    --to_drop_.marks;
    return Answer::more;
  }

  /// When all is dropped, goes where it was told to go meanwhile. Whether it was told.
  bool go_to_target() {
    if (!to_drop_.nothing() || !target_) return false;
    skip_to(*std::exchange(target_, std::nullopt));
    return true;
  }

 private:
  /// See go_to().
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

  /// How much of what was delivered since the base is before what save() says.
  [[nodiscard]] Passed passed_before(std::uint64_t unread, bool mark_unread) const noexcept {
    Passed passed = since_base_ + to_drop_;
    if (mark_unread) passed = {passed.marks - 1, before_mark_};
    passed.elements -= unread;
    return passed;
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

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_ANY_CHAIN_HPP
