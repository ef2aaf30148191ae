// SPDX-License-Identifier: MIT
//
// interleave.hpp: takes turns at several inputs (interleave), or reads one after the other (flat_map), in the order of
// tf.data: of each place in turn a block is taken; a place whose input has ended is filled with the next one when its
// turn comes.

#ifndef FOREBAY_STAGE_INTERLEAVE_HPP
#define FOREBAY_STAGE_INTERLEAVE_HPP

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/count.hpp"
#include "forebay/describe/facts.hpp"
#include "forebay/on_error.hpp"
#include "forebay/stage/flat_map.hpp"
#include "forebay/stage/function_checks.hpp"
#include "forebay/stage/input.hpp"
#include "forebay/stage/stage_node.hpp"
#include "forebay/stage/trailed_input.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// How many inputs are open at once, and how many elements are taken of each in its turn.
struct Turns {
  /// Throws std::invalid_argument if either is 0.
  constexpr Turns(Count its_cycle, Count its_block)
      : cycle(its_cycle.at_least(1, "interleave: cycle")), block(its_block.at_least(1, "interleave: block")) {}

  std::size_t cycle;
  std::size_t block;
};

inline constexpr Turns one_after_the_other(1, static_cast<std::size_t>(-1));

template <class U>
class InterleaveChain final : public SteppedChain<InterleaveChain<U>, U> {
  using Pointer = InnerInputPointer<U>;

 public:
  InterleaveChain(std::unique_ptr<Chain<InnerInputPointer<U>>> chain, Turns turns, SkipCount skipped)
      : input_(std::move(chain), turns.cycle), turns_(turns), skipped_(std::move(skipped)) {}

  Answer step(Chunk<U>& chunk, std::size_t most, const PullWait& wait) {
    if (input_.is_reading_again()) return read_again(wait);
    if (place_ < places_.size() && places_[place_].input != nullptr) return read(chunk, wait);
    if (!input_.is_ahead()) {
      const Answer answer =
          input_.look(smaller(most - chunk.size(), elements_at_once), wait, [this] { return oldest(); });
      if (answer == Answer::more) fill_place();
      if (answer != Answer::epoch_ended) return answer;
    }
    if (open_ == 0) return Answer::epoch_ended;
    next_place();
    return Answer::more;
  }

  void begin_epoch() override {
    places_.clear();
    place_ = 0;
    taken_ = 0;
    open_ = 0;
    number_ = 0;
    input_.begin(this->epoch());
  }

  void save_state(Snapshot& to) override {
    skipped_.save(to, this->epoch());
    to.add(number_);
    to.add(place_);
    to.add(taken_);
    const std::uint64_t first = input_.save(to, oldest());
    to.add(places_.size());
    for (const Place& place : places_) {
      to.add(place.is_open() ? 1 : 0);
      if (!place.is_open()) continue;
      to.add(place.read - first);
      to.add_nested(place.where());
    }
  }
  void restore_state(SnapshotReader& from) override {
    skipped_.restore(from, this->epoch());
    number_ = from.number();
    place_ = static_cast<std::size_t>(from.number_up_to(turns_.cycle));
    taken_ = static_cast<std::size_t>(from.number_up_to(turns_.block));
    input_.restore(from);
    for (std::uint64_t count = from.number_up_to(turns_.cycle); count > 0; --count) {
      places_.emplace_back();
      if (!from.flag()) continue;
      ++open_;
      places_.back().read = from.number();
      input_.keep(places_.back().read, from);
      places_.back().was_at = from.nested();
    }
    if (place_ > places_.size()) from.fail("there is no such input");
  }

 private:
  /// An input, and how its element is known to input_.
  struct Place {
    Pointer input{};
    std::uint64_t read = 0;
    std::optional<Snapshot> was_at{};  // in a run that was restored, until it is there again

    [[nodiscard]] bool is_open() const noexcept { return input != nullptr || was_at; }
    [[nodiscard]] Snapshot where() const {
      if (was_at) return *was_at;
      Snapshot where;
      input->save(where);
      return where;
    }
  };

  [[nodiscard]] std::uint64_t oldest() const noexcept {
    std::uint64_t oldest = input_.read_of_epoch();
    for (const Place& place : places_) {
      if (place.is_open()) oldest = smaller(oldest, place.read);
    }
    return oldest;
  }

  Answer read_again(const PullWait& wait) {
    const Answer answer = input_.read_again(wait);
    if (answer != Answer::more) return answer;
    for (Place& place : places_) {
      if (!place.was_at) continue;
      place.input = input_.take_again(place.read).element;
      place.input->restore(*std::exchange(place.was_at, std::nullopt));
    }
    return answer;
  }

  Answer read(Chunk<U>& chunk, const PullWait& wait) {
    const std::size_t before = chunk.size();
    InnerInput<U>& input = *places_[place_].input;
    const Answer answer = input.read(chunk, number_, skipped_, wait);
    if (chunk.size() > before) {
      ++number_;
      if (++taken_ == turns_.block) next_place();
    }
    if (answer != Answer::ended) return answer;
    const bool had_its_turn = input.was_opened();
    places_[place_].input.reset();
    --open_;
    if (had_its_turn) next_place();
    return Answer::more;
  }

  void fill_place() {
    if (place_ == places_.size()) places_.emplace_back();
    places_[place_].input = std::move(input_.element());
    places_[place_].read = input_.pass();
    ++open_;
  }

  void next_place() noexcept {
    taken_ = 0;
    if (++place_ >= (input_.is_ahead() ? places_.size() : turns_.cycle)) place_ = 0;
  }

  TrailedInput<Pointer> input_;
  const Turns turns_;
  SkipCount skipped_;
  std::vector<Place> places_;  // as many as were needed yet
  std::size_t place_ = 0;      // whose turn it is
  std::size_t taken_ = 0;      // in this turn
  std::size_t open_ = 0;
  std::uint64_t number_ = 0;  // of the next output
};

/// Of a flat_map or an interleave. Its function makes data sets if `of_data`, with a Context if `with_context`.
[[nodiscard]] inline Facts describe_interleave(Facts facts, const char* name, const Turns& turns,
                                               const OnError& on_error, bool of_data, bool with_context) {
  facts.size.reset();
  facts.renumber();
  if (with_context || of_data) ++facts.random_stages;
  facts.unit = "elements";
  std::string details = turns.cycle == 1 ? "" : text_of({turns.cycle, turns.block});
  if (of_data) details += " of data sets";
  if (with_context) details += " with a Context";
  facts.describe(name, details + text_of(on_error));
  return facts;
}

/// Checks and keeps the function of a flat_map or an interleave.
template <class T, class F>
[[nodiscard]] auto shared_inner_function(F&& f) {
  using Function = std::decay_t<F>;
  constexpr bool is_called = TakesContext<Function, T> || std::invocable<const Function&, const T&>;
  constexpr bool would_be = std::invocable<Function&, const T&>;
  static_assert(NotMutable<is_called, would_be>::value);
  static_assert(is_called || would_be,
                "forebay: flat_map(f) and interleave(cycle, block, f): f is called with a const T&, or with a const "
                "T& and a Context&");
  if constexpr (is_called) {
    using Result = std::decay_t<typename FlatResult<Function, T>::type>;
    static_assert(DescribedData<Result> || FlatRange<Result> || !std::is_void_v<typename ReadBy<Result>::type>,
                  "forebay: the function given to flat_map has to return a range, a reader or a data set");
    if constexpr (!DescribedData<Result> && !FlatRange<Result>) static_assert(ReaderMembers<Result>::are_right);
    return std::make_shared<const Function>(std::forward<F>(f));
  }
}

template <class T, class F>
[[nodiscard]] auto serial_interleave_node(const NodePointer<T>& node, const char* name, const Turns& turns,
                                          const OnError& on_error, std::shared_ptr<const F> function) {
  using Element = typename InnerOf<T, F>::value_type;
  using Result = std::decay_t<typename FlatResult<F, T>::type>;
  constexpr bool with_context = TakesContext<F, T> || reads_with_context<Result>;
  Facts facts = describe_interleave(node->facts(), name, turns, on_error, DescribedData<Result>, with_context);
  facts.has_lines = turns.cycle == 1 && LineNumberingReader<Result>;
  const auto open = [=](Opening opening) {
    auto lines = std::exchange(opening.lines, nullptr);
    const StageName own_name = opening.take_name(name, node->facts());
    SkipCount skipped(on_error, own_name);
    const InnerFunction<F> inner{function, opening.stream(facts), &opening.host, own_name, std::move(lines)};
    auto inputs = std::make_unique<InnerInputs<T, F>>(node->open(std::move(opening)), inner);
    return std::make_unique<InterleaveChain<Element>>(std::move(inputs), turns, std::move(skipped));
  };
  return make_node<Element>(facts, open);
}

template <class T, class F>
[[nodiscard]] auto flat_map_node(const NodePointer<T>& node, const OnError& on_error, F&& f) {
  return serial_interleave_node(node, "flat_map", one_after_the_other, on_error,
                                shared_inner_function<T>(std::forward<F>(f)));
}
template <class T, class F>
[[nodiscard]] auto interleave_node(const NodePointer<T>& node, const Turns& turns, F&& f) {
  return serial_interleave_node(node, "interleave", turns, {}, shared_inner_function<T>(std::forward<F>(f)));
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_INTERLEAVE_HPP
