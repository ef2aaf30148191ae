// SPDX-License-Identifier: MIT

/// @file
/// Defines ProgressLine, which shows the progress of a loop over a pipeline: its speed, what is left, and what limits.
///
/// @code
/// auto batches = images.repeat(20).batch(32).run();
/// forebay::ProgressLine progress(std::cerr, batches,
///                                {.redraw = true, .epochs = 20, .elements_per_epoch = 60'000, .unit = "images"});
/// for (auto& batch : batches) {
///   const float loss = train(batch);
///   progress.add(batch.size(), {{"loss", loss}});
/// }
/// @endcode
/// @code{.unparsed}
/// epoch  3/20  loss 0.409   12 %   25120 images/s  0:42 left  the loop limits
/// @endcode
///
/// No other header includes this one.
///
/// When to use: in programs that people watch. For logs of machines, use Pipeline::write_metrics(); to find out why a
/// pipeline is slow, Pipeline::report().
///
/// Lifetime: the stream and the pipeline have to outlive the line.
///
/// Thread safety: one thread at a time may use a line, as the steps of Pipeline::for_each do. Other threads may use the
/// pipeline meanwhile.

#ifndef FOREBAY_PROGRESS_LINE_HPP
#define FOREBAY_PROGRESS_LINE_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/reject.hpp"
#include "forebay/count.hpp"
#include "forebay/pipeline.hpp"
#include "forebay/position.hpp"
#include "forebay/report/progress_text.hpp"
#include "forebay/statistics.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Says how a ProgressLine is written, and how much there is to do.
struct ProgressLineOptions {
  /// Rewrites one line, by a carriage return: for terminals. Otherwise each text is a line: for files and logs.
  bool redraw = false;
  /// Sets the width of a line that is redrawn. The line leaves three columns free, in which a terminal may show "^C".
  Count columns = 80;
  /// Sets the number of epochs of the run; 0 if it is unknown or unlimited.
  Count epochs = 0;
  /// Sets what add() counts in an epoch; 0 if it is unknown. Then neither a share nor the time left is shown.
  ///
  /// In a line that begins in the middle of an epoch, the share is an estimate from the size of the later outputs.
  Count elements_per_epoch = 0;
  /// Names what add() counts, in the plural.
  std::string unit = "elements";
  /// Sets the least time between two texts. By default, it is 100 ms for a line that is redrawn, otherwise 5 s.
  std::optional<std::chrono::milliseconds> interval{};
};

/// A number that a ProgressLine shows, such as a loss.
struct ProgressValue {
  /// Stands before the number.
  std::string name;
  /// Is shown with three significant digits, or all digits before the point if there are more.
  double value = 0;
};

/// Writes the progress of a loop to a stream.
///
/// The text has these parts, as far as they are known: the epoch; your values; the share of all epochs, or of this one
/// if their number is unknown, with a bar; the elements a second; the time left of the same; the stage that limits. The
/// speed and the limit are those of the last five seconds. If a line that is redrawn has too little room, the bar is
/// left out first, then the last parts.
///
/// The first add() writes a text, and so does the destructor after it: with the speed and the limit since the line was
/// created, and that time. A loop that calls add() no more writes nothing: to notice that, use a ProgressWatch.
class ProgressLine {
 public:
  /// Shows the progress of the loop over `pipeline` from now on. Writes nothing yet.
  ///
  /// Throws std::invalid_argument if an option is negative.
  template <class T>
  ProgressLine(std::ostream& out, const Pipeline<T>& pipeline, const ProgressLineOptions& options = {})
      : ProgressLine(
            out, [&pipeline] { return std::pair(pipeline.position(), pipeline.statistics()); }, options) {}

  /// @cond
  template <class T>
  ProgressLine(std::ostream&, const Pipeline<T>&&,
               const ProgressLineOptions& = {}) = delete;  // forebay: the pipeline would be gone: give it a name
  /// @endcond

  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Writes the last text and ends the line. Ignores exceptions, such as those of the stream.
  ~ProgressLine() {
    if (!written_at_) return;
    try {
      const detail::ProgressMoment now = moment();
      shown_ += 2;  // overwrites "^C", too
      write(detail::ProgressText(goal_, start_, now).last_line(text_of_values(), unit_, room()));
      if (redraw_) out_ << std::endl;
    } catch (...) {
      return;
    }
  }

  /// Records that the loop has used `elements` more elements, and writes a text if one is due.
  ///
  /// Takes about 50 ns, and about 0.1 ms if it writes. Writes nothing to a stream that has failed. Throws what the
  /// stream throws.
  void add(std::uint64_t elements) {
    elements_ += elements;
    if (out_ && is_due()) write();
  }

  /// Records the same, and from then on shows `values` in place of the earlier ones.
  void add(std::uint64_t elements, std::initializer_list<ProgressValue> values) {
    values_ = values;
    add(elements);
  }

  /// Sets the width, such as after the window of a terminal was resized.
  void set_columns(Count columns) { columns_ = columns.at_least(0, "ProgressLine: columns"); }

 private:
  using Clock = std::chrono::steady_clock;
  using Seen = std::pair<Position, PipelineStatistics>;

  ProgressLine(std::ostream& out, std::function<Seen()> look, const ProgressLineOptions& options)
      : out_(out),
        look_(std::move(look)),
        redraw_(options.redraw),
        columns_(options.columns.at_least(0, "ProgressLine: columns")),
        goal_{options.epochs.at_least(0, "ProgressLine: epochs"),
              options.elements_per_epoch.at_least(0, "ProgressLine: elements_per_epoch")},
        unit_(options.unit),
        interval_(options.interval.value_or(std::chrono::milliseconds(redraw_ ? 100 : 5000))) {
    if (interval_.count() < 0) {
      detail::reject({"ProgressLine: interval must be at least 0 ms, not ", interval_.count(), " ms"});
    }
    start_ = moment();
    recent_.push_back(start_);
  }

  [[nodiscard]] detail::ProgressMoment moment() const {
    auto [position, statistics] = look_();
    const std::uint64_t outputs = statistics.loop.elements - start_.statistics.loop.elements;
    return {elements_, outputs, position.epoch, position.number, std::move(statistics)};
  }

  [[nodiscard]] bool is_due() const {
    using Seconds = std::chrono::duration<double>;  // does not overflow
    return !written_at_ || Seconds(Clock::now() - *written_at_) >= Seconds(interval_);
  }

  void write() {
    const detail::ProgressMoment now = moment();
    write(detail::ProgressText(goal_, recent_.front(), now).line(text_of_values(), unit_, room()));
    if (now.statistics.time - recent_.back().statistics.time < std::chrono::seconds(1)) return;
    recent_.push_back(now);
    constexpr std::chrono::seconds most(5);
    while (now.statistics.time - recent_[1].statistics.time >= most) recent_.pop_front();
  }

  [[nodiscard]] std::string text_of_values() const {
    std::string text;
    for (const ProgressValue& value : values_) {
      text += (text.empty() ? "" : "  ") + value.name + " " + detail::three_digits(value.value);
    }
    return text;
  }

  [[nodiscard]] std::size_t room() const {
    constexpr std::size_t reserve = 3;
    return redraw_ ? std::max(columns_, reserve) - reserve : std::numeric_limits<std::size_t>::max();
  }

  /// Writes the text in one piece, so that other threads may write to std::cout.
  void write(const std::string& line) {
    written_at_ = Clock::now();
    std::string text = redraw_ ? '\r' + line : line + '\n';
    const std::size_t shown = detail::columns_of(line);
    const std::size_t covered = std::min(shown_, std::max<std::size_t>(columns_, 1) - 1);
    if (redraw_ && covered > shown) text.append(covered - shown, ' ');  // overwrites the last text
    shown_ = std::max(shown, covered);                                  // where the cursor is
    out_.write(text.data(), static_cast<std::streamsize>(text.size())).flush();
  }

  std::ostream& out_;
  const std::function<Seen()> look_;
  const bool redraw_;
  std::size_t columns_;
  const detail::ProgressGoal goal_;
  const std::string unit_;
  const std::chrono::milliseconds interval_;

  std::uint64_t elements_ = 0;
  std::vector<ProgressValue> values_;
  std::size_t shown_ = 0;  // columns of the last text, with the spaces behind it
  std::optional<Clock::time_point> written_at_;
  detail::ProgressMoment start_;
  std::deque<detail::ProgressMoment> recent_;  // of the last seconds, at least one
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_PROGRESS_LINE_HPP
