// SPDX-License-Identifier: MIT
//
// dataset_description.hpp: DatasetDescription, what running a data set will take: threads, and the elements that are
// held. Dataset::describe() makes it.
//
//   std::cout << images.describe({{"decode", 3200}}).text();   // an Image and its pixels are 3,200 bytes
//
//   stage                            threads        ahead    inputs   outputs      memory
//   from_slices 60000
//   shuffle 1024                                               1024                0.8 MB
//   decode: map                            4      16 x 32       128       544      1.8 MB
//   batch 32                                                     32              102.4 kB
//   loop                                                                    1    102.4 kB
//   all                                                                            2.8 MB
//
// Thread safety: values.

#ifndef FOREBAY_DATASET_DESCRIPTION_HPP
#define FOREBAY_DATASET_DESCRIPTION_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/report/table.hpp"
#include "forebay/report/text.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// One stage. What it holds is what it may hold, and does while the loop is slower than the input: without the few
/// elements that are between two stages, and without what functions and readers have of their own.
struct StageDescription {
  std::string name;  ///< with which it is asked for, and told sizes
  std::string what;  ///< and its numbers
  /// Of its own, or shared with the loop; 0: it runs in those of the next stage that has some.
  std::size_t threads = 0;
  std::uint64_t ahead = 0;    ///< so many chunks may be ready
  std::uint64_t chunk = 0;    ///< of so many elements
  std::uint64_t inputs = 0;   ///< elements of the stage before that it holds
  std::uint64_t outputs = 0;  ///< elements of its own
  std::uint64_t bytes = 0;    ///< of all of them

  friend bool operator==(const StageDescription&, const StageDescription&) = default;
};

/// All stages, from the source on; of several branches one after the other. The last one is the loop, with the output
/// that it is at.
struct DatasetDescription {
  std::vector<StageDescription> stages;

  [[nodiscard]] std::uint64_t bytes() const noexcept {
    std::uint64_t sum = 0;
    for (const StageDescription& stage : stages) sum = detail::saturating_add(sum, stage.bytes);
    return sum;
  }

  /// A table of at most 100 columns.
  [[nodiscard]] std::string text() const {
    std::string text = line("stage", "threads", "ahead", "inputs", "outputs", "memory");
    for (const StageDescription& stage : stages) {
      const bool is_named = stage.what.compare(0, stage.name.size(), stage.name) != 0;
      text += line(is_named ? stage.name + ": " + stage.what : stage.what, number(stage.threads),
                   stage.ahead > 0 ? number(stage.ahead) + " x " + number(stage.chunk) : "", number(stage.inputs),
                   number(stage.outputs), stage.bytes > 0 ? memory(stage.bytes) : "");
    }
    return text + line("all", "", "", "", "", memory(bytes()));
  }

  friend bool operator==(const DatasetDescription&, const DatasetDescription&) = default;

 private:
  static std::string line(const std::string& stage, const std::string& threads, const std::string& ahead,
                          const std::string& inputs, const std::string& outputs, const std::string& memory) {
    using detail::right_aligned;
    const std::string line = detail::cell_of_name(stage) + right_aligned(threads, 8) + right_aligned(ahead, 13) +
                             right_aligned(inputs, 10) + right_aligned(outputs, 10) + right_aligned(memory, 12);
    return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  static std::string number(std::uint64_t number) { return number > 0 ? std::to_string(number) : ""; }

  static std::string memory(std::uint64_t bytes) {
    if (bytes < 1'000'000) return detail::decimal(static_cast<double>(bytes) / 1e3, 1) + " kB";
    return detail::decimal(static_cast<double>(bytes) / 1e6, bytes < 1'000'000'000 ? 1 : 0) + " MB";
  }
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_DATASET_DESCRIPTION_HPP
