// SPDX-License-Identifier: MIT
//
// html_page.hpp: HtmlPage, the report on a pipeline as a page that needs no other file.

#ifndef FOREBAY_HTML_HTML_PAGE_HPP
#define FOREBAY_HTML_HTML_PAGE_HPP

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "forebay/html/ready_outputs.hpp"
#include "forebay/report/shares.hpp"
#include "forebay/report/table.hpp"
#include "forebay/report/text.hpp"
#include "forebay/report/verdict.hpp"
#include "forebay/statistics.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

inline constexpr const char* html_head = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>forebay: report on a pipeline</title>
<style>
:root { --page: #fff; --text: #1c2126; --faint: #59636e; --line: #d1d9e0; --box: #f6f8fa; --limit: #0b57d0;
  --working: #1a7f37; --no-core: #8250df; --starved: #b6bfc8; --blocked: #e08700; }
@media (prefers-color-scheme: dark) { :root { --page: #0d1117; --text: #e6edf3; --faint: #9198a1; --line: #3d444d;
  --box: #151b23; --limit: #6cb0ff; --working: #3fb950; --no-core: #ab7df8; --starved: #59636e; --blocked: #e3962c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 76rem; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1rem; font-weight: 600; color: var(--faint); margin: 0 0 .5rem; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .7rem; }
.verdict { font-size: 1.3rem; line-height: 1.4; max-width: 50rem; margin: 0 0 1rem; }
.facts, .key { color: var(--faint); display: flex; flex-wrap: wrap; gap: .2rem 1.5rem; margin: 0; padding: 0;
  list-style: none; }
.key i { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin-right: .4em; }
.stages { display: flex; flex-wrap: wrap; gap: 1rem 2.2rem; padding: 0 1rem 0 0; margin: 0 0 1rem; list-style: none; }
.stages li { position: relative; flex: 1 1 12rem; max-width: 20rem; padding: .7rem .9rem; background: var(--box);
  border: 1px solid var(--line); border-radius: 8px; }
.stages li:not(:last-child)::after { content: "\2192"; position: absolute; right: -1.7rem; top: 50%;
  transform: translateY(-50%); color: var(--faint); }
.stages .limits { border: 2px solid var(--limit); }
.stages b { display: block; }
.stages span { color: var(--faint); font-size: .9rem; display: block; }
.stages em { float: right; font-style: normal; font-size: .85rem; color: var(--limit); font-weight: 600; }
.bar { display: flex; height: .8rem; margin: .5rem 0 .3rem; border-radius: 3px; overflow: hidden;
  background: var(--line); }
.working { background: var(--working); } .no-core { background: var(--no-core); }
.starved { background: var(--starved); } .blocked { background: var(--blocked); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th, td { padding: .3rem .8rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { font-weight: 600; color: var(--faint); }
th:first-child, td:first-child { text-align: left; padding-left: 0; white-space: normal; min-width: 9rem; }
figure { margin: 0 0 1.4rem; }
figcaption { margin-bottom: .3rem; }
.chart { display: grid; grid-template-columns: auto 1fr; gap: 0 .5rem; color: var(--faint); font-size: .85rem; }
.chart svg { width: 100%; height: 7rem; border-left: 1px solid var(--line); border-bottom: 1px solid var(--line); }
.chart path { fill: var(--limit); }
.most { display: flex; flex-direction: column; justify-content: space-between; text-align: right; }
.times { grid-column: 2; display: flex; justify-content: space-between; }
@media (max-width: 40rem) { .stages { flex-direction: column; gap: 1.8rem; padding: 0; }
  .stages li { flex: none; max-width: none; }
  .stages li:not(:last-child)::after { content: "\2193"; right: 50%; top: auto; bottom: -1.65rem; transform: none; }
  .verdict { font-size: 1.15rem; } }
</style>
</head>
<body>
)";

[[nodiscard]] inline std::string escaped_for_html(const std::string& text) {
  std::string escaped;
  for (const char letter : in_one_line(text)) {
    switch (letter) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      default: escaped += letter;
    }
  }
  return escaped;
}

/// Algorithm: one function for each part of the page, from top to bottom. Everything that a user or a stage has named
/// goes through escaped_for_html.
class HtmlPage {
 public:
  HtmlPage(const PipelineStatistics& statistics, std::vector<ReadyOutputs> ready)
      : of_(statistics), ready_(std::move(ready)), verdict_(statistics) {}

  void write_to(std::ostream& out) const {
    out << html_head << "<h1>forebay: report on a pipeline</h1>\n<p class=\"verdict\">"
        << escaped_for_html(verdict_.sentence()) << "</p>\n"
        << facts() << diagram() << table() << left_out() << charts() << "</body>\n</html>\n";
  }

 private:
  struct Part {
    const char* name;
    const char* css_class;
    double share;
  };

  static std::vector<Part> parts_of(const StageStatistics& stage) {
    const Shares shares(stage);
    return {{"working", "working", shares.working},
            {"without a core", "no-core", shares.without_core},
            {"starved", "starved", shares.starved},
            {"blocked", "blocked", shares.blocked}};
  }

  template <class Use>
  void for_each_stage(Use use) const {
    for (const StageStatistics& stage : of_.stages) use(stage);
    use(of_.loop);
  }

  [[nodiscard]] bool limits(const StageStatistics& stage) const { return &stage == verdict_.limiting(); }
  [[nodiscard]] double time() const noexcept { return seconds(of_.time); }

  static std::string words_of_threads(const StageStatistics& stage) {
    if (stage.is_serial) return "serial: one thread at a time";
    return stage.threads == 0 ? "in the thread of the loop" : counted(stage.threads, "thread");
  }

  [[nodiscard]] std::string facts() const {
    const auto item = [](const std::string& text) { return "<li>" + text + "</li>\n"; };
    std::string list = item(decimal(time(), time() < 10 ? 3 : 1) + " s") +
                       item(std::to_string(of_.loop.elements) + " " + escaped_for_html(of_.loop.unit)) +
                       item(rate_of(of_.loop, time()) + " a second");
    if (time() > 0 && of_.cores > 0) {
      list += item(decimal(seconds(of_.processor_time) / time(), 1) + " of " + counted(of_.cores, "core") + " used");
    }
    return "<ul class=\"facts\">\n" + list + "</ul>\n";
  }

  [[nodiscard]] std::string diagram() const {
    std::string text = "<h2>Stages, from the source to the loop</h2>\n<ol class=\"stages\">\n";
    for_each_stage([&](const StageStatistics& stage) { text += box(stage); });
    text += "</ol>\n<ul class=\"key\">\n";
    for (const Part& part : parts_of(of_.loop)) {
      text += "<li><i class=\"" + std::string(part.css_class) + "\"></i>" + part.name + "</li>\n";
    }
    return text + "</ul>\n";
  }

  [[nodiscard]] std::string box(const StageStatistics& stage) const {
    std::string bar;
    std::string shares;
    for (const Part& part : parts_of(stage)) {
      bar += "<div class=\"" + std::string(part.css_class) + "\" style=\"width:" + decimal(100 * part.share, 2) +
             "%\"></div>";
      if (part.share >= 0.005) shares += (shares.empty() ? "" : ", ") + percent(part.share) + " " + part.name;
    }
    return std::string(limits(stage) ? "<li class=\"limits\"><em>limits</em>" : "<li>") + "<b>" +
           escaped_for_html(stage.name) + "</b><span>" + words_of_threads(stage) + "</span><span>" +
           rate_of(stage, time()) + " " + escaped_for_html(stage.unit) + " a second</span><div class=\"bar\">" + bar +
           "</div><span>" + (shares.empty() ? "has not begun" : shares) + "</span></li>\n";
  }

  [[nodiscard]] std::string table() const {
    std::string rows;
    for_each_stage([&](const StageStatistics& stage) { rows += row(stage); });
    return "<h2>Figures</h2>\n<div class=\"wide\"><table>\n<tr><th>stage</th><th>threads</th><th>results</th>"
           "<th>a second</th><th>cores</th><th>working</th><th>no core</th><th>starved</th><th>blocked</th></tr>\n" +
           rows + "</table></div>\n";
  }

  [[nodiscard]] std::string row(const StageStatistics& stage) const {
    const auto cell = [](const std::string& text) { return "<td>" + text + "</td>"; };
    std::string text = "<tr>" + cell(escaped_for_html(stage.name)) + cell(threads_of(stage)) +
                       cell(std::to_string(stage.elements) + " " + escaped_for_html(stage.unit)) +
                       cell(rate_of(stage, time())) + cell(cores_of(stage, time()));
    for (const Part& part : parts_of(stage)) text += cell(percent(part.share));
    return text + "</tr>\n";
  }

  [[nodiscard]] std::string left_out() const {
    std::string lines;
    for_each_stage([&](const StageStatistics& stage) {
      const std::string line = line_of_left_out(stage, &stage == &of_.loop);
      if (!line.empty()) lines += "<p>" + escaped_for_html(line) + "</p>\n";
    });
    return lines.empty() ? lines : "<h2>Left out</h2>\n" + lines;
  }

  [[nodiscard]] std::string charts() const {
    std::string figures;
    for (const ReadyOutputs& queue : ready_) figures += chart(queue);
    if (figures.empty()) return figures;
    return "<h2>Outputs that were ready</h2>\n<p>While there are none, whatever follows starves.</p>\n" + figures;
  }

  static std::string chart(const ReadyOutputs& queue) {
    constexpr std::size_t width = ReadyOutputs::intervals;
    const double most = std::max(1.0, queue.most());
    std::string path = "M0 100";
    for (std::size_t i = 0; i < width; ++i) {
      const std::string height = decimal(100 - 100 * queue.mean[i] / most, 1);
      path += "L" + std::to_string(i) + " " + height + "H" + std::to_string(i + 1);
    }
    return "<figure><figcaption>" + escaped_for_html(queue.stage) +
           R"(</figcaption><div class="chart"><div class="most"><span>)" + decimal(most, most < 10 ? 1 : 0) +
           R"(</span><span>0</span></div><svg viewBox="0 0 )" + std::to_string(width) +
           R"( 100" preserveAspectRatio="none" role="img" aria-label="the number of outputs over time"><path d=")" +
           path + R"(V100Z"/></svg><div class="times"><span>)" + decimal(queue.begin, 3) + " s</span><span>" +
           decimal(queue.end, 3) + " s</span></div></div></figure>\n";
  }

  const PipelineStatistics& of_;
  const std::vector<ReadyOutputs> ready_;
  const Verdict verdict_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_HTML_HTML_PAGE_HPP
