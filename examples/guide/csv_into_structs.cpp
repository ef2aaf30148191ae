// SPDX-License-Identifier: MIT

#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <tuple>

#include <forebay/files.hpp>

struct Mill {
  std::string name;
  int built = 0;
  std::optional<double> flow;  // in cubic metres a second
};

int main() {
  const auto folder = std::filesystem::temp_directory_path() / ("guide-" + std::to_string(std::random_device()()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "mills.csv") << "built,name,owner,flow\n"
                                         "1712,\"Mill, upper\",Ada,1.5\n"
                                         "1803,Lower mill,Bo,\n"
                                         "unknown,Ruin,,\n"
                                         "1920,New mill,Cy,4.25\n";

  using Row = std::tuple<std::string, int, std::optional<double>>;  // the types of the columns
  const auto rows = forebay::csv_rows<Row>(
      folder / "mills.csv", {.header = true, .columns = {"name", "built", "flow"}, .on_error = forebay::skip(10)});
  const auto mills = rows.map([](const Row& row) {
    const auto& [name, built, flow] = row;
    return Mill{name, built, flow};
  });
  for (const Mill& mill : mills.run()) {
    std::cout << mill.name << ", built in " << mill.built;
    if (mill.flow) std::cout << ", " << *mill.flow << " m3/s";
    std::cout << '\n';
  }

  std::filesystem::remove_all(folder);
}
