// SPDX-License-Identifier: MIT
//
// contract_table_test.cpp: the table of the contract is complete and equals the one in the guide.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/contract_table.hpp"
#include "tests/support/repository.hpp"

namespace forebay_test {
namespace {

using Row = std::vector<std::string>;

std::string stripped(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(' ') + 1 - first));
}

/// Splits a line such as "| one | two |".
Row cells_of(std::string_view line) {
  Row cells;
  line.remove_prefix(1);
  for (std::size_t end = line.find('|'); end != std::string_view::npos; end = line.find('|')) {
    cells.push_back(stripped(line.substr(0, end)));
    line.remove_prefix(end + 1);
  }
  return cells;
}

/// Returns the rows of the table below "## What every call promises", with its titles but without the rule.
std::vector<Row> rows_of_guide() {
  std::ifstream page(repository_file("examples/guide/contract.md"));
  std::vector<Row> rows;
  bool found = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) found = line == "## What every call promises";
    if (found && line.starts_with("|") && !line.starts_with("|-")) rows.push_back(cells_of(line));
  }
  return rows;
}

std::vector<Row> rows_of_table() {
  std::vector<Row> rows = {Row(column_titles.begin(), column_titles.end())};
  for (const Operation& operation : contract_table()) {
    Row& row = rows.emplace_back();
    row.push_back("`" + std::string(operation.signature) + "`");
    for (const Promise& promise : operation.promises) row.emplace_back(promise.text);
  }
  return rows;
}

TEST(ContractTable, IsTheOneInTheGuide) { EXPECT_EQ(rows_of_table(), rows_of_guide()); }

TEST(ContractTable, HasOneCellForEachStateAndEachFormOfWait) {
  for (const Operation& operation : contract_table()) {
    for (const State& state : all_states()) {
      for (const Form form : all_forms) {
        const Promise& promise = operation.promises.at(column(state));
        const auto found = std::ranges::count_if(
            promise.cells, [&](const Cell& cell) { return cell.state == state && cell.form == form; });
        EXPECT_EQ(found, operation.can_take(form) && can_meet(form, state) ? 1 : 0)
            << operation.signature << ": \"" << promise.text << "\", closing " << static_cast<int>(state.closing)
            << ", event " << static_cast<int>(state.event) << ", lack " << static_cast<int>(state.lack) << ", form "
            << static_cast<int>(form);
      }
    }
  }
}

TEST(ContractTable, HasNoCellInAColumnWhereItDoesNotBelong) {
  const std::vector<State> states = all_states();
  for (const Operation& operation : contract_table()) {
    for (std::size_t i = 0; i < columns; ++i) {
      for (const Cell& cell : operation.promises.at(i).cells) {
        EXPECT_EQ(column(cell.state), i) << operation.signature;
        EXPECT_NE(std::ranges::find(states, cell.state), states.end()) << operation.signature;
      }
    }
  }
}

}  // namespace
}  // namespace forebay_test
