// SPDX-License-Identifier: MIT
//
// trailed_input.hpp: TrailedInput<T>, an input for a stage that holds elements for long. It remembers where it was
// when it read them, so that another run can read them again: positions are saved, never elements.

#ifndef FOREBAY_STAGE_TRAILED_INPUT_HPP
#define FOREBAY_STAGE_TRAILED_INPUT_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/stage/round_input.hpp"
#include "forebay/stage/snapshot.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// What is read is counted: elements, marks and ends of rounds. The stage knows its elements by these numbers.
template <class T, class Source = RoundInput<T>>
class TrailedInput {
 public:
  /// It remembers one place for so many elements as the stage may hold.
  TrailedInput(Source input, std::size_t most_held)
      : input_(std::move(input)), interval_(larger<std::uint64_t>(most_held, elements_at_once)) {}

  /// As RoundInput::look. `oldest()` tells the smallest number of the elements that the stage holds, or read().
  template <class Oldest>
  Answer look(std::size_t wanted, const PullWait& wait, const Oldest& oldest) {
    if (read_ >= next_place_ && input_.is_between_pulls()) {
      if (places_.size() >= most_places) forget_before(oldest());
      remember();
    }
    const Answer answer = input_.look(wanted, wait);
    if (answer == Answer::epoch_ended) ++read_;
    return answer;
  }

  // As those of RoundInput.
  [[nodiscard]] std::size_t unread() const noexcept { return input_.unread(); }
  [[nodiscard]] T& element() noexcept { return input_.element(); }
  [[nodiscard]] std::uint64_t number() const noexcept { return input_.number(); }
  [[nodiscard]] Position position() const noexcept { return input_.position(); }
  [[nodiscard]] const Epoch& epoch() const noexcept { return input_.epoch(); }
  [[nodiscard]] Chunk<T>& chunk() noexcept { return input_.chunk(); }
  [[nodiscard]] std::size_t next() const noexcept { return input_.next(); }
  [[nodiscard]] std::size_t level() const noexcept { return input_.level(); }
  bool next_round() noexcept {
    if constexpr (requires { input_.next_round(); }) {
      if (!input_.next_round()) return false;
      ++read_;
      return true;
    }
    return false;
  }

  /// Passes the element on, and returns the number that it is known by.
  std::uint64_t pass() noexcept {
    input_.pass();
    return read_++;
  }

  /// How much was read.
  [[nodiscard]] std::uint64_t read() const noexcept { return larger(read_, to_read_); }

  /// See Chain::go_to. If the stage holds nothing, what was read before is of no interest any more.
  void go_to(const Rounds& rounds, bool holds_nothing) {
    if (!holds_nothing && is_reading_again()) {
      target_ = rounds;
      return;
    }
    input_.go_to(rounds);
    if (!holds_nothing) return;
    to_read_ = read_;
    held_.clear();
    places_.clear();
    next_place_ = read_;
  }

  /// Adds a place from which everything that is held can be read again. Returns how much had been read there.
  std::uint64_t save(Snapshot& to, std::uint64_t oldest) {
    if (oldest == read()) {
      input_.save(to);
      to.add(0);
      return oldest;
    }
    forget_before(oldest);
    to.add(places_.front().place);
    to.add(read() - places_.front().read);
    to.add(target_ ? 1 : 0);
    if (target_) target_->epoch().save(to);
    return places_.front().read;
  }

  /// Of what has to be read again, which is numbered from 0, the elements that keep() names are kept.
  void restore(SnapshotReader& from) {
    input_.restore(from);
    to_read_ = from.number();
    if (to_read_ > 0 && from.flag()) target_ = Rounds::of(Epoch::restored(from));
    remember();
  }
  void keep(std::uint64_t number, const SnapshotReader& from) {
    if (number >= to_read_ || !held_.insert(number).second) from.fail("there is no such element");
  }

  /// Reads it. Answers `more` when all is read.
  [[nodiscard]] bool is_reading_again() const noexcept { return read_ < to_read_; }
  Answer read_again(const PullWait& wait) {
    for (std::uint64_t begin = read_; is_reading_again();) {
      if (read_ > begin && wait.over()) return Answer::not_now;
      const Answer answer = look(elements_at_once, wait, [] { return std::uint64_t{0}; });
      if (answer == Answer::not_now) return answer;
      if (answer == Answer::ended && !next_round())
        throw std::runtime_error("there are fewer elements than there were");
      if (answer != Answer::more) continue;
      Again again{std::move(element()), number()};  // what is not kept is given up
      if (held_.contains(read_)) again_.emplace(read_, std::move(again));
      pass();
    }
    if (again_.size() < held_.size()) throw std::runtime_error("there are other elements than there were");
    held_.clear();
    if (target_) input_.go_to(*std::exchange(target_, std::nullopt));
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
  struct Place {
    std::uint64_t read;
    Snapshot place;
  };

  /// So many are kept before it is asked which are needed: that takes long where many elements are held.
  static constexpr std::size_t most_places = 16;

  void remember() {
    places_.push_back({read_, std::move(storage_)});
    places_.back().place.clear();
    input_.save(places_.back().place);
    next_place_ = read_ + interval_;
  }

  /// What is at or behind the last place before `oldest` can be read again.
  void forget_before(std::uint64_t oldest) {
    std::size_t first = 0;
    while (first + 1 < places_.size() && places_[first + 1].read <= oldest) ++first;
    if (first > 0) storage_ = std::move(places_[0].place);
    places_.erase(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(first));
  }

  Source input_;
  std::uint64_t interval_;
  std::uint64_t read_ = 0;
  std::uint64_t next_place_ = 0;
  std::vector<Place> places_;
  Snapshot storage_;  // of a place that was forgotten

  // In a run that was restored.
  std::uint64_t to_read_ = 0;
  std::set<std::uint64_t> held_;
  std::optional<Rounds> target_;  // of a go_to() that came meanwhile
  std::map<std::uint64_t, Again> again_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_TRAILED_INPUT_HPP
