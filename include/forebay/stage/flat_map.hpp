// SPDX-License-Identifier: MIT
//
// flat_map.hpp: each element becomes many: what the function of flat_map and interleave returns, a range, a reader or
// a data set, as an input that is read element by element.

#ifndef FOREBAY_STAGE_FLAT_MAP_HPP
#define FOREBAY_STAGE_FLAT_MAP_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "forebay/base/element_ranges.hpp"
#include "forebay/context.hpp"
#include "forebay/stage/input.hpp"
#include "forebay/stage/node.hpp"
#include "forebay/stage/reader.hpp"
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

/// Reads what was read before, to go on behind it.
class ReadAgain final : public ReadFailures {
 public:
  /// As much as `inner.read_count()` was; less if there is less.
  template <class Inner>
  static void up_to(std::uint64_t count, Inner& inner) {
    ReadAgain failures;
    Chunk<typename Inner::value_type> chunk;
    const PlainPullWait<> wait(Wait::forever);
    Answer answer = Answer::more;
    while (answer != Answer::ended && inner.read_count() < count) {
      chunk.clear();
      answer = inner.read(chunk, 0, failures, wait);
    }
    if (inner.read_count() < count) throw std::runtime_error("there are fewer elements than there were");
  }

 private:
  void skip(const Epoch& /*epoch*/, std::uint64_t /*number*/) override {}
};

/// The elements of what the function returned, R. This one is that of a reader.
///
/// Where one is is how many elements and failures it has read, and perhaps how to get there at once.
template <class R>
class Inner {
 public:
  using value_type = typename ReadBy<R>::type;

  Inner(R reader, std::uint64_t /*seed*/, Host* /*host*/) : reading_(std::move(reader)) {}

  Answer read(Chunk<value_type>& chunk, std::uint64_t number, ReadFailures& failures, const PullWait& /*wait*/) {
    const Read read = reading_.read(chunk, number, failures);
    if (read == Read::end) return Answer::ended;
    ++read_;
    return Answer::more;
  }

  [[nodiscard]] std::uint64_t read_count() const noexcept { return read_; }
  void save(Snapshot& to) const {
    to.add(read_);
    to.add(SeekableReader<R> ? 1 : 0);
    if constexpr (SeekableReader<R>) reading_.save(to);
  }
  void restore(SnapshotReader& from) {
    const std::uint64_t count = from.number();
    if (!from.flag()) return ReadAgain::up_to(count, *this);
    reading_.restore(from);
    read_ = count;
  }

 private:
  Reading<R, value_type> reading_;
  std::uint64_t read_ = 0;
};

/// That of a range: moved from if it owns its elements.
template <FlatRange R>
class Inner<R> {
 public:
  using value_type = std::ranges::range_value_t<R>;

  Inner(R range, std::uint64_t /*seed*/, Host* /*host*/) : range_(std::move(range)) {}

  Answer read(Chunk<value_type>& chunk, std::uint64_t number, ReadFailures& failures, const PullWait& /*wait*/) {
    try {
      if (!next_) {
        next_.emplace(std::ranges::begin(range_));
      } else {
        ++*next_;
      }
      if (*next_ == std::ranges::end(range_)) return Answer::ended;
      if constexpr (gives_its_elements<R>) {
        chunk.push(value_type(std::ranges::iter_move(*next_)), number);
      } else {
        chunk.push(value_type(**next_), number);
      }
    } catch (...) {
      failures.skip(chunk.epoch, number);
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
  void restore(SnapshotReader& from) {
    const std::uint64_t count = from.number();
    if (from.flag()) from.fail("a range has no cursor");
    ReadAgain::up_to(count, *this);
  }

 private:
  R range_;
  std::uint64_t read_ = 0;
  std::optional<std::ranges::iterator_t<R>> next_;
};

/// That of a data set, which is opened in `host`. Its marks are not seen outside.
template <DescribedData R>
class Inner<R> {
 public:
  using value_type = typename R::value_type;

  Inner(const R& data, std::uint64_t seed, Host* host) : host_(host), chain_(open(*data.node(), seed)) {}

  Answer read(Chunk<value_type>& chunk, std::uint64_t number, ReadFailures& failures, const PullWait& wait) {
    one_.clear();
    try {
      const Answer answer = chain_->pull(one_, 1, wait);
      if (!one_.empty()) {
        chunk.push(std::move(one_[0]), number);
        ++read_;
      }
      return answer == Answer::epoch_ended ? Answer::more : answer;
    } catch (...) {
      failures.skip(chunk.epoch, number);
      return Answer::ended;
    }
  }

  [[nodiscard]] std::uint64_t read_count() const noexcept { return read_; }
  void save(Snapshot& to) const {
    to.add(read_);
    to.add(1);
    chain_->save(to);
  }
  void restore(SnapshotReader& from) {
    const std::uint64_t count = from.number();
    if (!from.flag()) return ReadAgain::up_to(count, *this);
    chain_->restore(from);
    read_ = count;
  }

 private:
  std::unique_ptr<Chain<value_type>> open(const Node<value_type>& node, std::uint64_t seed) {
    if (node.facts().has_threads) {
      throw std::invalid_argument(
          "a data set inside of flat_map or interleave cannot have threads of its own: give them to a map behind it");
    }
    return open_run(node, host_, seed);
  }

  PlainHost host_;
  std::unique_ptr<Chain<value_type>> chain_;
  Chunk<value_type> one_;
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
  virtual void save(Snapshot& to) const = 0;
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
};

/// What the function makes of an element, with the element and the Context, to which it may refer. It is opened when
/// it is read first.
template <class T, class F>
class OpenedInput final : public InnerInput<typename InnerOf<T, F>::value_type> {
 public:
  using Element = typename InnerOf<T, F>::value_type;

  OpenedInput(T element, Position position, InnerFunction<F> function)
      : function_(std::move(function)), element_(std::move(element)), context_(position, function_.stream) {}

  Answer read(Chunk<Element>& chunk, std::uint64_t number, SkipCount& skipped, const PullWait& wait) override {
    return read_one(chunk, number, skipped, wait);
  }

  Answer read_one(Chunk<Element>& chunk, std::uint64_t number, ReadFailures& failures, const PullWait& wait) {
    context_.ask(&wait);
    if (inner_) return inner_->read(chunk, number, failures, wait);
    const Position position = context_.position();
    try {
      inner_.emplace(call(), joined(function_.stream, position.epoch, position.number), function_.host);
      if (was_at_) go_back();
    } catch (...) {
      failures.skip(chunk.epoch, position.number);
      return Answer::ended;
    }
    return Answer::more;
  }

  [[nodiscard]] bool was_opened() const noexcept override { return inner_.has_value(); }

  void save(Snapshot& to) const override {
    if (inner_) return inner_->save(to);
    if (was_at_) return to.add(*was_at_);
    to.add(0);
    to.add(0);
  }
  void restore(Snapshot place) override { was_at_ = std::move(place); }

 private:
  void go_back() {
    const Snapshot place = *std::exchange(was_at_, std::nullopt);
    SnapshotReader from(place);
    inner_->restore(from);
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
  std::optional<Snapshot> was_at_;  // where inner_ has to begin, in a run that was restored
};

/// Makes an input of each element.
template <class T, class F>
class InnerInputs final
    : public StageChain<InnerInputs<T, F>, T, InnerInputPointer<typename InnerOf<T, F>::value_type>> {
 public:
  using Pointer = InnerInputPointer<typename InnerOf<T, F>::value_type>;

  InnerInputs(std::unique_ptr<Chain<T>> chain, InnerFunction<F> function)
      : InnerInputs::StageChain(std::move(chain)), function_(std::move(function)) {}

  Answer step(Chunk<Pointer>& chunk, std::size_t most, const PullWait& wait) {
    const Answer answer = this->look(chunk, most - chunk.size(), wait);
    if (answer != Answer::more) return answer;
    auto& input = this->input_;
    chunk.push(std::make_unique<OpenedInput<T, F>>(std::move(input.element()), input.position(), function_),
               input.number());
    input.pass();
    return answer;
  }

  // The same as of a segment, which does it with threads.
  void save_state(Snapshot& to) override { this->save_as_segment(to, SkipCount({}, {})); }
  void restore_state(SnapshotReader& from) override {
    SkipCount none({}, {});
    this->restore_as_segment(from, none);
  }

 private:
  InnerFunction<F> function_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_FLAT_MAP_HPP
