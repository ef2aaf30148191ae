// SPDX-License-Identifier: MIT
//
// metrics.hpp: statistics in Prometheus' text format, version 0.0.4.

#ifndef FOREBAY_REPORT_METRICS_HPP
#define FOREBAY_REPORT_METRICS_HPP

#include <chrono>
#include <cstddef>
#include <string>

#include "forebay/report/text.hpp"
#include "forebay/statistics.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

class Metrics {
 public:
  explicit Metrics(const PipelineStatistics& statistics) : of_(statistics) {
    begin("forebay_stage_elements_total", "counter", "Elements that a stage has delivered.");
    for_each([this](const StageStatistics& stage, const std::string& labels) {
      sample(labels + ",unit=\"" + escaped(stage.unit) + "\"", std::to_string(stage.elements));
    });
    begin("forebay_stage_seconds_total", "counter", "Time of a stage's threads, by what they did.");
    for_each([this](const StageStatistics& stage, const std::string& labels) {
      sample(labels + ",state=\"working\"", seconds_of(stage.working));
      sample(labels + ",state=\"starved\"", seconds_of(stage.starved));
      sample(labels + ",state=\"blocked\"", seconds_of(stage.blocked));
      sample(labels + ",state=\"without_core\"", seconds_of(stage.without_core));
    });
    begin("forebay_stage_processor_seconds_total", "counter", "CPU time of a stage's threads while they worked.");
    for_each([this](const StageStatistics& stage, const std::string& labels) {
      if (stage.processor_time) sample(labels, seconds_of(*stage.processor_time));
    });
    begin("forebay_stage_failed_total", "counter", "Elements that failed and were left out.");
    for_each([this](const StageStatistics& stage, const std::string& labels) {
      sample(labels, std::to_string(stage.failed));
    });
    begin("forebay_stage_left_out_total", "counter", "Elements that a filter or a remainder left out.");
    for_each([this](const StageStatistics& stage, const std::string& labels) {
      sample(labels, std::to_string(stage.left_out));
    });
    begin("forebay_stage_threads", "gauge", "Threads of a stage.");
    for_each([this](const StageStatistics& stage, const std::string& labels) {
      sample(labels, std::to_string(stage.threads));
    });
    begin("forebay_pipeline_seconds_total", "counter", "Time since the pipeline was started.");
    sample("", seconds_of(of_.time));
    begin("forebay_pipeline_processor_seconds_total", "counter", "Processor time of the process since then.");
    sample("", seconds_of(of_.processor_time));
    begin("forebay_machine_processor_seconds_total", "counter", "Processor time of all programs since then.");
    sample("", seconds_of(of_.machine_time));
    begin("forebay_throttled_seconds_total", "counter", "Time in which a CPU quota stopped threads, since then.");
    sample("", seconds_of(of_.throttled_time));
    begin("forebay_usable_cores", "gauge", "Cores that the program may use.");
    sample("", std::to_string(of_.cores));
  }

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  void begin(const char* name, const char* type, const char* help) {
    name_ = name;
    text_ += "# HELP " + name_ + " " + help + "\n# TYPE " + name_ + " " + type + "\n";
  }

  void sample(const std::string& labels, const std::string& value) {
    text_ += name_ + (labels.empty() ? "" : "{" + labels + "}") + " " + value + "\n";
  }

  template <class Visitor>
  void for_each(Visitor visitor) const {
    for (std::size_t i = 0; i < of_.stages.size(); ++i) visitor(of_.stages[i], labels(of_.stages[i], i));
    visitor(of_.loop, labels(of_.loop, of_.stages.size()));
  }

  /// Two stages may have the same name.
  static std::string labels(const StageStatistics& stage, std::size_t place) {
    return "stage=\"" + escaped(stage.name) + "\",place=\"" + std::to_string(place) + "\"";
  }

  static std::string escaped(const std::string& text) {
    std::string escaped;
    for (const char letter : text) {
      if (letter == '\\' || letter == '"') escaped += '\\';
      escaped += letter == '\n' ? std::string("\\n") : std::string(1, letter);
    }
    return escaped;
  }

  static std::string seconds_of(std::chrono::nanoseconds time) { return decimal(seconds(time), 6); }

  const PipelineStatistics& of_;
  std::string name_;
  std::string text_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_REPORT_METRICS_HPP
