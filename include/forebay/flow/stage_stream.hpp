// SPDX-License-Identifier: MIT
//
// stage_stream.hpp: StageStream, which makes a stream from a stage, a small state machine for one epoch, and its
// inputs.

#ifndef FOREBAY_FLOW_STAGE_STREAM_HPP
#define FOREBAY_FLOW_STAGE_STREAM_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/stream.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Takes steps until the chunk has `most` elements, the epoch ends, a step fails, or the wait is over. Waits only while
/// it has added nothing. Requires chunk.size() < most.
template <class Step>
[[gnu::always_inline]] inline PullResult pull_by_steps(AnyChunk& chunk, const Epoch& epoch, std::size_t most,
                                                       const PullWait& wait, const Step& step) noexcept {
  const std::size_t before = chunk.size();
  const PullWait::BlockingRestored restored(wait);
  chunk.epoch = epoch;
  PullResult result = PullResult::more;
  try {
    for (;;) {
      result = step();
      if (result != PullResult::more || chunk.size() >= most) break;
      if (wait.over()) {
        result = PullResult::not_now;
        break;
      }
      if (chunk.size() > before) wait.forbid_blocking();
    }
  } catch (...) {
    result = fail(chunk);
  }
  chunk.epoch = epoch;  // a pull from upstream changes it
  return after_adding(result, chunk, before);
}

/// A stage that has state of its own, such as a counter.
template <class Stage>
concept SavesState = requires(const Stage& stage, Snapshot& to, SnapshotReader& from) {
  stage.save(to);
};

/// A stage that holds elements of its only input, in any order: some may stay while later ones leave, as in a shuffle
/// window. A resumed run reads everything from the oldest held element on.
///
/// held(visit) visits the numbers by which the input identifies them. In a resumed run, restore() comes first; then
/// refill() receives awaited() elements in the same order, and refilled() follows. If has_to_hold_newest() exists and
/// returns true, the stage must hold the last element that was read.
template <class Stage>
concept HoldsElements = requires(const Stage& stage) {
  stage.awaited();
};

/// A stage whose last reads_again() elements count as unread in a saved state. This is right for a stage that holds
/// only the last elements that it read, such as an incomplete batch or a sliding window: save() saves the state before
/// them, and step() reads them again. If an element may stay while later ones leave, use held() instead: reads_again()
/// would have to count everything since the oldest one, and step() would deliver the outputs in between again.
template <class Stage>
concept ReadsAgain = requires(const Stage& stage) {
  stage.reads_again();
};

/// A stage whose last emits_again() outputs are emitted again after it has read elements again.
template <class Stage>
concept EmitsAgain = requires(const Stage& stage) {
  stage.emits_again();
};

/// A stage that delivers one output at a time, because outputs are large.
template <class Stage>
concept MakesBatches = requires {
  requires Stage::makes_batches;
};

/// A stage that can skip elements without reading them: skip(inputs..., count, wait), like AnyStream::skip().
template <class Stage>
concept Skips = requires(const Stage& stage) {
  stage.can_skip();
};

/// A stage that counts elements and can be downstream of an elastic shard. skip_to(number) returns the number of the
/// next element of its input. The shard itself returns nothing: it skips the elements before element `number`.
template <class Stage>
concept SkipsTo = requires(Stage& stage) {
  stage.skip_to(std::uint64_t{0});
};
template <class Stage>
concept SkipsInputItself = requires(Stage& stage) {
  { stage.skip_to(std::uint64_t{0}) } -> std::same_as<void>;
};

/// A stage that begins its inputs itself, after its own begin() and restore(): begin_inputs(epoch, inputs).
template <class Stage, class Inputs>
concept BeginsInputs = requires(Stage& stage, Inputs& inputs) {
  stage.begin_inputs(Epoch(), inputs);
};

/// Makes a stream from a stage and its inputs. `Inputs` is a tuple of inputs, which step() receives one by one, or a
/// container of them. A stage has
///
///   using Output = ...;
///   PullResult step(Input<In>&..., Chunk<Output>& chunk, std::size_t most, const PullWait& wait);
///   void begin(const Epoch& epoch) noexcept;                     // if it needs a reset; keeps the storage
///   void save(Snapshot&) const; void restore(SnapshotReader&);   // if it counts; restore() checks all numbers
///
/// step() adds at most a few elements, and waits for an input only as `wait` permits. It returns `more` if another step
/// may follow, even if it has added nothing. It returns `ended` at the end of the epoch, even if it has added elements.
/// It may throw, after it has added elements, too. If it pulls into a chunk of its own, pass_failure() passes a failure
/// on.
template <class Stage, class Inputs>
class StageStream final : public Stream<typename Stage::Output> {
 public:
  using Output = typename Stage::Output;

  template <class... Streams>
  explicit StageStream(Stage&& stage, Streams&&... streams)
      : stage_(std::move(stage)), inputs_(std::forward<Streams>(streams)...) {
    if constexpr (HoldsElements<Stage>) {
      input().set_held(stage_.most_held(), stage_.epochs(), [this] { return oldest(); });
    } else if constexpr (ReadsAgain<Stage>) {
      input().set_held([this] { return input().read_of_epoch() - stage_.reads_again(); });
    }
  }

  [[nodiscard]] Stage& stage() noexcept { return stage_; }

  void begin(const Epoch& epoch) noexcept override {
    epoch_ = epoch;
    awaited_.clear();
    if constexpr (BeginsInputs<Stage, Inputs>) {
      stage_.begin(epoch);
      stage_.begin_inputs(epoch, inputs_);
    } else {
      begin_all(epoch);
    }
  }

  PullResult pull(Chunk<Output>& chunk, std::size_t most, const PullWait& wait) noexcept override {
    if constexpr (MakesBatches<Stage>) most = chunk.size() + 1;
    return pull_by_steps(chunk, epoch_, most, wait, [&] { return step(chunk, most, wait); });
  }

  std::uint64_t save(Snapshot& to) override {
    if constexpr (SavesState<Stage>) stage_.save(to);
    if constexpr (HoldsElements<Stage>) {
      save_held(to);
    } else if constexpr (ReadsAgain<Stage>) {
      input().save(to, stage_.reads_again());
    } else {
      for (AnyInput& input : inputs()) input.save(to);
    }
    if constexpr (EmitsAgain<Stage>) return stage_.emits_again();
    return 0;
  }

  [[nodiscard]] bool can_save() const noexcept override {
    if constexpr (requires { stage_.can_save(); }) return stage_.can_save();
    return true;
  }

  PullResult skip(std::uint64_t& count, const PullWait& wait) override {
    if constexpr (Skips<Stage>) {
      return with_inputs([&](auto&... inputs) { return stage_.skip(inputs..., count, wait); });
    }
    return Stream<Output>::skip(count, wait);
  }
  [[nodiscard]] bool can_skip() const noexcept override {
    if constexpr (Skips<Stage>) return stage_.can_skip();
    return false;
  }

  void restore(SnapshotReader& from) override {
    if constexpr (SavesState<Stage>) stage_.restore(from);
    if constexpr (BeginsInputs<Stage, Inputs>) stage_.begin_inputs(epoch_, inputs_);
    for (AnyInput& input : inputs()) input.restore(from);
    if constexpr (HoldsElements<Stage>) restore_held(from);
  }

  void skip_to(std::uint64_t number) override {
    if constexpr (SkipsInputItself<Stage>) {
      stage_.skip_to(number);
    } else {
      if constexpr (SkipsTo<Stage>) number = stage_.skip_to(number);
      for (AnyInput& input : inputs()) input.skip_to(number);
    }
  }

 private:
  static constexpr bool has_tuple = requires { std::tuple_size<Inputs>::value; };

  [[nodiscard]] auto& input() noexcept { return std::get<0>(inputs_); }

  /// Calls use(input...), or use(container).
  template <class Use>
  decltype(auto) with_inputs(const Use& use) {
    if constexpr (has_tuple) {
      return with_each(use, std::make_index_sequence<std::tuple_size_v<Inputs>>());
    } else {
      return use(inputs_);
    }
  }
  // std::apply has six more functions to compile for each call.
  template <class Use, std::size_t... index>
  decltype(auto) with_each(const Use& use, std::index_sequence<index...> /*indices*/) {
    return use(std::get<index>(inputs_)...);
  }

  /// Returns a range of all inputs.
  [[nodiscard]] decltype(auto) inputs() noexcept {
    if constexpr (has_tuple) {
      return with_inputs(
          [](auto&... inputs) { return std::array<std::reference_wrapper<AnyInput>, sizeof...(inputs)>{inputs...}; });
    } else {
      return (inputs_);
    }
  }

  void begin_all(const Epoch& epoch) noexcept {
    bool goes_on = false;
    for (AnyInput& input : inputs()) goes_on = input.begin(epoch);
    if constexpr (HoldsElements<Stage>) {
      stage_.begin(epoch, goes_on);
    } else if constexpr (requires { stage_.begin(epoch); }) {
      stage_.begin(epoch);
    }
  }

  PullResult step(Chunk<Output>& chunk, std::size_t most, const PullWait& wait) {
    if constexpr (HoldsElements<Stage>) {
      if (!awaited_.empty() && !refill(wait)) return PullResult::not_now;
    }
    return with_inputs([&](auto&... inputs) { return stage_.step(inputs..., chunk, most, wait); });
  }

  // ---- For stages that hold elements

  /// Visits the numbers of the held elements, including those not replayed yet.
  template <class Visit>
  void visit_held(const Visit& visit) {
    if (awaited_.empty()) return stage_.held(visit);
    for (const std::uint64_t number : awaited_) visit(number);
  }

  [[nodiscard]] std::uint64_t oldest() {
    std::uint64_t oldest = input().read_of_epoch();
    visit_held([&oldest](std::uint64_t number) { oldest = smaller(oldest, number); });
    return oldest;
  }

  /// Limits the memory that wrong numbers in a checkpoint can request.
  static constexpr std::uint64_t most_of_run = 1 << 16;

  /// Saves a run of neighbours as twice its first number plus 1, and its length; a single element as twice its number.
  void save_held(Snapshot& to) {
    const std::uint64_t first = input().save_from(to, oldest());
    std::uint64_t begin = 0;
    std::uint64_t length = 0;
    const auto add_run = [&] {
      if (length > 0) to.add(2 * (begin - first) + (length > 1 ? 1 : 0));
      if (length > 1) to.add(length);
    };
    visit_held([&](std::uint64_t number) {
      if (length > 0 && length < most_of_run && number == begin + length) {
        ++length;
        return;
      }
      add_run();
      begin = number;
      length = 1;
    });
    add_run();
  }

  void restore_held(SnapshotReader& from) {
    bool holds_newest = false;
    for (std::uint64_t left = stage_.awaited(); left > 0;) {
      const std::uint64_t code = from.number();
      const std::uint64_t length = code % 2 == 0 ? 1 : from.number_up_to(smaller(left, most_of_run));
      for (std::uint64_t i = 0; i < length; ++i) awaited_.push_back(code / 2 + i);
      holds_newest = holds_newest || code / 2 + length == input().read_of_epoch();
      left -= length;
      if (length == 0) from.fail("it holds a run of no elements");
    }
    input().keep(awaited_, from);
    if constexpr (requires { stage_.has_to_hold_newest(); }) {
      if (stage_.has_to_hold_newest() && !holds_newest) from.fail("it does not hold the element that it read last");
    }
  }

  /// Gives the stage the elements that it held in the saved run. Returns false if the wait is over.
  bool refill(const PullWait& wait) {
    if (input().replay(wait) != PullResult::more) return false;
    input().take_replayed(awaited_, [this](auto&& element, std::uint64_t number) {
      stage_.refill(std::forward<decltype(element)>(element), number);
    });
    awaited_.clear();
    if constexpr (requires { stage_.refilled(); }) stage_.refilled();
    return true;
  }

  Stage stage_;
  Inputs inputs_;
  Epoch epoch_;
  std::vector<std::uint64_t> awaited_;  // in a resumed run, numbers of held elements not replayed yet
};

template <class Stage, class... In>
[[nodiscard]] std::unique_ptr<Stream<typename Stage::Output>> make_stream(Stage&& stage,
                                                                          std::unique_ptr<Stream<In>>... streams) {
  using Made = StageStream<Stage, std::tuple<Input<In>...>>;
  return std::unique_ptr<Stream<typename Stage::Output>>(new Made(std::forward<Stage>(stage), std::move(streams)...));
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FLOW_STAGE_STREAM_HPP
