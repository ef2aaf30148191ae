// SPDX-License-Identifier: MIT
//
// indexed_node.hpp: IndexedNode<T>, the description of an indexed source with the stages that keep it indexed: they
// only change which element is at which index.

#ifndef FOREBAY_STAGE_INDEXED_NODE_HPP
#define FOREBAY_STAGE_INDEXED_NODE_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/describe/facts.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/flow/stream.hpp"
#include "forebay/source/index_order.hpp"
#include "forebay/source/indexed.hpp"
#include "forebay/stage/repeat.hpp"
#include "forebay/stage/shard.hpp"
#include "forebay/stage/step_by.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

[[nodiscard]] inline Facts describe_full_shuffle(Facts facts) {
  ++facts.random_stages;
  facts.describe("shuffle");
  return facts;
}

[[nodiscard]] inline Facts describe_page_shuffle(Facts facts, std::uint64_t page) {
  ++facts.random_stages;
  facts.describe("shuffle_pages", text_of({page}));
  return facts;
}

/// Returns a take or a skip.
[[nodiscard]] inline Facts describe_slice(Facts facts, std::uint64_t first, std::uint64_t size) {
  facts.size = size;
  facts.describe("slice", text_of({first, size}));
  return facts;
}

template <class T>
class IndexedNode final : public Node<T> {
 public:
  IndexedNode(Facts&& facts, std::shared_ptr<const IndexedSource<T>> source, IndexStages stages, std::string name = {})
      : Node<T>(std::move(facts), std::move(source)),
        stages_(std::move(stages)),
        name_(name.empty() ? this->indexed_source()->name() : std::move(name)) {}

  // ---- Copies with another stage, or other facts

  [[nodiscard]] NodePointer<T> seeded(std::uint64_t seed) const {
    return altered(describe_seed(this->facts(), seed), name_);
  }
  [[nodiscard]] NodePointer<T> named(std::string name) const {
    Facts facts = describe_name(this->facts(), name);
    return altered(std::move(facts), std::move(name));
  }
  [[nodiscard]] NodePointer<T> traced(MakeTrace make_trace) const {
    return altered(describe_trace(this->facts(), make_trace), name_);
  }

  [[nodiscard]] NodePointer<T> shuffled() const { return permuted(describe_full_shuffle(this->facts()), 1); }
  [[nodiscard]] NodePointer<T> page_shuffled(std::uint64_t page) const {
    return permuted(describe_page_shuffle(this->facts(), page), page);
  }
  /// Returns a node of up to `count` elements, beginning with `first`.
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

  /// Returns the element at `place` in the first epoch. Requires place < size().
  [[nodiscard]] T at(std::uint64_t place) const {
    if (stages_.empty()) return this->indexed_source()->at(place);
    PlainHost host;
    IndexOrder order(stages_, Opening{host});
    order.begin({});
    return this->indexed_source()->at(order.at(place));
  }

 private:
  [[nodiscard]] NodePointer<T> permuted(Facts&& facts, std::uint64_t page) const {
    IndexStage stage{.count = size(), .shuffles = true, .page = page, .facts = facts};
    return then(std::move(facts), std::move(stage));
  }
  [[nodiscard]] NodePointer<T> altered(Facts&& facts, std::string name) const {
    return shared_node(new IndexedNode(std::move(facts), this->indexed_source(), stages_, std::move(name)));
  }
  [[nodiscard]] NodePointer<T> then(Facts&& facts, IndexStage&& stage) const {
    IndexStages stages = stages_;
    stages.push_back(std::move(stage));
    return shared_node(new IndexedNode(std::move(facts), this->indexed_source(), std::move(stages), name_));
  }

  [[nodiscard]] std::unique_ptr<Stream<T>> do_open(Opening&& opening, const Request<T>& request) const override {
    IndexOrder order(stages_, opening);
    std::string name = opening.take_name(name_.c_str());
    return make_stream(IndexedElements<T>(this->indexed_source(), std::move(order), size(), opening.is_elastic,
                                          std::move(name), request.numbers_only));
  }

  IndexStages stages_;
  std::string name_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_INDEXED_NODE_HPP
