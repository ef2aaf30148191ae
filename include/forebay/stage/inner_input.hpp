// SPDX-License-Identifier: MIT
//
// inner_input.hpp: what the function of flat_map and interleave returns, a range, a reader or a data set, as an input
// that is read element by element.

#ifndef FOREBAY_STAGE_INNER_INPUT_HPP
#define FOREBAY_STAGE_INNER_INPUT_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "forebay/base/element_ranges.hpp"
#include "forebay/context.hpp"
#include "forebay/dataset_error.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/flow/errors.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/source/reader.hpp"
#include "forebay/stage/seamless.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A Dataset, seen from below.
template <class R>
concept DescribedData = requires(const R& data) {
  { data.node()->facts() } -> std::same_as<const Facts&>;
};
template <class R>
concept FlatRange = !DescribedData<R> && std::ranges::input_range<R>;

/// What the function is called with: the element, and a Context if it takes one.
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

/// Ignores failures, for what is read once more: they were handled when it was read first.
class IgnoredFailures final : public ReadFailures {
  void skip(const Epoch& /*epoch*/, std::uint64_t /*number*/, const UserFailure& /*failure*/) override {}
};

/// Where what the function returned is opened: `host`; for what element, and the address of what is drawn in it.
struct InnerOpening {
  Host* host;
  Position position;
  std::uint64_t stream;
  SourceLines* lines;  // where a reader of lines writes which they are; null if nobody asks
};

/// The elements of what the function returned, R. This one is that of a reader.
///
/// Where one is is how many elements and failures it has read, and perhaps how to get there at once. restore() returns
/// that number: what read_count() lacks of it has to be read again.
template <class R>
class Inner {
 public:
  using value_type = typename ReadBy<R>::type;

  Inner(R reader, const InnerOpening& opening)
      : reading_(std::move(reader), opening.position.epoch, opening.stream), lines_(opening.lines) {}

  Answer read(Chunk<value_type>& chunk, std::uint64_t number, ReadFailures& failures, const PullWait& wait) {
    const Read read = reading_.read(chunk, number, failures, wait);
    if (read == Read::stopped) return Answer::not_now;
    if (read == Read::end) return Answer::ended;
    ++read_;
    if (read == Read::element) note_line(chunk.epoch, number);
    return Answer::more;
  }

  [[nodiscard]] std::uint64_t read_count() const noexcept { return read_; }
  void save(Snapshot& to) const {
    // A failure that was left out is no element, so nothing says how to skip to what is behind it.
    const bool can_return = SeekableReader<R> || (SkippingReader<R> && reading_.count() == read_);
    to.add(read_);
    to.add(can_return ? 1 : 0);
    if (can_return) reading_.save(to);
  }
  [[nodiscard]] std::uint64_t restore(SnapshotReader& from) {
    const std::uint64_t count = from.number();
    if (!from.flag()) return count;
    reading_.restore(from);
    read_ = count;
    return count;
  }

 private:
  /// Those that follow have consecutive numbers and lines.
  void note_line(const Epoch& epoch, std::uint64_t number) {
    if constexpr (LineNumberingReader<R>) {
      if (lines_ == nullptr) return;
      std::exchange(lines_, nullptr)->add(epoch, number, reading_.reader().file(), reading_.reader().line());
    }
  }

  Reading<R, value_type> reading_;
  SourceLines* lines_;
  std::uint64_t read_ = 0;
};

/// That of a range: moved from if it owns its elements.
template <FlatRange R>
class Inner<R> {
 public:
  using value_type = std::ranges::range_value_t<R>;

  Inner(R range, const InnerOpening& /*opening*/) : range_(std::move(range)) {}

  Answer read(Chunk<value_type>& chunk, std::uint64_t number, ReadFailures& failures, const PullWait& /*wait*/) {
    try {
      if (!call_user([this] { return advance(); })) return Answer::ended;
      chunk.push(call_user([this] { return element(); }), number);
    } catch (const UserFailure& failure) {
      failures.skip(chunk.epoch, number, failure);
      return Answer::ended;  // nobody knows where a range is after it has thrown
    }
    ++read_;
    return Answer::more;
  }

  [[nodiscard]] std::uint64_t read_count() const noexcept { return read_; }
  void save(Snapshot& to) const {
    to.add(read_);
    to.add(0);
  }
  [[nodiscard]] std::uint64_t restore(SnapshotReader& from) {
    const std::uint64_t count = from.number();
    if (from.flag()) from.fail("a range has no cursor");
    return count;
  }

 private:
  /// Returns whether there is an element.
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
  std::uint64_t read_ = 0;
  std::optional<std::ranges::iterator_t<R>> next_;
};

/// That of a data set, which is opened in `host`. All its epochs are read as one.
template <DescribedData R>
class Inner<R> {
 public:
  using value_type = typename R::value_type;

  Inner(const R& data, const InnerOpening& opening) : host_(opening.host), input_(open(data.node(), opening.stream)) {
    input_.begin({});
  }

  Answer read(Chunk<value_type>& chunk, std::uint64_t number, ReadFailures& failures, const PullWait& wait) {
    try {
      const Answer answer = input_.look(1, wait);
      if (answer != Answer::more) return answer;
      chunk.push(std::move(input_.element()), number);
      input_.pass();
      ++read_;
      return answer;
    } catch (const DatasetError&) {  // what is thrown by user code inside is one
      failures.skip(chunk.epoch, number, {std::current_exception()});
      return Answer::ended;
    }
  }

  [[nodiscard]] std::uint64_t read_count() const noexcept { return read_; }
  void save(Snapshot& to) {
    to.add(read_);
    to.add(1);
    input_.save(to);
  }
  [[nodiscard]] std::uint64_t restore(SnapshotReader& from) {
    const std::uint64_t count = from.number();
    if (!from.flag()) return count;
    input_.restore(from);
    read_ = count;
    return count;
  }

 private:
  /// The user's function is to blame if the data set that it returned cannot be run.
  std::unique_ptr<Stream<value_type>> open(const NodePointer<value_type>& node, std::uint64_t seed) {
    try {
      if (node->facts().has_threads) {
        throw std::invalid_argument(
            "a data set inside of flat_map or interleave cannot have threads of its own: give them to a map behind "
            "it");
      }
      return open_run(*of_one_epoch(node), host_, seed);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (...) {
      throw UserFailure{std::current_exception()};
    }
  }

  PlainHost host_;
  Input<value_type> input_;
  std::uint64_t read_ = 0;
};

template <class T, class F>
using InnerOf = Inner<std::decay_t<typename FlatResult<F, T>::type>>;

/// One of the inputs of an interleave.
template <class U>
class InnerInput {
 public:
  InnerInput() = default;
  InnerInput(const InnerInput&) = delete;
  InnerInput& operator=(const InnerInput&) = delete;
  virtual ~InnerInput() = default;

  /// Adds at most one element to `chunk`, under `number`. Answers `ended` if there is none left. What throws is for
  /// `skipped`.
  virtual Answer read(Chunk<U>& chunk, std::uint64_t number, SkipCount& skipped, const PullWait& wait) = 0;

  /// Of one that has ended: whether it had been opened before.
  [[nodiscard]] virtual bool was_opened() const noexcept = 0;

  /// Where it is. restore() is for one that was not read yet.
  virtual void save(Snapshot& to) = 0;
  virtual void restore(Snapshot place) = 0;
};

template <class U>
using InnerInputPointer = std::unique_ptr<InnerInput<U>>;

/// The function, and the address of what is drawn in it and behind it.
template <class F>
struct InnerFunction {
  std::shared_ptr<const F> function;
  std::uint64_t stream;
  Host* host;  // of the stage
  StageName name;
  std::shared_ptr<SourceLines> lines{};  // of what it makes

  [[nodiscard]] InnerFunction in(const Epoch& epoch) const {
    return {function, epoch.stream_of(stream), host, name, lines};
  }
};

/// What the function makes of an element, with the element and the Context, to which it may refer. It is opened when
/// it is read first.
template <class T, class F>
class OpenedInput final : public InnerInput<typename InnerOf<T, F>::value_type> {
  using Failure = typename FailureOf<std::decay_t<typename FlatResult<F, T>::type>>::type;

 public:
  using Element = typename InnerOf<T, F>::value_type;

  OpenedInput(T element, Position position, InnerFunction<F> function)
      : function_(std::move(function)), element_(std::move(element)), context_(position, function_.stream) {}

  Answer read(Chunk<Element>& chunk, std::uint64_t number, SkipCount& skipped, const PullWait& wait) override {
    return read_one(chunk, number, skipped, wait);
  }

  Answer read_one(Chunk<Element>& chunk, std::uint64_t number, ReadFailures& failures, const PullWait& wait) {
    context_.ask(&wait);
    if (inner_ && return_ != nullptr) return read_again(wait);
    if (inner_) return inner_->read(chunk, number, failures, wait);
    const Position position = context_.position();
    try {
      inner_.emplace(call_user<Failure>([this]() -> decltype(auto) { return call(); }),
                     InnerOpening{function_.host, position, joined(function_.stream, position.epoch, position.number),
                                  function_.lines.get()});
      if (return_ != nullptr) begin_return();
    } catch (const UserFailure& failure) {
      failures.skip(chunk.epoch, position.number, {as_dataset_error(failure.cause, function_.name, position)});
      return Answer::ended;
    }
    return Answer::more;
  }

  [[nodiscard]] bool was_opened() const noexcept override { return inner_.has_value(); }

  void save(Snapshot& to) override {
    if (return_ != nullptr) return to.add(return_->place);
    if (inner_) return inner_->save(to);
    to.add(0);
    to.add(0);
  }
  void restore(Snapshot place) override { return_ = std::make_unique<Return>(std::move(place)); }

 private:
  /// The way back to where another run was, which ends where `count` elements and failures have been read.
  struct Return {
    explicit Return(Snapshot its_place) noexcept : place(std::move(its_place)) {}

    Snapshot place;
    std::uint64_t count = 0;
    Chunk<Element> read_again;
  };

  void begin_return() {
    SnapshotReader from(return_->place);
    try {
      return_->count = inner_->restore(from);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const SnapshotError&) {
      throw;
    } catch (...) {  // of a reader's seek()
      throw UserFailure{std::current_exception()};
    }
    if (inner_->read_count() == return_->count) return_.reset();
  }

  /// Reads one element that was read before.
  Answer read_again(const PullWait& wait) {
    IgnoredFailures ignored;
    return_->read_again.clear();
    const Answer answer = inner_->read(return_->read_again, 0, ignored, wait);
    if (inner_->read_count() == return_->count) {
      return_.reset();
    } else if (answer == Answer::ended) {
      throw std::runtime_error("there are fewer elements than there were");
    }
    return answer;
  }

  decltype(auto) call() {
    if constexpr (TakesContext<F, T>) {
      return std::invoke(*function_.function, std::as_const(element_), context_);
    } else {
      return std::invoke(*function_.function, std::as_const(element_));
    }
  }

  InnerFunction<F> function_;
  T element_;
  Context context_;
  std::optional<InnerOf<T, F>> inner_;
  std::unique_ptr<Return> return_;  // in a run that was restored, until inner_ is there
};

/// Makes an input of each element.
template <class T, class F>
struct InnerInputs {
  using Output = InnerInputPointer<typename InnerOf<T, F>::value_type>;

  Answer step(Input<T>& input, Chunk<Output>& chunk, std::size_t most, const PullWait& wait) {
    const Answer answer = input.look(wanted(most, chunk), wait);
    if (answer != Answer::more) return answer;
    chunk.push(
        std::make_unique<OpenedInput<T, F>>(std::move(input.element()), input.position(), function.in(chunk.epoch)),
        input.number());
    input.pass();
    return answer;
  }

  // A parallel stage that does the same says how many failures it has skipped.
  static void save(Snapshot& to) { to.add(0); }
  static void restore(SnapshotReader& from) { static_cast<void>(from.number_up_to(0)); }

  InnerFunction<F> function;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_INNER_INPUT_HPP
