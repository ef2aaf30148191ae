// SPDX-License-Identifier: MIT
//
// indexed.hpp: IndexedSource<T>, elements that can be had by their number, and IndexedNode<T>, a source of that
// kind with the stages that keep it so.

#ifndef FOREBAY_SOURCE_INDEXED_HPP
#define FOREBAY_SOURCE_INDEXED_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/describe/facts.hpp"
#include "forebay/stage/repeat.hpp"
#include "forebay/flow/errors.hpp"
#include "forebay/source/index_order.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/stage/selection.hpp"
#include "forebay/stage/step_by.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class T>
class IndexedSource {
 public:
  IndexedSource(std::uint64_t size, const char* name) noexcept : size_(size), name_(name) {}
  IndexedSource(const IndexedSource&) = delete;
  IndexedSource& operator=(const IndexedSource&) = delete;
  virtual ~IndexedSource() = default;

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] const char* name() const noexcept { return name_; }

  /// The element with that number. Called by several threads at once.
  [[nodiscard]] virtual T at(std::uint64_t number) const = 0;

 private:
  std::uint64_t size_;
  const char* name_;
};

/// One whose elements come from a function of their number.
template <class T, class At>
class ComputedSource final : public IndexedSource<T> {
 public:
  ComputedSource(std::uint64_t size, const char* name, At computed)
      : IndexedSource<T>(size, name), at_(std::move(computed)) {}
  [[nodiscard]] T at(std::uint64_t number) const override { return at_(static_cast<std::size_t>(number)); }

 private:
  At at_;
};

/// Delivers the elements of an indexed source in their order, or their numbers only.
template <class T>
class IndexedElements {
 public:
  using Output = T;

  /// One element stands for `scale` elements of all shards.
  IndexedElements(std::shared_ptr<const IndexedSource<T>> source, IndexOrder order, std::uint64_t size,
                  std::uint64_t scale, std::string name, bool numbers_only)
      : source_(std::move(source)),
        order_(std::move(order)),
        size_(size),
        scale_(scale),
        name_(std::move(name)),
        numbers_only_(numbers_only) {}

  Answer step(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    if (place_ == size_) return Answer::ended;
    do {
      add(chunk, order_.at(place_));
      ++place_;
    } while (place_ < size_ && chunk.size() < most && !wait.over());
    return Answer::more;
  }

  void begin(const Epoch& epoch) noexcept {
    place_ = 0;
    order_.begin(epoch);
  }

  void save(Snapshot& to, std::uint64_t rewind) const { to.add((place_ - rewind) * scale_); }
  void restore(SnapshotReader& from) {
    place_ = from.divided(scale_);
    if (place_ > size_) from.fail("the epoch has not so many elements");
  }

 private:
  void add(Chunk<T>& chunk, std::uint64_t number) {
    if (numbers_only_) {
      chunk.push_number(number);
      return;
    }
    const Position position{chunk.epoch.number, number};
    chunk.push(call_user(name_, position, [&] { return source_->at(number); }), number);
  }

  std::shared_ptr<const IndexedSource<T>> source_;
  IndexOrder order_;
  std::uint64_t size_;
  std::uint64_t scale_;
  std::string name_;
  bool numbers_only_;
  std::uint64_t place_ = 0;
};

/// A source of `size` elements, with the facts that it has from elsewhere.
[[nodiscard]] inline Facts describe_indexed(Facts facts, const char* name, std::uint64_t size) {
  facts.size = size;
  facts.describe(name, text_of({size}));
  return facts;
}

/// What collect() keeps of the data set whose elements it has.
[[nodiscard]] inline Facts describe_collected(const Facts& from) {
  Facts facts;
  facts.description = "(" + from.description + ")";
  facts.cannot_resume = from.cannot_resume;
  return facts;
}

[[nodiscard]] inline Facts describe_full_shuffle(Facts facts) {
  ++facts.random_stages;
  facts.describe("shuffle");
  return facts;
}

/// A take or a skip.
[[nodiscard]] inline Facts describe_slice(Facts facts, std::uint64_t first, std::uint64_t size) {
  facts.size = size;
  facts.describe("slice", text_of({first, size}));
  return facts;
}

template <class T>
class IndexedNode final : public Node<T> {
 public:
  IndexedNode(Facts facts, std::shared_ptr<const IndexedSource<T>> source, IndexStages stages, std::string name = {})
      : Node<T>(std::move(facts)),
        source_(std::move(source)),
        stages_(std::move(stages)),
        name_(name.empty() ? source_->name() : std::move(name)) {}

  // ---- The same with one stage more, or other facts

  [[nodiscard]] NodePointer<T> seeded(std::uint64_t seed) const {
    return altered(describe_seed(this->facts(), seed), name_);
  }
  [[nodiscard]] NodePointer<T> named(std::string name) const {
    Facts facts = describe_name(this->facts(), name);
    return altered(std::move(facts), std::move(name));
  }
  [[nodiscard]] NodePointer<T> traced() const { return altered(describe_trace(this->facts()), name_); }

  [[nodiscard]] NodePointer<T> shuffled() const {
    Facts facts = describe_full_shuffle(this->facts());
    IndexStage stage{.count = size(), .shuffles = true, .facts = facts};
    return then(std::move(facts), std::move(stage));
  }
  /// Up to `count` elements, from the one at `first` on.
  [[nodiscard]] NodePointer<T> sliced(std::uint64_t first, std::uint64_t count) const {
    first = smaller(first, size());
    count = smaller(count, size() - first);
    return then(describe_slice(this->facts(), first, count), IndexStage{.count = size(), .first = first});
  }
  [[nodiscard]] NodePointer<T> stepped(std::uint64_t stride) const {
    return then(describe_step_by(this->facts(), stride), IndexStage{.count = size(), .stride = stride});
  }
  [[nodiscard]] NodePointer<T> sharded(const Shard& shard, Evenness even) const {
    IndexStage stage{.count = size(), .first = shard.index, .stride = shard.count};
    return then(shard.describe(this->facts(), even), std::move(stage));
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return *this->facts().size; }

  /// The element at `place` of the first epoch. Requires place < size().
  [[nodiscard]] T at(std::uint64_t place) const {
    PlainHost host;
    IndexOrder order(stages_, Opening{host});
    order.begin({});
    return source_->at(order.at(place));
  }

  [[nodiscard]] std::unique_ptr<Stream<T>> open(Opening opening) const override {
    return open(std::move(opening), false);
  }
  [[nodiscard]] std::shared_ptr<const IndexedSource<T>> indexed_source() const noexcept override { return source_; }
  [[nodiscard]] std::unique_ptr<Stream<T>> open_numbers(Opening opening) const override {
    return open(std::move(opening), true);
  }

 private:
  [[nodiscard]] NodePointer<T> altered(Facts facts, std::string name) const {
    return shared_node(new IndexedNode(std::move(facts), source_, stages_, std::move(name)));
  }
  [[nodiscard]] NodePointer<T> then(Facts facts, IndexStage stage) const {
    IndexStages stages = stages_;
    stages.push_back(std::move(stage));
    return shared_node(new IndexedNode(std::move(facts), source_, std::move(stages), name_));
  }

  [[nodiscard]] std::unique_ptr<Stream<T>> open(Opening opening, bool numbers_only) const {
    IndexOrder order(stages_, opening);
    std::string name = opening.take_name(name_.c_str());
    return make_stream(
        IndexedElements<T>(source_, std::move(order), size(), opening.scale, std::move(name), numbers_only));
  }

  std::shared_ptr<const IndexedSource<T>> source_;
  IndexStages stages_;
  std::string name_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_SOURCE_INDEXED_HPP
