// SPDX-License-Identifier: MIT
//
// progress_text.hpp: ProgressText, the text of a progress line.

#ifndef FOREBAY_REPORT_PROGRESS_TEXT_HPP
#define FOREBAY_REPORT_PROGRESS_TEXT_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "forebay/report/table.hpp"
#include "forebay/report/text.hpp"
#include "forebay/report/verdict.hpp"
#include "forebay/statistics.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// What a progress line knows of a pipeline at one time.
struct ProgressMoment {
  std::uint64_t elements = 0;  // that the loop has used since the line began
  std::uint64_t outputs = 0;   // of the pipeline, such as batches, since then
  std::uint64_t epoch = 0;
  std::uint64_t outputs_of_epoch = 0;
  PipelineStatistics statistics{};
};

/// What the user says of the data; 0 if unknown.
struct ProgressGoal {
  std::uint64_t epochs = 0;
  std::uint64_t elements_per_epoch = 0;
};

/// Returns a number with three significant digits, or all before the point: "0.409", "-12.0", "1234", "1.50e-05".
[[nodiscard]] inline std::string three_digits(double number) {
  constexpr double most = 1e9;
  if (std::isnan(number)) return "nan";  // without its sign
  std::ostringstream text;
  text.imbue(std::locale::classic());
  if (std::abs(number) >= 100 && std::abs(number) < most) {
    text << std::fixed << std::setprecision(0) << number;
  } else {
    text << std::showpoint << std::setprecision(3) << number;
  }
  std::string digits = text.str();
  if (digits.ends_with('.')) digits.pop_back();
  return digits;
}

/// Returns how many columns a text in UTF-8 takes, if each character takes one.
[[nodiscard]] inline std::size_t columns_of(std::string_view text) noexcept {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](unsigned char byte) { return (byte & 0xC0U) != 0x80U; }));
}

/// Formats the progress at `now`. The speed and the limit are those of the time since `before`.
class ProgressText {
 public:
  ProgressText(const ProgressGoal& goal, const ProgressMoment& before, const ProgressMoment& now)
      : goal_(goal),
        now_(now),
        lately_(now.statistics.since(before.statistics)),
        rate_(seconds(lately_.time) > 0 ? static_cast<double>(now.elements - before.elements) / seconds(lately_.time)
                                        : 0),
        share_(share()) {}

  /// Returns as many parts as fit in `columns`.
  [[nodiscard]] std::string line(const std::string& values, const std::string& unit, std::size_t columns) const {
    const bool is_measured = lately_.time >= least_time;
    return fitting({epoch(), in_one_line(values), amount(unit), is_measured ? speed(unit) : "",
                    is_measured ? time_left() : "", limit()},
                   columns);
  }

  /// Returns the same with the time that it took.
  [[nodiscard]] std::string last_line(const std::string& values, const std::string& unit, std::size_t columns) const {
    const std::string time = "in " + clock(seconds(lately_.time));
    return fitting({epoch(), in_one_line(values), amount(unit), speed(unit), time, limit()}, columns);
  }

 private:
  static constexpr std::chrono::milliseconds least_time{100};  // of a measurement

  /// The parts of a line, the third of which is the amount. Empty ones are left out.
  using Parts = std::array<std::string, 6>;

  /// Joins the parts that fit, with the bar behind the amount if everything fits: it says the same as the share.
  [[nodiscard]] std::string fitting(const Parts& parts, std::size_t columns) const {
    Parts with_bar = parts;
    with_bar[2] += bar();
    const std::string all = joined(with_bar, std::numeric_limits<std::size_t>::max());
    return columns_of(all) <= columns ? all : joined(parts, columns);
  }

  static std::string joined(const Parts& parts, std::size_t columns) {
    std::string line;
    for (const std::string& part : parts) {
      if (part.empty()) continue;
      const std::string text = line.empty() ? part : "  " + part;
      if (columns_of(line) + columns_of(text) > columns) break;
      line += text;
    }
    return line;
  }

  /// The position is that of an epoch of which no output was taken: the epoch before it is complete.
  [[nodiscard]] bool is_between_epochs() const noexcept { return now_.outputs_of_epoch == 0; }

  [[nodiscard]] std::string epoch() const {
    const std::uint64_t epoch = std::max<std::uint64_t>(now_.epoch + (is_between_epochs() ? 0 : 1), 1);
    const std::string number = std::to_string(epoch);
    if (goal_.epochs < epoch) return "epoch " + number;  // unknown, or wrong
    const std::string all = std::to_string(goal_.epochs);
    return "epoch " + right_aligned(number, all.size()) + "/" + all;
  }

  /// Returns the share of all epochs if their number is known, otherwise the share of the epoch.
  [[nodiscard]] std::optional<double> share() const {
    if (goal_.elements_per_epoch == 0) return std::nullopt;
    if (is_between_epochs() && goal_.epochs == 0) return now_.epoch > 0 ? 1 : 0;
    const double of_epoch = std::clamp(elements_of_epoch() / static_cast<double>(goal_.elements_per_epoch), 0.0, 1.0);
    if (goal_.epochs == 0) return of_epoch;
    return std::min((static_cast<double>(now_.epoch) + of_epoch) / static_cast<double>(goal_.epochs), 1.0);
  }

  /// An estimate: outputs, such as batches, have as many elements as they had on average. After a resume, it includes
  /// the elements that the interrupted run has taken.
  [[nodiscard]] double elements_of_epoch() const {
    if (now_.outputs == 0) return 0;
    return static_cast<double>(now_.elements) / static_cast<double>(now_.outputs) *
           static_cast<double>(now_.outputs_of_epoch);
  }

  [[nodiscard]] std::string amount(const std::string& unit) const {
    return share_ ? right_aligned(percent(*share_), 5) : std::to_string(now_.elements) + " " + in_one_line(unit);
  }

  [[nodiscard]] std::string bar() const {
    constexpr std::size_t width = 10;
    if (!share_) return {};
    const auto filled = static_cast<std::size_t>(std::lround(*share_ * width));
    return "  [" + std::string(filled, '#') + std::string(width - filled, '.') + "]";
  }

  /// Returns the time left of all epochs if their number is known, otherwise of the epoch.
  [[nodiscard]] std::string time_left() const {
    if (!share_ || !(rate_ > 0)) return {};
    const double epochs = goal_.epochs == 0 ? 1 : static_cast<double>(goal_.epochs);
    return clock((1 - *share_) * epochs * static_cast<double>(goal_.elements_per_epoch) / rate_) + " left";
  }

  [[nodiscard]] std::string limit() const {
    const StageStatistics* const limits = Verdict(lately_).limiting();
    if (limits == nullptr || lately_.loop.elements == 0) return {};
    if (limits->threads == 0) return "the stages limit";  // all of them, in the thread of the loop
    return (limits == &lately_.loop ? "the loop" : in_one_line(limits->name)) + " limits";
  }

  [[nodiscard]] std::string speed(const std::string& unit) const {
    constexpr double most = 1e11;  // for decimal()
    return right_aligned(rate_text(std::min(rate_, most)), 7) + " " + in_one_line(unit) + "/s";
  }

  /// Returns "1:05" or "12:01:05".
  static std::string clock(double seconds) {
    constexpr double longest = 1e9;
    const auto whole = static_cast<std::uint64_t>(std::llround(std::min(seconds, longest)));
    const auto two_digits = [](std::uint64_t part) {
      const std::string text = std::to_string(part);
      return text.size() < 2 ? "0" + text : text;
    };
    const std::string minutes = two_digits(whole / 60 % 60) + ":" + two_digits(whole % 60);
    if (whole >= 3600) return std::to_string(whole / 3600) + ":" + minutes;
    return minutes.front() == '0' ? minutes.substr(1) : minutes;
  }

  const ProgressGoal goal_;
  const ProgressMoment& now_;
  const PipelineStatistics lately_;
  const double rate_;
  const std::optional<double> share_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_REPORT_PROGRESS_TEXT_HPP
