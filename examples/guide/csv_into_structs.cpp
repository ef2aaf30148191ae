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

  std::ofstream(folder / "a.csv") << "name,built,flow\nA,1901,1\nB,1902,2\n";
  std::ofstream(folder / "b.csv") << "name,built,flow\nC,1903,3\nD,1904,4\n";

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

  const auto shuffled =
      forebay::from_slices(forebay::list_files((folder / "?.csv").string()))
          .seed(1)
          .shuffle()  // the files
          .repeat(2)
          .interleave({.cycle = 8, .prefetch = 64},
                      [](const std::string& name) { return forebay::CsvReader<Row>(name, {.header = true}); })
          .shuffle(1000);  // the rows
  for (const Row& row : shuffled.run()) std::cout << std::get<0>(row);
  std::cout << '\n';

  std::filesystem::remove_all(folder);
}
