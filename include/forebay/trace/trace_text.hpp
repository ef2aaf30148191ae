// SPDX-License-Identifier: MIT
//
// trace_text.hpp: TraceText, a trace in the JSON array format of Chrome's "Trace Event Format", which Perfetto reads,
// too.

#ifndef FOREBAY_TRACE_TRACE_TEXT_HPP
#define FOREBAY_TRACE_TRACE_TEXT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "forebay/trace/trace_record.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Algorithm: processes the events in the order of their times. A loop uses its outputs from the moment it receives
/// them until the next event of its thread. An arrow leads from the work to the moment its output was taken, if both
/// events exist.
///
/// `Record` is TraceRecord. This is a template so that only programs that write traces compile it: otherwise, it would
/// take 3 % of the time of dataset.hpp.
template <class Record>
class TraceText {
  using Event = typename decltype(Record::events)::value_type;

 public:
  explicit TraceText(Record record) : record_(std::move(record)), threads_(record_.threads.size()) {
    sort();
    const std::size_t recorded = record_.events.size();
    for (std::size_t i = 0; i < recorded; ++i) {
      const Event event = record_.events[i];
      if (event.is_span()) {
        follow_span(event);
      } else if (event.kind == TraceKind::taken) {
        follow_output(event);
      }
    }
    sort();
  }

  void write_to(std::ostream& out) const {
    out << "[\n" << named("process_name", 0, "forebay pipeline");
    for (std::size_t i = 0; i < record_.threads.size(); ++i) {
      out << ",\n" << named("thread_name", i + 1, record_.threads[i]);
    }
    for (const Event& event : record_.events) out << ",\n" << line_of(event);
    out << "\n]\n";
  }

 private:
  struct Thread {
    std::int64_t busy_until = -1;
    std::optional<Event> got;  // outputs in use
  };

  /// Sorts enclosing events before those nested in them, and is otherwise stable. (In libstdc++ 12, std::stable_sort
  /// uses deprecated functions, for which Clang 19 warns users.)
  void sort() {
    const std::vector<Event> events = std::move(record_.events);
    std::vector<std::size_t> order(events.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&events](std::size_t i, std::size_t j) {
      const Event& a = events[i];
      const Event& b = events[j];
      if (a.begin != b.begin) return a.begin < b.begin;
      return a.end != b.end ? a.end > b.end : i < j;
    });
    record_.events.clear();
    record_.events.reserve(events.size());
    for (const std::size_t i : order) record_.events.push_back(events[i]);
  }

  void add(Event event, TraceKind kind, std::int64_t begin, std::int64_t end) {
    event.kind = kind;
    event.begin = begin;
    event.end = end;
    record_.events.push_back(event);
  }

  void follow_span(const Event& span) {
    Thread& thread = threads_[span.thread];
    const bool goes_on = thread.got && span.end > thread.got->end;  // a span that ends earlier is a part of it
    if (goes_on) {
      const auto kind = thread.got->kind == TraceKind::next_of_loop ? TraceKind::loop : TraceKind::steps;
      // Viewers add times as fractions, so adjacent spans would seem to overlap.
      const std::int64_t begin = std::min(thread.got->end + 1, span.begin);
      add(*thread.got, kind, begin, std::max(begin, span.begin - 1));
      thread.got.reset();
    }
    thread.busy_until = std::max(thread.busy_until, span.end);
    if (span.kind == TraceKind::work) made_[{span.stage, span.sequence_number}] = span;
    const bool gets = span.kind == TraceKind::next_of_loop || span.kind == TraceKind::next_of_steps;
    if (gets && span.count > 0) thread.got = span;
  }

  /// Draws an arrow only from a span to a span.
  void follow_output(Event taken) {
    const auto made = made_.extract({taken.stage, taken.sequence_number});
    if (made.empty() || threads_[taken.thread].busy_until <= taken.begin) return;
    Event work = made.mapped();
    work.sequence_number = taken.sequence_number = ++arrows_;
    const std::int64_t last = std::max(work.begin, work.end - 1);
    add(work, TraceKind::leaves, last, last);
    add(taken, TraceKind::arrives, taken.begin, taken.begin);
  }

  // ---- The format

  [[nodiscard]] std::string line_of(const Event& event) const {
    const std::string& stage = record_.stages.empty() ? no_name_ : record_.stages[event.stage];
    const std::string elements = number("elements", event.count) + "}}";
    const std::string chunk = R"(,"args":{)" + number("chunk", event.sequence_number) + "," + elements;
    switch (event.kind) {
      case TraceKind::claim: return span(event, "before " + stage, "work") + chunk;
      case TraceKind::work:
      case TraceKind::more_work: return span(event, stage, "work") + chunk;
      case TraceKind::wait_for_room: return span(event, "wait for room", "wait") + "}";
      case TraceKind::wait_for_claim: return span(event, "wait for input", "wait") + "}";
      case TraceKind::wait_for_output: return span(event, "wait for " + stage, "wait") + "}";
      case TraceKind::next_of_loop:
      case TraceKind::next_of_steps: return span(event, "next output", "loop") + R"(,"args":{)" + elements;
      case TraceKind::loop: return span(event, "loop", "loop") + R"(,"args":{)" + elements;
      case TraceKind::steps: return span(event, "step", "loop") + R"(,"args":{)" + elements;
      case TraceKind::ready:
      case TraceKind::taken:
        return begun("C", stage + " ready", event) + "," + number("id", event.stage) + R"(,"args":{)" +
               number("outputs", event.count) + "}}";
      case TraceKind::leaves:
        return begun("s", "output", event) + R"(,"cat":"output",)" + number("id", event.sequence_number) + "}";
      case TraceKind::arrives: break;
    }
    return begun("f", "output", event) + R"(,"cat":"output","bp":"e",)" + number("id", event.sequence_number) + "}";
  }

  static std::string span(const Event& event, const std::string& name, const char* category) {
    return begun("X", name, event) + R"(,"dur":)" + microseconds(event.end - event.begin) + R"(,"cat":")" + category +
           '"';
  }

  static std::string begun(const char* phase, const std::string& name, const Event& event) {
    return begun(phase, name, event.thread + std::size_t{1}, event.begin);
  }
  static std::string begun(const char* phase, const std::string& name, std::size_t thread, std::int64_t time) {
    return R"({"ph":")" + std::string(phase) + R"(","name":")" + escaped(name) + R"(","pid":1,)" +
           number("tid", thread) + R"(,"ts":)" + microseconds(time);
  }

  static std::string named(const char* what, std::size_t thread, const std::string& name) {
    return begun("M", what, thread, 0) + R"(,"args":{"name":")" + escaped(name) + "\"}}";
  }

  static std::string number(const char* name, std::uint64_t value) {
    return '"' + std::string(name) + "\":" + std::to_string(value);
  }

  static std::string microseconds(std::int64_t nanoseconds) {
    const std::string fraction = std::to_string(nanoseconds % 1000);
    return std::to_string(nanoseconds / 1000) + "." + std::string(3 - fraction.size(), '0') + fraction;
  }

  static std::string escaped(const std::string& text) {
    static constexpr const char* digits = "0123456789abcdef";
    std::string escaped;
    for (const char letter : text) {
      const auto code = static_cast<unsigned char>(letter);
      if (code < ' ') {
        escaped += std::string("\\u00") + digits[code / 16] + digits[code % 16];
      } else {
        if (letter == '"' || letter == '\\') escaped += '\\';
        escaped += letter;
      }
    }
    return escaped;
  }

  Record record_;
  std::vector<Thread> threads_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Event> made_;  // by stage and sequence_number, until it was taken
  std::uint64_t arrows_ = 0;
  std::string no_name_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_TRACE_TRACE_TEXT_HPP
