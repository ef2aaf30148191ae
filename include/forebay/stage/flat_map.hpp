// SPDX-License-Identifier: MIT
//
// flat_map.hpp: each element becomes many: flat_map, whose function returns a range, a reader or a data set.

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

/// What flat_map's function is called with: the element, and a Context if it takes one.
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

/// The elements of what the function returned, R. This one is that of a reader.
template <class R>
class Inner {
 public:
  using value_type = typename ReadBy<R>::type;

  Inner(R reader, std::uint64_t /*seed*/) : reading_(std::move(reader)) {}

  Answer read(Chunk<value_type>& chunk, std::uint64_t number, SkipCount& skipped, const PullWait& /*wait*/) {
    const Read read = reading_.read(chunk, number, skipped);
    return read == Read::end ? Answer::ended : Answer::more;
  }

 private:
  Reading<R, value_type> reading_;
};

/// That of a range: moved from if it owns its elements.
template <FlatRange R>
class Inner<R> {
 public:
  using value_type = std::ranges::range_value_t<R>;

  Inner(R range, std::uint64_t /*seed*/) : range_(std::move(range)) {}

  Answer read(Chunk<value_type>& chunk, std::uint64_t number, SkipCount& skipped, const PullWait& /*wait*/) {
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
      skipped.skip(chunk.epoch, number);
      return Answer::ended;  // nobody knows where a range is after it has thrown
    }
    return Answer::more;
  }

 private:
  R range_;
  std::optional<std::ranges::iterator_t<R>> next_;
};

/// That of a data set. Its marks are not seen outside.
template <DescribedData R>
class Inner<R> {
 public:
  using value_type = typename R::value_type;

  Inner(const R& data, std::uint64_t seed) : chain_(open(*data.node(), seed)) {}

  Answer read(Chunk<value_type>& chunk, std::uint64_t number, SkipCount& skipped, const PullWait& wait) {
    one_.clear();
    try {
      const Answer answer = chain_->pull(one_, 1, wait);
      if (!one_.empty()) chunk.push(std::move(one_[0]), number);
      return answer == Answer::epoch_ended ? Answer::more : answer;
    } catch (...) {
      skipped.skip(chunk.epoch, number);
      return Answer::ended;
    }
  }

 private:
  std::unique_ptr<Chain<value_type>> open(const Node<value_type>& node, std::uint64_t seed) {
    if (node.facts().has_threads) {
      throw std::invalid_argument(
          "a data set inside of flat_map cannot have threads of its own: give them to a map "
          "behind it");
    }
    return open_run(node, host_, seed);
  }

  PlainHost host_;
  std::unique_ptr<Chain<value_type>> chain_;
  Chunk<value_type> one_;
};

template <class T, class F>
using InnerOf = Inner<std::decay_t<typename FlatResult<F, T>::type>>;

template <class T, class F>
class FlatMapChain final : public StageChain<FlatMapChain<T, F>, T, typename InnerOf<T, F>::value_type> {
 public:
  using Element = typename InnerOf<T, F>::value_type;

  FlatMapChain(std::unique_ptr<Chain<T>> chain, std::shared_ptr<const F> function, OnError on_error,
               std::uint64_t stream, std::string name)
      : FlatMapChain::StageChain(std::move(chain)),
        function_(std::move(function)),
        skipped_(std::move(on_error), std::move(name)),
        stream_(stream) {}

  Answer step(Chunk<Element>& chunk, std::size_t most, const PullWait& wait) {
    Answer answer = this->look(chunk, most - chunk.size(), wait);
    if (answer != Answer::more) return answer;
    if (!inner_) {
      begin_inner(wait);
      return answer;
    }
    answer = read(chunk, wait);
    if (answer != Answer::ended) return answer;
    end_inner();
    return Answer::more;
  }

  void go_to(const Rounds& rounds) override {
    if (this->input_.epoch().is_before(rounds.epoch())) {
      inner_.reset();
      context_.reset();
    }
    this->input_.go_to(rounds);
  }

 private:
  /// The element stays in the input while what was made of it is read: it may refer to it, and to the context.
  void begin_inner(const PullWait& wait) {
    const Position position = this->input_.position();
    try {
      context_.emplace(position, stream_, &wait);
      const std::uint64_t seed = joined(stream_, position.epoch, position.number);
      inner_.emplace(call(this->input_.element()), seed);
    } catch (...) {
      skipped_.skip(this->input_.epoch(), position.number);
      end_inner();
    }
  }

  decltype(auto) call(const T& element) {
    if constexpr (TakesContext<F, T>) {
      return std::invoke(*function_, element, *context_);
    } else {
      return std::invoke(*function_, element);
    }
  }

  Answer read(Chunk<Element>& chunk, const PullWait& wait) {
    context_->ask(&wait);
    const std::size_t before = chunk.size();
    const Answer answer = inner_->read(chunk, numbering_.peek(chunk.epoch), skipped_, wait);
    if (chunk.size() > before) static_cast<void>(numbering_.next(chunk.epoch));
    return answer;
  }

  void end_inner() noexcept {
    inner_.reset();
    context_.reset();
    this->input_.pass();
  }

  std::shared_ptr<const F> function_;
  SkipCount skipped_;
  std::uint64_t stream_;
  std::optional<Context> context_;
  std::optional<InnerOf<T, F>> inner_;
  Numbering numbering_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_FLAT_MAP_HPP
