// SPDX-License-Identifier: MIT
//
// failing.hpp: how what code of the user's throws becomes a DatasetError, and how failures are skipped.

#ifndef FOREBAY_STAGE_FAILING_HPP
#define FOREBAY_STAGE_FAILING_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/dataset_error.hpp"
#include "forebay/on_error.hpp"
#include "forebay/position.hpp"
#include "forebay/stage/chunk.hpp"
#include "forebay/stage/rounds.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Throws the exception that is being handled as a DatasetError: as it is, if it comes from a data set inside.
[[noreturn]] inline void throw_as_dataset_error(const std::string& stage, Position position) {
  try {
    throw;
  } catch (const DatasetError&) {
    throw;
  } catch (...) {
    throw DatasetError(stage, position);
  }
}

/// `failure` as a DatasetError; as it is if there is no memory for one.
[[nodiscard]] inline std::exception_ptr as_dataset_error(const std::exception_ptr& failure, const std::string& stage,
                                                         Position position) noexcept {
  try {
    try {
      std::rethrow_exception(failure);
    } catch (...) {
      throw_as_dataset_error(stage, position);
    }
  } catch (...) {
    return std::current_exception();
  }
}

/// Who says what becomes of what cannot be read.
class ReadFailures {
 public:
  virtual ~ReadFailures() = default;

  /// Takes the exception that is being handled, for the element `number` of `epoch`; or throws it.
  virtual void skip(const Epoch& epoch, std::uint64_t number) = 0;

 protected:
  ReadFailures() = default;
  ReadFailures(const ReadFailures&) = default;
  ReadFailures& operator=(const ReadFailures&) = default;
};

/// Counts what a stage skips in each epoch.
class SkipCount final : public ReadFailures {
 public:
  SkipCount(OnError on_error, std::string stage) noexcept : on_error_(std::move(on_error)), stage_(std::move(stage)) {}

  /// Counts the exception that is being handled, which the element `number` of `epoch` failed with, and hands it over
  /// to whoever wants it. Throws, as a DatasetError, one that is not to be skipped, and what the taking over throws.
  void skip(const Epoch& epoch, std::uint64_t number) override { skip(epoch, number, std::current_exception()); }

  /// The same of a given exception.
  void skip(const Epoch& epoch, std::uint64_t number, const std::exception_ptr& cause) {
    const Position position{epoch.number, number};
    const std::exception_ptr failure = as_dataset_error(cause, stage_, position);
    if (!may_skip(epoch)) std::rethrow_exception(failure);
    hand_over(position, failure);
  }

  void save(Snapshot& to) const {
    epoch_.save(to);
    to.add(count_);
  }
  void restore(SnapshotReader& from) {
    epoch_ = Epoch::restored(from);
    count_ =
        static_cast<std::size_t>(from.number_up_to(saturating_add<std::size_t>(on_error_.limit().value_or(0), 1)));
  }

 private:
  [[nodiscard]] bool may_skip(const Epoch& epoch) noexcept {
    if (!on_error_.limit()) return false;
    if (epoch != epoch_) count_ = 0;
    epoch_ = epoch;
    return count_++ < *on_error_.limit();
  }

  void hand_over(Position position, const std::exception_ptr& failure) const {
    try {
      on_error_.hand_over(position, failure);
    } catch (...) {
      throw_as_dataset_error(stage_, position);
    }
  }

  OnError on_error_;
  std::string stage_;
  Epoch epoch_;
  std::size_t count_ = 0;
};

/// Counts the failures of a chunk, in their order. Ends the chunk before the one that is too many, and throws that.
inline void count_skipped(AnyChunk& chunk, SkipCount& count) {
  for (const Skipped& skipped : chunk.skipped) {
    try {
      count.skip(chunk.epoch, skipped.position.number, skipped.failure);
    } catch (...) {
      chunk.truncate(skipped.before);
      chunk.skipped.clear();
      throw;
    }
  }
  chunk.skipped.clear();
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_FAILING_HPP
