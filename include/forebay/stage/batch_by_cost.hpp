// SPDX-License-Identifier: MIT
//
// batch_by_cost.hpp: batch_by_cost, which gathers elements into batches of a limited cost.
//
// Algorithm: elements are collected in a window. When it is full, they are put in order of their costs and divided into
// batches; the elements of the last batch, which has room left, begin the next window. Windows are sorted in rising and
// falling order by turns, so that these elements are the first ones there and leave soon. Without sorting, a window
// ends when a batch is full.

#ifndef FOREBAY_STAGE_BATCH_BY_COST_HPP
#define FOREBAY_STAGE_BATCH_BY_COST_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/hash.hpp"
#include "forebay/base/random_bits.hpp"
#include "forebay/count.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/describe/properties.hpp"
#include "forebay/flow/errors.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/stage_node.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/stage/batch.hpp"
#include "forebay/stage/bucket_by_length.hpp"
#include "forebay/stage/function_checks.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The options of batch_by_cost, checked.
struct CostLimits {
  explicit CostLimits(const CostOptions& options)
      : limit(options.limit.at_least(1, "batch_by_cost: limit")),
        most_elements(
            options.most_elements.value_or(static_cast<std::size_t>(-1)).at_least(1, "batch_by_cost: most_elements")),
        window(options.sort_window.at_least(0, "batch_by_cost: sort_window")),
        count_times_largest(options.count_times_largest) {}

  std::size_t limit;
  std::size_t most_elements;
  std::size_t window;
  bool count_times_largest;
};

/// The cost of the elements of a batch.
class BatchCost {
 public:
  [[nodiscard]] std::size_t of(const CostLimits& limits) const noexcept {
    return limits.count_times_largest ? saturating_multiply(count_, largest_) : sum_;
  }
  [[nodiscard]] bool is_full(const CostLimits& limits) const noexcept {
    return of(limits) >= limits.limit || count_ >= limits.most_elements;
  }
  [[nodiscard]] bool fits(std::size_t cost, const CostLimits& limits) const noexcept {
    if (count_ == limits.most_elements) return false;
    if (limits.count_times_largest) return larger(largest_, cost) <= limits.limit / (count_ + 1);
    return sum_ <= limits.limit && cost <= limits.limit - sum_;
  }
  [[nodiscard]] BatchCost with(std::size_t cost) const noexcept {
    BatchCost sum = *this;
    ++sum.count_;
    sum.sum_ = saturating_add(sum_, cost);
    sum.largest_ = larger(largest_, cost);
    return sum;
  }

 private:
  std::size_t count_ = 0;
  std::size_t sum_ = 0;
  std::size_t largest_ = 0;
};

/// Invariants: `order_` has the indices of the elements in the window, those of each of batches_ and then those that
/// belong to the next window. Batches before batches_[next_batch_] have left. While the window is collected, there are
/// no batches.
template <class T, class Cost>
class CostBatches {
 public:
  using Output = std::vector<T>;
  static constexpr bool makes_batches = true;

  CostBatches(std::shared_ptr<const Cost> cost, const CostOptions& options, StageContext& opening)
      : cost_(std::move(cost)),
        limits_(options),
        options_(options),
        name_(std::move(opening.name)),
        stream_(opening.stream),
        skipped_(options_.too_costly, name_, opening.left_out),
        left_out_(std::move(opening.left_out)) {}

  PullResult step(Input<T>& input, Chunk<Output>& chunk, std::size_t /*most*/, const PullWait& wait) {
    if (next_batch_ < batches_.size()) {
      emit(chunk);
      return PullResult::more;
    }
    if (!batches_.empty()) begin_window();
    const PullResult result = input.look(elements_at_once, wait);
    if (result == PullResult::more) add(input);
    if (result == PullResult::ended) divide(true);
    return batches_.empty() ? result : PullResult::more;
  }

  void begin(const Epoch& epoch, bool /*goes_on*/) noexcept {
    epoch_ = epoch;
    number_ = 0;
    windows_ = 0;
    collected_ = 0;
    clear();
  }

  [[nodiscard]] std::uint64_t most_held() const noexcept { return limits_.window; }
  [[nodiscard]] static EpochCount epochs() noexcept { return {}; }
  template <class Visit>
  void held(const Visit& visit) const {
    for (std::size_t i = first_held(); i < order_.size(); ++i) visit(window_.held[order_[i]].read);
  }

  void save(Snapshot& to) const {
    skipped_.save(to, epoch_);
    to.add(number_);
    to.add(windows_);
    to.add(collected_);
    to.add(batches_.size() - next_batch_);
    for (std::size_t i = next_batch_; i < batches_.size(); ++i) to.add(batches_[i] - begin_of_batch(i));
    to.add(order_.size() - end_of_batches());
  }
  void restore(SnapshotReader& from) {
    skipped_.restore(from, epoch_);
    number_ = from.number();
    windows_ = from.number();
    collected_ = static_cast<std::size_t>(from.number_up_to(limits_.window));
    std::uint64_t most = saturating_add(limits_.window, limits_.limit);
    const auto await = [&] {
      const std::uint64_t count = from.number_up_to(most);
      for (most -= count; window_.held.size() < order_.size() + count;) window_.held.push_back({});
      for (; order_.size() < window_.held.size();) order_.push_back(order_.size());
    };
    for (std::uint64_t left = from.number_up_to(most); left > 0; --left) {
      await();
      batches_.push_back(order_.size());
    }
    await();
  }
  [[nodiscard]] std::size_t awaited() const noexcept { return order_.size() - first_held(); }
  void refill(Replayed<T>&& replayed, std::uint64_t read) {
    window_.held[window_.elements.size()] = {
        read, cost_of(std::as_const(replayed.element), {epoch_.number, replayed.number})};
    window_.elements.push(std::move(replayed.element), replayed.number);
  }
  void refilled() noexcept { count_total(); }

 private:
  struct Held {
    std::uint64_t read = 0;  // its number in the input
    std::size_t cost = 0;
  };
  struct Window {
    Chunk<T> elements;
    std::vector<Held> held;  // the same elements

    void clear() noexcept {
      elements.clear();
      held.clear();
    }
  };

  void add(Input<T>& input) {
    const std::size_t cost = cost_of(std::as_const(input.element()), input.position());
    if (cost > limits_.limit && !options_.too_costly_alone) {
      skip_too_large(skipped_, epoch_, name_, input.position(),
                     "a cost of " + std::to_string(cost) + " is above the limit, " + std::to_string(limits_.limit));
      input.pass();
      return;
    }
    order_.push_back(window_.held.size());
    window_.held.push_back({input.read(), cost});
    window_.elements.push_from(input.chunk(), input.next(), input.number());
    input.pass();
    total_ = total_.with(cost);
    if (limits_.window > 0 ? ++collected_ == limits_.window : total_.is_full(limits_)) divide(false);
  }

  [[nodiscard]] std::size_t cost_of(const T& element, Position position) const {
    return call_user(name_, position, [&] { return Count(std::invoke(*cost_, element)).at_least(1, "a cost"); });
  }

  /// Divides the window into batches. At the end of the epoch, the last one may have room left.
  void divide(bool is_end) {
    if (limits_.window > 0) sort();
    BatchCost batch;
    std::size_t begin = 0;
    const auto end_batch = [&](std::size_t end) {
      batches_.push_back(begin = end);
      batch = BatchCost();
    };
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const std::size_t cost = window_.held[order_[i]].cost;
      if (i > begin && !batch.fits(cost, limits_)) end_batch(i);
      batch = batch.with(cost);
      if (batch.is_full(limits_)) end_batch(i + 1);
    }
    if (is_end && begin < order_.size()) end_epoch();
    if (limits_.window > 0 && options_.shuffle_batches) shuffle();
    ++windows_;
    collected_ = 0;
  }

  void end_epoch() {
    if (options_.remainder == Remainder::deliver) return batches_.push_back(order_.size());
    if (left_out_ != nullptr) left_out_->add(order_.size() - end_of_batches());
    order_.resize(end_of_batches());
  }

  void sort() {
    const bool rising = windows_ % 2 == 0;
    std::sort(order_.begin(), order_.end(), [this, rising](std::size_t a, std::size_t b) {
      const Held& one = window_.held[a];
      const Held& other = window_.held[b];
      return one.cost != other.cost ? (one.cost < other.cost) == rising : one.read < other.read;
    });
  }

  /// Puts the batches in random order.
  void shuffle() {
    RandomBits bits(hash_combine(epoch_.stream_of(stream_), epoch_.number, windows_));
    std::vector<std::size_t> chosen(batches_.size());
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    for (std::size_t i = chosen.size(); i > 1; --i) {
      std::swap(chosen[i - 1], chosen[static_cast<std::size_t>(bits.below(i))]);
    }
    std::vector<std::size_t> order;
    std::vector<std::size_t> batches;
    order.reserve(order_.size());
    const auto append = [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) order.push_back(order_[i]);
    };
    for (const std::size_t batch : chosen) {
      append(begin_of_batch(batch), batches_[batch]);
      batches.push_back(order.size());
    }
    append(order.size(), order_.size());
    order_.swap(order);
    batches_.swap(batches);
  }

  /// Return indices in order_.
  [[nodiscard]] std::size_t begin_of_batch(std::size_t batch) const noexcept {
    return batch > 0 ? batches_[batch - 1] : 0;
  }
  [[nodiscard]] std::size_t end_of_batches() const noexcept { return begin_of_batch(batches_.size()); }
  [[nodiscard]] std::size_t first_held() const noexcept { return begin_of_batch(next_batch_); }

  void emit(Chunk<Output>& chunk) {
    const std::size_t begin = first_held();
    ++next_batch_;
    for (std::size_t i = begin; i < first_held(); ++i) {
      batch_.push_from(window_.elements, order_[i], window_.elements.number(order_[i]));
    }
    put_batch(batch_, VectorBatches<T>(), chunk, number_, name_);
    ++number_;
  }

  /// Begins the next window with the elements that no batch has.
  void begin_window() {
    Window& next = next_window_;
    for (std::size_t i = end_of_batches(); i < order_.size(); ++i) {
      next.elements.push_from(window_.elements, order_[i], window_.elements.number(order_[i]));
      next.held.push_back(window_.held[order_[i]]);
    }
    std::swap(window_, next);
    next.clear();
    batches_.clear();
    next_batch_ = 0;
    order_.resize(window_.held.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    count_total();
  }

  void count_total() noexcept {
    total_ = BatchCost();
    for (const Held& each : window_.held) total_ = total_.with(each.cost);
  }

  void clear() noexcept {
    window_.clear();
    next_window_.clear();
    batch_.clear();
    order_.clear();
    batches_.clear();
    next_batch_ = 0;
    total_ = BatchCost();
  }

  std::shared_ptr<const Cost> cost_;
  CostLimits limits_;
  CostOptions options_;
  StageName name_;
  std::uint64_t stream_;
  SkipCount skipped_;
  std::shared_ptr<LeftOut> left_out_;
  Epoch epoch_;
  std::uint64_t number_ = 0;   // of the next batch
  std::uint64_t windows_ = 0;  // that were divided
  std::size_t collected_ = 0;  // elements that were read for this window
  Window window_;
  Window next_window_;  // empty, kept for its storage
  std::vector<std::size_t> order_;
  std::vector<std::size_t> batches_;  // where in order_ each of them ends
  std::size_t next_batch_ = 0;
  BatchCost total_;  // of the window, while it is collected
  Chunk<T> batch_;   // kept for its storage
};

[[nodiscard]] inline Properties describe_cost_batches(Properties properties, const CostOptions& options) {
  const CostLimits limits(options);
  if (limits.window > 0 && options.shuffle_batches) ++properties.random_stages;
  properties.size.reset();
  properties.become_batches();
  std::string details = text_of({limits.limit});
  if (limits.count_times_largest) details += " of the largest";
  if (options.most_elements) details += ", at most" + text_of({limits.most_elements});
  if (limits.window > 0) details += ", sorted" + text_of({limits.window});
  if (limits.window > 0 && !options.shuffle_batches) details += " in order";
  if (options.too_costly_alone) details += ", too costly alone";
  if (options.remainder == Remainder::drop) details += ", drop";
  properties.describe("batch_by_cost", details + text_of(options.too_costly));
  DescribedStage& batches = properties.stages.back();
  batches.asks = elements_at_once;
  batches.elements = smaller(limits.limit, limits.most_elements);  // no element costs less than 1
  batches.known.inputs = saturating_add<std::uint64_t>(limits.window, batches.elements);
  return properties;
}

template <class T, class Given>
[[nodiscard]] NodePointer<std::vector<T>> cost_batch_node(const NodePointer<T>& node, Given&& cost,
                                                          const CostOptions& options) {
  using Cost = std::decay_t<Given>;
  constexpr bool is_called = LengthOf<const Cost&, T>;
  constexpr bool would_be = LengthOf<Cost&, T>;
  static_assert(NotMutable<is_called, would_be>::value);
  static_assert(is_called || would_be,
                "forebay: batch_by_cost(cost, options): cost must take a const T& and return an integer");
  auto shared = std::make_shared<const Cost>(std::forward<Given>(cost));
  return make_stage_node<std::vector<T>>(
      node, describe_cost_batches(node->properties(), options), "batch_by_cost",
      [shared, options](StageContext& opening) { return CostBatches<T, Cost>(shared, options, opening); });
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_BATCH_BY_COST_HPP
