// SPDX-License-Identifier: MIT
//
// batch.hpp: the stages batch, padded_batch and stacked_batch.

#ifndef FOREBAY_STAGE_BATCH_HPP
#define FOREBAY_STAGE_BATCH_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/count.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/describe/properties.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/flow/errors.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/row_chunk.hpp"
#include "forebay/flow/stage_node.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/padded_batch.hpp"
#include "forebay/stage/bucket_by_length.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Makes batches that are vectors. A batch takes over the vector of the chunk, which gets the storage of an older batch
/// in exchange.
template <class T>
class VectorBatches {
 public:
  using Batch = std::vector<T>;

  [[nodiscard]] static Batch make() { return {}; }

  static void fill(Chunk<T>& elements, Batch& batch) {
    if constexpr (std::same_as<T, bool>) {
      batch.clear();
      for (std::size_t i = 0; i < elements.size(); ++i) batch.push_back(elements[i]);
    } else {
      elements.swap_elements(batch);
    }
  }
};

/// Makes batches that are PaddedBatches. Directly after a map with threads, those threads make the batch, and it
/// arrives with the chunk.
template <class T>
class PaddedBatches {
 public:
  using Batch = PaddedBatch<T>;

  explicit PaddedBatches(const PaddingOptions<T>& options) : options_(options) {}

  [[nodiscard]] Batch make() const { return Batch(options_); }

  void fill(Chunk<T>& elements, Batch& batch) const {
    if (elements.collated != nullptr) {
      std::swap(static_cast<Made&>(*elements.collated).batch, batch);
    } else {
      collate(elements, batch);
    }
  }

  /// Collates a chunk, as part of the work of the map.
  void collate(Chunk<T>& elements) const {
    if (elements.collated == nullptr) elements.collated = std::make_unique<Made>(make());
    collate(elements, static_cast<Made&>(*elements.collated).batch);
  }

 private:
  struct Made final : ChunkResult {
    explicit Made(Batch its_batch) : batch(std::move(its_batch)) {}
    Batch batch;
  };

  static void collate(Chunk<T>& elements, Batch& batch) {
    typename Batch::Sink sink(batch);
    sink.reserve(elements.size());
    sink.prepare(elements.size(), [&](std::size_t i) -> const T& { return elements[i]; });
    for (std::size_t i = 0; i < elements.size(); ++i) sink.put(std::move(elements[i]));
    sink.finish();
  }

  PaddingOptions<T> options_;
};

/// Makes PaddedBatches of which a function has written the rows. A batch takes over the rows of the chunk, which gets
/// the storage of an older batch in exchange.
template <class T>
class RowBatches {
 public:
  using Batch = PaddedBatch<T>;

  explicit RowBatches(const PaddingOptions<T>& options) : options_(options) {}

  [[nodiscard]] Batch make() const { return Batch(options_); }
  static void fill(Chunk<Row<T>>& rows, Batch& batch) { rows.swap_elements(batch); }

 private:
  PaddingOptions<T> options_;
};

template <class T, class Batches>
class BatchStage {
 public:
  using Output = typename Batches::Batch;
  static constexpr bool makes_batches = true;

  BatchStage(std::size_t size, Remainder remainder, Batches batches, StageName name, std::shared_ptr<LeftOut> left_out)
      : size_(size),
        remainder_(remainder),
        batches_(std::move(batches)),
        name_(std::move(name)),
        left_out_(std::move(left_out)) {}

  PullResult step(Input<T>& input, Chunk<Output>& chunk, std::size_t /*most*/, const PullWait& wait) {
    const PullResult result = input.pull(elements_, size_, wait);
    if (result == PullResult::not_now) return result;
    if (result == PullResult::failed) return pass_failure(elements_, chunk);
    const bool is_over = result != PullResult::more;
    const bool is_rest = is_over && !elements_.empty() && remainder_ == Remainder::deliver;
    if (elements_.size() == size_ || is_rest) {
      put_batch(elements_, batches_, chunk, number_, name_);
      ++number_;
    }
    if (is_over) drop_rest();
    return is_over ? PullResult::ended : PullResult::more;
  }

  void begin(const Epoch& /*epoch*/) noexcept {
    number_ = 0;
    elements_.clear();
  }

  /// Returns the number of elements in the incomplete batch.
  [[nodiscard]] std::uint64_t reads_again() const noexcept { return elements_.size(); }

  void save(Snapshot& to) const { to.add(number_); }
  void restore(SnapshotReader& from) { number_ = from.number(); }
  std::uint64_t skip_to(std::uint64_t number) noexcept {
    number_ = number;
    return saturating_multiply<std::uint64_t>(number, size_);
  }

 private:
  /// Drops the elements of an incomplete batch, at the end of the epoch.
  void drop_rest() noexcept {
    if (left_out_ != nullptr) left_out_->add(elements_.size());
    elements_.clear();
  }

  std::size_t size_;
  Remainder remainder_;
  Batches batches_;
  StageName name_;
  std::shared_ptr<LeftOut> left_out_;
  Chunk<T> elements_;         // of the next batch
  std::uint64_t number_ = 0;  // and its number
};

/// `collates` says whether the threads of a map directly upstream can make the batches.
[[nodiscard]] inline Properties describe_batch(Properties properties, const char* name, std::uint64_t size,
                                               BatchOptions options, bool collates) {
  const bool takes_extra_ahead = properties.takes_extra_ahead;
  DescribedStage& before = properties.stages.back();
  if (before.takes_fused) before.known.chunk = size;
  const bool is_fused = before.is_complete && before.known.chunk == size;
  const std::string how = options.remainder == Remainder::drop ? ", drop" : "";
  if (properties.batched_shards) {
    properties.describe(name, text_of({size}) + how);
  } else {
    const std::string of_all = text_of({saturating_multiply(size, properties.shards)}) + how + " of all shards";
    properties.describe_elastic(name, text_of({size}) + how, of_all);
  }
  properties.batched_shards = !properties.elastic_description.empty();
  properties.takes_extra_ahead = takes_extra_ahead;
  DescribedStage& batches = properties.stages.back();
  batches.known.inputs = batches.asks = size;
  batches.elements = size;
  batches.collates = is_fused && collates;
  if (properties.size) {
    const bool one_more = options.remainder == Remainder::deliver && *properties.size % size > 0;
    properties.size = *properties.size / size + (one_more ? 1 : 0);
  }
  properties.become_batches();
  return properties;
}

template <class T, class Batches>
[[nodiscard]] NodePointer<typename Batches::Batch> batch_node(const NodePointer<T>& node, const char* name,
                                                              Count count, BatchOptions options, Batches batches) {
  constexpr bool collates = requires(Chunk<T> & chunk) { batches.collate(chunk); };
  const std::size_t size = count.at_least(1, (std::string(name) + ": size").c_str());
  auto open = [node, name, size, options, batches = std::move(batches)](OpenContext&& opening,
                                                                        const Properties& /*properties*/) {
    opening.extra_ahead = saturating_multiply(opening.extra_ahead, size);
    StageName own_name = opening.take_name(name, node->properties());
    std::shared_ptr<LeftOut> left_out = opening.left_out;
    Request<T> request{.fused_batch = size};
    if constexpr (collates) {
      request.collate = [batches, own_name](Chunk<T>& chunk) {
        try {
          batches.collate(chunk);
        } catch (const std::bad_alloc&) {
          throw;
        } catch (...) {
          throw_as_dataset_error(own_name, chunk.position(0));
        }
      };
    }
    auto stream = node->open(std::move(opening), request);
    BatchStage<T, Batches> stage(size, options.remainder, batches, std::move(own_name), std::move(left_out));
    return make_stream(std::move(stage), std::move(stream));
  };
  return make_node<typename Batches::Batch>(describe_batch(node->properties(), name, size, options, collates),
                                            std::move(open));
}

/// Returns how PaddedBatches are made. Throws std::invalid_argument if their extents are impossible.
template <class T>
[[nodiscard]] PaddedBatches<T> padded_batches(const PaddingOptions<T>& padding) {
  static_cast<void>(PaddedBatch<T>(padding));
  return PaddedBatches<T>(padding);
}

/// Does the same for batches of which a function writes the rows. Throws std::invalid_argument if an extent varies.
template <class T>
[[nodiscard]] RowBatches<T> row_batches(const PaddingOptions<T>& padding) {
  require_fixed_extents(padding);
  return RowBatches<T>(padding);
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_BATCH_HPP
