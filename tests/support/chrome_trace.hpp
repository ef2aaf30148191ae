// SPDX-License-Identifier: MIT
//
// chrome_trace.hpp: a strict reader for the output of Pipeline::write_trace, and checks that apply to every trace.

#ifndef FOREBAY_TESTS_SUPPORT_CHROME_TRACE_HPP
#define FOREBAY_TESTS_SUPPORT_CHROME_TRACE_HPP

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace forebay_test {

/// A JSON object. Numbers remain text; the members of a nested object are named like "args.elements".
class TraceLine {
 public:
  explicit TraceLine(std::map<std::string, std::string> members) : members_(std::move(members)) {}

  [[nodiscard]] const std::string& operator[](const std::string& name) const {
    const auto member = members_.find(name);
    if (member == members_.end()) throw std::runtime_error("there is no " + name + " in an event");
    return member->second;
  }
  [[nodiscard]] std::int64_t number(const std::string& name) const { return std::stoll((*this)[name]); }

  /// Converts microseconds with three decimal places.
  [[nodiscard]] std::int64_t nanoseconds(const std::string& name) const {
    std::string digits = (*this)[name];
    if (digits.size() < 5 || digits[digits.size() - 4] != '.') throw std::runtime_error(digits + " is no time");
    return std::stoll(digits.erase(digits.size() - 4, 1));
  }
  [[nodiscard]] std::int64_t begin() const { return nanoseconds("ts"); }
  [[nodiscard]] std::int64_t end() const { return begin() + nanoseconds("dur"); }
  [[nodiscard]] bool is(const char* phase) const { return (*this)["ph"] == phase; }

 private:
  std::map<std::string, std::string> members_;
};

using ChromeTrace = std::vector<TraceLine>;

/// Reads a JSON array of objects of strings, numbers and objects. Rejects anything else with std::runtime_error.
class TraceReader {
 public:
  explicit TraceReader(std::string text) : text_(std::move(text)) {}

  ChromeTrace read() {
    ChromeTrace lines;
    expect('[');
    do {
      std::map<std::string, std::string> members;
      read_object("", members);
      lines.emplace_back(std::move(members));
    } while (comes(','));
    expect(']');
    skip_spaces();
    if (at_ != text_.size()) fail("there is something behind the array");
    return lines;
  }

 private:
  void read_object(const std::string& prefix, std::map<std::string, std::string>& members) {
    expect('{');
    do {
      const std::string name = prefix + read_string();
      expect(':');
      skip_spaces();
      if (members.contains(name)) fail(name + " is there twice");
      if (next() == '{') {
        read_object(name + ".", members);
      } else {
        members[name] = next() == '"' ? read_string() : read_number();
      }
    } while (comes(','));
    expect('}');
  }

  std::string read_string() {
    expect('"');
    std::string read;
    for (;;) {
      const char letter = take();
      if (letter == '"') return read;
      if (static_cast<unsigned char>(letter) < ' ') fail("a control character is not escaped");
      read += letter == '\\' ? read_escaped() : letter;
    }
  }

  char read_escaped() {
    const char letter = take();
    if (letter == '"' || letter == '\\') return letter;
    if (letter != 'u') fail("this is escaped, and need not be");
    int code = 0;
    for (int i = 0; i < 4; ++i) {
      const auto digit = std::string("0123456789abcdef").find(take());
      if (digit == std::string::npos) fail("a digit is none");
      code = code * 16 + static_cast<int>(digit);
    }
    if (code >= ' ') fail("this is escaped, and need not be");
    return static_cast<char>(code);
  }

  std::string read_number() {
    const std::size_t begin = at_;
    read_digits();
    if (text_[begin] == '0' && at_ > begin + 1) fail("a number begins with 0");
    if (next() == '.') {
      ++at_;
      read_digits();
    }
    return text_.substr(begin, at_ - begin);
  }
  void read_digits() {
    const std::size_t begin = at_;
    while (next() >= '0' && next() <= '9') ++at_;
    if (at_ == begin) fail("a digit is missing");
  }

  [[nodiscard]] char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char take() {
    if (at_ == text_.size()) fail("it ends too early");
    return text_[at_++];
  }
  void skip_spaces() {
    while (next() == ' ' || next() == '\n') ++at_;
  }
  bool comes(char letter) {
    skip_spaces();
    if (next() != letter) return false;
    ++at_;
    return true;
  }
  void expect(char letter) {
    if (!comes(letter)) fail(std::string("there is no ") + letter);
    skip_spaces();
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + ", before " + text_.substr(at_, 40));
  }

  std::string text_;
  std::size_t at_ = 0;
};

/// Checks the invariants of every trace.
class TraceChecks {
 public:
  explicit TraceChecks(const ChromeTrace& trace) {
    std::int64_t time = 0;
    for (const TraceLine& line : trace) {
      EXPECT_EQ(line["pid"], "1");
      EXPECT_GE(line.begin(), time) << "events are sorted";
      time = line.begin();
      check(line);
    }
    for (const auto& [id, begin] : open_flows_) ADD_FAILURE() << "arrow " << id << " does not end";
  }

 private:
  void check(const TraceLine& line) {
    const std::string& thread = line["tid"];
    if (line.is("M")) {
      EXPECT_TRUE(line["name"] == "process_name" || named_.insert(thread).second);
      return;
    }
    EXPECT_TRUE(named_.contains(thread)) << "threads have names";
    const double begin = std::stod(line["ts"]);  // with the precision of viewers
    std::vector<double>& open = open_spans_[thread];
    while (!open.empty() && open.back() < begin) open.pop_back();
    if (line.is("X")) {
      const double end = begin + std::stod(line["dur"]);
      while (!open.empty() && open.back() <= begin && end > open.back()) open.pop_back();
      EXPECT_TRUE(open.empty() || end <= open.back())
          << line["name"] << " is not in what it begins in, at " << line["ts"];
      open.push_back(end);
    } else if (line.is("C")) {
      EXPECT_GE(line.number("args.outputs"), 0);
    } else {
      check_flow(line, !open.empty());
    }
  }

  void check_flow(const TraceLine& line, bool is_in_span) {
    EXPECT_TRUE(is_in_span) << "arrows lead from spans to spans";
    if (line.is("s")) {
      EXPECT_TRUE(open_flows_.emplace(line["id"], line.begin()).second);
    } else {
      EXPECT_TRUE(line.is("f"));
      EXPECT_EQ(open_flows_.erase(line["id"]), 1U) << "it has begun";
    }
  }

  std::set<std::string> named_;
  std::map<std::string, std::vector<double>> open_spans_;  // the ends of the open spans, by thread
  std::map<std::string, std::int64_t> open_flows_;
};

[[nodiscard]] inline ChromeTrace read_trace(std::string text) {
  ChromeTrace trace = TraceReader(std::move(text)).read();
  const TraceChecks checks(trace);
  return trace;
}

/// Returns the trace that the pipeline writes, after checking it.
template <class Pipeline>
[[nodiscard]] ChromeTrace trace_of(const Pipeline& pipeline) {
  std::ostringstream out;
  pipeline.write_trace(out);
  return read_trace(out.str());
}

/// Returns the spans called `name`.
[[nodiscard]] inline ChromeTrace spans_of(const ChromeTrace& trace, const std::string& name) {
  ChromeTrace spans;
  for (const TraceLine& line : trace) {
    if (line.is("X") && line["name"] == name) spans.push_back(line);
  }
  return spans;
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_CHROME_TRACE_HPP
