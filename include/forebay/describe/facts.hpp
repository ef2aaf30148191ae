// SPDX-License-Identifier: MIT
//
// facts.hpp: Facts, what is known of a description before it runs.

#ifndef FOREBAY_DESCRIBE_FACTS_HPP
#define FOREBAY_DESCRIBE_FACTS_HPP

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/address.hpp"
#include "forebay/base/arithmetic.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/describe/described_stage.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/describe/single_use.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Returns the numbers of a stage, as a description has them behind its name: " 4 2".
[[nodiscard]] inline std::string text_of(std::initializer_list<std::uint64_t> numbers) {
  std::string text;
  for (const std::uint64_t number : numbers) text += ' ' + std::to_string(number);
  return text;
}
/// The same of how many failures it skips, if it does: ", skips 100".
[[nodiscard]] inline std::string text_of(const OnError& on_error) {
  return on_error.limit() ? ", skips " + std::to_string(*on_error.limit()) : "";
}

/// Each stage has the facts of the stage upstream (of the first one, if there are several), with what it changes: a
/// function `describe_...` beside the stage changes them.
struct Facts {
  EpochCount epochs;                  // how many it has
  std::uint64_t seed = 0;             // for the stages downstream
  std::uint64_t random_stages = 0;    // how many draw at random, in the first branch
  std::uint64_t shard = 0;            // of the shards since elements were renumbered; 0 if there are none
  std::uint64_t salt = 0;             // of the shards before that
  std::optional<std::uint64_t> size;  // of each epoch
  bool may_block = false;             // in a source: the loop's thread does not read then
  bool has_threads = false;           // of its own, when it runs
  bool ends = true;                   // unless it is repeated for ever
  bool has_lines = false;             // elements are numbered as text_lines has numbered its lines
  bool batched = false;               // elements are batches of others
  const char* unit = "elements";      // what elements are called in a report
  bool traced = false;                // what its threads do is kept
  std::string description;            // all that the outputs depend on, as far as the library sees it
  std::string elastic_description;    // the same, the number of shards left out; empty if it has to be the same
  std::uint64_t shards = 1;           // how many, if there is an elastic_description
  bool batched_shards = false;        // ... and a batch downstream
  std::string cannot_resume;          // the stage that cannot go on where another run was
  std::string endless;                // the endless repeat that is certainly given nothing
  std::vector<std::shared_ptr<SingleUse>> single_uses;
  std::vector<DescribedStage> stages;  // with those of all branches; a seed is none

  /// Adds a stage: `details` are its numbers and options, as they follow its name in the description.
  void describe(const char* name, const std::string& details = {}) {
    add_stage(name, details);
    add_to_description(name + details);
  }

  /// The same of a stage downstream of which the number of shards may change: `of_all` are the details of all shards
  /// together.
  void describe_elastic(const char* name, const std::string& details, const std::string& of_all) {
    std::string elastic = std::move(elastic_description);
    describe(name, details);
    if (!elastic.empty()) elastic_description = std::move(elastic) + " > " + name + of_all;
  }

  /// Adds a stage on which the outputs do not depend.
  void add_stage(const char* name, const std::string& details = {}) {
    DescribedStage stage;
    stage.known = {.name = name, .what = name + details};
    stage.is_source = stages.empty();
    stages.push_back(std::move(stage));
  }

  /// Adds what the outputs depend on.
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

  /// Returns what a checkpoint has to fit.
  [[nodiscard]] const std::string& what() const noexcept { return is_elastic() ? elastic_description : description; }

  /// Joins all epochs into one. Their number becomes a part of the description: a checkpoint fits that number only,
  /// while it fits any number of epochs of the whole.
  void join_epochs() {
    if (epochs.is_endless()) {
      size.reset();
    } else if (size) {
      size = saturating_multiply(*size, epochs.number());
    }
    add_to_description("seamless " + (epochs.is_endless() ? "endless" : std::to_string(epochs.number())));
    renumber();
    epochs = EpochCount();
  }

  /// Positions start anew.
  void renumber() noexcept {
    has_lines = false;
    if (shard != 0) salt = joined(salt, std::exchange(shard, 0));
  }

  /// Elements become batches of others, which are renumbered.
  void become_batches() noexcept {
    renumber();
    batched = true;
    unit = "batches";
  }

  /// Adds another input of a stage that has several.
  void add_branch(Facts branch) {
    renumber();
    branch.renumber();
    if (branch.salt != 0) salt = joined(salt, branch.salt);
    description = "(" + description + ") and (" + branch.description + ")";
    elastic_description.clear();
    if (cannot_resume.empty()) cannot_resume = branch.cannot_resume;
    may_block = may_block || branch.may_block;
    has_threads = has_threads || branch.has_threads;
    traced = traced || branch.traced;
    if (endless.empty()) endless = branch.endless;
    for (DescribedStage& stage : branch.stages) stages.push_back(std::move(stage));
    for (const auto& single_use : branch.single_uses) single_uses.push_back(single_use);
  }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_DESCRIBE_FACTS_HPP
