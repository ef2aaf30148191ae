// SPDX-License-Identifier: MIT
//
// stage_name.hpp: SourceLines, the files and lines from which elements were read, and StageName, the name of a stage in
// failures, which also locates the failed element.

#ifndef FOREBAY_DESCRIBE_STAGE_NAME_HPP
#define FOREBAY_DESCRIBE_STAGE_NAME_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/position.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The lines of text_lines in one run. Elements of one file have consecutive numbers and lines, so it stores one entry
/// for each file, and nothing for each element.
///
/// Thread safety: any thread may call any member at any time. The lock is taken once for each file and each failure.
class SourceLines {
 public:
  SourceLines() = default;
  SourceLines(const SourceLines&) = delete;
  SourceLines& operator=(const SourceLines&) = delete;
  virtual ~SourceLines() = default;

  /// Records that element `number` of `epoch` is line `line` of `file`, counted from 1, and that the following elements
  /// are the following lines. Drops the oldest entry if there are very many.
  void add(const Epoch& epoch, std::uint64_t number, const std::string& file, std::uint64_t line) {
    const Guard guard(mutex_);
    if (epoch.round != 0) ambiguous_ = true;
    if (ambiguous_) return files_.clear();
    files_.push_back({{epoch.number, number}, file, line});
    if (files_.size() > most_files) files_.erase(files_.begin());
  }

  /// Returns "file:line"; empty if unknown. Virtual so that only programs that read lines compile it.
  [[nodiscard]] virtual std::string of(Position position) const {
    const Guard guard(mutex_);
    const Begin* begin = nullptr;
    for (const Begin& each : files_) {
      const bool is_before = each.first.epoch == position.epoch && each.first.number <= position.number;
      if (is_before && (begin == nullptr || each.first.number >= begin->first.number)) begin = &each;
    }
    if (begin == nullptr) return {};
    return begin->file + ':' + std::to_string(begin->line + (position.number - begin->first.number));
  }

 private:
  struct Begin {
    Position first;
    std::string file;
    std::uint64_t line;
  };

  static constexpr std::size_t most_files = 1024;

  mutable Mutex<StdSync> mutex_;
  std::vector<Begin> files_ FOREBAY_GUARDED_BY(mutex_);  // the oldest first
  // Set by a nonzero round: epochs of different rounds share numbers, and a Position has no round.
  bool ambiguous_ FOREBAY_GUARDED_BY(mutex_) = false;
};

[[nodiscard]] inline std::shared_ptr<SourceLines> make_source_lines() { return std::make_shared<SourceLines>(); }

class StageName {
 public:
  /// `lines` are the lines of the input elements; null if unknown.
  explicit StageName(std::string text, std::shared_ptr<const SourceLines> lines = nullptr) noexcept
      : text_(std::move(text)), lines_(std::move(lines)) {}

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  operator const std::string&() const noexcept { return text_; }  // NOLINT(google-explicit-constructor)

  /// Returns where the input element at `position` was read; empty if unknown.
  [[nodiscard]] std::string location_of(Position position) const {
    return lines_ == nullptr ? std::string() : lines_->of(position);
  }

 private:
  std::string text_;
  std::shared_ptr<const SourceLines> lines_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_DESCRIBE_STAGE_NAME_HPP
