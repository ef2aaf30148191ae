// SPDX-License-Identifier: MIT

/// @file
/// Defines DatasetDescription, the threads, elements and memory that a run of a data set takes.
///
/// Dataset::describe() returns it, without running the data set.
///
/// @code
/// std::cout << images.describe({{"decode", 3200}});   // an Image and its pixels have 3,200 bytes
/// @endcode
/// @code{.unparsed}
/// stage                            threads        ahead    inputs   outputs      memory
/// from_slices 60000
/// shuffle 1024                                               1056                0.8 MB
/// decode: map                            4      16 x 32       224       672      2.3 MB
/// batch 32                                                     32              102.4 kB
/// loop                                                                    2    204.8 kB
/// all                                                                            3.5 MB
/// @endcode
///
/// When to use: to choose windows, read-ahead and threads for the memory and the cores of a machine.
///
/// Lifetime and thread safety: values.

#ifndef FOREBAY_DATASET_DESCRIPTION_HPP
#define FOREBAY_DATASET_DESCRIPTION_HPP

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/report/table.hpp"
#include "forebay/report/text.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Describes one stage.
///
/// The elements of a stage are the most that it may hold. It holds them while the loop is slower than the input. Not
/// included are the element that a stage is working on, and the memory of functions, of the ranges that they return to
/// flat_map or interleave, and of your own readers.
struct StageDescription {
  std::string name;  ///< Names the stage; Dataset::describe takes sizes by this name.
  std::string what;  ///< Describes the kind of the stage and its numbers, such as "shuffle 1024".
  /// Counts the threads of the stage, including the loop's if it helps. With 0, the stage runs in the threads of the
  /// next stage that has some.
  std::size_t threads = 0;
  std::uint64_t ahead = 0;    ///< Limits how many chunks may be ready.
  std::uint64_t chunk = 0;    ///< Counts the elements in a chunk.
  std::uint64_t inputs = 0;   ///< Counts the elements of the upstream stage that this stage holds.
  std::uint64_t outputs = 0;  ///< Counts its own results that this stage holds, including storage for the next ones.
  std::uint64_t bytes = 0;    ///< Adds up the memory of the inputs, outputs and buffers of files, in bytes.

  /// Returns a line such as "decode: map, 4 threads, 16 x 32 elements ahead, holds 224 inputs, 672 outputs, 2.3 MB",
  /// without the parts that are 0.
  [[nodiscard]] std::string text() const {
    std::string line = title();
    if (threads > 0) line += ", " + detail::counted(threads, "thread");
    if (ahead > 0) line += ", " + std::to_string(ahead) + " x " + detail::counted(chunk, "element") + " ahead";
    if (inputs + outputs > 0) line += ", holds";
    if (inputs > 0) line += " " + detail::counted(inputs, "input");
    if (outputs > 0) line += (inputs > 0 ? ", " : " ") + detail::counted(outputs, "output");
    return bytes > 0 ? line + ", " + detail::memory(bytes) : line;
  }

  /// Returns `what`, preceded by the name if that says more: "decode: map".
  [[nodiscard]] std::string title() const {
    const bool is_named = what.compare(0, name.size(), name) != 0;
    return detail::in_one_line(is_named ? name + ": " + what : what);
  }

  /// Returns whether all members are equal.
  friend bool operator==(const StageDescription&, const StageDescription&) = default;
  /// Writes text().
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                      const StageDescription& stage) {
    return out << stage.text().c_str();
  }
};

/// Describes all stages of a data set.
struct DatasetDescription {
  /// Lists the stages from the source on. Branches follow one another. The last entry is the loop, which holds an
  /// output and the next one.
  std::vector<StageDescription> stages;
  /// Counts the cores that this program may use, as usable_cores() does; 0 if unknown.
  std::size_t cores = 0;

  /// Returns the memory of the elements and of the buffers of files that all stages together may hold, in bytes.
  [[nodiscard]] std::uint64_t bytes() const noexcept {
    std::uint64_t sum = 0;
    for (const StageDescription& stage : stages) sum = detail::saturating_add(sum, stage.bytes);
    return sum;
  }

  /// Returns how many threads all stages together have.
  [[nodiscard]] std::uint64_t threads() const noexcept {
    std::uint64_t sum = 0;
    for (const StageDescription& stage : stages) sum = detail::saturating_add<std::uint64_t>(sum, stage.threads);
    return sum;
  }

  /// Returns a table of at most 100 columns. A sentence follows if there are more threads than cores.
  [[nodiscard]] std::string text() const {
    std::string text = line("stage", "threads", "ahead", "inputs", "outputs", "memory");
    for (const StageDescription& stage : stages) {
      text += line(stage.title(), number(stage.threads),
                   stage.ahead > 0 ? number(stage.ahead) + " x " + number(stage.chunk) : "", number(stage.inputs),
                   number(stage.outputs), stage.bytes > 0 ? detail::memory(stage.bytes) : "");
    }
    return text + line("all", "", "", "", "", detail::memory(bytes())) + shared_cores();
  }

  /// Returns whether all members are equal.
  friend bool operator==(const DatasetDescription&, const DatasetDescription&) = default;
  /// Writes text().
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                      const DatasetDescription& description) {
    return out << description.text().c_str();
  }

 private:
  [[nodiscard]] std::string shared_cores() const {
    if (cores == 0 || threads() <= cores) return {};
    return detail::counted(threads(), "thread") + " share " + detail::counted(cores, "core") +
           ". Only threads that wait most of the time gain from that.\n";
  }

  static std::string line(const std::string& stage, const std::string& threads, const std::string& ahead,
                          const std::string& inputs, const std::string& outputs, const std::string& memory) {
    using detail::right_aligned;
    const std::string line = detail::cell_of_name(stage, 32) + right_aligned(threads, 8) + right_aligned(ahead, 13) +
                             right_aligned(inputs, 10) + right_aligned(outputs, 10) + right_aligned(memory, 12);
    return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  static std::string number(std::uint64_t number) { return number > 0 ? std::to_string(number) : ""; }
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_DATASET_DESCRIPTION_HPP
