// SPDX-License-Identifier: MIT
//
// indexed_source.hpp: IndexedSource<T>, elements that can be had by their number, and IndexedNode<T>, a source of that
// kind with the stages that keep it so.

#ifndef FOREBAY_STAGE_INDEXED_SOURCE_HPP
#define FOREBAY_STAGE_INDEXED_SOURCE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/stage/failing.hpp"
#include "forebay/stage/index_order.hpp"
#include "forebay/stage/node.hpp"
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

template <class T>
class IndexedNode final : public Node<T> {
 public:
  IndexedNode(Facts facts, std::shared_ptr<const IndexedSource<T>> source, IndexStages stages, std::string name = {})
      : Node<T>(std::move(facts)),
        source_(std::move(source)),
        stages_(std::move(stages)),
        name_(name.empty() ? source_->name() : std::move(name)) {}

  /// The same with other facts, one stage more, or another name.
  [[nodiscard]] NodePointer<T> with(Facts facts) const {
    return shared_node(new IndexedNode(std::move(facts), source_, stages_, name_));
  }
  [[nodiscard]] NodePointer<T> with(Facts facts, IndexStage stage) const {
    IndexStages stages = stages_;
    stages.push_back(std::move(stage));
    return shared_node(new IndexedNode(std::move(facts), source_, std::move(stages), name_));
  }
  [[nodiscard]] NodePointer<T> with(std::string name) const {
    Facts facts = this->facts();
    facts.rename(name);
    return shared_node(new IndexedNode(std::move(facts), source_, stages_, std::move(name)));
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

#endif  // FOREBAY_STAGE_INDEXED_SOURCE_HPP
