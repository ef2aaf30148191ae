// SPDX-License-Identifier: MIT
//
// apply.hpp: users' stages (apply), and the library's stages that are written in the same way.

#ifndef FOREBAY_STAGE_APPLY_HPP
#define FOREBAY_STAGE_APPLY_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "forebay/base/element_ranges.hpp"
#include "forebay/context.hpp"
#include "forebay/flow/errors.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/stage_node.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The type that a stage emits for elements of type T: its value_type, or T if it has none.
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

/// A stage with save() and restore().
template <class Stage>
concept SavableStage = requires(Stage& stage, const Stage& saved) {
  stage.restore(std::string_view(saved.save()));
};

/// Returns the name in the description of a stage. All users' stages have the same name, "apply".
template <class Stage>
[[nodiscard]] constexpr const char* name_of_stage() noexcept {
  if constexpr (requires { Stage::name; }) {
    return Stage::name;
  } else {
    return "apply";
  }
}

/// Implements enumerate() as a user's stage.
template <class T>
struct Enumerate {
  using value_type = std::tuple<std::uint64_t, T>;
  static constexpr const char* name = "enumerate";

  void operator()(T&& element, Out<value_type>& out) { out.emit(value_type(number++, std::move(element))); }

  [[nodiscard]] std::string save() const { return std::to_string(number); }
  void restore(std::string_view saved) { number = std::stoull(std::string(saved)); }

  std::uint64_t number = 0;
};

/// Implements unbatch() as a user's stage.
template <class Batch>
struct Unbatch {
  using value_type = std::ranges::range_value_t<Batch>;
  static constexpr const char* name = "unbatch";

  void operator()(Batch&& batch, Out<value_type>& out) const { out.emit_all(std::move(batch)); }
};

/// Calls the user's stage. Each epoch has its own copy.
template <class T, class Stage>
class UserStage {
 public:
  using Output = typename MadeBy<Stage, T>::type;

  UserStage(std::shared_ptr<const Stage> stage, StageName name) : given_(std::move(stage)), name_(std::move(name)) {}

  PullResult step(Input<T>& input, Chunk<Output>& chunk, std::size_t most, const PullWait& wait) {
    if (is_finished_) return PullResult::ended;
    const PullResult result = input.look(wanted(most, chunk), wait);
    if (result == PullResult::more) run(input, chunk);
    if (result == PullResult::ended) finish(chunk);
    return is_finished_ ? PullResult::ended : result;
  }

  void begin(const Epoch& /*epoch*/) noexcept {
    stage_.reset();
    number_ = 0;
    is_finished_ = false;
  }

  void save(Snapshot& to) const {
    if constexpr (SavableStage<Stage>) {
      to.add(stage_ ? 1 : 0);
      if (stage_) to.add(std::string(stage_->save()));
    }
    to.add(number_);
  }
  void restore(SnapshotReader& from) {
    if constexpr (SavableStage<Stage>) {
      if (from.flag()) stage().restore(from.text());
    }
    number_ = from.number();
  }

 private:
  /// Adds the elements that a call emits to the chunk; none of them if the call fails.
  class Emitted final : public Out<Output> {
   public:
    Emitted(UserStage& stage, Chunk<Output>& chunk) noexcept : stage_(stage), chunk_(chunk), before_(chunk.size()) {}
    [[nodiscard]] bool ended() const noexcept { return ended_; }

    void take_back() noexcept { chunk_.truncate(before_); }

    /// Rethrows an exception that has left emit(), even if the user's stage has caught it.
    void rethrow_failure() {
      if (failure_ == nullptr) return;
      take_back();
      std::rethrow_exception(failure_);
    }

   private:
    void put(Output&& element) override {
      add(1, [&] { chunk_.push(std::move(element), stage_.number_); });
    }
    void put_run(std::span<const Output> elements) override {
      if constexpr (copies_runs<Output>) add(elements.size(), [&] { chunk_.push_run(elements, stage_.number_); });
    }
    void swap_storage(Output& storage) override {
      if constexpr (std::default_initializable<Output>) {
        std::swap(storage, chunk_.next_storage([] { return Output(); }));
      }
    }
    void end_epoch() noexcept override { ended_ = true; }

    template <class Add>
    void add(std::size_t count, const Add& to_chunk) {
      if (ended_) return;
      try {
        to_chunk();
      } catch (...) {
        failure_ = std::current_exception();
        throw;
      }
      stage_.number_ += count;
    }

    UserStage& stage_;
    Chunk<Output>& chunk_;
    const std::size_t before_;
    bool ended_ = false;
    std::exception_ptr failure_;
  };

  /// Returns the stage of this epoch, a copy of the given stage.
  Stage& stage() {
    if (!stage_) stage_.emplace(*given_);
    return *stage_;
  }

  void run(Input<T>& input, Chunk<Output>& chunk) {
    Emitted out(*this, chunk);
    call(out, name_, input.position(), [&] { stage()(std::move(input.element()), out); });
    input.pass();
    if (out.ended()) finish(chunk);
  }

  /// Calls finish(), whose elements come after all others of the epoch.
  void finish(Chunk<Output>& chunk) {
    if constexpr (requires(Stage & stage, Out<Output> & out) { stage.finish(out); }) {
      Emitted out(*this, chunk);
      call(out, name_.text(), {chunk.epoch.number, number_}, [&] { stage().finish(out); });
    }
    is_finished_ = true;
  }

  template <class Name, class Call>
  static void call(Emitted& out, const Name& name, Position position, const Call& called) {
    try {
      called();
    } catch (...) {
      out.rethrow_failure();
      out.take_back();
      throw_as_dataset_error(name, position);
    }
    out.rethrow_failure();
  }

  std::shared_ptr<const Stage> given_;
  StageName name_;
  std::optional<Stage> stage_;
  std::uint64_t number_ = 0;  // of the next output
  bool is_finished_ = false;  // if so, there is no state to save
};

template <class Stage>
[[nodiscard]] Properties describe_user_stage(Properties properties) {
  properties.size.reset();
  properties.renumber();
  properties.unit = "elements";
  properties.describe(name_of_stage<Stage>());
  if (!SavableStage<Stage> && !std::is_empty_v<Stage>) {
    properties.cannot_resume = "a stage of apply has no save() and restore()";
  }
  return properties;
}

template <class T, class Given>
[[nodiscard]] auto user_stage_node(const NodePointer<T>& node, Given&& stage) {
  using Stage = std::decay_t<Given>;
  static_assert(StageFor<Stage, T>,
                "forebay: a stage given to apply must be callable as stage(T&&, forebay::Out<U>&), where U is its "
                "value_type, or T if it has none");
  static_assert(std::copy_constructible<Stage>,
                "forebay: apply copies its stage for each epoch, so the stage must be copyable");
  auto shared = std::make_shared<const Stage>(std::forward<Given>(stage));
  return make_stage_node<typename MadeBy<Stage, T>::type>(
      node, describe_user_stage<Stage>(node->properties()), "apply",
      [shared](StageContext& opening) { return UserStage<T, Stage>(shared, std::move(opening.name)); });
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_APPLY_HPP
