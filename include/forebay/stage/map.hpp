// SPDX-License-Identifier: MIT
//
// map.hpp: what map does to a chunk, in one thread or in several: MapWork, whose workers call the user's function
// in one of its four forms; and SerialMap, the map that takes no thread.

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
#include "forebay/flow/input.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/map_options.hpp"
#include "forebay/flow/errors.hpp"
#include "forebay/source/indexed.hpp"
#include "forebay/flow/signature.hpp"
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

/// Which of the four forms F has, called by reference as Reference, and what it makes of a T. A function whose
/// parameters cannot be read off it, such as a generic lambda, is tried as one that fills only if `Given` says what.
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

/// What the workers of a map share.
template <class T, class U>
struct MapSettings {
  StageName name;
  std::uint64_t stream;
  bool skips;
  std::function<U()> make{};                         // of storage to be filled
  std::shared_ptr<const IndexedSource<T>> source{};  // from which the work fetches the elements
  std::function<void(Chunk<U>&)> gather{};           // what becomes of a chunk
};

/// A worker that does a part of a chunk: what SerialMap needs.
template <class T, class U>
class MapWorker : public Worker<T, U> {
 public:
  /// Adds what becomes of the elements of `in` from `first` up to `last` to `out`, and those that failed to
  /// out.skipped, if they are skipped; else throws the failure. Does at least one, unless `wait` is over. Returns the
  /// index of the first one that it has not come to.
  virtual std::size_t map(Chunk<T>& in, std::size_t first, std::size_t last, Chunk<U>& out, const PullWait& wait) = 0;
};

template <class T, class F, class Traits>
class MapFunctionWorker final : public MapWorker<T, typename Traits::Made> {
  using U = typename Traits::Made;

 public:
  /// Both outlive it.
  MapFunctionWorker(const MapSettings<T, U>& settings, const F& function)
      : settings_(settings), called_(begin(function)) {}

  bool run(Chunk<T>& in, std::size_t& next, Chunk<U>& out, const PullWait& wait) noexcept override {
    if (next == 0) out.clear();
    out.epoch = in.epoch;
    try {
      if (next == 0) out.reserve(in.size());
      next = map(in, next, in.size(), out, wait);
      if (next < in.size()) return false;
      if (settings_.gather && !out.empty()) gather(out);
      out.end = in.end;
      out.failure = std::move(in.failure);
    } catch (...) {
      out.end = End::failure;
      out.failure = std::current_exception();
    }
    return true;
  }

  std::size_t map(Chunk<T>& in, std::size_t first, std::size_t last, Chunk<U>& out, const PullWait& wait) override {
    std::size_t i = first;
    for (; i < last && (i == first || !wait.over()); ++i) {
      try {
        if (in.numbers_only()) {
          call(fetch(in.index(i), in.position(i)), in.position(i), out, wait);
        } else {
          call(std::move(in[i]), in.position(i), out, wait);
        }
      } catch (const UserFailure& failure) {
        fail(in.position(i), failure.cause, out);
      }
    }
    return i;
  }

 private:
  using Called = typename Traits::Called::type;

  /// Of a per_thread it has an object of its own, of everything else the shared one.
  static decltype(auto) begin(const F& function) {
    if constexpr (std::same_as<Called, F>) {
      return (function);
    } else {
      return call_user([&function] { return function.factory(); });
    }
  }

  [[nodiscard]] T fetch(std::uint64_t index, Position position) const {
    return call_user(
        [&] { return call_user(settings_.source->name(), position, [&] { return settings_.source->at(index); }); });
  }

  /// Of a batch that cannot be made, nothing stands before the failure.
  void gather(Chunk<U>& out) const {
    try {
      settings_.gather(out);
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
      out.push_filled(position.number);
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
};

/// The user's function, whatever its type.
template <class T, class U>
class MapFunction {
 public:
  MapFunction() = default;
  MapFunction(const MapFunction&) = delete;
  MapFunction& operator=(const MapFunction&) = delete;
  virtual ~MapFunction() = default;

  /// This and the settings outlive what it makes.
  [[nodiscard]] virtual std::unique_ptr<MapWorker<T, U>> begin(const MapSettings<T, U>& settings) const = 0;
};

template <class T, class F, class Traits>
class MapFunctionOf final : public MapFunction<T, typename Traits::Made> {
  using U = typename Traits::Made;

 public:
  explicit MapFunctionOf(F function) : function_(std::move(function)) {}

  [[nodiscard]] std::unique_ptr<MapWorker<T, U>> begin(const MapSettings<T, U>& settings) const override {
    return std::unique_ptr<MapWorker<T, U>>(new MapFunctionWorker<T, F, Traits>(settings, function_));
  }

 private:
  F function_;
};

/// What a map does in a run.
template <class T, class U>
class MapWork final : public Work<T, U> {
 public:
  MapWork(std::shared_ptr<const MapFunction<T, U>> function, MapSettings<T, U> settings)
      : function_(std::move(function)), settings_(std::move(settings)) {}

  [[nodiscard]] std::unique_ptr<AnyWorker> begin() const override { return begin_map(); }

  /// A worker that does a part of a chunk, too. Throws a DatasetError if a factory fails.
  [[nodiscard]] std::unique_ptr<MapWorker<T, U>> begin_map() const {
    try {
      return function_->begin(settings_);
    } catch (const UserFailure& failure) {
      std::rethrow_exception(as_dataset_error(failure.cause, settings_.name.text(), Position()));
    }
  }

 private:
  std::shared_ptr<const MapFunction<T, U>> function_;
  MapSettings<T, U> settings_;
};

/// A map without threads.
template <class T, class U>
class SerialMap {
 public:
  using Output = U;

  SerialMap(std::shared_ptr<const MapFunction<T, U>> function, MapSettings<T, U> settings, SkipCount skipped)
      : work_(new MapWork<T, U>(std::move(function), std::move(settings))), skipped_(std::move(skipped)) {}

  Answer step(Input<T>& input, Chunk<U>& chunk, std::size_t most, const PullWait& wait) {
    const Answer answer = input.look(wanted(most, chunk), wait);
    if (answer != Answer::more) return answer;
    if (worker_ == nullptr) worker_ = work_->begin_map();
    const std::size_t last = input.next() + smaller(input.unread(), most - chunk.size());
    input.pass_to(worker_->map(input.chunk(), input.next(), last, chunk, wait));
    count_skipped(chunk, skipped_);
    return answer;
  }

  void begin(const Epoch& epoch) noexcept { epoch_ = epoch; }

  // The same as a parallel stage.
  void save(Snapshot& to) const { skipped_.save(to, epoch_); }
  void restore(SnapshotReader& from) { skipped_.restore(from, epoch_); }

 private:
  std::unique_ptr<const MapWork<T, U>> work_;
  std::unique_ptr<MapWorker<T, U>> worker_;
  SkipCount skipped_;
  Epoch epoch_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_MAP_HPP
