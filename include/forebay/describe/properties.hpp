// SPDX-License-Identifier: MIT
//
// properties.hpp: Properties, which collects what is known about a description before it runs.

#ifndef FOREBAY_DESCRIBE_PROPERTIES_HPP
#define FOREBAY_DESCRIBE_PROPERTIES_HPP

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/hash.hpp"
#include "forebay/base/arithmetic.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/describe/described_stage.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/describe/single_use.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

class AnyTrace;
class Locations;
class SourceLines;

/// Returns the numbers of a stage as they follow its name in a description: " 4 2".
[[nodiscard]] inline std::string text_of(std::initializer_list<std::uint64_t> numbers) {
  std::string text;
  for (const std::uint64_t number : numbers) text += ' ' + std::to_string(number);
  return text;
}
/// Returns how many failures a stage skips: ", skips 100". Empty if it skips none.
[[nodiscard]] inline std::string text_of(const OnError& on_error) {
  return on_error.limit() ? ", skips " + std::to_string(*on_error.limit()) : "";
}

/// How a stage that may read files appears in the description.
struct StageText {
  // NOLINTNEXTLINE(google-explicit-constructor): most stages have only a name
  StageText(const char* its_name, std::string its_details = {}, std::uint64_t its_buffers = 0)
      : name(its_name), details(std::move(its_details)), buffers(its_buffers) {}

  const char* name;
  std::string details;    // all settings of the readers that affect the outputs
  std::uint64_t buffers;  // bytes of the buffers of open files; of each input, if several are open
};

using MakeTrace = std::unique_ptr<AnyTrace> (*)();

/// Describes the data set at a stage. Each stage copies the properties of its first upstream stage and changes them in
/// a function `describe_...`.
struct Properties {
  EpochCount epochs;
  std::uint64_t seed = 0;             // for the stages downstream
  std::uint64_t random_stages = 0;    // stages that draw at random, in the first branch
  std::uint64_t shard = 0;            // hash of the shards since the last renumbering; 0 if there are none
  std::uint64_t salt = 0;             // hash of the earlier shards
  std::optional<std::uint64_t> size;  // of each epoch, if known
  bool may_block = false;             // a source may block, so the loop's thread does not read it
  bool has_threads = false;           // a run starts threads
  bool ends = true;                   // false if it repeats indefinitely
  bool batched = false;               // elements are batches
  bool takes_extra_ahead = false;     // a prefetch downstream only increases the `ahead` of a map with threads
  // One of these is not null if elements have the numbers of a source that knows their locations.
  std::shared_ptr<const Locations> locations{};
  std::shared_ptr<SourceLines> (*make_lines)() = nullptr;  // makes those of a run
  const char* unit = "elements";                           // name of the elements in a report
  MakeTrace make_trace = nullptr;                          // a run records this trace of its threads
  std::string description;          // all that the outputs depend on, as far as the library knows
  std::string elastic_description;  // the same without the number of shards; empty if that must not change
  std::uint64_t shards = 1;         // number of shards, if there is an elastic_description
  bool batched_shards = false;      // a batch is downstream of these shards
  std::string cannot_resume;        // why no other run can resume; empty if one can
  std::string endless;              // error message of an endless repeat that certainly gets no elements
  std::vector<std::shared_ptr<SingleUse>> single_uses;
  std::vector<DescribedStage> stages;  // of all branches; a seed is not a stage

  /// Adds a stage. `details` are its numbers and options, as they follow its name in the description.
  void describe(const char* name, const std::string& details = {}) {
    add_stage(name, details);
    add_to_description(name + details);
  }

  /// Adds a stage downstream of which the number of shards may change. `of_all` are the details of all shards together.
  void describe_elastic(const char* name, const std::string& details, const std::string& of_all) {
    std::string elastic = std::move(elastic_description);
    describe(name, details);
    if (!elastic.empty()) elastic_description = std::move(elastic) + " > " + name + of_all;
  }

  /// Adds a stage that does not affect the outputs.
  void add_stage(const char* name, const std::string& details = {}) {
    DescribedStage stage;
    stage.known = {.name = name, .what = name + details};
    stage.is_source = stages.empty();
    stages.push_back(std::move(stage));
    takes_extra_ahead = false;
  }

  /// Adds something that affects the outputs.
  void add_to_description(const std::string& words) {
    description += (description.empty() ? "" : " > ") + words;
    elastic_description.clear();
  }

  /// Renames the last stage.
  void rename(const std::string& name) {
    if (!stages.empty()) stages.back().known.name = name;
  }

  /// Returns whether a run with another number of shards can resume from a checkpoint of this one.
  [[nodiscard]] bool is_elastic() const noexcept { return !elastic_description.empty() && batched_shards; }

  /// Returns the description that a checkpoint must have.
  [[nodiscard]] const std::string& what() const noexcept { return is_elastic() ? elastic_description : description; }

  /// Joins all epochs into one. Their number becomes part of the description, so a checkpoint fits only that number. It
  /// fits any number of the joined epochs.
  void join_epochs() {
    if (epochs.is_endless()) {
      size.reset();
    } else if (size) {
      size = saturating_multiply(*size, epochs.number());
    }
    add_to_description("seamless " + (epochs.is_endless() ? "endless" : std::to_string(epochs.number())));
    renumber();
    epochs = EpochCount();
    takes_extra_ahead = false;
  }

  /// Makes positions start from 0 again.
  void renumber() noexcept {
    locations = nullptr;
    make_lines = nullptr;
    if (shard != 0) salt = hash_combine(salt, std::exchange(shard, 0));
  }

  /// Turns the elements into batches and renumbers them.
  void become_batches() noexcept {
    renumber();
    batched = true;
    unit = "batches";
  }

  /// Adds another input of a stage with several inputs.
  void add_branch(Properties branch) {
    renumber();
    branch.renumber();
    if (branch.salt != 0) salt = hash_combine(salt, branch.salt);
    description = "(" + description + ") and (" + branch.description + ")";
    elastic_description.clear();
    if (cannot_resume.empty()) cannot_resume = branch.cannot_resume;
    may_block = may_block || branch.may_block;
    has_threads = has_threads || branch.has_threads;
    if (make_trace == nullptr) make_trace = branch.make_trace;
    if (endless.empty()) endless = branch.endless;
    for (DescribedStage& stage : branch.stages) stages.push_back(std::move(stage));
    for (const auto& single_use : branch.single_uses) single_uses.push_back(single_use);
  }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_DESCRIBE_PROPERTIES_HPP
