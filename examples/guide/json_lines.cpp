// SPDX-License-Identifier: MIT

#include <nlohmann/json.hpp>  // Debian: nlohmann-json3-dev

#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include <forebay/files.hpp>

struct Review {
  std::string text;
  int stars = 0;
};

Review parse(const std::string& line) {
  const nlohmann::json json = nlohmann::json::parse(line);
  return {json.at("text").get<std::string>(), json.at("stars").get<int>()};
}

/// Returns where a bad line is, and why it is bad: "1.jsonl:2: key 'stars' not found".
std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const forebay::DatasetError& error) {
    const std::string line = std::filesystem::path(error.location()).filename().string();
    try {
      error.rethrow_nested();
    } catch (const std::exception& cause) {
      return line + ": " + cause.what();
    }
  }
}

int main() {
  const auto folder = std::filesystem::temp_directory_path() / ("guide-" + std::to_string(std::random_device()()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "1.jsonl") << "{\"text\": \"A fine mill\", \"stars\": 5}\n"
                                       "{\"text\": \"No \\\"water\\\"\"}\n";
  std::ofstream(folder / "2.jsonl") << "{\"text\": \"Calm\\nand deep\", \"stars\": 4}\n";

  std::vector<std::string> bad;
  const auto note = [&bad](forebay::Position, const std::exception_ptr& failure) { bad.push_back(text_of(failure)); };
  const auto reviews = forebay::text_lines(forebay::list_files((folder / "*.jsonl").string()))
                           .map({.threads = 2, .on_error = forebay::redirect(note)}, parse);
  for (const Review& review : reviews.run()) std::cout << review.stars << " stars: " << review.text << '\n';
  for (const std::string& line : bad) std::cout << "left out " << line << '\n';

  std::filesystem::remove_all(folder);
}
