// SPDX-License-Identifier: MIT
//
// user_stage.hpp: the user's own stages (apply), and the library's that are written like them.

#ifndef FOREBAY_STAGE_USER_STAGE_HPP
#define FOREBAY_STAGE_USER_STAGE_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "forebay/base/element_ranges.hpp"
#include "forebay/out.hpp"
#include "forebay/stage/failing.hpp"
#include "forebay/stage/input.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// What a stage makes of elements of type T: its value_type, else T.
template <class Stage, class T>
struct MadeBy {
  using type = T;
};
template <class Stage, class T>
requires requires { typename Stage::value_type; }
struct MadeBy<Stage, T> {
  using type = typename Stage::value_type;
};

template <class Stage, class T>
concept StageFor = requires(Stage& stage, T&& element, Out<typename MadeBy<Stage, T>::type>& out) {
  stage(std::move(element), out);
};

/// A stage that can be restored where it was saved.
template <class Stage>
concept SavableStage = requires(Stage& stage, const Stage& saved) {
  stage.restore(std::string_view(saved.save()));
};

/// What describes it: two of the user's are not told from one another.
template <class Stage>
[[nodiscard]] constexpr const char* name_of_stage() noexcept {
  if constexpr (requires { Stage::name; }) {
    return Stage::name;
  } else {
    return "apply";
  }
}

/// enumerate(), written as a stage of the user's.
template <class T>
struct Enumerate {
  using value_type = std::tuple<std::uint64_t, T>;
  static constexpr const char* name = "enumerate";

  void operator()(T&& element, Out<value_type>& out) { out.emit(value_type(number++, std::move(element))); }
  void finish(Out<value_type>& /*out*/) { number = 0; }

  [[nodiscard]] std::string save() const { return std::to_string(number); }
  void restore(std::string_view saved) { number = std::stoull(std::string(saved)); }

  std::uint64_t number = 0;
};

/// unbatch(), too.
template <class Batch>
struct Unbatch {
  using value_type = std::ranges::range_value_t<Batch>;
  static constexpr const char* name = "unbatch";

  void operator()(Batch&& batch, Out<value_type>& out) const {
    for (auto&& element : batch) out.emit(static_cast<GivenBy<Batch>>(element));
  }
};

template <class T, class Stage>
class UserStageChain final : public StageChain<UserStageChain<T, Stage>, T, typename MadeBy<Stage, T>::type> {
 public:
  using Made = typename MadeBy<Stage, T>::type;

  UserStageChain(std::unique_ptr<Chain<T>> chain, Stage stage, Rounds::Counts repeats, std::string name)
      : UserStageChain::StageChain(std::move(chain)),
        stage_(std::move(stage)),
        repeats_(std::move(repeats)),
        name_(std::move(name)) {}

  Answer step(Chunk<Made>& chunk, std::size_t most, const PullWait& wait) {
    if (hand_over(chunk, most)) return Answer::more;
    if (mark_is_next_) return pass_mark(chunk);
    if (over_) return Answer::ended;
    const Answer answer = this->look(emitted_, most - chunk.size(), wait);
    if (answer == Answer::not_now || answer == Answer::ended) return answer;
    if (answer == Answer::epoch_ended) {
      end_epoch();
    } else {
      run();
    }
    return Answer::more;
  }

  void skip_to(const Rounds& rounds) override {
    if (emitted_.epoch.is_before(rounds.epoch())) {
      if (begun_) finish_silently();
      drop_emitted();
      mark_is_next_ = false;
      over_ = false;
    }
    this->input_.go_to(rounds);
  }

  [[nodiscard]] bool holds_outputs() const noexcept override { return handed_over_ < emitted_.size(); }
  void save_state(Snapshot& to) override {
    if constexpr (SavableStage<Stage>) to.add(std::string(stage_.save()));
    to.add(mark_is_next_ ? 1 : 0);
    to.add(begun_ ? 1 : 0);
    to.add(over_ ? 1 : 0);
    emitted_.epoch.save(to);
    numbering_.save(to);
    this->input_.save(to);
  }
  void restore_state(SnapshotReader& from) override {
    if constexpr (SavableStage<Stage>) stage_.restore(from.text());
    mark_is_next_ = from.flag();
    begun_ = from.flag();
    over_ = from.flag();
    emitted_.epoch = Epoch::restored(from);
    numbering_.restore(from);
    this->input_.restore(from);
  }

 private:
  /// Gathers what a call emits; what the chunk that is pulled has no room for stays here.
  class Emitted final : public Out<Made> {
   public:
    explicit Emitted(UserStageChain& chain) noexcept : chain_(chain) {}
    [[nodiscard]] bool ended() const noexcept { return ended_; }

   private:
    void put(Made&& element) override {
      if (ended_) return;
      auto& emitted = chain_.emitted_;
      emitted.push(std::move(element), chain_.numbering_.next(emitted.epoch));
    }
    void end_epoch() noexcept override { ended_ = true; }

    UserStageChain& chain_;
    bool ended_ = false;
  };

  /// Hands over the next of what was emitted. Returns whether there was something.
  bool hand_over(Chunk<Made>& chunk, std::size_t most) {
    if (handed_over_ == emitted_.size()) return false;
    chunk.epoch = emitted_.epoch;
    while (chunk.size() < most && handed_over_ < emitted_.size()) {
      chunk.push(std::move(emitted_[handed_over_]), emitted_.number(handed_over_));
      ++handed_over_;
    }
    if (handed_over_ == emitted_.size()) drop_emitted();
    return true;
  }

  void drop_emitted() noexcept {
    emitted_.clear();
    handed_over_ = 0;
  }

  Answer pass_mark(Chunk<Made>& chunk) {
    mark_is_next_ = false;
    chunk.epoch = emitted_.epoch;
    return Answer::epoch_ended;
  }

  void run() {
    begun_ = true;
    const Position position = this->input_.position();
    Emitted out(*this);
    try {
      stage_(std::move(this->input_.element()), out);
      this->input_.pass();
      if (out.ended()) leave_epoch();
    } catch (...) {
      throw_as_dataset_error(name_, position);
    }
  }

  void leave_epoch() {
    end_epoch();
    Rounds rounds(repeats_, emitted_.epoch);
    rounds.next();
    over_ = rounds.over();
    if (!over_) this->input_.go_to(rounds);
  }

  void end_epoch() {
    begun_ = false;
    const std::uint64_t number = numbering_.peek(emitted_.epoch);
    try {
      Emitted out(*this);
      if constexpr (finishes) stage_.finish(out);
    } catch (...) {
      throw_as_dataset_error(name_, {emitted_.epoch.number, number});
    }
    mark_is_next_ = true;
  }

  /// What an epoch that is not wanted any more would still emit, and how it fails, is of no interest.
  void finish_silently() {
    begun_ = false;
    try {
      Emitted out(*this);
      if constexpr (finishes) stage_.finish(out);
    } catch (...) {
      return;
    }
  }

  static constexpr bool finishes = requires(Stage & stage, Out<Made>& out) { stage.finish(out); };

  Stage stage_;
  Rounds::Counts repeats_;
  std::string name_;
  Chunk<Made> emitted_;
  std::size_t handed_over_ = 0;
  bool mark_is_next_ = false;
  bool begun_ = false;
  bool over_ = false;
  Numbering numbering_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_USER_STAGE_HPP
