// SPDX-License-Identifier: MIT

#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <forebay/dataset.hpp>

double parse(const std::string& line) {
  double price = 0;
  if (std::istringstream(line) >> price) return price;
  throw std::runtime_error("no number: \"" + line + '"');
}

int main() {
  const auto folder = std::filesystem::temp_directory_path() / ("guide-" + std::to_string(std::random_device()()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "prices.csv") << "1.5\n2.5\nn/a\n4.5\n";
  const auto lines = forebay::text_lines(folder / "prices.csv");

  std::cout << "fail:";
  try {
    for (const double price : lines.map(2, parse).named("parse").run()) std::cout << ' ' << price;
  } catch (const forebay::DatasetError& error) {
    std::cout << "\n  " << error.stage() << " failed at " << error.position() << ", "
              << std::filesystem::path(error.location()).filename().string() << '\n';
    try {
      std::rethrow_if_nested(error);
    } catch (const std::exception& cause) {
      std::cout << "  cause: " << cause.what() << '\n';
    }
  }

  std::cout << "skip:";
  for (const double price : lines.map({.threads = 2, .on_error = forebay::skip(100)}, parse).run()) {
    std::cout << ' ' << price;
  }

  std::cout << "\nredirect:";
  std::vector<forebay::Position> left_out;
  const auto note = [&left_out](forebay::Position position, const std::exception_ptr&) {
    left_out.push_back(position);
  };
  for (const double price : lines.map({.threads = 2, .on_error = forebay::redirect(note)}, parse).run()) {
    std::cout << ' ' << price;
  }
  std::cout << '\n';
  for (const forebay::Position& position : left_out) std::cout << "  left out: " << position << '\n';

  std::filesystem::remove_all(folder);
}
