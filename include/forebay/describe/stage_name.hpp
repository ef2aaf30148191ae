// SPDX-License-Identifier: MIT
//
// stage_name.hpp: Locations, which tells where elements come from, and StageName, the name of a stage in failures,
// which also locates the failed element.

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

/// Where elements come from, by their positions. Any thread may call of() at any time.
class Locations {
 public:
  Locations() = default;
  Locations(const Locations&) = delete;
  Locations& operator=(const Locations&) = delete;
  virtual ~Locations() = default;

  /// Returns the location of the element at `position`, such as "prices.csv:205"; empty if unknown.
  [[nodiscard]] virtual std::string of(Position position) const = 0;
};

/// The lines that text_lines or csv_rows has read in one run. Most elements have consecutive numbers and lines, so it
/// stores one entry for each sequence of them, and nothing for each element.
///
/// Thread safety: any thread may call any member at any time. The lock is taken once for each entry and each failure.
class SourceLines final : public Locations {
 public:
  /// Records that element `number` of `epoch` is line `line` of `file`, counted from 1, and that the following elements
  /// are the following lines. Drops the oldest entries if there are very many.
  void add(const Epoch& epoch, std::uint64_t number, const std::string& file, std::uint64_t line) {
    const Guard guard(mutex_);
    if (epoch.round != 0) ambiguous_ = true;
    if (ambiguous_) return sequences_.clear();
    if (sequences_.size() == most_sequences) {
      sequences_.erase(sequences_.begin(), sequences_.begin() + most_sequences / 2);
    }
    sequences_.push_back({{epoch.number, number}, file, line});
  }

  [[nodiscard]] std::string of(Position position) const override {
    const Guard guard(mutex_);
    const Begin* begin = nullptr;
    for (const Begin& each : sequences_) {
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

  static constexpr std::ptrdiff_t most_sequences = 2048;

  mutable Mutex<StdSync> mutex_;
  std::vector<Begin> sequences_ FOREBAY_GUARDED_BY(mutex_);  // the oldest first
  // Set by a nonzero round: epochs of different rounds share numbers, and a Position has no round.
  bool ambiguous_ FOREBAY_GUARDED_BY(mutex_) = false;
};

[[nodiscard]] inline std::shared_ptr<SourceLines> make_source_lines() { return std::make_shared<SourceLines>(); }

class StageName {
 public:
  /// `locations` are those of the input elements; null if unknown.
  explicit StageName(std::string text, std::shared_ptr<const Locations> locations = nullptr) noexcept
      : text_(std::move(text)), locations_(std::move(locations)) {}

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  operator const std::string&() const noexcept { return text_; }  // NOLINT(google-explicit-constructor)

  /// Returns the location of the input element at `position`; empty if unknown.
  [[nodiscard]] std::string location_of(Position position) const {
    if (locations_ == nullptr) return {};
    try {
      return locations_->of(position);
    } catch (...) {  // the failure that has this location matters more
      return {};
    }
  }

 private:
  std::string text_;
  std::shared_ptr<const Locations> locations_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_DESCRIBE_STAGE_NAME_HPP
