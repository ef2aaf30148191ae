// SPDX-License-Identifier: MIT
//
// seamless.hpp: SeamlessStream, which joins the epochs of its input into one; and the node that describes it.

#ifndef FOREBAY_STAGE_SEAMLESS_HPP
#define FOREBAY_STAGE_SEAMLESS_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "forebay/describe/epoch.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/stage_node.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Passes on the elements of `parts` epochs as one epoch, and renumbers them. This is the only stage that sees more
/// than one epoch.
template <class T>
class SeamlessStream final : public Stream<T> {
 public:
  SeamlessStream(std::unique_ptr<Stream<T>> stream, EpochCount parts) : input_(std::move(stream)), parts_(parts) {}

  void begin(const Epoch& epoch) noexcept override {
    epoch_ = epoch;
    number_ = 0;
    begin_part(first_part_of(epoch, parts_));
  }

  PullResult pull(Chunk<T>& chunk, std::size_t most, const PullWait& wait) noexcept override {
    return pull_by_steps(chunk, epoch_, most, wait, [&] { return step(chunk, most, wait); });
  }

  std::uint64_t save(Snapshot& to) override {
    to.add(number_);
    to.add(part_.number - first_part_of(epoch_, parts_).number);
    input_.save(to);
    return 0;
  }
  void restore(SnapshotReader& from) override {
    number_ = from.number();
    Epoch part = first_part_of(epoch_, parts_);
    part.number += parts_.is_endless() ? from.number() : from.number_up_to(parts_.number() - 1);
    begin_part(part);
    input_.restore(from);
  }

 private:
  void begin_part(const Epoch& part) noexcept {
    part_ = part;
    input_.begin(part);
  }

  PullResult step(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    const std::size_t before = chunk.size();
    const PullResult result = input_.pull(chunk, most, wait);
    renumber(chunk, before);
    const bool is_over = result == PullResult::last || result == PullResult::ended;
    if (!is_over || is_last_part(part_, epoch_, parts_)) return result;
    begin_part(part_.next());
    return PullResult::more;
  }

  void renumber(Chunk<T>& chunk, std::size_t first) {
    chunk.renumber(first, number_);
    number_ += chunk.size() - first;
  }

  Input<T> input_;
  const EpochCount parts_;
  Epoch epoch_;
  Epoch part_;
  std::uint64_t number_ = 0;  // of the next element
};

template <class T>
[[nodiscard]] NodePointer<T> joining_node(Properties&& properties, const NodePointer<T>& node) {
  auto open = [node](OpenContext&& opening, const Properties& /*properties*/, const Request<T>& request) {
    opening.name.clear();
    auto stream = node->open(std::move(opening), {.numbers_only = request.numbers_only});
    return std::unique_ptr<Stream<T>>(new SeamlessStream<T>(std::move(stream), node->properties().epochs));
  };
  return make_node<T>(std::move(properties), std::move(open), node->indexed_source());
}

/// The explicit seamless(), which has a row in describe().
[[nodiscard]] inline Properties describe_seamless(Properties properties) {
  properties.join_epochs();
  properties.add_stage("seamless");
  return properties;
}

template <class T>
[[nodiscard]] NodePointer<T> seamless_node(const NodePointer<T>& node) {
  return joining_node(describe_seamless(node->properties()), node);
}

/// Returns the same data with all epochs joined; the node itself if it has only one epoch.
template <class T>
[[nodiscard]] NodePointer<T> of_one_epoch(NodePointer<T> node) {
  if (node->properties().epochs.is_one()) return node;
  Properties properties = node->properties();
  properties.join_epochs();
  return joining_node(std::move(properties), node);
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_SEAMLESS_HPP
