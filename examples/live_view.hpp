// SPDX-License-Identifier: MIT
//
// Shows which stage limits a pipeline while it runs. To use it in your own programs, copy this file and terminal.hpp:
//
//   auto batches = dataset.run();
//   const LiveView view(std::cout, Terminal::of_standard_output(), [&] { return batches.statistics(); });
//   for (auto& batch : batches) train(batch);
//
//     stage        threads        per second  # working  . starved  : blocked
//     before map    serial    25120 elements  ########:::::::::::::::::::::::::::
//   > map                2    25120 elements  ##################################.
//     loop               1      785 batches   ##############.....................
//   map limits: its 2 threads work 97 % of the time. One more would make it 1.55
//   times as fast. At 2.50 times as fast, the loop would limit.
//
// In a terminal, the view appears below the line of the cursor. It covers the last second, and is updated four times a
// second. The cursor stays where it was, so print() can meanwhile rewrite a line. The terminal needs no cleanup,
// however the program ends. Elsewhere the view prints a line after one second, two, four, up to a minute. In both cases
// it prints the totals of the run at the end, from the cursor on.

#ifndef FOREBAY_EXAMPLES_LIVE_VIEW_HPP
#define FOREBAY_EXAMPLES_LIVE_VIEW_HPP

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <forebay/coordinator.hpp>
#include <forebay/statistics.hpp>
#include <forebay/report.hpp>

#include "terminal.hpp"

class LiveView {
 public:
  using Statistics = forebay::PipelineStatistics;

  /// Starts a thread that calls `statistics` until the view is destroyed. The pipeline has to outlive the view.
  LiveView(std::ostream& out, const Terminal& terminal, std::function<Statistics()> statistics)
      : out_(out), terminal_(terminal), statistics_(std::move(statistics)) {
    coordinator_.launch("live view", [this] { terminal_.escapes ? show() : tell(); });
  }

  ~LiveView() {
    coordinator_.request_stop();
    try {
      coordinator_.join();
      std::string text = terminal_.escapes ? erase_below : "";
      for (const std::string& line : lines_of(statistics_())) text += line + '\n';
      print(out_, text);
    } catch (const std::exception&) {
      return;  // the output is closed; the program's own output reports that
    }
  }

 private:
  using Stage = forebay::StageStatistics;

  // Escape sequences of the VT100, which the Linux console understands, too.
  static inline const std::string erase_below = "\033[J";  // and to the right of the cursor
  static inline const std::string one_down = "\033D";      // in the same column; the last line scrolls
  static inline const std::string remember = "\0337";      // where the cursor is
  static inline const std::string go_back = "\0338";       // to there

  /// The widths of the parts of a line. Parts that do not fit are omitted.
  struct Widths {
    Widths(const std::vector<Stage>& stages, std::size_t columns) {
      for (const Stage& stage : stages) name = std::max(name, stage.name.size());
      name = std::min(name, std::max<std::size_t>(columns / 4, 8));
      if (columns >= 60) threads = 9;
      if (columns >= 45) rate = 18;
      const std::size_t others = 2 + name + threads + rate + 2;
      bar = std::min<std::size_t>(columns - std::min(columns, others), 40);
    }

    std::size_t name = 5;  // "stage"
    std::size_t threads = 0;
    std::size_t rate = 0;
    std::size_t bar;
  };

  void show() {
    constexpr std::size_t shown = 4;  // updates a second
    std::deque<Statistics> seen{statistics_()};
    while (!coordinator_.wait_for_stop(std::chrono::milliseconds(250))) {
      seen.push_back(statistics_());
      if (seen.size() > shown + 1) seen.pop_front();
      draw(lines_of(seen.back().since(seen.front())));
    }
  }

  void tell() {
    Statistics before = statistics_();
    std::chrono::seconds pause{1};
    while (!coordinator_.wait_for_stop(pause)) {
      Statistics now = statistics_();
      print(out_, forebay::verdict(now.since(before)) + '\n');
      before = std::move(now);
      pause = std::min(2 * pause, std::chrono::seconds(60));
    }
  }

  void draw(std::vector<std::string> lines) {
    lines.resize(std::min(lines.size(), std::max<std::size_t>(terminal_.rows(), 1) - 1));
    if (lines.empty()) return;
    std::string text = erase_below;
    for (std::size_t i = 0; i < lines.size(); ++i) text += one_down;  // makes room
    text += "\033[" + std::to_string(lines.size()) + 'A' + remember;
    for (const std::string& line : lines) text += "\r\n" + line;
    print(out_, text + go_back);
  }

  [[nodiscard]] std::vector<std::string> lines_of(const Statistics& statistics) const {
    const Stage* const limiting = forebay::limiting_stage(statistics);
    const double seconds = std::chrono::duration<double>(statistics.time).count();
    // Some terminals wrap at the last column.
    const std::size_t columns = std::clamp<std::size_t>(terminal_.columns(), 1, 100) - 1;
    const Widths widths(statistics.stages, columns);
    const std::string title = begin("  ", "stage", "threads", "per second", widths);
    std::vector<std::string> lines{cut(title + "# working  . starved  : blocked", columns)};
    const auto add_row = [&](const Stage& stage) {
      std::ostringstream rate;
      const double value = seconds > 0 ? static_cast<double>(stage.elements) / seconds : 0;
      rate << std::fixed << std::setprecision(value < 100 ? 1 : 0) << value << ' ' << std::left << std::setw(8)
           << stage.unit;
      const std::string threads = stage.is_serial ? "serial" : std::to_string(stage.threads);
      const std::string row = begin(&stage == limiting ? "> " : "  ", stage.name, threads, rate.str(), widths);
      lines.push_back(cut(row, columns) + bar(stage, widths.bar));
    };
    for (const Stage& stage : statistics.stages) add_row(stage);
    add_row(statistics.loop);
    for (std::string& line : wrapped(forebay::verdict(statistics), columns)) lines.push_back(std::move(line));
    return lines;
  }

  static std::string begin(const char* mark, const std::string& name, const std::string& threads,
                           const std::string& rate, const Widths& widths) {
    std::string cell = cut(name, widths.name);
    cell.resize(widths.name, ' ');
    std::ostringstream line;
    line << mark << cell;
    if (widths.threads > 0) line << std::setw(static_cast<int>(widths.threads)) << threads;
    if (widths.rate > 0) line << std::setw(static_cast<int>(widths.rate)) << rate;
    return line.str() + "  ";
  }

  [[nodiscard]] std::string bar(const Stage& stage, std::size_t width) const {
    const double all = std::chrono::duration<double>(stage.working + stage.starved + stage.blocked).count();
    const auto part = [&](std::chrono::nanoseconds time) {
      const double share = all > 0 ? std::chrono::duration<double>(time).count() / all : 0;
      return static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(width)));
    };
    const std::size_t working = part(stage.working);
    const std::size_t starved = std::min(part(stage.starved), width - working);
    const std::size_t blocked = all > 0 ? width - working - starved : 0;
    return coloured("32", std::string(working, '#')) + coloured("2", std::string(starved, '.')) +
           coloured("33", std::string(blocked, ':'));
  }

  [[nodiscard]] std::string coloured(const char* colour, const std::string& text) const {
    return terminal_.colour && !text.empty() ? "\033[" + std::string(colour) + "m" + text + "\033[m" : text;
  }

  /// Returns at most that many bytes, so no more columns, without control characters.
  static std::string cut(std::string text, std::size_t width) {
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 0x7F; }, ' ');
    while (text.size() > width) {
      while ((static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U && text.size() > 1) text.pop_back();
      text.pop_back();
    }
    return text;
  }

  static std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
    std::vector<std::string> lines(1);
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
      lines.back() = cut(lines.back().empty() ? word : lines.back() + ' ' + word, width);
    }
    return lines;
  }

  std::ostream& out_;
  const Terminal terminal_;
  const std::function<Statistics()> statistics_;
  forebay::Coordinator coordinator_;
};

#endif  // FOREBAY_EXAMPLES_LIVE_VIEW_HPP
