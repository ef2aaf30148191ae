// SPDX-License-Identifier: MIT
//
// user_stage.hpp: the user's own stages (apply), and the library's that are written like them.

#ifndef FOREBAY_STAGE_USER_STAGE_HPP
#define FOREBAY_STAGE_USER_STAGE_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "forebay/base/element_ranges.hpp"
#include "forebay/out.hpp"
#include "forebay/stage/failing.hpp"
#include "forebay/stage/input.hpp"
#include "forebay/stage/stage_node.hpp"
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

  UserStageChain(std::unique_ptr<Chain<T>> chain, std::shared_ptr<const Stage> stage, StageName name)
      : UserStageChain::StageChain(std::move(chain)), given_(std::move(stage)), name_(std::move(name)) {}

  Answer step(Chunk<Made>& chunk, std::size_t most, const PullWait& wait) {
    if (hand_over(chunk, most)) return Answer::more;
    if (is_finished_) return Answer::epoch_ended;
    const Answer answer = this->look(most - chunk.size(), wait);
    if (answer == Answer::more) run();
    if (answer == Answer::epoch_ended) finish();
    return answer == Answer::epoch_ended ? Answer::more : answer;
  }

  void begin_epoch() override {
    stage_.reset();
    drop_emitted();
    number_ = 0;
    is_finished_ = false;
    UserStageChain::StageChain::begin_epoch();
  }

  [[nodiscard]] bool holds_outputs() const noexcept override { return is_finished_ || handed_over_ < emitted_.size(); }
  void save_state(Snapshot& to) override {
    if constexpr (SavableStage<Stage>) {
      to.add(stage_ ? 1 : 0);
      if (stage_) to.add(std::string(stage_->save()));
    }
    to.add(number_);
    this->input_.save(to);
  }
  void restore_state(SnapshotReader& from) override {
    if constexpr (SavableStage<Stage>) {
      if (from.flag()) stage().restore(from.text());
    }
    number_ = from.number();
    this->input_.restore(from);
  }

 private:
  /// Gathers what a call emits; what the chunk that is pulled has no room for stays here.
  class Emitted final : public Out<Made> {
   public:
    explicit Emitted(UserStageChain& chain) noexcept : chain_(chain) {}
    [[nodiscard]] bool ended() const noexcept { return ended_; }

    /// Throws what has left emit(), if something has: also if the user's stage has caught it.
    void rethrow_failure() const {
      if (failure_ != nullptr) std::rethrow_exception(failure_);
    }

   private:
    void put(Made&& element) override {
      if (ended_) return;
      try {
        chain_.emitted_.push(std::move(element), chain_.number_);
      } catch (...) {
        failure_ = std::current_exception();
        throw;
      }
      ++chain_.number_;
    }
    void end_epoch() noexcept override { ended_ = true; }

    UserStageChain& chain_;
    bool ended_ = false;
    std::exception_ptr failure_;
  };

  /// Hands over the next of what was emitted. Returns whether there was something.
  bool hand_over(Chunk<Made>& chunk, std::size_t most) {
    if (handed_over_ == emitted_.size()) return false;
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

  /// That of this epoch, a copy of the one that was given.
  Stage& stage() {
    if (!stage_) stage_.emplace(*given_);
    return *stage_;
  }

  void run() {
    const Position position = this->input_.position();
    Emitted out(*this);
    try {
      stage()(std::move(this->input_.element()), out);
    } catch (...) {
      out.rethrow_failure();
      throw_as_dataset_error(name_, position);
    }
    out.rethrow_failure();
    this->input_.pass();
    if (out.ended()) finish();
  }

  /// What it emits comes behind all others of the epoch.
  void finish() {
    const std::uint64_t number = number_;
    Emitted out(*this);
    try {
      if constexpr (finishes) stage().finish(out);
    } catch (...) {
      out.rethrow_failure();
      throw_as_dataset_error(name_.text(), {this->epoch().number, number});
    }
    out.rethrow_failure();
    is_finished_ = true;
  }

  static constexpr bool finishes = requires(Stage & stage, Out<Made>& out) { stage.finish(out); };

  std::shared_ptr<const Stage> given_;
  StageName name_;
  std::optional<Stage> stage_;
  Chunk<Made> emitted_;
  std::size_t handed_over_ = 0;
  std::uint64_t number_ = 0;  // of the next output
  bool is_finished_ = false;  // so that only the end of the epoch comes behind what was emitted
};

template <class Stage>
[[nodiscard]] Facts describe_user_stage(Facts facts) {
  facts.size.reset();
  facts.renumber();
  facts.unit = "elements";
  facts.describe(name_of_stage<Stage>());
  if (!SavableStage<Stage> && !std::is_empty_v<Stage>) {
    facts.cannot_resume = "a stage of apply has no save() and restore()";
  }
  return facts;
}

template <class T, class Given>
[[nodiscard]] auto user_stage_node(const NodePointer<T>& node, Given&& stage) {
  using Stage = std::decay_t<Given>;
  static_assert(StageFor<Stage, T>,
                "forebay: a stage given to apply is called as stage(T&&, forebay::Out<U>&), where U is its "
                "value_type, or else T");
  static_assert(std::copy_constructible<Stage>, "forebay: a stage given to apply is copied once for each epoch");
  using Chain = UserStageChain<T, Stage>;
  auto shared = std::make_shared<const Stage>(std::forward<Given>(stage));
  return make_stage_node<typename Chain::Made>(
      node, describe_user_stage<Stage>(node->facts()), "apply", [shared](auto chain, auto name, auto /*stream*/) {
        return std::make_unique<Chain>(std::move(chain), shared, std::move(name));
      });
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_USER_STAGE_HPP
