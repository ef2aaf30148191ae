// SPDX-License-Identifier: MIT
//
// shuffle.hpp: shuffle(window), which delivers elements in random order from a window that it keeps full.

#ifndef FOREBAY_STAGE_SHUFFLE_HPP
#define FOREBAY_STAGE_SHUFFLE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "forebay/base/hash.hpp"
#include "forebay/base/prefetch.hpp"
#include "forebay/base/random_bits.hpp"
#include "forebay/count.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/slot.hpp"
#include "forebay/flow/stage_node.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Holds `window` elements of one epoch. As the last ones leave, elements of the next epoch replace them, so the next
/// epoch begins with a full window. A failure in the next epoch is reported only there. The choice of each element
/// depends on the number of earlier outputs, not on timing.
template <class T>
class WindowShuffle {
 public:
  using Output = T;

  WindowShuffle(std::size_t window, std::uint64_t stream, EpochCount epochs) noexcept
      : window_(window), stream_(stream), epochs_(epochs) {}

  PullResult step(Input<T>& input, Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    if (has_room(input)) {
      if (current_.failure != nullptr) std::rethrow_exception(std::exchange(current_.failure, nullptr));
      if constexpr (lies_apart<T>) {  // the pulling thread reads into storage that it has emptied itself
        if (input.unread() == 0) input.chunk().exchange_storage(chunk);
      }
      const PullResult result = input.look(elements_at_once, wait);
      if (result == PullResult::not_now) return result;
      if (result == PullResult::more) add_next(current_, input);
      if (result == PullResult::ended) complete();
      if (has_room(input)) return PullResult::more;
    }
    if (current_.elements.empty()) return PullResult::ended;
    emit(chunk, input.has_ended());
    if (!input.has_ended()) {
      exchange(input, chunk, most, wait);
    } else if (current_.elements.empty()) {
      return PullResult::ended;
    } else {
      read_ahead(input, wait);
    }
    return PullResult::more;
  }

  void begin(const Epoch& epoch, bool goes_on) noexcept {
    std::swap(current_, next_);
    next_.clear();
    if (!goes_on) current_.clear();
    stream_of_epoch_ = splitmix64(hash_combine(epoch.stream_of(stream_), epoch.number));
  }

  [[nodiscard]] std::uint64_t most_held() const noexcept { return window_; }
  [[nodiscard]] EpochCount epochs() const noexcept { return epochs_; }
  template <class Visit>
  void held(const Visit& visit) const {
    for (std::size_t i = 0; i < current_.elements.size(); ++i) {
      if (i != current_.gap) visit(current_.elements[i].read);
    }
  }

  void save(Snapshot& to) const {
    to.add(current_.place);
    to.add(current_.gap ? *current_.gap + 1 : 0);
    to.add(awaited_ > 0 ? awaited_ : current_.elements.size() - (current_.gap ? 1 : 0));
  }
  void restore(SnapshotReader& from) {
    current_.place = from.number();
    const auto gap_and_one = static_cast<std::size_t>(from.number_up_to(window_));
    awaited_ = static_cast<std::size_t>(from.number_up_to(window_));
    if (gap_and_one > awaited_ + 1) from.fail("there is no such gap");
    if (gap_and_one > 0 && awaited_ > 0) current_.gap = gap_and_one - 1;
  }
  [[nodiscard]] std::size_t awaited() const noexcept { return awaited_; }
  void refill(Replayed<T>&& replayed, std::uint64_t read) {
    current_.elements.push_back({make_slot<T>(std::move(replayed.element)), replayed.number, read});
  }
  void refilled() {
    awaited_ = 0;
    if (!current_.gap) return;
    current_.elements.push_back({moved_from(*current_.elements.front().slot), 0, 0});
    std::rotate(current_.elements.begin() + static_cast<std::ptrdiff_t>(*current_.gap), current_.elements.end() - 1,
                current_.elements.end());
  }

 private:
  struct Element {
    Slot<T> slot;
    std::uint64_t number;
    std::uint64_t read;  // its number in the input
  };

  struct Window {
    std::vector<Element> elements;
    std::optional<std::size_t> gap{};  // the slot that was emptied last, for the next element
    std::exception_ptr failure;
    std::uint64_t place = 0;  // the number of elements that have left

    void clear() noexcept {
      elements.clear();
      gap.reset();
      failure = nullptr;
      place = 0;
    }
  };

  /// A moved-from element for a gap, because T may have no default constructor.
  [[nodiscard]] static Slot<T> moved_from(T& any) {
    T kept(std::move(any));
    Slot<T> made = make_slot<T>(std::move(any));
    any = std::move(kept);
    return made;
  }

  /// After the end of the epoch was read, complete() closes the gap. The window then holds exactly the remaining
  /// elements.
  [[nodiscard]] bool has_room(const Input<T>& input) const noexcept {
    return !input.has_ended() && (current_.gap || current_.elements.size() < window_);
  }

  void complete() {
    if constexpr (lies_apart<T>) storage_.reserve(storage_.size() + current_.elements.size());
    if (current_.gap) close_gap(*std::exchange(current_.gap, std::nullopt));
  }

  /// Reads one element of the next epoch into a free slot, if that needs no waiting.
  void read_ahead(Input<T>& input, const PullWait& wait) {
    if (next_.failure != nullptr || wait.over()) return;
    if (current_.elements.size() + next_.elements.size() >= window_) return;
    const PullWait::BlockingRestored restored(wait);
    wait.forbid_blocking();
    try {
      if (input.read_ahead(wait) == PullResult::more) add_next(next_, input);
    } catch (...) {
      next_.failure = std::current_exception();
    }
  }

  void add_next(Window& window, Input<T>& input) {
    auto& elements = window.elements;
    const std::uint64_t number = input.number();
    const std::uint64_t read = input.read();
    if (window.gap) {
      Element& at = elements[*std::exchange(window.gap, std::nullopt)];
      input.chunk().take_slot(input.next(), at.slot);
      at.number = number;
      at.read = read;
    } else if (storage_.empty()) {
      elements.push_back({input.chunk().take_slot(input.next()), number, read});
    } else {
      input.chunk().take_slot(input.next(), storage_.back());
      elements.push_back({std::move(storage_.back()), number, read});
      storage_.pop_back();
    }
    input.pass();
  }

  void close_gap(std::size_t index) {
    auto& elements = current_.elements;
    if constexpr (lies_apart<T>) storage_.push_back(std::move(elements[index].slot));
    if (index + 1 < elements.size()) elements[index] = std::move(elements.back());
    elements.pop_back();
  }

  void emit(Chunk<T>& chunk, bool is_complete) {
    const std::size_t chosen = draw_place();
    Element& element = current_.elements[chosen];
    chunk.push_slot(element.slot, element.number);
    if (is_complete) {
      close_gap(chosen);
    } else {
      current_.gap = chosen;
    }
  }

  /// Repeatedly fills the gap with an unread element and draws another. The rest of the window stays as it is.
  void exchange(Input<T>& input, Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    for (auto count = smaller(input.unread(), most - chunk.size()); count > 0 && !wait.over(); --count) {
      prefetch(current_.elements[place_of_draw(current_.place + draws_ahead)]);
      add_next(current_, input);
      const std::size_t chosen = draw_place();
      Element& element = current_.elements[chosen];
      if constexpr (lies_apart<T>) prefetch(*element.slot);
      chunk.push_slot(element.slot, element.number);
      current_.gap = chosen;
    }
  }

  [[nodiscard]] std::size_t draw_place() noexcept { return place_of_draw(current_.place++); }

  [[nodiscard]] std::size_t place_of_draw(std::uint64_t number) const noexcept {
    return draw(splitmix64(stream_of_epoch_ ^ number), current_.elements.size());
  }

  /// Returns a number below `count`, which is small enough for 32 random bits.
  static std::size_t draw(std::uint64_t bits, std::size_t count) noexcept {
    if (count > 0xffff) return static_cast<std::size_t>(RandomBits(bits).below(count));
    return static_cast<std::size_t>(((bits >> 32) * count) >> 32);
  }

  static constexpr std::uint64_t draws_ahead = 8;

  std::size_t window_;
  std::uint64_t stream_;
  EpochCount epochs_;
  std::uint64_t stream_of_epoch_ = 0;  // mixed with the position of each draw
  Window current_;
  Window next_;
  std::size_t awaited_ = 0;       // in a resumed run, elements that are still replayed
  std::vector<Slot<T>> storage_;  // unused slots of large elements
};

[[nodiscard]] inline Properties describe_window_shuffle(Properties properties, std::uint64_t window) {
  ++properties.random_stages;
  properties.describe("shuffle", text_of({window}));
  properties.stages.back().known.inputs = window;
  properties.stages.back().asks = elements_at_once;
  return properties;
}

template <class T>
[[nodiscard]] NodePointer<T> window_shuffle_node(const NodePointer<T>& node, Count window) {
  const std::size_t size = window.at_least(1, "shuffle: window");
  return make_stage_node<T>(
      node, describe_window_shuffle(node->properties(), size), "shuffle",
      [size](const StageContext& opening) { return WindowShuffle<T>(size, opening.stream, opening.epochs); });
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_SHUFFLE_HPP
