// SPDX-License-Identifier: MIT
//
// inner_elements.hpp: InnerElements, the elements of an inner input of flat_map or interleave: a range, a reader or a
// data set that the function returns for an element.

#ifndef FOREBAY_STAGE_INNER_ELEMENTS_HPP
#define FOREBAY_STAGE_INNER_ELEMENTS_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/element_ranges.hpp"
#include "forebay/context.hpp"
#include "forebay/dataset_error.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/flow/chunk.hpp"
#include "forebay/flow/errors.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/source/reader.hpp"
#include "forebay/stage/seamless.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A Dataset, as the lower layers see it.
template <class R>
concept DescribedData = requires(const R& data) {
  { data.node()->properties() } -> std::same_as<const Properties&>;
};
template <class R>
concept FlatRange = !DescribedData<R> && std::ranges::input_range<R>;

/// Calls the function with the element, and with a Context if it takes one.
template <class F, class T>
concept TakesContext = std::invocable<const F&, const T&, Context&>;

template <class F, class T>
struct FlatResult {
  using type = std::invoke_result_t<const F&, const T&>;
};
template <class F, class T>
requires TakesContext<F, T>
struct FlatResult<F, T> {
  using type = std::invoke_result_t<const F&, const T&, Context&>;
};

/// Passes the failures of one input to `to`. In a resumed run it drops those that were passed on before the run was
/// saved.
class InnerFailures final : public ReadFailures {
 public:
  explicit InnerFailures(ReadFailures& to) noexcept : to_(to) {}

  void skip(const Epoch& epoch, std::uint64_t number, const UserFailure& failure) override {
    if (dropped_ > 0) {
      --dropped_;
      return;
    }
    ++count_;
    to_.skip(epoch, number, failure);
  }

  void begin() noexcept { count_ = dropped_ = 0; }
  void save(Snapshot& to) const { to.add(count_); }
  void restore(SnapshotReader& from) { count_ = dropped_ = from.number(); }

  /// Return whether there are failures to drop, and clear them.
  [[nodiscard]] bool drops() const noexcept { return dropped_ > 0; }
  void drop_none() noexcept { dropped_ = 0; }

 private:
  ReadFailures& to_;
  std::uint64_t count_ = 0;
  std::uint64_t dropped_ = 0;  // failures to drop
};

/// The circumstances in which an inner input is opened: its runtime, its element, and its random stream.
struct InnerOpening {
  Runtime* runtime;
  Position position;
  std::uint64_t stream;
  SourceLines* lines;  // where a reader of lines records their numbers, or null
  const std::shared_ptr<LeftOut>& left_out;
};

/// The elements of an inner input of type R. This primary template is for readers.
///
/// step() adds a few elements, numbered from `number`. An input that cannot save its state replays its elements.
template <class R>
class Inner {
 public:
  using value_type = typename ReadBy<R>::type;

  Inner(R reader, const InnerOpening& opening)
      : reading_(std::move(reader), opening.position.epoch, opening.stream), lines_(opening.lines) {}

  PullResult step(Chunk<value_type>& chunk, std::size_t /*most*/, std::uint64_t number, ReadFailures& failures,
                  const PullWait& wait) {
    const std::size_t before = chunk.size();
    const PullResult result = reading_.read(chunk, number, failures, wait);
    if (chunk.size() > before) note_line(chunk.epoch, number);
    return result;
  }

  [[nodiscard]] static constexpr bool can_skip() noexcept { return SkippingReader<R>; }
  PullResult skip(std::uint64_t& count, const PullWait& /*wait*/) {
    if constexpr (SkippingReader<R>) {
      try {
        return reading_.skip(count);
      } catch (...) {
        throw UserFailure{std::current_exception(), location_of(reading_.reader())};
      }
    }
    return PullResult::more;
  }

  [[nodiscard]] static constexpr bool can_save() noexcept { return SeekableReader<R>; }
  void save(Snapshot& to) const { reading_.save(to); }
  void restore(SnapshotReader& from) { reading_.restore(from); }

 private:
  /// Records the line of the element that was read, unless it follows the line of the element before.
  void note_line(const Epoch& epoch, std::uint64_t number) {
    if constexpr (LineNumberingReader<R>) {
      if (lines_ == nullptr) return;
      const std::uint64_t line = reading_.reader().line();
      if (line != last_line_ + 1 || last_line_ == 0) lines_->add(epoch, number, reading_.reader().file(), line);
      last_line_ = line;
    }
  }

  ReaderEpoch<R, value_type> reading_;
  SourceLines* lines_;
  std::uint64_t last_line_ = 0;  // 0: none was read
};

/// Reads a range, and moves from it if it owns its elements.
template <FlatRange R>
class Inner<R> {
 public:
  using value_type = std::ranges::range_value_t<R>;

  Inner(R range, const InnerOpening& /*opening*/) : range_(std::move(range)) {}

  PullResult step(Chunk<value_type>& chunk, std::size_t /*most*/, std::uint64_t number, ReadFailures& failures,
                  const PullWait& /*wait*/) {
    try {
      if (!call_user([this] { return advance(); })) return PullResult::ended;
      chunk.push(call_user([this] { return element(); }), number);
      return PullResult::more;
    } catch (const UserFailure& failure) {
      failures.skip(chunk.epoch, number, failure);
      return PullResult::ended;  // the state of a range is unknown after it has thrown
    }
  }

  [[nodiscard]] static constexpr bool can_skip() noexcept { return false; }
  static PullResult skip(std::uint64_t& /*count*/, const PullWait& /*wait*/) { return PullResult::more; }

  [[nodiscard]] static constexpr bool can_save() noexcept { return false; }
  static void save(Snapshot& /*to*/) {}
  static void restore(SnapshotReader& from) { from.fail("a range has no cursor"); }

 private:
  /// Returns whether the range has another element.
  bool advance() {
    if (!next_) {
      next_.emplace(std::ranges::begin(range_));
    } else {
      ++*next_;
    }
    return *next_ != std::ranges::end(range_);
  }

  value_type element() {
    if constexpr (gives_its_elements<R>) {
      return value_type(std::ranges::iter_move(*next_));
    } else {
      return value_type(**next_);
    }
  }

  R range_;
  std::optional<std::ranges::iterator_t<R>> next_;
};

/// Reads a range in memory.
template <FlatRange R>
requires RunOfElements<R>
class Inner<R> {
 public:
  using value_type = std::ranges::range_value_t<R>;

  Inner(R range, const InnerOpening& /*opening*/) : range_(std::move(range)) {}

  PullResult step(Chunk<value_type>& chunk, std::size_t most, std::uint64_t number, ReadFailures& /*failures*/,
                  const PullWait& /*wait*/) {
    const auto rest = std::span<const value_type>(range_).subspan(read_);
    const auto run = rest.first(smaller(rest.size(), most - chunk.size()));
    chunk.push_run(run, number);
    read_ += run.size();
    return run.size() == rest.size() ? PullResult::ended : PullResult::more;
  }

  [[nodiscard]] static constexpr bool can_skip() noexcept { return true; }
  PullResult skip(std::uint64_t& count, const PullWait& /*wait*/) {
    const auto run = static_cast<std::size_t>(smaller<std::uint64_t>(count, std::ranges::size(range_) - read_));
    read_ += run;
    count -= run;
    return count > 0 ? PullResult::ended : PullResult::more;
  }

  [[nodiscard]] static constexpr bool can_save() noexcept { return false; }
  static void save(Snapshot& /*to*/) {}
  static void restore(SnapshotReader& from) { from.fail("a range has no cursor"); }

 private:
  R range_;
  std::size_t read_ = 0;
};

/// Reads a data set, opened in `runtime`, with all its epochs as one.
template <DescribedData R>
class Inner<R> {
 public:
  using value_type = typename R::value_type;

  Inner(const R& data, const InnerOpening& opening)
      : runtime_(std::make_unique<PlainRuntime>(opening.runtime, opening.left_out)),
        input_(std::make_unique<Input<value_type>>(open(data.node(), opening.stream))) {
    input_->begin({});
  }

  PullResult step(Chunk<value_type>& chunk, std::size_t most, std::uint64_t number, ReadFailures& failures,
                  const PullWait& wait) {
    const Epoch epoch = chunk.epoch;
    const std::size_t before = chunk.size();
    const PullResult result = input_->pull(chunk, most, wait);
    chunk.renumber(before, number);
    chunk.epoch = epoch;
    if (result != PullResult::failed) return result;
    try {
      throw_failure(chunk);
    } catch (const DatasetError&) {  // user code in the data set has thrown
      failures.skip(epoch, number + (chunk.size() - before), {std::current_exception()});
      return PullResult::ended;
    }
  }

  [[nodiscard]] bool can_skip() const noexcept { return input_->can_skip(); }
  PullResult skip(std::uint64_t& count, const PullWait& wait) { return input_->skip(count, wait); }

  [[nodiscard]] static constexpr bool can_save() noexcept { return true; }
  void save(Snapshot& to) const { input_->save(to); }
  void restore(SnapshotReader& from) { input_->restore(from); }

 private:
  /// Reports a data set that cannot be run as a failure of the user's function, which returned it.
  std::unique_ptr<Stream<value_type>> open(const NodePointer<value_type>& node, std::uint64_t seed) {
    try {
      if (node->properties().has_threads) {
        throw std::invalid_argument(
            "a data set inside flat_map or interleave cannot have threads of its own: use a map with threads after "
            "it");
      }
      return open_run(*of_one_epoch(node), *runtime_, seed);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (...) {
      throw UserFailure{std::current_exception()};
    }
  }

  std::unique_ptr<PlainRuntime> runtime_;
  std::unique_ptr<Input<value_type>> input_;
};

template <class T, class F>
using InnerOf = Inner<std::decay_t<typename FlatResult<F, T>::type>>;

/// The function, and the random stream for it and for its inputs.
template <class F>
struct InnerFunction {
  std::shared_ptr<const F> function;
  std::uint64_t stream;
  Runtime* runtime;  // of the stage
  StageName name;
  std::shared_ptr<SourceLines> lines{};  // of its inputs
  std::shared_ptr<LeftOut> left_out{};
};

/// An inner input with its element and Context, to which it may refer. It is a source: after each begin() it gets an
/// element, and is opened.
template <class T, class F>
class InnerElements {
  using Failure = typename FailureOf<std::decay_t<typename FlatResult<F, T>::type>>::type;

 public:
  using Outer = T;
  using Function = InnerFunction<F>;
  using Output = typename InnerOf<T, F>::value_type;
  static constexpr bool gives_runs = RunOfElements<std::decay_t<typename FlatResult<F, T>::type>>;

  /// Outlived by `failures`.
  InnerElements(Function function, InnerFailures& failures) noexcept
      : function_(std::move(function)), failures_(&failures) {}

  void begin(const Epoch& epoch) noexcept {
    epoch_ = epoch;
    inner_.reset();
    context_.reset();
    element_.reset();
  }

  /// Sets the element, which has the given number in the epoch.
  void give(T&& element, std::uint64_t number) {
    element_.emplace(std::move(element));
    context_.emplace(Position{epoch_.number, number}, epoch_.stream_of(function_.stream));
  }

  /// Calls the function. Throws a UserFailure if that fails.
  void open(const PullWait& wait) {
    context_->ask(&wait);
    const Position position = context_->position();
    try {
      inner_.emplace(call_user<Failure>([this]() -> decltype(auto) { return call(); }),
                     InnerOpening{function_.runtime, position,
                                  hash_combine(epoch_.stream_of(function_.stream), position.epoch, position.number),
                                  function_.lines.get(), function_.left_out});
    } catch (const UserFailure& failure) {
      throw_failed(failure.cause);
    }
  }

  /// Sets the number of the first element of the chunk that step() gets.
  void number_from(std::uint64_t number) noexcept { first_number_ = number; }

  PullResult step(Chunk<Output>& chunk, std::size_t most, const PullWait& wait) {
    context_->ask(&wait);
    return inner_->step(chunk, most, first_number_ + chunk.size(), *failures_, wait);
  }

  /// Returns whether it can skip; false while failures are to be dropped, because their positions are unknown.
  [[nodiscard]] bool can_skip() const noexcept { return inner_ && inner_->can_skip() && !failures_->drops(); }
  PullResult skip(std::uint64_t& count, const PullWait& wait) { return inner_->skip(count, wait); }

  [[nodiscard]] bool can_save() const noexcept { return inner_ && inner_->can_save(); }
  void save(Snapshot& to) const { inner_->save(to); }

  /// Requires open().
  void restore(SnapshotReader& from) {
    try {
      inner_->restore(from);
      failures_->drop_none();
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const SnapshotError&) {
      throw;
    } catch (...) {  // from a reader's seek()
      throw_failed(std::current_exception());
    }
  }

 private:
  [[noreturn]] void throw_failed(const std::exception_ptr& cause) const {
    throw UserFailure{as_dataset_error(cause, function_.name, context_->position())};
  }

  decltype(auto) call() {
    if constexpr (TakesContext<F, T>) {
      return std::invoke(*function_.function, std::as_const(*element_), *context_);
    } else {
      return std::invoke(*function_.function, std::as_const(*element_));
    }
  }

  Function function_;
  InnerFailures* failures_;
  Epoch epoch_;
  std::uint64_t first_number_ = 0;
  std::optional<T> element_;
  std::optional<Context> context_;
  std::optional<InnerOf<T, F>> inner_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_INNER_ELEMENTS_HPP
