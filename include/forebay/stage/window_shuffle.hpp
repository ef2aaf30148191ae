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
#include <utility>
#include <vector>

#include "forebay/base/address.hpp"
#include "forebay/base/random_bits.hpp"
#include "forebay/stage/input.hpp"
#include "forebay/stage/move_into.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Holds `window` elements of one epoch. While those of its end leave, the next epoch is read in their place, so that
/// it begins with a full window; a failure that is met there waits for that epoch. Which element leaves depends on how
/// many have left in the epoch, and not on timing.
template <class T>
class WindowShuffleChain final : public StageChain<WindowShuffleChain<T>, T, T> {
 public:
  WindowShuffleChain(std::unique_ptr<Chain<T>> chain, std::size_t window, std::uint64_t stream)
      : WindowShuffleChain::StageChain(std::move(chain)), window_(window), stream_(stream) {}

  Answer step(Chunk<T>& chunk, std::size_t /*most*/, const PullWait& wait) {
    if (has_room()) {
      if (current_.failure != nullptr) std::rethrow_exception(std::exchange(current_.failure, nullptr));
      const Answer answer = read(current_, wait);
      if (answer == Answer::not_now || answer == Answer::ended) return answer;
      if (has_room()) return Answer::more;
    }
    chunk.epoch = current_.epoch;
    if (current_.elements.empty()) {
      begin_next();
      return Answer::epoch_ended;
    }
    emit(chunk);
    if (current_.complete) read_ahead(wait);
    return Answer::more;
  }

  void go_to(const Rounds& rounds) override {
    if (current_.epoch.is_before(rounds.epoch())) {
      begin_next();
      if (current_.epoch.is_before(rounds.epoch())) current_ = Window();
    }
    this->input_.go_to(rounds);
  }

 private:
  struct Window {
    Epoch epoch;
    std::vector<std::pair<T, std::uint64_t>> elements;
    std::optional<std::size_t> gap{};  // where one has left, and the next one is read into its place
    bool complete = false;             // the epoch's last element is in it; there is no gap
    std::exception_ptr failure;

    void add(T&& element, std::uint64_t number) {
      if (gap) {
        auto& place = elements[*std::exchange(gap, std::nullopt)];
        move_into(place.first, std::move(element));
        place.second = number;
      } else {
        elements.emplace_back(std::move(element), number);
      }
    }

    void complete_it() {
      complete = true;
      if (gap) close_gap(*std::exchange(gap, std::nullopt));
    }

    void close_gap(std::size_t index) {
      if (index + 1 < elements.size()) elements[index] = std::move(elements.back());
      elements.pop_back();
    }
  };

  [[nodiscard]] bool has_room() const noexcept {
    return !current_.complete && (current_.gap || current_.elements.size() < window_);
  }

  /// Reads one element of the next epoch in the place of one that left, if that needs no waiting.
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
    auto& input = this->input_;
    const Answer answer = input.look(elements_at_once<T>, wait);
    if (answer == Answer::not_now || answer == Answer::ended) return answer;
    window.epoch = input.epoch();
    if (answer == Answer::epoch_ended) {
      window.complete_it();
    } else {
      window.add(std::move(input.element()), input.number());
      input.pass();
    }
    return answer;
  }

  void emit(Chunk<T>& chunk) {
    auto& elements = current_.elements;
    const std::size_t chosen = draw(joined(stream_, current_.epoch.number, place_++), elements.size());
    chunk.push(std::move(elements[chosen].first), elements[chosen].second);
    if (current_.complete) {
      current_.close_gap(chosen);
    } else {
      current_.gap = chosen;
    }
  }

  /// A number below `count`, of which there are few: 32 random bits are more than enough.
  static std::size_t draw(std::uint64_t bits, std::size_t count) noexcept {
    if (count > 0xffff) return static_cast<std::size_t>(RandomBits(bits).below(count));
    return static_cast<std::size_t>(((bits >> 32) * count) >> 32);
  }

  void begin_next() {
    current_ = std::move(next_);
    next_ = Window();
    place_ = 0;
  }

  std::size_t window_;
  std::uint64_t stream_;
  Window current_;
  Window next_;
  std::uint64_t place_ = 0;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_WINDOW_SHUFFLE_HPP
