// SPDX-License-Identifier: MIT
//
// apply.hpp: users' stages (apply), and the library's stages that are written in the same way.

#ifndef FOREBAY_STAGE_APPLY_HPP
#define FOREBAY_STAGE_APPLY_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

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
using OutOf = Out<typename MadeBy<Stage, T>::type>;

/// A stage that is called with a Context.
template <class Stage, class T>
concept StageWithContext = requires(Stage& stage, T&& element, Context& context, OutOf<Stage, T>& out) {
  stage(std::move(element), context, out);
};
template <class Stage, class T>
concept FinishWithContext = requires(Stage& stage, Context& context, OutOf<Stage, T>& out) {
  stage.finish(context, out);
};

template <class Stage, class T>
concept StageFor = StageWithContext<Stage, T> || requires(Stage& stage, T&& element, OutOf<Stage, T>& out) {
  stage(std::move(element), out);
};

/// A stage with save() and restore().
template <class Stage>
concept SavableStage = requires(const Stage& stage) {
  stage.save();
};
template <class Stage>
concept RestorableStage = requires(Stage& stage, const Stage& saved) {
  stage.restore(std::string_view(saved.save()));
};

/// A stage that tells the numbers of the elements that it holds. refill() gets them in a resumed run.
template <class Stage>
concept HoldingStage = requires(const Stage& stage) {
  stage.held();
};
template <class Stage, class T>
concept RefillableStage = requires(Stage& stage, T&& element, const Stage& saved) {
  { saved.held() } -> std::convertible_to<std::vector<std::uint64_t>>;
  stage.refill(std::move(element), std::uint64_t{0});
};

/// A stage that can only begin anew, at the beginning of an epoch or where its empty() is true.
template <class Stage>
inline constexpr bool is_replayed = !SavableStage<Stage> && !HoldingStage<Stage> && !std::is_empty_v<Stage>;

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

/// Finds the elements that a stage holds. The stage knows them by their numbers in the epoch; the input, by how many
/// elements were read before each.
class HeldElements {
 public:
  void clear() noexcept {
    read_.clear();
    kept_ = 0;
  }

  /// Adds an element that was read. `held()` returns the numbers that the stage holds; it is called now and then, to
  /// forget all others.
  template <class Held>
  void add(std::uint64_t number, std::uint64_t read, const Held& held) {
    constexpr std::size_t few = 64;
    if (read_.size() >= 2 * kept_ + few) keep(held());
    read_.push_back({number, read});
  }

  /// Forgets all elements that are not among `numbers`.
  void keep(std::vector<std::uint64_t> numbers) {
    std::sort(numbers.begin(), numbers.end());
    std::erase_if(read_, [&numbers](const Element& element) {
      return !std::binary_search(numbers.begin(), numbers.end(), element.number);
    });
    kept_ = read_.size();
  }

  /// Calls visit(read) for each of these elements, in their order. Throws std::logic_error if one was not read. If a
  /// number occurs more than once in the epoch, its last elements are meant: they are equal.
  template <class Visit>
  void visit(const std::vector<std::uint64_t>& numbers, const Visit& visit) {
    keep(numbers);
    std::vector<Element> left = read_;
    std::sort(left.begin(), left.end());
    for (const std::uint64_t number : numbers) {
      auto found = std::upper_bound(left.begin(), left.end(), Element{number, static_cast<std::uint64_t>(-1)});
      while (found != left.begin() && (found - 1)->number == number && (found - 1)->is_found) --found;
      if (found == left.begin() || (--found)->number != number) {
        throw std::logic_error("held() returned " + std::to_string(number) +
                               ", which is not the number of an element that the stage holds");
      }
      found->is_found = true;
      visit(found->read);
    }
  }

 private:
  struct Element {
    std::uint64_t number;
    std::uint64_t read;
    bool is_found = false;

    friend bool operator<(const Element& a, const Element& b) noexcept {
      return a.number != b.number ? a.number < b.number : a.read < b.read;
    }
  };

  std::vector<Element> read_;  // in the order in which they were read
  std::size_t kept_ = 0;       // how many remained the last time that others were forgotten
};

/// Calls the user's stage. Each epoch has its own copy.
template <class T, class Stage>
class UserStage {
 public:
  using Output = typename MadeBy<Stage, T>::type;

  UserStage(std::shared_ptr<const Stage> stage, StageName name, std::uint64_t stream)
      : given_(std::move(stage)), name_(std::move(name)), stream_(stream) {}

  PullResult step(Input<T>& input, Chunk<Output>& chunk, std::size_t most, const PullWait& wait) {
    if (is_finished_) return PullResult::ended;
    const PullResult result = input.look(wanted(most, chunk), wait);
    if (result == PullResult::ended) finish(chunk, wait);
    if (result == PullResult::more) {
      do {
        run(input, chunk, wait);
      } while (input.unread() > 0 && chunk.size() < most && !is_finished_ && !wait.over());
    }
    return is_finished_ ? PullResult::ended : result;
  }

  void begin(const Epoch& epoch, bool /*goes_on*/ = false) noexcept {
    epoch_ = epoch;
    stage_.reset();
    held_.clear();
    awaited_ = 0;
    now_ = begun_ = {};
    is_finished_ = false;
  }

  // ---- See ReadsAgain and EmitsAgain

  [[nodiscard]] std::uint64_t reads_again() const noexcept requires is_replayed<Stage> {
    return now_.read - begun_.read;
  }
  [[nodiscard]] std::uint64_t emits_again() const noexcept requires is_replayed<Stage> {
    return now_.emitted - begun_.emitted;
  }

  void save(Snapshot& to) const {
    if constexpr (SavableStage<Stage>) {
      to.add(stage_ ? 1 : 0);
      if (stage_) to.add(std::string(stage_->save()));
    }
    if constexpr (HoldingStage<Stage>) to.add(awaited_ > 0 || !is_holding() ? awaited_ : stage_->held().size());
    const Progress& progress = is_replayed<Stage> ? begun_ : now_;
    if constexpr (FinishWithContext<Stage, T>) to.add(progress.read);
    to.add(progress.emitted);
  }
  void restore(SnapshotReader& from) {
    if constexpr (SavableStage<Stage>) {
      if (from.flag()) stage().restore(from.text());
    }
    if constexpr (HoldingStage<Stage>) awaited_ = static_cast<std::size_t>(from.number());
    if constexpr (FinishWithContext<Stage, T>) now_.read = from.number();
    now_.emitted = from.number();
    begun_ = now_;
  }

  // ---- See HoldsElements

  [[nodiscard]] static constexpr std::uint64_t most_held() noexcept { return 0; }
  [[nodiscard]] static EpochCount epochs() noexcept { return {}; }
  [[nodiscard]] std::size_t awaited() const noexcept requires HoldingStage<Stage> { return awaited_; }
  template <class Visit>
  void held(const Visit& visit) {
    if (!is_holding()) return;
    try {
      held_.visit(stage_->held(), visit);
    } catch (...) {
      throw_as_dataset_error(name_.text(), Position{epoch_.number, now_.emitted});
    }
  }
  void refill(Replayed<T>&& replayed, std::uint64_t read) {
    try {
      stage().refill(std::move(replayed.element), replayed.number);
    } catch (...) {
      throw_as_dataset_error(name_, Position{epoch_.number, replayed.number});
    }
    held_.add(replayed.number, read, [this] { return stage_->held(); });
  }
  void refilled() noexcept { awaited_ = 0; }

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
      add(1, [&] { chunk_.push(std::move(element), stage_.now_.emitted); });
    }
    void put_run(std::span<const Output> elements) override {
      if constexpr (CopiedInRuns<Output>)
        add(elements.size(), [&] { chunk_.push_run(elements, stage_.now_.emitted); });
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
      stage_.now_.emitted += count;
    }

    UserStage& stage_;
    Chunk<Output>& chunk_;
    const std::size_t before_;
    bool ended_ = false;
    std::exception_ptr failure_;
  };

  /// The numbers of elements that were read and emitted.
  struct Progress {
    std::uint64_t read = 0;
    std::uint64_t emitted = 0;
  };

  /// Returns the stage of this epoch, a copy of the given stage.
  Stage& stage() {
    if (!stage_) stage_.emplace(*given_);
    return *stage_;
  }

  [[nodiscard]] bool is_holding() const noexcept { return stage_ && !is_finished_; }

  void run(Input<T>& input, Chunk<Output>& chunk, const PullWait& wait) {
    Emitted out(*this, chunk);
    call(out, name_, input.position(), [&] {
      if constexpr (HoldingStage<Stage>) held_.add(input.number(), input.read(), [this] { return stage_->held(); });
      if constexpr (StageWithContext<Stage, T>) {
        Context context(input.position(), epoch_.stream_of(stream_), &wait);
        stage()(std::move(input.element()), context, out);
      } else {
        stage()(std::move(input.element()), out);
      }
    });
    input.pass();
    ++now_.read;
    if constexpr (requires { stage_->empty(); }) {
      if (stage_->empty()) begun_ = now_;
    }
    if (out.ended()) finish(chunk, wait);
  }

  /// Calls finish(), whose elements come after all others of the epoch.
  void finish(Chunk<Output>& chunk, const PullWait& wait) {
    Emitted out(*this, chunk);
    const Position position{epoch_.number, now_.emitted};
    if constexpr (FinishWithContext<Stage, T>) {
      // A stream of its own: an element may have this number, too.
      Context context({epoch_.number, now_.read}, epoch_.stream_of(splitmix64(stream_)), &wait);
      call(out, name_.text(), position, [&] { stage().finish(context, out); });
    } else if constexpr (requires(Stage & stage) { stage.finish(out); }) {
      call(out, name_.text(), position, [&] { stage().finish(out); });
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
  std::uint64_t stream_;
  Epoch epoch_;
  std::optional<Stage> stage_;
  HeldElements held_;        // used if the stage has held()
  std::size_t awaited_ = 0;  // in a resumed run, held elements that are still replayed
  Progress now_;
  Progress begun_;            // when the stage was last as at the beginning of the epoch, as far as it tells
  bool is_finished_ = false;  // if so, there is no state to save
};

template <class Stage, class T>
[[nodiscard]] Properties describe_user_stage(Properties properties) {
  constexpr bool draws = StageWithContext<Stage, T> || FinishWithContext<Stage, T>;
  if (draws) ++properties.random_stages;
  properties.size.reset();
  properties.renumber();
  properties.unit = "elements";
  properties.describe(name_of_stage<Stage>(), draws ? " with a Context" : "");
  if (is_replayed<Stage>) properties.stages.back().known.what += ", replayed";
  return properties;
}

template <class T, class Given>
[[nodiscard]] auto user_stage_node(const NodePointer<T>& node, Given&& stage) {
  using Stage = std::decay_t<Given>;
  static_assert(StageFor<Stage, T>,
                "forebay: a stage given to apply must be callable as stage(T&&, forebay::Out<U>&) or "
                "stage(T&&, forebay::Context&, forebay::Out<U>&), where U is its value_type, or T if it has none");
  static_assert(!SavableStage<Stage> || RestorableStage<Stage>,
                "forebay: a stage with save() must have restore(std::string_view), which takes what save() returns");
  static_assert(!HoldingStage<Stage> || RefillableStage<Stage, T>,
                "forebay: a stage with held(), which returns a std::vector<std::uint64_t>, must have "
                "refill(T&&, std::uint64_t number)");
  static_assert(std::copy_constructible<Stage>,
                "forebay: apply copies its stage for each epoch, so the stage must be copyable");
  auto shared = std::make_shared<const Stage>(std::forward<Given>(stage));
  return make_stage_node<typename MadeBy<Stage, T>::type>(
      node, describe_user_stage<Stage, T>(node->properties()), "apply", [shared](StageContext& opening) {
        return UserStage<T, Stage>(shared, std::move(opening.name), opening.stream);
      });
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_APPLY_HPP
