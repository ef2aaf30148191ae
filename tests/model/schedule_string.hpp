// SPDX-License-Identifier: MIT
//
// schedule_string.hpp: schedules as text, to keep and replay. "a12 b.1 c3" lets thread a make twelve steps, thread b
// one in its second way, and thread c three. Ways: .s wakes up spuriously, .t wakes up because its time is over. At "~"
// time passes.

#ifndef FOREBAY_TESTS_MODEL_SCHEDULE_STRING_HPP
#define FOREBAY_TESTS_MODEL_SCHEDULE_STRING_HPP

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tests/model/strategy.hpp"
#include "tests/model/transition.hpp"

namespace forebay_model {

[[nodiscard]] inline std::string to_string(const Schedule& schedule) {
  std::string text;
  for (std::size_t i = 0; i < schedule.size();) {
    const Transition transition = schedule[i];
    std::size_t count = 0;
    for (; i < schedule.size() && schedule[i] == transition; ++i) ++count;
    if (!text.empty()) text += ' ';
    text += transition.thread == clock_thread ? '~' : static_cast<char>('a' + transition.thread);
    if (transition.way == spuriously) text += ".s";
    if (transition.way == timed_out) text += ".t";
    if (transition.way > 0 && transition.way < spuriously) text += "." + std::to_string(transition.way) + "x";
    if (count > 1) text += std::to_string(count);
  }
  return text;
}

/// Parses a schedule. Throws std::invalid_argument if the text is not one.
[[nodiscard]] inline Schedule schedule_from(std::string_view text) {
  Schedule schedule;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    std::istringstream rest(word);
    const auto wrong = [&word] { return std::invalid_argument("not a step of a schedule: " + word); };
    Transition transition;
    const int thread = rest.get();
    if (thread != '~' && (thread < 'a' || thread >= 'a' + static_cast<int>(most_threads))) throw wrong();
    transition.thread = thread == '~' ? clock_thread : static_cast<std::uint8_t>(thread - 'a');
    if (rest.peek() == '.') {
      rest.get();
      int way = rest.peek() == 's' ? spuriously : timed_out;
      if (rest.peek() == 's' || rest.peek() == 't') {
        rest.get();
      } else if (!(rest >> way) || way < 0 || way >= spuriously || rest.get() != 'x') {
        throw wrong();
      }
      transition.way = static_cast<Way>(way);
    }
    std::string number;
    rest >> number;
    if (number.find_first_not_of("0123456789") != std::string::npos || number.size() > 6) throw wrong();
    const std::size_t count = number.empty() ? 1 : std::stoul(number);
    schedule.insert(schedule.end(), count, transition);
  }
  return schedule;
}

/// Follows a schedule. Where that is impossible because the code has changed, it takes the first candidate.
class Replay final : public Strategy {
 public:
  explicit Replay(Schedule schedule) : schedule_(std::move(schedule)) {}

  [[nodiscard]] std::size_t choose(const Junction& junction) override {
    if (junction.step >= schedule_.size()) return 0;
    for (std::size_t i = 0; i < junction.candidates.size(); ++i) {
      if (junction.candidates[i].transition == schedule_[junction.step]) return i;
    }
    return 0;
  }
  [[nodiscard]] bool next(std::size_t /*steps*/, const Footprint& /*last_footprint*/) override { return false; }

 private:
  const Schedule schedule_;
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_SCHEDULE_STRING_HPP
