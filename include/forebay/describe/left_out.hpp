// SPDX-License-Identifier: MIT
//
// left_out.hpp: LeftOut, which counts the elements that stages leave out, and the passes of a mix.

#ifndef FOREBAY_DESCRIBE_LEFT_OUT_HPP
#define FOREBAY_DESCRIBE_LEFT_OUT_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/statistics.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// What the stages of one entry of the statistics leave out. A stage with threads has one for itself, and one for the
/// serial stages upstream; the loop has one for the stages that its thread runs. A stage counts in the one that it is
/// opened with, so each element is counted once.
///
/// Thread safety: any thread may call any member at any time.
class LeftOut {
 public:
  /// Counts an element that failed. Failures are rare, so each of them makes its text: what() is user code, and must
  /// not run under the lock.
  void add_failed(const std::exception_ptr& failure) {
    std::string text = text_of(failure);
    const Guard guard(mutex_);
    if (failed_++ == 0) first_failure_.swap(text);
  }

  /// Counts elements that did not fail.
  void add(std::uint64_t count) noexcept { left_out_.fetch_add(count, std::memory_order_relaxed); }

  /// Adds the inputs of a mix, whose passes are counted. Returns the place of the first one.
  [[nodiscard]] std::size_t add_inputs(std::size_t count) {
    const Guard guard(mutex_);
    passes_.resize(passes_.size() + count);
    return passes_.size() - count;
  }
  void add_pass(std::size_t place) noexcept {
    const Guard guard(mutex_);
    ++passes_[place];
  }

  /// Adds the counts to those of the entry.
  void add_to(StageStatistics& stage) const {
    const Guard guard(mutex_);
    stage.failed += failed_;
    stage.left_out += left_out_.load(std::memory_order_relaxed);
    if (failed_ > 0) stage.first_failure = first_failure_;
    stage.passes.insert(stage.passes.end(), passes_.begin(), passes_.end());
  }

 private:
  [[nodiscard]] static std::string text_of(const std::exception_ptr& failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& exception) {
      const std::string text = exception.what();
      constexpr std::string_view prefix = "forebay: ";
      return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
    } catch (...) {
      return "an exception of another type";
    }
  }

  StdSync::relaxed_atomic<std::uint64_t> left_out_{0};
  mutable Mutex<StdSync> mutex_;
  std::uint64_t failed_ FOREBAY_GUARDED_BY(mutex_) = 0;
  std::string first_failure_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<std::uint64_t> passes_ FOREBAY_GUARDED_BY(mutex_);
};

/// (std::make_shared would be more code to compile.)
[[nodiscard]] inline std::shared_ptr<LeftOut> make_left_out() {
  return std::shared_ptr<LeftOut>(new LeftOut());  // NOLINT(modernize-make-shared)
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_DESCRIBE_LEFT_OUT_HPP
