// SPDX-License-Identifier: MIT
//
// map.hpp: MapWorker, which calls the user's function of a map, in one of its four forms, for each element of a chunk;
// and SerialMap, the map without threads.

#ifndef FOREBAY_STAGE_MAP_HPP
#define FOREBAY_STAGE_MAP_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "forebay/context.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/flow/errors.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/signature.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/source/indexed.hpp"
#include "forebay/stage/work.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class T, class F>
concept Returns = std::invocable<F, T&&> && !std::is_void_v<std::invoke_result_t<F, T&&>>;
template <class T, class F>
concept ReturnsWithContext =
    std::invocable<F, T&&, Context&> && !std::is_void_v<std::invoke_result_t<F, T&&, Context&>>;
template <class U, class F, class T>
concept Fills = !std::is_void_v<U> && std::invocable<F, T&&, U&>;
template <class U, class F, class T>
concept FillsWithContext = !std::is_void_v<U> && std::invocable<F, T&&, U&, Context&>;

enum class MapForm : unsigned char { none, returns, returns_with_context, fills, fills_with_context };

/// Determines which of the four forms F has, if called as Reference, and its result for a T. If the parameters of F
/// cannot be deduced, as for a generic lambda, F can be a function that fills only if `Given` names the type.
template <class F, class T, class Given, class Ref = typename CalledOf<F>::Reference>
struct MapTraits {
  using Called = CalledOf<F>;
  using Reference = Ref;
  using Filled = std::conditional_t<std::is_void_v<Given>, FilledByMap<typename Called::type>, Given>;
  static constexpr bool is_generic = std::is_void_v<typename SignatureOf<typename Called::type>::type>;

  static constexpr MapForm form = [] {
    if constexpr (is_generic && std::is_void_v<Given>) {
      if constexpr (Returns<T, Reference>) return MapForm::returns;
    } else if constexpr (is_generic) {
      if constexpr (Fills<Given, Reference, T>)
        return MapForm::fills;
      else if constexpr (FillsWithContext<Given, Reference, T>)
        return MapForm::fills_with_context;
      else if constexpr (Returns<T, Reference>)
        return MapForm::returns;
    } else {
      if constexpr (Returns<T, Reference>)
        return MapForm::returns;
      else if constexpr (ReturnsWithContext<T, Reference>)
        return MapForm::returns_with_context;
      else if constexpr (Fills<Filled, Reference, T>)
        return MapForm::fills;
      else if constexpr (FillsWithContext<Filled, Reference, T>)
        return MapForm::fills_with_context;
    }
    return MapForm::none;
  }();

  static auto made() {
    if constexpr (!std::is_void_v<Given>) {
      return std::type_identity<Given>();
    } else if constexpr (form == MapForm::returns) {
      return std::type_identity<std::decay_t<std::invoke_result_t<Reference, T&&>>>();
    } else if constexpr (form == MapForm::returns_with_context) {
      return std::type_identity<std::decay_t<std::invoke_result_t<Reference, T&&, Context&>>>();
    } else {
      return std::type_identity<Filled>();
    }
  }
  using Made = typename decltype(made())::type;

  static constexpr bool fills = form == MapForm::fills || form == MapForm::fills_with_context;
  static constexpr bool has_context = form == MapForm::returns_with_context || form == MapForm::fills_with_context;
};

/// The type of the storage of elements of type U: U itself, or the batch of a Row.
template <class U>
using StorageOf = typename Chunk<U>::Storage;

template <class T, class U>
struct MapSettings;

/// The user's function. Only its workers know its type.
template <class T, class U>
struct MapFunction {
  std::shared_ptr<const void> function;

  /// Creates a worker that calls the function of the settings. Throws a UserFailure if a factory fails.
  std::unique_ptr<Worker> (*make_worker)(const MapSettings<T, U>& settings);
};

/// The data that all workers of a map share.
template <class T, class U>
struct MapSettings {
  StageName name;
  std::uint64_t stream;
  bool skips;
  MapFunction<T, U> function;
  std::function<StorageOf<U>()> make{};              // creates storage to fill
  std::shared_ptr<const IndexedSource<T>> source{};  // if the workers fetch the elements
  std::function<void(Chunk<U>&)> collate{};          // processes a complete chunk
};

template <class T, class F, class Traits>
class MapWorker final : public Worker {
  using U = typename Traits::Made;
  static constexpr bool can_refill = std::default_initializable<T> && std::is_move_assignable_v<T>;

 public:
  explicit MapWorker(const MapSettings<T, U>& settings)
      : settings_(settings), called_(begin(*static_cast<const F*>(settings.function.function.get()))) {}

  /// See MapFunction.
  static std::unique_ptr<Worker> make(const MapSettings<T, U>& settings) {
    return std::unique_ptr<Worker>(new MapWorker(settings));
  }

  /// Adds elements at which the function failed to out.skipped, if they are skipped. A failure of the source is none of
  /// the map's.
  void run(AnyChunk& any_in, std::size_t& next, std::size_t last, AnyChunk& any_out, const PullWait& wait) override {
    auto& in = static_cast<Chunk<T>&>(any_in);
    auto& out = static_cast<Chunk<U>&>(any_out);
    if (out.empty()) out.reserve(last - next);
    for (const std::size_t first = next; next < last && (next == first || !wait.over()); ++next) {
      try {
        if (in.numbers_only()) {
          call_with_fetched(in.index(next), in.position(next), out, wait);
        } else {
          call(std::move(in[next]), in.position(next), out, wait);
        }
      } catch (const UserFailure& failure) {
        fail(in.position(next), failure.cause, out);
      }
    }
    if (settings_.collate && next == in.size() && !out.empty()) collate(out);
  }

 private:
  using Called = typename Traits::Called::type;

  /// Each worker has its own function object if F is a per_thread; otherwise all share one.
  static decltype(auto) begin(const F& function) {
    if constexpr (std::same_as<Called, F>) {
      return (function);
    } else {
      return call_user([&function] { return function.factory(); });
    }
  }

  void call_with_fetched(std::uint64_t index, Position position, Chunk<U>& out, const PullWait& wait) {
    T element = call_user(settings_.source->name(), position, [&] { return fetch(*settings_.source, index); });
    call(std::move(element), position, out, wait);
    if constexpr (can_refill) {
      if (fetched_ != nullptr) *fetched_ = std::move(element);
    }
  }

  [[nodiscard]] T fetch(const IndexedSource<T>& source, std::uint64_t index) {
    if constexpr (can_refill) {
      if (source.fills()) {
        if (fetched_ == nullptr) fetched_ = std::make_unique<T>();
        source.read(index, *fetched_);
        return std::move(*fetched_);
      }
    }
    return source.at(index);
  }

  /// If a batch cannot be made, no element precedes the failure.
  void collate(Chunk<U>& out) const {
    try {
      settings_.collate(out);
    } catch (...) {
      out.truncate(0);
      throw;
    }
  }

  void call(T&& element, Position position, Chunk<U>& out, const PullWait& wait) {
    if constexpr (Traits::has_context) {
      Context context(position, out.epoch.stream_of(settings_.stream), &wait);
      call(std::move(element), position, out, context);
    } else {
      call(std::move(element), position, out);
    }
  }

  template <class... Contexts>
  requires(sizeof...(Contexts) == 0 ||
           (std::same_as<Contexts, Context> && ...)) void call(T&& element, Position position, Chunk<U>& out,
                                                               Contexts&... context) {
    if constexpr (Traits::fills) {
      U& into = out.next_storage([this] { return call_user([this] { return settings_.make(); }); });
      call_user([&] { static_cast<void>(std::invoke(called_, std::move(element), into, context...)); });
      out.push_written(position.number);
    } else {
      const auto make = [&] { return static_cast<U>(std::invoke(called_, std::move(element), context...)); };
      out.push(call_user(make), position.number);
    }
  }

  void fail(Position position, const std::exception_ptr& cause, Chunk<U>& out) const {
    const std::exception_ptr failure = as_dataset_error(cause, settings_.name, position);
    if (!settings_.skips) std::rethrow_exception(failure);
    out.skipped.push_back({out.size(), position, failure});
  }

  const MapSettings<T, U>& settings_;
  decltype(begin(std::declval<const F&>())) called_;
  std::unique_ptr<T> fetched_;  // the last element of a source that fills it, for its storage
};

template <class T, class Traits, class F>
[[nodiscard]] MapFunction<T, typename Traits::Made> map_function(F function) {
  return {std::shared_ptr<const void>(new F(std::move(function))), MapWorker<T, F, Traits>::make};
}

/// The work of a map in a run. Its workers throw a DatasetError if a factory fails.
template <class T, class U>
class MapWork final : public Work {
 public:
  explicit MapWork(MapSettings<T, U>&& settings) : settings_(std::move(settings)) {}

  [[nodiscard]] std::unique_ptr<Worker> begin() const override {
    try {
      return settings_.function.make_worker(settings_);
    } catch (const UserFailure& failure) {
      std::rethrow_exception(as_dataset_error(failure.cause, settings_.name.text(), Position()));
    }
  }

 private:
  const MapSettings<T, U> settings_;
};

template <class T, class U>
[[nodiscard]] std::unique_ptr<Work> map_work(MapSettings<T, U>&& settings) {
  return std::unique_ptr<Work>(new MapWork<T, U>(std::move(settings)));
}

/// A map without threads.
template <class T, class U>
class SerialMap {
 public:
  using Output = U;

  SerialMap(std::unique_ptr<Work> work, SkipCount&& skipped) : work_(std::move(work)), skipped_(std::move(skipped)) {}

  PullResult step(Input<T>& input, Chunk<U>& chunk, std::size_t most, const PullWait& wait) {
    const PullResult result = input.look(wanted(most, chunk), wait);
    if (result != PullResult::more) return result;
    if (worker_ == nullptr) worker_ = work_->begin();
    std::size_t next = input.next();
    worker_->run(input.chunk(), next, next + smaller(input.unread(), most - chunk.size()), chunk, wait);
    input.pass_to(next);
    count_skipped(chunk, skipped_);
    return result;
  }

  void begin(const Epoch& epoch) noexcept { epoch_ = epoch; }

  // The same members as in a parallel stage.
  void save(Snapshot& to) const { skipped_.save(to, epoch_); }
  void restore(SnapshotReader& from) { skipped_.restore(from, epoch_); }

 private:
  std::unique_ptr<Work> work_;
  std::unique_ptr<Worker> worker_;
  SkipCount skipped_;
  Epoch epoch_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_MAP_HPP
