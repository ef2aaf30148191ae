// SPDX-License-Identifier: MIT
//
// stage_name.hpp: SourceLines, in which file and line an element was read; and StageName, what a stage is called in
// failures, which tells that of the element that it failed at.

#ifndef FOREBAY_DESCRIBE_STAGE_NAME_HPP
#define FOREBAY_DESCRIBE_STAGE_NAME_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/position.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The lines of text_lines in one run. Elements of one file have consecutive numbers and lines, so one entry for each
/// file is enough, and nothing is written for an element.
///
/// Thread safety: any thread may call any member at any time. Locked once for each file, and for each failure.
class SourceLines {
 public:
  /// The element `number` of `epoch` is the line `line`, counted from 1, of `file`, and so are those that follow. The
  /// oldest entries are given up when there are very many.
  void add(const Epoch& epoch, std::uint64_t number, const std::string& file, std::uint64_t line) {
    const Guard guard(mutex_);
    if (epoch.round != 0) ambiguous_ = true;
    if (ambiguous_) return files_.clear();
    files_.insert_or_assign({epoch.number, number}, Begin{file, line});
    if (files_.size() > most_files) files_.erase(files_.begin());
  }

  /// "file:line"; empty if it is not known.
  [[nodiscard]] std::string of(Position position) const {
    const Guard guard(mutex_);
    auto behind = files_.upper_bound({position.epoch, position.number});
    if (behind == files_.begin()) return {};
    const auto& [first, begin] = *--behind;
    if (first.first != position.epoch) return {};
    return begin.file + ':' + std::to_string(begin.line + (position.number - first.second));
  }

 private:
  struct Begin {
    std::string file;
    std::uint64_t line;
  };

  static constexpr std::size_t most_files = 1024;

  mutable Mutex<StdSync> mutex_;
  // By epoch and number.
  std::map<std::pair<std::uint64_t, std::uint64_t>, Begin> files_ FOREBAY_GUARDED_BY(mutex_);
  // Epochs of several rounds have the same numbers, and a Position does not tell which it is.
  bool ambiguous_ FOREBAY_GUARDED_BY(mutex_) = false;
};

class StageName {
 public:
  /// `lines` are those of the elements that the stage is given; null if they are not known.
  explicit StageName(std::string text, std::shared_ptr<const SourceLines> lines = nullptr) noexcept
      : text_(std::move(text)), lines_(std::move(lines)) {}

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  operator const std::string&() const noexcept { return text_; }  // NOLINT(google-explicit-constructor)

  /// Where the element that the stage is given at `position` was read. Empty if that is not known.
  [[nodiscard]] std::string location_of(Position position) const {
    return lines_ == nullptr ? std::string() : lines_->of(position);
  }

 private:
  std::string text_;
  std::shared_ptr<const SourceLines> lines_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_DESCRIBE_STAGE_NAME_HPP
