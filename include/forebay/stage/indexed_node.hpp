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
#include "forebay/describe/properties.hpp"
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

[[nodiscard]] inline Properties describe_full_shuffle(Properties properties) {
  ++properties.random_stages;
  properties.describe("shuffle");
  return properties;
}

[[nodiscard]] inline Properties describe_page_shuffle(Properties properties, std::uint64_t page) {
  ++properties.random_stages;
  properties.describe("shuffle_pages", text_of({page}));
  return properties;
}

/// Returns a take or a skip.
[[nodiscard]] inline Properties describe_slice(Properties properties, std::uint64_t first, std::uint64_t size) {
  properties.size = size;
  properties.describe("slice", text_of({first, size}));
  return properties;
}

template <class T>
class IndexedNode final : public Node<T> {
 public:
  IndexedNode(Properties&& properties, std::shared_ptr<const IndexedSource<T>> source, IndexStages stages,
              std::string name = {})
      : Node<T>(std::move(properties), std::move(source)),
        stages_(std::move(stages)),
        name_(name.empty() ? this->indexed_source()->name() : std::move(name)) {}

  // ---- Copies with another stage, or other properties

  [[nodiscard]] NodePointer<T> seeded(std::uint64_t seed) const {
    return altered(describe_seed(this->properties(), seed), name_);
  }
  [[nodiscard]] NodePointer<T> named(std::string name) const {
    Properties properties = describe_name(this->properties(), name);
    return altered(std::move(properties), std::move(name));
  }
  [[nodiscard]] NodePointer<T> traced(MakeTrace make_trace) const {
    return altered(describe_trace(this->properties(), make_trace), name_);
  }

  [[nodiscard]] NodePointer<T> shuffled() const { return permuted(describe_full_shuffle(this->properties()), 1); }
  [[nodiscard]] NodePointer<T> page_shuffled(std::uint64_t page) const {
    return permuted(describe_page_shuffle(this->properties(), page), page);
  }
  /// Returns a node of up to `count` elements, beginning with `first`.
  [[nodiscard]] NodePointer<T> sliced(std::uint64_t first, std::uint64_t count) const {
    first = smaller(first, size());
    count = smaller(count, size() - first);
    return then(describe_slice(this->properties(), first, count), IndexStage{.count = size(), .first = first});
  }
  [[nodiscard]] NodePointer<T> stepped(std::uint64_t stride) const {
    return then(describe_step_by(this->properties(), stride), IndexStage{.count = size(), .stride = stride});
  }
  [[nodiscard]] NodePointer<T> sharded(const Shard& shard, Evenness even) const {
    IndexStage stage{.count = size(), .first = shard.index, .stride = shard.count};
    return then(shard.describe(this->properties(), even), std::move(stage));
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return *this->properties().size; }

  /// Returns the number in the source of the element at `place` in the first epoch. Requires place < size().
  [[nodiscard]] std::uint64_t number_at(std::uint64_t place) const {
    if (stages_.empty()) return place;
    PlainRuntime runtime;
    IndexOrder order(stages_, OpenContext{runtime});
    order.begin({});
    return order.at(place);
  }

 private:
  [[nodiscard]] NodePointer<T> permuted(Properties&& properties, std::uint64_t page) const {
    IndexStage stage{.count = size(), .shuffles = true, .page = page, .properties = properties};
    return then(std::move(properties), std::move(stage));
  }
  [[nodiscard]] NodePointer<T> altered(Properties&& properties, std::string name) const {
    return shared_node(new IndexedNode(std::move(properties), this->indexed_source(), stages_, std::move(name)));
  }
  [[nodiscard]] NodePointer<T> then(Properties&& properties, IndexStage&& stage) const {
    IndexStages stages = stages_;
    stages.push_back(std::move(stage));
    return shared_node(new IndexedNode(std::move(properties), this->indexed_source(), std::move(stages), name_));
  }

  [[nodiscard]] std::unique_ptr<Stream<T>> do_open(OpenContext&& opening, const Request<T>& request) const override {
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
