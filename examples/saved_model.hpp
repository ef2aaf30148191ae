// SPDX-License-Identifier: MIT
//
// A model on disk, with the checkpoint of its input.

#ifndef FOREBAY_EXAMPLES_SAVED_MODEL_HPP
#define FOREBAY_EXAMPLES_SAVED_MODEL_HPP

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

/// The checkpoint of the input, and the parameters learned so far.
struct SavedModel {
  std::string checkpoint;
  std::vector<float> parameters;

  /// Writes a new file and then renames it, so a process that is killed meanwhile leaves the older file intact.
  void write(const std::filesystem::path& file) const {
    std::filesystem::path beside = file;
    beside += ".new";
    std::ofstream out(beside);
    out << checkpoint << '\n' << std::setprecision(std::numeric_limits<float>::max_digits10);
    for (const float parameter : parameters) out << parameter << '\n';
    out.close();
    if (!out) throw std::runtime_error(beside.string() + ": cannot be written");
    std::filesystem::rename(beside, file);
  }

  /// Returns where a run continues: at the checkpoint; at the beginning if the model is new.
  [[nodiscard]] std::optional<std::string> place() const {
    return checkpoint.empty() ? std::nullopt : std::optional(checkpoint);
  }

  /// Returns the saved model; if there is no such file, a new one, without a checkpoint. Throws like parse().
  static SavedModel read(const std::filesystem::path& file, std::size_t parameter_count) {
    const std::string text = text_of(file);
    return text.empty() ? SavedModel{{}, std::vector<float>(parameter_count)} : parse(text, file, parameter_count);
  }

  /// Returns the text of the saved model; nothing if there is no such file.
  static std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  /// Throws std::runtime_error, with a one-line message, unless there are `parameter_count` parameters.
  static SavedModel parse(const std::string& text, const std::filesystem::path& file, std::size_t parameter_count) {
    SavedModel saved;
    std::istringstream in(text);
    std::getline(in, saved.checkpoint);
    for (float parameter = 0; in >> parameter;) saved.parameters.push_back(parameter);
    if (saved.parameters.size() == parameter_count) return saved;
    throw std::runtime_error(file.string() + ": has " + std::to_string(saved.parameters.size()) + " parameters, not " +
                             std::to_string(parameter_count));
  }
};

/// Calls learn(batch, parameters) for each batch. Saves model and checkpoint together, every ten batches and at the
/// end, so a program that is killed continues with the parameters and the batches of that place.
template <class Run, class Learn>
void train(Run& run, SavedModel& model, const std::filesystem::path& file, const Learn& learn) {
  const auto save = [&] {
    model.checkpoint = run.checkpoint();
    model.write(file);
  };
  std::size_t steps = 0;
  for (const auto& batch : run) {
    learn(batch, model.parameters);
    if (++steps % 10 == 0) save();
  }
  save();
}

#endif  // FOREBAY_EXAMPLES_SAVED_MODEL_HPP
