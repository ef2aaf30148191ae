// SPDX-License-Identifier: MIT
//
// Shows the progress of the training in one line.

#ifndef FOREBAY_EXAMPLES_PROGRESS_LINE_HPP
#define FOREBAY_EXAMPLES_PROGRESS_LINE_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <iomanip>
#include <ostream>
#include <span>
#include <sstream>
#include <string>

#include "terminal.hpp"

/// In a terminal, the line is rewritten at most ten times a second; elsewhere there is one line an epoch. It always
/// fits in a line of the terminal, because a carriage return cannot return to the beginning of a wrapped line.
class ProgressLine {
 public:
  ProgressLine(std::ostream& out, const Terminal& terminal, std::size_t epochs, std::size_t images_per_epoch)
      : out_(out), terminal_(terminal), epochs_(epochs), images_per_epoch_(images_per_epoch) {}

  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Moves the cursor to a new line, also after an error.
  ~ProgressLine() {
    if (line_open_) out_ << std::endl;
  }

  /// Records one batch: its number of images, and their mean loss. No batch has images of two epochs.
  void add_batch(std::size_t images, float loss) {
    images_ += images;
    loss_ += static_cast<double>(loss) * static_cast<double>(images);
    const bool epoch_complete = images_ == images_per_epoch_;
    if (epoch_complete || (terminal_.live && Clock::now() - shown_at_ > std::chrono::milliseconds(100))) show();
    if (epoch_complete) start_next_epoch();
  }

 private:
  using Clock = std::chrono::steady_clock;

  void show() {
    shown_at_ = Clock::now();
    const double seconds = std::chrono::duration<double>(shown_at_ - started_at_).count();
    const auto count = static_cast<double>(images_);
    const double epochs = static_cast<double>(epoch_ - 1) + count / static_cast<double>(images_per_epoch_);
    const double share = epochs / static_cast<double>(epochs_);  // of the training

    std::array<std::ostringstream, 5> parts;  // the most important first; parts that do not fit are omitted
    for (std::ostringstream& part : parts) part << std::fixed << std::setprecision(0);
    parts[0] << "epoch " << std::setw(3) << epoch_ << '/' << epochs_;
    parts[1] << "  loss " << std::setprecision(3) << loss_ / count;
    parts[2] << "  " << std::setw(3) << 100 * share << " %";
    parts[3] << " [" << bar(share) << ']';
    parts[4] << "  " << std::setw(7) << (seconds > 0 ? count / seconds : 0.0) << " images/s";
    show(parts);
  }

  void show(std::span<const std::ostringstream> parts) {
    constexpr std::size_t reserve = 3;  // for the terminal's ^C; some terminals wrap at the last column
    const std::size_t room = std::max(terminal_.columns(), reserve) - reserve;
    std::string line;
    for (const std::ostringstream& part : parts) {
      const std::string text = part.str();
      if (line.size() + text.size() > room) break;
      line += text;
    }
    if (!terminal_.live) {
      print(out_, line + '\n');
      return;
    }
    const std::size_t length = line.size();
    line.resize(std::max(length, std::min(shown_length_, room)), ' ');  // overwrites the previous line
    shown_length_ = length;
    line_open_ = true;
    print(out_, '\r' + line);
  }

  void start_next_epoch() {
    ++epoch_;
    images_ = 0;
    loss_ = 0;
    started_at_ = shown_at_;
  }

  static std::string bar(double share) {
    constexpr std::size_t width = 10;
    const auto filled = static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * width));
    return std::string(filled, '#') + std::string(width - filled, '.');
  }

  std::ostream& out_;
  const Terminal terminal_;
  const std::size_t epochs_;
  const std::size_t images_per_epoch_;
  bool line_open_ = false;
  std::size_t shown_length_ = 0;
  std::size_t epoch_ = 1;
  std::size_t images_ = 0;  // of this epoch
  double loss_ = 0;         // sum over them
  Clock::time_point started_at_ = Clock::now();
  Clock::time_point shown_at_ = started_at_;
};

#endif  // FOREBAY_EXAMPLES_PROGRESS_LINE_HPP
