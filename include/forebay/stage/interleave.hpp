// SPDX-License-Identifier: MIT
//
// interleave.hpp: reads several inputs in turn (interleave), or one after the other (flat_map), in the order of
// tf.data. It takes a block from each place in turn; when the input of a place has ended, the next input replaces it at
// its next turn.

#ifndef FOREBAY_STAGE_INTERLEAVE_HPP
#define FOREBAY_STAGE_INTERLEAVE_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/count.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/describe/properties.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/stage_node.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/stage/function_checks.hpp"
#include "forebay/stage/inner_elements.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The number of inputs that are open at once, and the number of elements that each delivers in its turn.
struct Turns {
  /// Throws std::invalid_argument if either is 0.
  constexpr Turns(Count its_cycle, Count its_block)
      : cycle(its_cycle.at_least(1, "interleave: cycle")), block(its_block.at_least(1, "interleave: block")) {}

  std::size_t cycle;
  std::size_t block;
};

inline constexpr Turns one_after_the_other(1, static_cast<std::size_t>(-1));

/// Reads several inputs in turn. `Elements` reads one of them: InnerElements, or PrefetchedElements, which another
/// thread fills.
template <class Elements>
class Interleave {
  using Outer = typename Elements::Outer;
  using Function = typename Elements::Function;

 public:
  using Output = typename Elements::Output;

  Interleave(Turns turns, Function function, SkipCount skipped)
      : turns_(turns), function_(std::move(function)), skipped_(std::move(skipped)) {}

  PullResult step(Input<Outer>& outer, Chunk<Output>& chunk, std::size_t most, const PullWait& wait) {
    if (place_ < places_.size() && places_[place_]->is_taken) return read(outer, chunk, most, wait);
    if (!outer.has_ended()) {
      const PullResult result = outer.look(wanted(most, chunk), wait);
      if (result == PullResult::more) fill_place(outer);
      if (result != PullResult::ended) return result;
    }
    if (open_ == 0) return PullResult::ended;
    next_place(outer);
    return PullResult::more;
  }

  /// Adds elements of the input whose turn it is.
  [[nodiscard]] bool can_skip() const noexcept {
    return !skipped_.skips() && place_ < places_.size() && places_[place_]->input.can_skip();
  }
  PullResult skip(const Input<Outer>& outer, std::uint64_t& count, const PullWait& wait) {
    const auto most = smaller<std::uint64_t>(count, turns_.block - taken_);
    std::uint64_t left = most;
    try {
      const PullResult result = places_[place_]->input.skip(left, wait);
      count -= most - left;
      return take(outer, static_cast<std::size_t>(most - left), result);
    } catch (const UserFailure& failure) {
      skipped_.skip(epoch_, number_, failure);
      return PullResult::ended;
    }
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
    for (const auto& place : places_) {
      if (place->is_taken) visit(place->read);
    }
  }

  void save(Snapshot& to) const {
    skipped_.save(to, epoch_);
    to.add(number_);
    to.add(place_);
    to.add(taken_);
    to.add(places_.size());
    for (const auto& place : places_) place->save(to);
  }
  void restore(SnapshotReader& from) {
    skipped_.restore(from, epoch_);
    number_ = from.number();
    place_ = static_cast<std::size_t>(from.number_up_to(turns_.cycle - 1));
    taken_ = static_cast<std::size_t>(from.number_up_to(turns_.block));
    std::uint64_t count = from.number_up_to(turns_.cycle);
    if (place_ > count) from.fail("there is no such input");
    for (; count > 0; --count) {
      Place& place = add_place();
      Snapshot was_at = from.frame();
      if (was_at.empty()) continue;
      ++open_;
      place.was_at = std::move(was_at);
    }
  }
  [[nodiscard]] std::size_t awaited() const noexcept { return open_; }
  /// While all inputs are open, the stage reads no element, so the element read last belongs to an open input. With
  /// threads, resuming from any other state would hang: no thread would be left to open an input.
  [[nodiscard]] bool has_to_hold_newest() const noexcept { return open_ == turns_.cycle; }
  void refill(Replayed<Outer>&& replayed, std::uint64_t read) {
    std::size_t i = 0;
    while (!places_[i]->was_at || places_[i]->is_taken) ++i;
    places_[i]->fill(std::move(replayed.element), replayed.number, read);
  }

 private:
  using InnerStream = StageStream<Elements, std::tuple<>>;

  /// One input, which is opened when it is first read.
  struct Place {
    Place(const Function& function, SkipCount& skipped)
        : failures(skipped), input(std::make_unique<InnerStream>(Elements(function, failures))) {}

    [[nodiscard]] Elements& elements() noexcept { return input.stream().stage(); }

    /// `element` has the number `its_number` in the epoch, and `its_read` in the input.
    void fill(Outer&& element, std::uint64_t its_number, std::uint64_t its_read) {
      elements().give(std::move(element), its_number);
      number = its_number;
      read = its_read;
      is_taken = true;
    }

    /// `stage` is the name of the interleave.
    void open(const PullWait& wait, const std::string& stage) {
      elements().open(wait);
      is_open = true;
      if (!was_at) return;
      const Snapshot place = *std::exchange(was_at, std::nullopt);
      SnapshotReader from(place, stage);
      failures.restore(from);
      input.restore(from);
      from.end();
    }

    void close(const Epoch& epoch) noexcept {
      input.begin(epoch);
      failures.begin();
      was_at.reset();
      is_taken = is_open = false;
    }

    /// Adds a frame, which is empty if it has no input.
    void save(Snapshot& to) {
      to.begin_frame();
      if (was_at) {
        to.add(*was_at);
      } else if (is_taken) {
        failures.save(to);
        input.save(to);
      }
      to.end_frame();
    }

    InnerFailures failures;
    Input<Output, InnerStream> input;
    std::uint64_t number = 0;
    std::uint64_t read = 0;
    bool is_taken = false;
    bool is_open = false;
    std::optional<Snapshot> was_at{};  // after restore(), until the input is opened
  };

  PullResult read(const Input<Outer>& outer, Chunk<Output>& chunk, std::size_t most, const PullWait& wait) {
    Place& place = *places_[place_];
    try {
      if (place.is_open) return pull(outer, place, chunk, most, wait);
      place.open(wait, skipped_.stage());
    } catch (const UserFailure& failure) {  // it cannot be opened
      skipped_.skip(epoch_, place.number, failure);
      close(place);
    } catch (const SnapshotError& error) {
      const auto rejected = std::make_exception_ptr(std::invalid_argument(std::string("checkpoint: ") + error.what()));
      std::rethrow_exception(as_dataset_error(rejected, skipped_.stage(), {epoch_.number, place.number}));
    }
    return PullResult::more;
  }

  PullResult pull(const Input<Outer>& outer, Place& place, Chunk<Output>& chunk, std::size_t most,
                  const PullWait& wait) {
    const std::size_t before = chunk.size();
    place.elements().number_from(number_ - before);
    const std::size_t at_once = Elements::gives_runs ? larger(most - before, elements_at_once) : most - before;
    const PullResult result = place.input.pull(chunk, before + smaller(at_once, turns_.block - taken_), wait);
    if (result == PullResult::failed) throw_failure(chunk);
    return take(outer, chunk.size() - before, result);
  }

  /// Counts `count` elements that the current input has delivered with `result`, and ends its turn if that is due.
  PullResult take(const Input<Outer>& outer, std::size_t count, PullResult result) {
    number_ += count;
    taken_ += count;
    if (result == PullResult::ended) close(*places_[place_]);
    if (result == PullResult::ended || taken_ == turns_.block) next_place(outer);
    return result == PullResult::not_now ? result : PullResult::more;
  }

  void close(Place& place) noexcept {
    place.close(epoch_);
    --open_;
  }

  void fill_place(Input<Outer>& outer) {
    Place& place = place_ < places_.size() ? *places_[place_] : add_place();
    const std::uint64_t number = outer.number();
    Outer& element = outer.element();
    place.fill(std::move(element), number, outer.pass());
    ++open_;
  }

  Place& add_place() {
    places_.push_back(std::make_unique<Place>(function_, skipped_));
    places_.back()->close(epoch_);
    return *places_.back();
  }

  void next_place(const Input<Outer>& outer) noexcept {
    taken_ = 0;
    if (++place_ >= (outer.has_ended() ? places_.size() : turns_.cycle)) place_ = 0;
  }

  Turns turns_;
  Function function_;
  SkipCount skipped_;
  Epoch epoch_;
  std::vector<std::unique_ptr<Place>> places_;  // created as needed
  std::size_t place_ = 0;                       // whose turn it is
  std::size_t taken_ = 0;                       // in this turn
  std::size_t open_ = 0;
  std::uint64_t number_ = 0;  // of the next output
};

/// Describes a flat_map or an interleave. Its function returns data sets if `of_data`, and takes a Context if
/// `with_context`.
[[nodiscard]] inline Properties describe_interleave(Properties properties, const StageText& text, const Turns& turns,
                                                    const OnError& on_error, bool of_data, bool with_context) {
  const auto inputs = smaller<std::uint64_t>(turns.cycle, properties.size.value_or(turns.cycle));
  properties.size.reset();
  properties.renumber();
  if (with_context || of_data) ++properties.random_stages;
  properties.unit = "elements";
  std::string details = turns.cycle == 1 ? "" : text_of({turns.cycle, turns.block});
  if (of_data) details += " of data sets";
  if (with_context) details += " with a Context";
  properties.describe(text.name, details + text.details + text_of(on_error));
  properties.stages.back().reads_early = true;
  properties.stages.back().buffers = saturating_multiply(inputs, text.buffers);
  return properties;
}

/// Checks and keeps the function of a flat_map or an interleave.
template <class T, class F>
[[nodiscard]] auto shared_inner_function(F&& f) {
  using Function = std::decay_t<F>;
  constexpr bool is_called = TakesContext<Function, T> || std::invocable<const Function&, const T&>;
  constexpr bool would_be = std::invocable<Function&, const T&>;
  static_assert(NotMutable<is_called, would_be>::value);
  static_assert(is_called || would_be,
                "forebay: flat_map(f) and interleave(cycle, block, f): f must take a const T&, or a const "
                "T& and a Context&");
  if constexpr (is_called) {
    using Result = std::decay_t<typename FlatResult<Function, T>::type>;
    static_assert(DescribedData<Result> || FlatRange<Result> || !std::is_void_v<typename ReadBy<Result>::type>,
                  "forebay: the function given to flat_map must return a range, a reader or a data set");
    if constexpr (!DescribedData<Result> && !FlatRange<Result>) static_assert(ReaderMembers<Result>::are_right);
    return std::make_shared<const Function>(std::forward<F>(f));
  }
}

template <class T, class F>
[[nodiscard]] auto serial_interleave_node(const NodePointer<T>& node, StageText text, const Turns& turns,
                                          const OnError& on_error, std::shared_ptr<const F> function) {
  using Element = typename InnerOf<T, F>::value_type;
  using Result = std::decay_t<typename FlatResult<F, T>::type>;
  constexpr bool with_context = TakesContext<F, T> || reads_with_context<Result>;
  if (text.buffers == 0) text.buffers = usual_buffer<Result>;
  Properties properties =
      describe_interleave(node->properties(), text, turns, on_error, DescribedData<Result>, with_context);
  properties.may_block = properties.may_block || reads_with_context<Result>;
  properties.make_lines = turns.cycle == 1 && LineNumberingReader<Result> ? make_source_lines : nullptr;
  auto open = [node, turns, on_error, function = std::move(function), name = text.name](
                  OpenContext&& opening, const Properties& its_properties) {
    auto lines = std::exchange(opening.lines, nullptr);
    const StageName own_name = opening.take_name(name, node->properties());
    InnerFunction<F> inner{
        function, opening.stream(its_properties), &opening.runtime, own_name, std::move(lines), opening.left_out};
    SkipCount skipped(on_error, own_name, opening.left_out);
    Interleave<InnerElements<T, F>> stage(turns, std::move(inner), std::move(skipped));
    return make_stream(std::move(stage), node->open(std::move(opening)));
  };
  return make_node<Element>(std::move(properties), std::move(open));
}

template <class T, class F>
[[nodiscard]] auto flat_map_node(const NodePointer<T>& node, StageText text, const OnError& on_error, F&& f) {
  return serial_interleave_node(node, std::move(text), one_after_the_other, on_error,
                                shared_inner_function<T>(std::forward<F>(f)));
}
template <class T, class F>
[[nodiscard]] auto interleave_node(const NodePointer<T>& node, const Turns& turns, F&& f) {
  return serial_interleave_node(node, "interleave", turns, {}, shared_inner_function<T>(std::forward<F>(f)));
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_INTERLEAVE_HPP
