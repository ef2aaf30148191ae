// SPDX-License-Identifier: MIT
//
// callable.hpp: data sets that read from a callable (from_callable).

#ifndef FOREBAY_SOURCE_CALLABLE_HPP
#define FOREBAY_SOURCE_CALLABLE_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/describe/properties.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/describe/single_use.hpp"
#include "forebay/factories.hpp"
#include "forebay/flow/stage_node.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/source/reader.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Creates the reader of an epoch: as a copy of the given reader, ...
template <class F>
class CopiedReaders {
 public:
  using Reader = F;
  static constexpr bool can_be_run_dry = true;

  explicit CopiedReaders(F reader) : reader_(std::move(reader)) {}
  [[nodiscard]] F make() const { return reader_; }

 private:
  F reader_;
};

/// ... from a factory, ...
template <class Factory>
class CreatedReaders {
 public:
  using Reader = std::decay_t<std::invoke_result_t<const Factory&>>;
  static constexpr bool can_be_run_dry = false;

  explicit CreatedReaders(PerEpoch<Factory> made) : factory_(std::move(made.factory)) {}
  [[nodiscard]] Reader make() const { return factory_(); }

 private:
  Factory factory_;
};

/// ... or by using up the only reader.
template <class F>
class SingleReader {
 public:
  using Reader = F;
  static constexpr bool can_be_run_dry = false;

  explicit SingleReader(F reader) : reader_(std::move(reader)) {}
  [[nodiscard]] F make() const { return std::move(reader_); }

 private:
  mutable F reader_;  // used up once, as SingleUse ensures
};

template <class F>
struct ReadersOf {
  using type = std::conditional_t<std::copy_constructible<F>, CopiedReaders<F>, SingleReader<F>>;
};
template <class Factory>
struct ReadersOf<PerEpoch<Factory>> {
  using type = CreatedReaders<Factory>;
};

template <class T, class Readers>
class CallableElements {
 public:
  using Output = T;

  /// The readers draw random numbers from `stream`.
  CallableElements(std::shared_ptr<const Readers> readers, OnError on_error, std::uint64_t stream, std::string name,
                   std::shared_ptr<LeftOut> left_out)
      : readers_(std::move(readers)),
        skipped_(std::move(on_error), name, std::move(left_out)),
        stream_(stream),
        name_(std::move(name)) {}

  PullResult step(Chunk<T>& chunk, std::size_t /*most*/, const PullWait& wait) {
    if (is_at_end_) return PullResult::ended;
    open();
    const PullResult result = reading_->read(chunk, reading_->count(), skipped_, wait);
    return result == PullResult::ended ? end() : result;
  }

  /// Returns whether the reader can skip elements; false if failures are skipped, because a skipped element has a
  /// number, but a failed one has none.
  [[nodiscard]] bool can_skip() const noexcept {
    return SkippingReader<typename Readers::Reader> && !skipped_.skips();
  }
  PullResult skip(std::uint64_t& count, const PullWait& /*wait*/) {
    if (is_at_end_) return PullResult::ended;
    open();
    return skip_read(count) == PullResult::ended ? end() : PullResult::more;
  }

  void begin(const Epoch& epoch) noexcept {
    epoch_ = epoch;
    is_at_end_ = false;
    reading_.reset();
  }

  void save(Snapshot& to) const {
    skipped_.save(to, epoch_);
    to.add(reading_ ? 1 : 0);
    if (reading_) reading_->save(to);
  }
  void restore(SnapshotReader& from) {
    skipped_.restore(from, epoch_);
    if (!from.flag()) return;
    open();
    reading_->restore(from);
  }

 private:
  PullResult skip_read(std::uint64_t& count) {
    if constexpr (SkippingReader<typename Readers::Reader>) {
      try {
        return reading_->skip(count);
      } catch (...) {
        throw_as_dataset_error(name_, {epoch_.number, reading_->count()}, location_of(reading_->reader()));
      }
    }
    return PullResult::more;
  }

  PullResult end() {
    check_whether_run_dry();
    is_at_end_ = true;
    return PullResult::ended;
  }

  void open() {
    if (reading_) return;
    try {
      reading_.emplace(readers_->make(), epoch_.number, epoch_.stream_of(stream_));
    } catch (...) {
      throw_as_dataset_error(name_, {epoch_.number, 0});
    }
  }

  /// Reports an empty epoch after nonempty ones. Copying a reader does not copy a stream that it refers to, so the
  /// first epoch leaves the stream at its end.
  void check_whether_run_dry() {
    const bool has_read = reading_->count() > 0;
    if (Readers::can_be_run_dry && !has_read && was_there_any_) {
      try {
        throw std::logic_error(
            "the epoch is empty, but an earlier one had elements: each epoch has a copy of the callable, but not of "
            "the input that it refers to; use a factory, per_epoch(factory)");
      } catch (...) {
        throw_as_dataset_error(name_, {epoch_.number, 0});
      }
    }
    was_there_any_ = was_there_any_ || has_read;
  }

  std::shared_ptr<const Readers> readers_;
  SkipCount skipped_;
  std::uint64_t stream_;
  std::string name_;
  Epoch epoch_;
  std::optional<ReaderEpoch<typename Readers::Reader, T>> reading_;
  bool is_at_end_ = false;
  bool was_there_any_ = false;  // whether an epoch of this run had elements
};

template <class Readers>
[[nodiscard]] Properties describe_callable(const OnError& on_error) {
  using Reader = typename Readers::Reader;
  Properties properties;
  properties.may_block = !SeekableReader<Reader> || reads_with_context<Reader>;
  if (reads_with_context<Reader>) ++properties.random_stages;
  properties.describe("from_callable", (reads_with_context<Reader> ? " with a Context" : "") + text_of(on_error));
  properties.stages.back().buffers = usual_buffer<Reader>;
  if (!SeekableReader<Reader>) {
    properties.cannot_resume = "a from_callable cannot replay: give its reader cursor() and seek(cursor)";
  }
  if constexpr (std::same_as<Readers, SingleReader<Reader>>) {
    properties.single_uses.push_back(std::make_shared<SingleUse>("a from_callable whose callable cannot be copied"));
  }
  return properties;
}

template <class T, class Readers>
[[nodiscard]] NodePointer<T> callable_node(Readers readers, const OnError& on_error) {
  const std::shared_ptr<const Readers> shared = std::make_shared<Readers>(std::move(readers));
  auto open = [shared, on_error](OpenContext&& opening, const Properties& properties) {
    return make_stream(CallableElements<T, Readers>(shared, on_error, opening.stream(properties),
                                                    opening.take_name("from_callable"), opening.left_out));
  };
  return make_node<T>(describe_callable<Readers>(on_error), std::move(open));
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_SOURCE_CALLABLE_HPP
