// SPDX-License-Identifier: MIT
//
// expect: a row of a CSV file is a CsvRow or a std::tuple, of std::string, numbers

#include <tuple>

#include <forebay/csv_files.hpp>

int main() { auto data = forebay::csv_rows<std::tuple<int, char>>("letters.csv"); }
