// SPDX-License-Identifier: MIT
//
// window_shuffle.hpp: shuffle(window): elements leave in a random order out of a window that is kept full.

#ifndef FOREBAY_STAGE_WINDOW_SHUFFLE_HPP
#define FOREBAY_STAGE_WINDOW_SHUFFLE_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "forebay/base/address.hpp"
#include "forebay/base/prefetch.hpp"
#include "forebay/base/random_bits.hpp"
#include "forebay/batch_options.hpp"
#include "forebay/stage/slot.hpp"
#include "forebay/stage/trailed_input.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Holds `window` elements of one epoch, or of one round. While those of its end leave, the next one is read in their
/// place, so that it begins with a full window; a failure that is met there waits for it. Which element leaves depends
/// on how many have left, and not on timing.
template <class T>
class WindowShuffleChain final : public SteppedChain<WindowShuffleChain<T>, T> {
 public:
  WindowShuffleChain(RoundInput<T> input, std::size_t window, Epochs epochs, std::uint64_t stream)
      : input_(std::move(input), window), window_(window), straddles_(epochs == Epochs::straddle), stream_(stream) {}

  Answer step(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    if (input_.is_reading_again()) return read_again(wait);
    if (current_.epochs.mark_is_next()) return current_.epochs.pass_mark(chunk);
    if (current_.complete && current_.elements.empty()) {
      begin_next();
      return Answer::more;
    }
    if (has_room()) {
      if (current_.failure != nullptr) std::rethrow_exception(std::exchange(current_.failure, nullptr));
      if constexpr (lies_apart<T>) {  // who pulls reads into what it has emptied itself
        if (input_.unread() == 0) input_.chunk().exchange_storage(chunk);
      }
      const Answer answer = read(current_, wait);
      if (answer == Answer::not_now || answer == Answer::ended) return answer;
      if (has_room() || current_.complete) return Answer::more;
    }
    emit(chunk);
    if (current_.complete) {
      read_ahead(wait);
    } else {
      exchange(chunk, most, wait);
    }
    return Answer::more;
  }

  /// A round that is left in its middle is read to its end, so that what is read ahead does not show.
  void skip_to(const Rounds& rounds) override {
    current_.epochs.want(rounds.epoch());
    if (!is_left_by(rounds)) return;
    begin_next();
    if (is_left_by(rounds)) current_ = Window();
    input_.go_to(rounds, current_.oldest(input_.read()) == input_.read());
  }

  void save_state(Snapshot& to) override {
    numbering_.save(to);
    const std::uint64_t first = input_.save(to, oldest());
    current_.save(to, first, straddles_);
    next_.save(to, first, straddles_);
  }
  void restore_state(SnapshotReader& from) override {
    numbering_.restore(from);
    input_.restore(from);
    current_.restore(from, input_, straddles_);
    next_.restore(from, input_, straddles_);
  }

 private:
  /// How an element is known to the input, and its number, or what it is to `epochs` if they are numbered anew.
  struct Known {
    std::uint64_t read;
    std::uint64_t number;
  };

  struct Element {
    Slot<T> slot;
    Known known;
  };

  struct Window {
    Epoch epoch;  // of what was read last
    HeldEpochs epochs;
    std::vector<Element> elements;
    std::vector<Known> awaited;        // in a run that was restored, until they are read again: those of the elements
    std::optional<std::size_t> gap{};  // where one has left, and the next one is read into its place
    bool complete = false;             // the last element is in it; there is no gap
    std::exception_ptr failure;
    std::uint64_t first = 0;  // the epoch of the first element
    std::uint64_t place = 0;  // how many elements have left

    [[nodiscard]] std::size_t size() const noexcept { return elements.size() + awaited.size(); }

    /// Calls `look` with what is known of each element, the gap left out.
    template <class Look>
    void look_at_all(const Look& look) const {
      for (std::size_t i = 0; i < size(); ++i) {
        if (i != gap) look(awaited.empty() ? elements[i].known : awaited[i]);
      }
    }

    [[nodiscard]] std::uint64_t oldest(std::uint64_t oldest) const noexcept {
      look_at_all([&oldest](const Known& known) { oldest = smaller(oldest, known.read); });
      return oldest;
    }

    void save(Snapshot& to, std::uint64_t first_read, bool straddles) const {
      epoch.save(to);
      epochs.save(to);
      to.add(complete ? 1 : 0);
      to.add(first);
      to.add(place);
      to.add(gap ? *gap + 1 : 0);
      to.add(size());
      look_at_all([&](const Known& known) {
        to.add(known.read - first_read);
        if (straddles) to.add(known.number);
      });
    }
    /// The elements are still to be read.
    void restore(SnapshotReader& from, TrailedInput<T>& input, bool straddles) {
      epoch = Epoch::restored(from);
      epochs.restore(from);
      complete = from.flag();
      first = from.number();
      place = from.number();
      const std::uint64_t gap_and_one = from.number();
      if (gap_and_one > 0) gap = static_cast<std::size_t>(gap_and_one - 1);
      const std::uint64_t count = from.number();
      if (gap && (*gap >= count || complete)) from.fail("there is no such gap");
      for (std::uint64_t i = 0; i < count; ++i) {
        awaited.push_back({});
        if (i == gap) continue;
        awaited.back().read = from.number();
        input.keep(awaited.back().read, from);
        if (straddles) {
          awaited.back().number = epochs.restored(from);
        } else {
          epochs.hold_again(from);
        }
      }
      if (awaited.size() == 1 && gap) {  // there is nothing to make what stands in a gap of
        awaited.clear();
        gap.reset();
      }
    }

    /// They have been read.
    void fill(TrailedInput<T>& input, bool straddles) {
      std::optional<T> moved_from;
      if (gap) moved_from = input.moved_from();
      for (std::size_t i = 0; i < awaited.size(); ++i) {
        if (i == gap) {
          elements.push_back({make_slot<T>(std::move(*moved_from)), {}});
          continue;
        }
        auto again = input.take_again(awaited[i].read);
        const std::uint64_t number = straddles ? awaited[i].number : again.number;
        elements.push_back({make_slot<T>(std::move(again.element)), {awaited[i].read, number}});
      }
      awaited.clear();
    }
  };

  [[nodiscard]] bool is_left_by(const Rounds& rounds) const noexcept {
    return current_.epoch.is_before(rounds.epoch()) && !rounds.is_in_round_of(current_.epoch, input_.level());
  }

  [[nodiscard]] bool has_room() const noexcept {
    return !current_.complete && (current_.gap || current_.elements.size() < window_);
  }

  [[nodiscard]] std::uint64_t oldest() const noexcept { return next_.oldest(current_.oldest(input_.read())); }

  Answer read_again(const PullWait& wait) {
    const Answer answer = input_.read_again(wait);
    if (answer != Answer::more) return answer;
    current_.fill(input_, straddles_);
    next_.fill(input_, straddles_);
    return answer;
  }

  /// Reads one element of what is next in the place of one that left, if that needs no waiting.
  void read_ahead(const PullWait& wait) {
    if (next_.complete || next_.failure != nullptr || wait.over()) return;
    if (current_.elements.size() + next_.elements.size() >= window_) return;
    const PullWait::BlockingRestored restored(wait);
    wait.forbid_blocking();
    try {
      static_cast<void>(read(next_, wait));
    } catch (...) {
      next_.failure = std::current_exception();
      if (next_.elements.empty()) next_.epoch = current_.epoch.following();
    }
  }

  Answer read(Window& window, const PullWait& wait) {
    const Answer answer = input_.look(elements_at_once, wait, [this] { return oldest(); });
    if (answer == Answer::not_now) return answer;
    if (answer == Answer::ended) {
      if (!input_.next_round()) return answer;
      if constexpr (lies_apart<T>) storage_.reserve(storage_.size() + window.elements.size());
      window.complete = true;
      if (window.gap) close_gap(window, *std::exchange(window.gap, std::nullopt));
      return Answer::more;
    }
    window.epoch = input_.epoch();
    if (answer == Answer::epoch_ended) {
      window.epochs.end(window.epoch);
    } else {
      if (window.place == 0 && window.elements.empty()) window.first = window.epoch.number;
      const std::uint64_t held = window.epochs.hold(window.epoch);
      if (!straddles_ && held != 0) throw std::runtime_error("there are other epochs than there were");
      const std::uint64_t number = straddles_ ? held : input_.number();
      add_next(window, {input_.read(), number});
    }
    return Answer::more;
  }

  void add_next(Window& window, Known its) {
    auto& elements = window.elements;
    if (window.gap) {
      Element& at = elements[*std::exchange(window.gap, std::nullopt)];
      input_.chunk().take_slot(input_.next(), at.slot);
      at.known = its;
    } else if (storage_.empty()) {
      elements.push_back({input_.chunk().take_slot(input_.next()), its});
    } else {
      input_.chunk().take_slot(input_.next(), storage_.back());
      elements.push_back({std::move(storage_.back()), its});
      storage_.pop_back();
    }
    input_.pass();
  }

  void close_gap(Window& window, std::size_t index) {
    auto& elements = window.elements;
    if constexpr (lies_apart<T>) storage_.push_back(std::move(elements[index].slot));
    if (index + 1 < elements.size()) elements[index] = std::move(elements.back());
    elements.pop_back();
  }

  /// Elements of several epochs have to be numbered anew: there may be two of the same number.
  void emit(Chunk<T>& chunk) {
    auto& elements = current_.elements;
    const std::size_t chosen = draw_place(stream_of(current_.first));
    const std::uint64_t number = elements[chosen].known.number;
    if (!current_.epochs.drops()) {
      chunk.epoch = current_.epochs.first();
      chunk.push_slot(elements[chosen].slot, straddles_ ? numbering_.next(chunk.epoch) : number);
    }
    current_.epochs.release(straddles_ ? number : 0);
    if (current_.complete) {
      close_gap(current_, chosen);
    } else {
      current_.gap = chosen;
    }
  }

  /// Goes on as long as nothing changes but what is in the gap.
  void exchange(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    if (straddles_ || current_.epochs.drops()) return;
    const std::uint64_t stream = stream_of(current_.first);
    for (auto count = smaller(input_.unread(), most - chunk.size()); count > 0 && !wait.over(); --count) {
      add_next(current_, {input_.read(), input_.number()});
      const std::size_t chosen = draw_place(stream);
      Element& element = current_.elements[chosen];
      if constexpr (lies_apart<T>) prefetch(*element.slot);
      chunk.push_slot(element.slot, element.known.number);
      current_.gap = chosen;
    }
  }

  [[nodiscard]] std::size_t draw_place(std::uint64_t stream) noexcept {
    return draw(mixed(stream ^ current_.place++), current_.elements.size());
  }

  /// What is joined to the place of each draw of an epoch.
  std::uint64_t stream_of(std::uint64_t epoch) noexcept {
    if (drawn_ != epoch) {
      drawn_ = epoch;
      stream_of_drawn_ = mixed(joined(stream_, epoch));
    }
    return stream_of_drawn_;
  }

  /// A number below `count`, of which there are few: 32 random bits are more than enough.
  static std::size_t draw(std::uint64_t bits, std::size_t count) noexcept {
    if (count > 0xffff) return static_cast<std::size_t>(RandomBits(bits).below(count));
    return static_cast<std::size_t>(((bits >> 32) * count) >> 32);
  }

  void begin_next() {
    current_ = std::move(next_);
    next_ = Window();
  }

  TrailedInput<T> input_;
  std::size_t window_;
  bool straddles_;
  std::uint64_t stream_;
  std::uint64_t drawn_ = 0;  // the last epoch that was drawn from
  std::uint64_t stream_of_drawn_ = mixed(joined(stream_, drawn_));
  Window current_;
  Window next_;
  std::vector<Slot<T>> storage_;  // slots of large elements that were left over
  Numbering numbering_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_WINDOW_SHUFFLE_HPP
