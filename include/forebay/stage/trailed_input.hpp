// SPDX-License-Identifier: MIT
//
// trailed_input.hpp: TrailedInput<T>, an input for a stage that holds elements for long. It notes from time to time
// where its chain is, so that another run can read them again: positions are saved, never elements.

#ifndef FOREBAY_STAGE_TRAILED_INPUT_HPP
#define FOREBAY_STAGE_TRAILED_INPUT_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/stage/input.hpp"
#include "forebay/stage/snapshot.hpp"
#include "forebay/stage/snapshot_pace.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The stage knows an element by how many were read before it in its epoch. It may read on into the epoch behind the
/// one that it is in. What it holds of that is not saved: its beginning is a resume point.
template <class T>
class TrailedInput {
 public:
  /// It notes one resume point for so many elements as the stage may hold.
  TrailedInput(std::unique_ptr<Chain<T>> chain, std::size_t most_held)
      : input_(std::move(chain)), interval_(larger<std::uint64_t>(most_held, elements_at_once)) {}

  /// As Input::look. `oldest()` tells the smallest number of the elements that the stage holds of its epoch, or read().
  template <class Oldest>
  Answer look(std::size_t wanted, const PullWait& wait, const Oldest& oldest) {
    Trail& trail = newest();
    if (trail.is_ended) return Answer::epoch_ended;
    if (trail.read >= trail.next_point && input_.is_between_pulls() && pace_.is_due()) {
      if (!is_ahead() && trail.points.size() >= most_points) forget_before(oldest());
      pace_.take([this, &trail] { note(trail); });
    }
    const Answer answer = input_.look(wanted, wait);
    trail.is_ended = answer == Answer::epoch_ended;
    return answer;
  }

  // As those of Input.
  [[nodiscard]] std::size_t unread() const noexcept { return input_.unread(); }
  [[nodiscard]] T& element() noexcept { return input_.element(); }
  [[nodiscard]] std::uint64_t number() const noexcept { return input_.number(); }
  [[nodiscard]] Position position() const noexcept { return input_.position(); }
  [[nodiscard]] Chunk<T>& chunk() noexcept { return input_.chunk(); }
  [[nodiscard]] std::size_t next() const noexcept { return input_.next(); }

  /// Passes the element on, and returns the number that it is known by.
  std::uint64_t pass() noexcept {
    input_.pass();
    return newest().read++;
  }

  /// How much was read of the epoch that is read.
  [[nodiscard]] std::uint64_t read() const noexcept { return newest().read; }

  /// Of the epoch of the stage, also while a resumed run reads again what was read before.
  [[nodiscard]] std::uint64_t read_of_epoch() const noexcept { return larger(trail_.read, to_read_); }

  /// Whether the epoch of the stage has been read to its end.
  [[nodiscard]] bool is_ahead() const noexcept { return trail_.is_ended; }

  /// See AnyChain::begin. Returns whether the stage goes on with what it has read of that epoch already.
  bool begin(const Epoch& epoch) {
    const bool goes_on = trail_.is_ended && epoch == epoch_.next();
    epoch_ = epoch;
    std::swap(trail_, ahead_);
    ahead_.begin(interval_);
    if (!goes_on) {
      input_.begin(epoch);
      trail_.begin(interval_);
    }
    to_read_ = 0;
    held_.clear();
    again_.clear();
    return goes_on;
  }

  /// Adds a place from which everything that is held of the stage's epoch can be read again. Returns how much had been
  /// read there.
  std::uint64_t save(Snapshot& to, std::uint64_t oldest) {
    if (!is_ahead() && !is_reading_again() && oldest == trail_.read) {
      input_.save(to);
      to.add(0);
      return oldest;
    }
    forget_before(oldest);
    const bool is_noted = !trail_.points.empty() && trail_.points.front().read <= oldest;
    const std::uint64_t first = is_noted ? trail_.points.front().read : 0;
    if (is_noted) {
      to.add(trail_.points.front().place);
    } else {
      ChainPlace().save(to, 1);
    }
    to.add(read_of_epoch() - first);
    return first;
  }

  /// Of what has to be read again, which is numbered from 0, the elements that keep() names are kept.
  void restore(SnapshotReader& from) {
    input_.restore(from);
    to_read_ = from.number();
    note(trail_);
  }
  void keep(std::uint64_t number, const SnapshotReader& from) {
    if (number >= to_read_ || !held_.insert(number).second) from.fail("there is no such element");
  }

  /// Reads it. Answers `more` when all is read.
  [[nodiscard]] bool is_reading_again() const noexcept { return trail_.read < to_read_; }
  Answer read_again(const PullWait& wait) {
    for (const std::uint64_t begin = trail_.read; is_reading_again();) {
      if (trail_.read > begin && wait.over()) return Answer::not_now;
      const Answer answer = look(elements_at_once, wait, [] { return std::uint64_t{0}; });
      if (answer == Answer::not_now || answer == Answer::ended) return answer;
      if (answer != Answer::more) throw std::runtime_error("there are fewer elements than there were");
      Again again{std::move(element()), number()};  // what is not kept is given up
      if (held_.contains(trail_.read)) again_.emplace(trail_.read, std::move(again));
      pass();
    }
    held_.clear();
    return Answer::more;
  }

  /// An element that was kept, and its number in its epoch.
  struct Again {
    T element;
    std::uint64_t number;
  };
  /// Requires that it is there, and was not taken.
  [[nodiscard]] Again take_again(std::uint64_t number) { return std::move(again_.extract(number).mapped()); }

  /// One that was moved from. Requires that there is one that was kept.
  [[nodiscard]] T moved_from() {
    T& any = again_.begin()->second.element;
    T kept(std::move(any));
    T made(std::move(any));
    any = std::move(kept);
    return made;
  }

 private:
  struct Point {
    std::uint64_t read;
    Snapshot place;
  };

  /// Of one epoch.
  struct Trail {
    std::uint64_t read = 0;
    std::uint64_t next_point = 0;
    std::vector<Point> points{};
    bool is_ended = false;

    void begin(std::uint64_t first_point) noexcept {
      read = 0;
      next_point = first_point;
      points.clear();
      is_ended = false;
    }
  };

  /// How many numbers of a resume point may be noted for each element that is read. A point of a stage behind many
  /// others is large, and must not cost more the more stages follow.
  static constexpr std::uint64_t numbers_an_element = 8;

  /// So many are kept before it is asked which are needed: that takes long where many elements are held.
  static constexpr std::size_t most_points = 16;

  [[nodiscard]] Trail& newest() noexcept { return trail_.is_ended ? ahead_ : trail_; }
  [[nodiscard]] const Trail& newest() const noexcept { return trail_.is_ended ? ahead_ : trail_; }

  void note(Trail& trail) {
    trail.points.push_back({trail.read, std::move(storage_)});
    trail.points.back().place.clear();
    input_.save(trail.points.back().place);
    const std::uint64_t size = trail.points.back().place.numbers().size();
    trail.next_point = saturating_add(trail.read, larger(interval_, size / numbers_an_element));
  }

  /// What is at or behind the last point before `oldest` can be read again.
  void forget_before(std::uint64_t oldest) {
    std::vector<Point>& points = trail_.points;
    std::size_t first = 0;
    while (first + 1 < points.size() && points[first + 1].read <= oldest) ++first;
    if (first > 0) storage_ = std::move(points[0].place);
    points.erase(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(first));
  }

  Input<T> input_;
  std::uint64_t interval_;
  Trail trail_{.next_point = interval_};  // of the stage's epoch
  Trail ahead_{.next_point = interval_};  // of the one behind it
  Epoch epoch_;                           // of the stage
  SnapshotPace<StdSync> pace_;
  Snapshot storage_;  // of a point that was forgotten

  // In a run that was restored.
  std::uint64_t to_read_ = 0;
  std::set<std::uint64_t> held_;
  std::map<std::uint64_t, Again> again_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_TRAILED_INPUT_HPP
