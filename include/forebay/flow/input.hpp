// SPDX-License-Identifier: MIT
//
// input.hpp: Input<T>, from which a stage, a parallel stage or a loop reads a stream. In a resumed run, all replaying
// happens here.

#ifndef FOREBAY_FLOW_INPUT_HPP
#define FOREBAY_FLOW_INPUT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/checkpoint/resume_point.hpp"
#include "forebay/checkpoint/snapshot.hpp"
#include "forebay/checkpoint/snapshot_pace.hpp"
#include "forebay/describe/described_stage.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/flow/chunk.hpp"
#include "forebay/flow/pull_wait.hpp"
#include "forebay/flow/stream.hpp"
#include "forebay/position.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Returns how many elements to request for a stage that adds to `chunk` until it has `most`.
[[nodiscard]] inline std::size_t wanted(std::size_t most, const AnyChunk& chunk) noexcept {
  return smaller(most - chunk.size(), elements_at_once);
}

/// The part of an input that does not depend on the type of its elements. It tracks how far the input was read, and
/// where another run resumes.
///
/// An element is identified by the number of elements read before it in the epoch; in a resumed run, since the resume
/// point. The input saves the state of its stream after a save() that could not record the exact position. It also
/// saves it periodically if its stage holds elements for long. A saved state is usable once the stage holds no element
/// from before it; until then the input keeps an earlier one. A missing one costs time, never correctness: the
/// beginning of the epoch is also a resume point.
class AnyInput {
 public:
  AnyInput(const AnyInput&) = delete;
  AnyInput& operator=(const AnyInput&) = delete;
  virtual ~AnyInput() = default;

  /// Declares that the reader holds up to `most` elements. `oldest()` returns the number of the first held element of
  /// the epoch, or read_of_epoch() if there is none. The reader may read ahead, within `epochs`.
  void set_held(std::uint64_t most, EpochCount epochs, std::function<std::uint64_t()> oldest) {
    interval_ = larger<std::uint64_t>(most, elements_at_once);
    epochs_ = epochs;
    oldest_ = std::move(oldest);
  }
  /// Does the same for a stage that holds elements only briefly, such as a batch.
  void set_held(std::function<std::uint64_t()> oldest) { oldest_ = std::move(oldest); }

  // ---- Epochs

  /// See AnyStream::begin(). Returns whether `epoch` continues with elements that were read ahead.
  bool begin(const Epoch& epoch) noexcept {
    const bool goes_on = is_ahead_ && epoch == epoch_.next();
    epoch_ = epoch;
    is_ahead_ = false;
    replayed_to_ = 0;
    forget_replayed();
    if (goes_on) {
      std::swap(progress_, ahead_);
    } else {
      chunk_of_input_->clear();
      next_ = 0;
      begin(progress_);
      stream_->begin(epoch);
    }
    return goes_on;
  }

  /// Returns whether look() or read_ahead() has reported the end of the epoch.
  [[nodiscard]] bool has_ended() const noexcept { return progress_.has_told_end; }

  // ---- Elements

  /// Returns `more` if there is an element to read. If not, first pulls at most `most`; returns `ended` at the end of
  /// the epoch, or not_now.
  virtual PullResult look(std::size_t most, const PullWait& wait) = 0;

  /// Returns the next element, for a reader that does not know its type. Requires unread() > 0.
  [[nodiscard]] virtual void* any_element() noexcept = 0;

  /// Marks the next element as read. Returns the number of elements read before it.
  std::uint64_t pass() noexcept {
    const std::uint64_t before = read();
    ++next_;
    return before;
  }

  /// Returns the number of elements that were pulled but not read.
  [[nodiscard]] std::size_t unread() const noexcept { return chunk_of_input_->size() - next_; }

  /// Returns the number of elements read in the epoch that is being read, perhaps the one after the stage's own.
  [[nodiscard]] std::uint64_t read() const noexcept { return current().pulled - unread(); }

  /// Returns the number of elements read in the stage's own epoch; during a replay, including all elements to replay.
  [[nodiscard]] std::uint64_t read_of_epoch() const noexcept {
    return larger(is_ahead_ ? progress_.pulled : read(), replayed_to_);
  }

  /// Skips up to `count` elements that were not pulled. See AnyStream::skip(). Requires can_skip().
  PullResult skip(std::uint64_t& count, const PullWait& wait) {
    save_if_due(wait);
    return skip_and_save(count, wait);
  }
  [[nodiscard]] bool can_skip() const noexcept { return !has_pulled() && !is_replaying() && stream_->can_skip(); }

  // ---- Resume points

  /// Saves where another run resumes: before the last `held` elements that were read.
  void save(Snapshot& to, std::uint64_t held = 0) {
    const std::uint64_t place = read_of_epoch() - held;
    save(saved_, place, place);
    saved_.save(to);
  }

  /// Saves where another run of a stage that holds elements resumes. That run replays the elements from `oldest` on.
  /// Returns the number of elements read before the resume point.
  std::uint64_t save_from(Snapshot& to, std::uint64_t oldest) {
    const std::uint64_t target = read_of_epoch();
    save(saved_, oldest, target);
    saved_.save(to);
    return target - saved_.since;
  }

  /// Like save(to), but overwrites `point` and reuses its storage.
  void save(ResumePoint& point) { save(point, read_of_epoch(), read_of_epoch()); }

  /// Restores what save() has saved. Requires begin(), and nothing read since.
  void restore(SnapshotReader& from) {
    const std::uint64_t kind = from.number_up_to(ResumePoint::end);
    progress_.is_last = kind == ResumePoint::end;
    if (kind == ResumePoint::state) {
      from.frame(stream_->name(), [&] { restore_stream(from); });
    }
    replayed_to_ = progress_.is_last ? from.number_up_to(0) : from.number();
  }

  /// Restores a state of the stream, with nothing to replay. Keeps that state as the first saved one.
  void restore_stream(SnapshotReader& from) {
    SnapshotReader state = from;
    stream_->restore(from);
    progress_.states.push_back({0, state.up_to(from)});
    set_next_save(progress_);
  }

  /// See AnyStream::skip_to(). Cancels the replay and the end, which belong to another shard.
  void skip_to(std::uint64_t number) {
    progress_.is_last = false;
    replayed_to_ = 0;
    stream_->skip_to(number);
  }

 protected:
  explicit AnyInput(std::unique_ptr<AnyStream> stream) noexcept : stream_(std::move(stream)) {}

  /// Sets the chunk that stores elements that were pulled but not read.
  void set_chunk(AnyChunk& chunk) noexcept { chunk_of_input_ = &chunk; }

  struct SavedState {
    std::uint64_t read;
    Snapshot state;
  };

  /// The progress in one epoch.
  struct EpochProgress {
    std::uint64_t pulled = 0;
    bool is_last = false;  // nothing follows the pulled elements
    bool has_told_end = false;
    bool has_failed = false;
    std::uint64_t next_save = 0;
    std::vector<SavedState> states{};
  };

  [[nodiscard]] EpochProgress& current() noexcept { return is_ahead_ ? ahead_ : progress_; }
  [[nodiscard]] const EpochProgress& current() const noexcept { return is_ahead_ ? ahead_ : progress_; }

  [[nodiscard]] bool is_replaying() const noexcept { return progress_.pulled < replayed_to_; }

  /// Returns whether anything pulled has not been read: elements, a failure, or the end of the epoch.
  [[nodiscard]] bool has_pulled() const noexcept {
    return unread() > 0 || chunk_of_input_->failure != nullptr || current().is_last;
  }

  /// Begins to read the epoch after the stage's own. Returns false if there is none.
  bool go_ahead() {
    if (is_ahead_) return true;
    if (!epochs_.includes(epoch_.next())) return false;
    begin(ahead_);
    is_ahead_ = true;
    chunk_of_input_->clear();
    next_ = 0;
    stream_->begin(epoch_.next());
    return true;
  }

  /// Saves the state of the stream if that is due. Call it between pulls, with nothing unread.
  void save_if_due(const PullWait& wait) {
    if (interval_ != 0 || is_save_due_) save_now_if_due(wait);
  }

  [[gnu::noinline]] void save_now_if_due(const PullWait& wait) {
    EpochProgress& progress = current();
    const bool is_asked_for = is_save_due_ && !is_ahead_;
    if (!is_asked_for && (interval_ == 0 || progress.pulled < progress.next_save || !pace_.is_due(wait))) return;
    // While the last state is not usable yet, another one would not be either.
    if (interval_ == 0 && !progress.states.empty() && progress.states.back().read > oldest()) return;
    is_save_due_ = false;
    if (!stream_->can_save()) return;
    pace_.take(wait, [this, &progress] { save_state(progress); });
  }

  PullResult skip_and_save(std::uint64_t& count, const PullWait& wait) {
    const std::uint64_t before = count;
    try {
      const PullResult result = stream_->skip(count, wait);
      this->count(static_cast<std::size_t>(before - count), result);
      return result == PullResult::ended ? tell_end() : result;
    } catch (...) {
      current().has_failed = true;
      throw;
    }
  }

  /// Counts the elements that a pull has added.
  void count(std::size_t added, PullResult result) noexcept {
    current().pulled += added;
    current().is_last = result == PullResult::last || result == PullResult::ended;
    if (result == PullResult::failed) current().has_failed = true;
  }

  PullResult tell_end() noexcept {
    current().has_told_end = true;
    return PullResult::ended;
  }

  [[nodiscard]] AnyStream& any_stream() noexcept { return *stream_; }

  /// Reports a data set that has changed since the saved run.
  [[noreturn]] void throw_fewer() const {
    const std::string& stage = stream_->name();
    throw std::runtime_error("there are fewer elements" + (stage.empty() ? stage : " of " + stage) +
                             " than there were");
  }

  std::size_t next_ = 0;
  std::uint64_t replayed_to_ = 0;  // in a resumed run, the number of elements to replay

 private:
  /// Limits the items of a saved state for each element read. A stage with many upstream stages has a large state; the
  /// limit keeps the cost of saving it independent of their number.
  static constexpr std::uint64_t items_an_element = 8;

  /// The number of states to keep before asking the stage which of them it needs. Asking takes long if the stage holds
  /// many elements.
  static constexpr std::size_t most_states = 16;

  virtual void forget_replayed() noexcept = 0;

  void begin(EpochProgress& progress) noexcept {
    if (!progress.states.empty()) storage_ = std::move(progress.states.front().state);
    progress.pulled = 0;
    progress.is_last = progress.has_told_end = progress.has_failed = false;
    progress.next_save = interval_;
    progress.states.clear();
  }

  /// Returns whether no element follows the first `place` elements of the epoch.
  [[nodiscard]] bool is_at_end(std::uint64_t place) const noexcept {
    return progress_.is_last && !is_replaying() && place == progress_.pulled;
  }

  /// Returns whether the stream can save the exact position after `place` elements.
  [[nodiscard]] bool is_exact_at(std::uint64_t place) const noexcept {
    if (is_ahead_ || is_replaying() || progress_.has_failed) return false;
    return place == progress_.pulled && stream_->can_save();
  }

  /// Returns how many elements precede all those that the stage holds.
  [[nodiscard]] std::uint64_t oldest() const { return oldest_ ? oldest_() : read_of_epoch(); }

  /// Saves how another run reaches the position after `target` elements, and replays the elements from `oldest` on.
  void save(ResumePoint& point, std::uint64_t oldest, std::uint64_t target) {
    point.begin_epoch();
    if (is_at_end(oldest)) {
      point.kind = ResumePoint::end;
    } else if (oldest == target && is_exact_at(target)) {
      point.kind = ResumePoint::state;
      point.since = stream_->save(point.stream);
    } else if (const SavedState* const saved = state_before(oldest)) {
      point.kind = ResumePoint::state;
      point.stream = saved->state;
      point.since = target - saved->read;
    } else {
      point.since = target;
    }
  }

  void save_state(EpochProgress& progress) {
    if (progress.has_failed || !stream_->can_save()) return;
    if (!is_ahead_ && (interval_ == 0 || progress.states.size() >= most_states)) {
      forget_before(oldest());
      // The stage holds elements for longer than it has said, so less frequent states suffice.
      if (progress.states.size() > most_states / 2) interval_ = saturating_multiply<std::uint64_t>(interval_, 2);
    }
    progress.states.push_back({progress.pulled, std::move(storage_)});
    SavedState& made = progress.states.back();
    made.state.clear();
    made.read -= stream_->save(made.state);
    set_next_save(progress);
  }

  /// Sets the distance of the next saved state from the last one.
  void set_next_save(EpochProgress& progress) const noexcept {
    const std::size_t items = progress.states.back().state.size();
    progress.next_save = saturating_add(progress.pulled, larger<std::uint64_t>(interval_, items / items_an_element));
  }

  /// Returns the last state saved at or before the element `oldest`, or null. Unless they are saved periodically, makes
  /// one due soon.
  [[nodiscard]] const SavedState* state_before(std::uint64_t oldest) {
    if (interval_ == 0) is_save_due_ = true;
    forget_before(oldest);
    const std::vector<SavedState>& states = progress_.states;
    return !states.empty() && states.front().read <= oldest ? &states.front() : nullptr;
  }

  /// Removes all saved states before the last one at or before `oldest`. No replay needs them any more.
  void forget_before(std::uint64_t oldest) {
    std::vector<SavedState>& states = progress_.states;
    std::size_t first = 0;
    while (first + 1 < states.size() && states[first + 1].read <= oldest) ++first;
    if (first > 0) storage_ = std::move(states[0].state);
    states.erase(states.begin(), states.begin() + static_cast<std::ptrdiff_t>(first));
  }

  std::unique_ptr<AnyStream> stream_;
  AnyChunk* chunk_of_input_ = nullptr;
  Epoch epoch_;             // of the stage
  EpochProgress progress_;  // of that epoch
  EpochProgress ahead_;     // of the next epoch
  bool is_ahead_ = false;
  bool is_save_due_ = false;
  std::uint64_t interval_ = 0;  // elements between two saved states; 0: only on request
  EpochCount epochs_;
  std::function<std::uint64_t()> oldest_;
  SnapshotPace pace_;
  Snapshot storage_;   // reused from a removed state
  ResumePoint saved_;  // the last one, kept for its storage
};

/// An element that a stage held in the saved run.
template <class T>
struct Replayed {
  T element;
  std::uint64_t number;
};

/// Reads a stream through the chunk that was pulled last. A failure comes after exactly the elements that precede it:
/// look() throws it. Where single elements are pulled, `Pulled` is the class of the stream, so that its pull is
/// inlined.
template <class T, class Pulled = Stream<T>>
class Input final : public AnyInput {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a stream converts to an input implicitly
  Input(std::unique_ptr<Pulled> stream) noexcept : AnyInput(std::move(stream)) { set_chunk(chunk_); }

  [[nodiscard]] Pulled& stream() noexcept { return static_cast<Pulled&>(any_stream()); }

  PullResult look(std::size_t most, const PullWait& wait) override {
    if (unread() > 0) return PullResult::more;
    const PullResult result = pull_chunk(most, wait);
    if (result == PullResult::failed) throw_failure(chunk_);
    return result;
  }

  /// Looks in the next epoch, after the end of this one, for a stage that still holds elements of this one.
  PullResult read_ahead(const PullWait& wait) { return go_ahead() ? look(elements_at_once, wait) : PullResult::ended; }

  /// Returns the next element. Requires unread() > 0.
  [[nodiscard]] T& element() noexcept { return chunk_[next_]; }
  [[nodiscard]] void* any_element() noexcept override { return std::addressof(element()); }
  [[nodiscard]] std::uint64_t number() const noexcept { return chunk_.number(next_); }
  [[nodiscard]] Position position() const noexcept { return chunk_.position(next_); }

  /// Give direct access to the chunk, to read several elements at once from index next() on. pass_to() marks the
  /// elements before an index as read.
  [[nodiscard]] Chunk<T>& chunk() noexcept { return chunk_; }
  [[nodiscard]] std::size_t next() const noexcept { return next_; }
  void pass_to(std::size_t index) noexcept { next_ = index; }

  /// Passes elements on directly. Like Stream::pull(), but never adds more than `most`, and reports a failure only
  /// after fewer.
  PullResult pull(Chunk<T>& chunk, std::size_t most, const PullWait& wait) noexcept {
    try {
      if (!has_pulled() && is_replaying()) {
        const PullResult result = replay(wait);
        if (result != PullResult::more) return result;
      }
      if (has_pulled()) return pass_on(chunk, most, wait);
      save_if_due(wait);
      const std::size_t before = chunk.size();
      const PullResult result = stream().pull(chunk, most, wait);
      count(chunk.size() - before, result);
      return keep_surplus(chunk, most) ? PullResult::more : result;
    } catch (...) {
      current().has_failed = true;
      chunk.truncate(most);
      return fail(chunk);
    }
  }

  // ---- In a resumed run

  /// Keeps the elements with these numbers when they are replayed. Throws SnapshotError unless each of them is replayed
  /// once.
  void keep(std::vector<std::uint64_t> numbers, const SnapshotReader& from) {
    std::sort(numbers.begin(), numbers.end());
    const bool are_different = std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end();
    const bool are_replayed = numbers.empty() || numbers.back() < replayed_to_;
    if (!are_different || !are_replayed) from.fail("there is no such element");
    kept_ = std::move(numbers);
  }

  /// Replays all elements that must be replayed. Returns `more` when that is done.
  PullResult replay(const PullWait& wait) {
    for (bool first = true;; first = false) {
      if (!first && wait.over()) return PullResult::not_now;
      if (!is_replaying()) return PullResult::more;
      const std::uint64_t read = current().pulled;
      std::uint64_t left = replayed_to_ - read;
      if (kept_.empty() && stream().can_skip()) {
        if (skip_and_save(left, wait) == PullResult::ended && left > 0) throw_fewer();
        continue;
      }
      const PullResult result =
          pull_into_chunk(static_cast<std::size_t>(smaller<std::uint64_t>(left, elements_at_once)), wait);
      if (result == PullResult::not_now) return result;
      next_ = static_cast<std::size_t>(smaller<std::uint64_t>(left, chunk_.size()));
      for (std::size_t i = 0; i < next_; ++i) keep_or_give_up(read + i, i);
      if (is_replaying() && result == PullResult::failed) throw_failure(chunk_);
      if (is_replaying() && current().is_last) throw_fewer();
    }
  }

  /// Calls `use(element, number)` for elements that keep() requested, once they have been replayed; and forgets all.
  template <class Use>
  void take_replayed(const std::vector<std::uint64_t>& numbers, const Use& use) {
    for (const std::uint64_t number : numbers) {
      const auto place =
          static_cast<std::size_t>(std::lower_bound(kept_.begin(), kept_.end(), number) - kept_.begin());
      use(Replayed<T>{std::move(replayed_[place]), replayed_.number(place)}, number);
    }
    forget_replayed();
  }

 private:
  void forget_replayed() noexcept override {
    if (kept_.empty()) return;
    kept_.clear();
    replayed_ = Chunk<T>();  // frees the elements
  }

  /// Pulls elements for look(). Returns `failed` if the failure is next.
  PullResult pull_chunk(std::size_t most, const PullWait& wait) {
    if (chunk_.failure == nullptr && is_replaying()) {
      const PullResult result = replay(wait);
      if (result != PullResult::more || unread() > 0) return result;
    }
    if (chunk_.failure != nullptr) return PullResult::failed;
    if (current().is_last) return tell_end();
    save_if_due(wait);
    const PullResult result = pull_into_chunk(most, wait);
    if (result == PullResult::ended) return tell_end();
    return chunk_.empty() ? result : PullResult::more;
  }

  PullResult pull_into_chunk(std::size_t most, const PullWait& wait) {
    chunk_.clear();
    next_ = 0;
    const PullResult result = stream().pull(chunk_, most, wait);
    count(chunk_.size(), result);
    return result;
  }

  void keep_or_give_up(std::uint64_t number, std::size_t i) {
    if (chunk_.numbers_only()) return;
    if (replayed_.size() < kept_.size() && kept_[replayed_.size()] == number) {
      replayed_.push_from(chunk_, i, chunk_.number(i));
    } else {
      static_cast<void>(T(std::move(chunk_[i])));  // destroys what it owns
    }
  }

  /// Passes on the unread elements or, if there are none, the failure or the end that follows them.
  PullResult pass_on(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    if (unread() == 0) {
      const PullResult result = pull_chunk(most, wait);
      if (result == PullResult::failed) return pass_failure(chunk_, chunk);
      if (result != PullResult::more) return result;
    }
    chunk.epoch = chunk_.epoch;
    const std::size_t last = next_ + smaller(unread(), most - chunk.size());
    chunk.push_all_from(chunk_, next_, last);
    next_ = last;
    return unread() == 0 && current().is_last ? PullResult::last : PullResult::more;
  }

  /// Keeps what follows the first `most` elements in `chunk` for later reads: elements, or a failure. Returns whether
  /// there is anything.
  bool keep_surplus(Chunk<T>& chunk, std::size_t most) {
    if (chunk.size() < most || (chunk.size() == most && chunk.failure == nullptr)) return false;
    chunk_.clear();
    chunk_.epoch = chunk.epoch;
    pass_failure(chunk, chunk_);
    next_ = 0;
    chunk_.push_all_from(chunk, most, chunk.size());
    chunk.truncate(most);
    return true;
  }

  Chunk<T> chunk_;
  std::vector<std::uint64_t> kept_;  // in a resumed run, the numbers of elements to keep, in ascending order ...
  Chunk<T> replayed_;                // ... and the first of these elements
};

template <class T>
[[nodiscard]] std::unique_ptr<AnyInput> make_input(std::unique_ptr<Stream<T>> stream) {
  return std::unique_ptr<AnyInput>(new Input<T>(std::move(stream)));
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FLOW_INPUT_HPP
