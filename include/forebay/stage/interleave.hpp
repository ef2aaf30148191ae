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
#include "forebay/flow/input.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/on_error.hpp"
#include "forebay/stage/inner_input.hpp"
#include "forebay/stage/function_checks.hpp"
#include "forebay/flow/stage_node.hpp"
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
class Interleave {
  using Pointer = InnerInputPointer<U>;

 public:
  using Output = U;

  Interleave(Turns turns, SkipCount skipped) : turns_(turns), skipped_(std::move(skipped)) {}

  Answer step(Input<Pointer>& input, Chunk<U>& chunk, std::size_t most, const PullWait& wait) {
    if (place_ < places_.size() && places_[place_].input != nullptr) return read(input, chunk, wait);
    if (!input.has_ended()) {
      const Answer answer = input.look(wanted(most, chunk), wait);
      if (answer == Answer::more) fill_place(input);
      if (answer != Answer::ended) return answer;
    }
    if (open_ == 0) return Answer::ended;
    next_place(input);
    return Answer::more;
  }

  void begin(const Epoch& epoch, bool /*goes_on*/) noexcept {
    epoch_ = epoch;
    places_.clear();
    place_ = 0;
    taken_ = 0;
    open_ = 0;
    number_ = 0;
  }

  [[nodiscard]] std::uint64_t most_held() const noexcept { return turns_.cycle; }
  [[nodiscard]] static EpochCount epochs() noexcept { return {}; }
  template <class Visit>
  void held(const Visit& visit) const {
    for (const Place& place : places_) {
      if (place.is_open()) visit(place.read);
    }
  }

  void save(Snapshot& to) const {
    skipped_.save(to, epoch_);
    to.add(number_);
    to.add(place_);
    to.add(taken_);
    to.add(places_.size());
    for (const Place& place : places_) {
      to.add(place.is_open() ? 1 : 0);
      if (place.is_open()) to.add_nested(place.where());
    }
  }
  void restore(SnapshotReader& from) {
    skipped_.restore(from, epoch_);
    number_ = from.number();
    place_ = static_cast<std::size_t>(from.number_up_to(turns_.cycle));
    taken_ = static_cast<std::size_t>(from.number_up_to(turns_.block));
    for (std::uint64_t count = from.number_up_to(turns_.cycle); count > 0; --count) {
      places_.emplace_back();
      if (!from.flag()) continue;
      ++open_;
      places_.back().was_at = from.nested();
    }
    if (place_ > places_.size()) from.fail("there is no such input");
  }
  [[nodiscard]] std::size_t awaited() const noexcept { return open_; }
  void refill(Replayed<Pointer>&& replayed, std::uint64_t read) {
    std::size_t i = 0;
    while (!places_[i].was_at) ++i;
    places_[i].input = std::move(replayed.element);
    places_[i].input->restore(*std::exchange(places_[i].was_at, std::nullopt));
    places_[i].read = read;
  }

 private:
  /// An input, and how the input knows its element.
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

  Answer read(const Input<Pointer>& input, Chunk<U>& chunk, const PullWait& wait) {
    const std::size_t before = chunk.size();
    InnerInput<U>& inner = *places_[place_].input;
    const Answer answer = inner.read(chunk, number_, skipped_, wait);
    if (chunk.size() > before) {
      ++number_;
      if (++taken_ == turns_.block) next_place(input);
    }
    if (answer != Answer::ended) return answer;
    const bool had_its_turn = inner.was_opened();
    places_[place_].input.reset();
    --open_;
    if (had_its_turn) next_place(input);
    return Answer::more;
  }

  void fill_place(Input<Pointer>& input) {
    if (place_ == places_.size()) places_.emplace_back();
    places_[place_].input = std::move(input.element());
    places_[place_].read = input.pass();
    ++open_;
  }

  void next_place(const Input<Pointer>& input) noexcept {
    taken_ = 0;
    if (++place_ >= (input.has_ended() ? places_.size() : turns_.cycle)) place_ = 0;
  }

  Turns turns_;
  SkipCount skipped_;
  Epoch epoch_;
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
  facts.may_block = facts.may_block || reads_with_context<Result>;
  facts.has_lines = turns.cycle == 1 && LineNumberingReader<Result>;
  const auto open = [=](Opening opening) {
    auto lines = std::exchange(opening.lines, nullptr);
    const StageName own_name = opening.take_name(name, node->facts());
    SkipCount skipped(on_error, own_name);
    const InnerFunction<F> inner{function, opening.stream(facts), &opening.host, own_name, std::move(lines)};
    std::unique_ptr<Stream<InnerInputPointer<Element>>> inputs =
        make_stream(InnerInputs<T, F>{inner}, node->open(std::move(opening)));
    return make_stream(Interleave<Element>(turns, std::move(skipped)), std::move(inputs));
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
