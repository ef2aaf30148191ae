// SPDX-License-Identifier: MIT
//
// errors.hpp: converts exceptions of user code to DatasetErrors, and skips failures.

#ifndef FOREBAY_FLOW_ERRORS_HPP
#define FOREBAY_FLOW_ERRORS_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/dataset_error.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/describe/left_out.hpp"
#include "forebay/describe/stage_name.hpp"
#include "forebay/flow/chunk.hpp"
#include "forebay/position.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Throws the exception that is being handled as a DatasetError. Leaves a DatasetError of an inner data set unchanged.
[[noreturn]] inline void throw_as_dataset_error(const std::string& stage, Position position,
                                                const std::string& location = {}) {
  try {
    throw;
  } catch (const DatasetError&) {
    throw;
  } catch (...) {
    throw DatasetError(stage, position, location);
  }
}

/// Does the same for a stage that failed at its input element at `position`.
[[noreturn]] inline void throw_as_dataset_error(const StageName& stage, Position position) {
  throw_as_dataset_error(stage.text(), position, stage.location_of(position));
}

/// Returns `failure` as a DatasetError; see throw_as_dataset_error(). Throws std::bad_alloc if there is no memory for
/// one.
template <class Stage, class... Location>
[[nodiscard]] std::exception_ptr as_dataset_error(const std::exception_ptr& failure, const Stage& stage,
                                                  Position position, const Location&... location) {
  try {
    try {
      std::rethrow_exception(failure);
    } catch (...) {
      throw_as_dataset_error(stage, position, location...);
    }
  } catch (const DatasetError&) {
    return std::current_exception();
  }
}

/// An exception of user code, and where a reader was, if known. Only such failures may be skipped. Any other failure,
/// such as no memory for a chunk, is the library's own and ends the run.
struct UserFailure {
  std::exception_ptr cause;
  std::string location{};
};

/// The exceptions by which a reader reports a failure of its data, and whether a failure, or the second one in a row,
/// ends the input. For a user's reader this is any exception, and reading continues with the next element.
template <class Reader>
struct FailureOf {
  using type = void;
  static constexpr bool is_end = false;
  static constexpr bool goes_on = false;  // a reader that fails for ever must not hang
};

/// Returns the result of `call`, which calls only user code. Throws a UserFailure if `call` throws anything or, if
/// Failure is given, only if it throws a Failure.
template <class Failure = void, class Call>
decltype(auto) call_user(const Call& call) {
  if constexpr (std::is_void_v<Failure>) {
    try {
      return call();
    } catch (...) {
      throw UserFailure{std::current_exception()};
    }
  } else {
    try {
      return call();
    } catch (const Failure&) {
      throw UserFailure{std::current_exception()};
    }
  }
}

/// Calls user code whose failures are not skipped. Throws them as DatasetErrors.
template <class Name, class Call>
decltype(auto) call_user(const Name& stage, Position position, const Call& call) {
  try {
    return call();
  } catch (...) {
    throw_as_dataset_error(stage, position);
  }
}

/// Decides what happens to elements that cannot be read.
class ReadFailures {
 public:
  virtual ~ReadFailures() = default;

  /// Handles the failure of user code for the element `number` of `epoch`, or throws it.
  virtual void skip(const Epoch& epoch, std::uint64_t number, const UserFailure& failure) = 0;

 protected:
  ReadFailures() = default;
  ReadFailures(const ReadFailures&) = default;
  ReadFailures& operator=(const ReadFailures&) = default;
};

/// Counts the elements that a stage skips in each epoch.
class SkipCount final : public ReadFailures {
 public:
  /// `left_out` also counts the elements, for the statistics, unless it is null.
  SkipCount(OnError on_error, std::string stage, std::shared_ptr<LeftOut> left_out = nullptr) noexcept
      : on_error_(std::move(on_error)), stage_(std::move(stage)), left_out_(std::move(left_out)) {}

  /// Counts the failure of the element `number` of `epoch`, and passes it to the function of redirect(), if any.
  /// Throws, as a DatasetError, a failure that may not be skipped, and any exception of that function.
  void skip(const Epoch& epoch, std::uint64_t number, const UserFailure& failure) override {
    const Position position{epoch.number, number};
    const std::exception_ptr error = as_dataset_error(failure.cause, stage_, position, failure.location);
    if (!may_skip(epoch)) std::rethrow_exception(error);
    hand_over(position, error);
    if (left_out_ != nullptr) left_out_->add_failed(error);
  }

  /// Returns whether any failures are skipped.
  [[nodiscard]] bool skips() const noexcept { return on_error_.limit().has_value(); }

  [[nodiscard]] const std::string& stage() const noexcept { return stage_; }

  /// Saves the number of failures in `epoch`, except the `without` last ones.
  void save(Snapshot& to, const Epoch& epoch, std::size_t without = 0) const {
    to.add(epoch == epoch_ ? count_ - smaller(count_, without) : 0);
  }
  void restore(SnapshotReader& from, const Epoch& epoch) {
    epoch_ = epoch;
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
  std::shared_ptr<LeftOut> left_out_;
  Epoch epoch_;
  std::size_t count_ = 0;
};

/// Counts the failures of a chunk, in order, and calls `note(skipped)` before each. At the first one beyond the limit,
/// truncates the chunk before it and throws it.
template <class Note>
void count_skipped(AnyChunk& chunk, SkipCount& count, Note note) {
  for (const Skipped& skipped : chunk.skipped) {
    note(skipped);
    try {
      count.skip(chunk.epoch, skipped.position.number, {skipped.failure, skipped.location});
    } catch (...) {
      chunk.truncate(skipped.before);
      chunk.skipped.clear();
      throw;
    }
  }
  chunk.skipped.clear();
}

inline void count_skipped(AnyChunk& chunk, SkipCount& count) {
  count_skipped(chunk, count, [](const Skipped&) {});
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FLOW_ERRORS_HPP
