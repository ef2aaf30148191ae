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
#include "forebay/count.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/stage/slot.hpp"
#include "forebay/stage/stage_node.hpp"
#include "forebay/stage/trailed_input.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Holds `window` elements of one epoch. While those of its end leave, the next one is read in their place, so that it
/// begins with a full window; a failure that is met there waits for it. Which element leaves depends on how many have
/// left, and not on timing.
template <class T>
class WindowShuffleChain final : public SteppedChain<WindowShuffleChain<T>, T> {
 public:
  WindowShuffleChain(std::unique_ptr<Chain<T>> chain, std::size_t window, std::uint64_t stream)
      : input_(std::move(chain), window), window_(window), stream_(stream) {}

  Answer step(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    if (input_.is_reading_again()) return read_again(wait);
    if (has_room()) {
      if (current_.failure != nullptr) std::rethrow_exception(std::exchange(current_.failure, nullptr));
      if constexpr (lies_apart<T>) {  // who pulls reads into what it has emptied itself
        if (input_.unread() == 0) input_.chunk().exchange_storage(chunk);
      }
      const Answer answer = read(current_, wait);
      if (answer == Answer::epoch_ended) complete();
      if (answer == Answer::not_now || answer == Answer::ended) return answer;
      if (has_room()) return Answer::more;
    }
    if (current_.elements.empty()) return Answer::epoch_ended;
    emit(chunk);
    if (!is_complete()) {
      exchange(chunk, most, wait);
    } else if (current_.elements.empty()) {
      return Answer::epoch_ended;
    } else {
      read_ahead(wait);
    }
    return Answer::more;
  }

  void begin_epoch() override {
    const bool goes_on = input_.begin(this->epoch());
    std::swap(current_, next_);
    next_.clear();
    if (!goes_on) current_.clear();
    stream_of_epoch_ = stream_of(this->epoch());
  }

  void save_state(Snapshot& to) override { current_.save(to, input_.save(to, oldest())); }
  void restore_state(SnapshotReader& from) override {
    input_.restore(from);
    current_.restore(from, input_);
  }

 private:
  /// How an element is known to the input, and its number.
  struct Known {
    std::uint64_t read;
    std::uint64_t number;
  };

  struct Element {
    Slot<T> slot;
    Known known;
  };

  struct Window {
    std::vector<Element> elements;
    std::vector<std::uint64_t> awaited;  // in a run that was restored, until they are read again: how they are known
    std::optional<std::size_t> gap{};    // where one has left, and the next one is read into its place
    std::exception_ptr failure;
    std::uint64_t place = 0;  // how many elements have left

    void clear() noexcept {
      elements.clear();
      awaited.clear();
      gap.reset();
      failure = nullptr;
      place = 0;
    }

    [[nodiscard]] std::size_t size() const noexcept { return elements.size() + awaited.size(); }

    /// Calls `look` with how each element is known, the gap left out.
    template <class Look>
    void look_at_all(const Look& look) const {
      for (std::size_t i = 0; i < size(); ++i) {
        if (i != gap) look(awaited.empty() ? elements[i].known.read : awaited[i]);
      }
    }

    [[nodiscard]] std::uint64_t oldest(std::uint64_t oldest) const noexcept {
      look_at_all([&oldest](std::uint64_t read) { oldest = smaller(oldest, read); });
      return oldest;
    }

    void save(Snapshot& to, std::uint64_t first_read) const {
      to.add(place);
      to.add(gap ? *gap + 1 : 0);
      to.add(size());
      look_at_all([&](std::uint64_t read) { to.add(read - first_read); });
    }
    /// The elements are still to be read.
    void restore(SnapshotReader& from, TrailedInput<T>& input) {
      place = from.number();
      const std::uint64_t gap_and_one = from.number();
      if (gap_and_one > 0) gap = static_cast<std::size_t>(gap_and_one - 1);
      const std::uint64_t count = from.number();
      if (gap && *gap >= count) from.fail("there is no such gap");
      for (std::uint64_t i = 0; i < count; ++i) {
        awaited.push_back(i == gap ? 0 : from.number());
        if (i != gap) input.keep(awaited.back(), from);
      }
      if (awaited.size() == 1 && gap) {  // there is nothing to make what stands in a gap of
        awaited.clear();
        gap.reset();
      }
    }

    /// They have been read.
    void fill(TrailedInput<T>& input) {
      std::optional<T> moved_from;
      if (gap) moved_from = input.moved_from();
      for (std::size_t i = 0; i < awaited.size(); ++i) {
        if (i == gap) {
          elements.push_back({make_slot<T>(std::move(*moved_from)), {}});
          continue;
        }
        auto again = input.take_again(awaited[i]);
        elements.push_back({make_slot<T>(std::move(again.element)), {awaited[i], again.number}});
      }
      awaited.clear();
    }
  };

  /// Whether all elements of the epoch that are left are in the window. Then there is no gap.
  [[nodiscard]] bool is_complete() const noexcept { return input_.is_ahead(); }

  [[nodiscard]] bool has_room() const noexcept {
    return !is_complete() && (current_.gap || current_.elements.size() < window_);
  }

  [[nodiscard]] std::uint64_t oldest() const noexcept { return current_.oldest(input_.read_of_epoch()); }

  Answer read_again(const PullWait& wait) {
    const Answer answer = input_.read_again(wait);
    if (answer == Answer::more) current_.fill(input_);
    return answer;
  }

  /// The last element of the epoch has been read.
  void complete() {
    if constexpr (lies_apart<T>) storage_.reserve(storage_.size() + current_.elements.size());
    if (current_.gap) close_gap(*std::exchange(current_.gap, std::nullopt));
  }

  /// Reads one element of the next epoch in the place of one that left, if that needs no waiting.
  void read_ahead(const PullWait& wait) {
    if (next_.failure != nullptr || wait.over()) return;
    if (current_.elements.size() + next_.elements.size() >= window_) return;
    const PullWait::BlockingRestored restored(wait);
    wait.forbid_blocking();
    try {
      static_cast<void>(read(next_, wait));
    } catch (...) {
      next_.failure = std::current_exception();
    }
  }

  Answer read(Window& window, const PullWait& wait) {
    const Answer answer = input_.look(elements_at_once, wait, [this] { return oldest(); });
    if (answer == Answer::more) add_next(window, {input_.read(), input_.number()});
    return answer;
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

  void close_gap(std::size_t index) {
    auto& elements = current_.elements;
    if constexpr (lies_apart<T>) storage_.push_back(std::move(elements[index].slot));
    if (index + 1 < elements.size()) elements[index] = std::move(elements.back());
    elements.pop_back();
  }

  void emit(Chunk<T>& chunk) {
    const std::size_t chosen = draw_place();
    Element& element = current_.elements[chosen];
    chunk.push_slot(element.slot, element.known.number);
    if (is_complete()) {
      close_gap(chosen);
    } else {
      current_.gap = chosen;
    }
  }

  /// Goes on as long as nothing changes but what is in the gap.
  void exchange(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    for (auto count = smaller(input_.unread(), most - chunk.size()); count > 0 && !wait.over(); --count) {
      add_next(current_, {input_.read(), input_.number()});
      const std::size_t chosen = draw_place();
      Element& element = current_.elements[chosen];
      if constexpr (lies_apart<T>) prefetch(*element.slot);
      chunk.push_slot(element.slot, element.known.number);
      current_.gap = chosen;
    }
  }

  [[nodiscard]] std::size_t draw_place() noexcept {
    return draw(mixed(stream_of_epoch_ ^ current_.place++), current_.elements.size());
  }

  /// What is joined to the place of each draw of an epoch.
  [[nodiscard]] std::uint64_t stream_of(const Epoch& epoch) const noexcept {
    return mixed(joined(epoch.stream_of(stream_), epoch.number));
  }

  /// A number below `count`, of which there are few: 32 random bits are more than enough.
  static std::size_t draw(std::uint64_t bits, std::size_t count) noexcept {
    if (count > 0xffff) return static_cast<std::size_t>(RandomBits(bits).below(count));
    return static_cast<std::size_t>(((bits >> 32) * count) >> 32);
  }

  TrailedInput<T> input_;
  std::size_t window_;
  std::uint64_t stream_;
  std::uint64_t stream_of_epoch_ = stream_of({});
  Window current_;
  Window next_;
  std::vector<Slot<T>> storage_;  // slots of large elements that were left over
};

[[nodiscard]] inline Facts describe_window_shuffle(Facts facts, std::uint64_t window) {
  ++facts.random_stages;
  facts.describe("shuffle", text_of({window}));
  facts.stages.back().known.inputs = window;
  return facts;
}

template <class T>
[[nodiscard]] NodePointer<T> window_shuffle_node(const NodePointer<T>& node, Count window) {
  const std::size_t size = window.at_least(1, "shuffle: window");
  return make_stage_node<T>(node, describe_window_shuffle(node->facts(), size), "shuffle",
                            [size](auto chain, auto /*name*/, auto stream) {
                              return std::make_unique<WindowShuffleChain<T>>(std::move(chain), size, stream);
                            });
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_WINDOW_SHUFFLE_HPP
