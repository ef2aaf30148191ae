// SPDX-License-Identifier: MIT
//
// description_test.cpp: the text of the description of a data set, and of one of its stages.

#include <gtest/gtest.h>

#include "forebay/dataset_description.hpp"
#include "tests/support/printed.hpp"

namespace forebay_test {
namespace {

using forebay::DatasetDescription;
using forebay::StageDescription;

TEST(PrintingADescription, WritesItsTable) {
  const DatasetDescription description{{{.name = "range", .what = "range 3"}, {.name = "loop", .what = "loop"}}};
  EXPECT_EQ(printed(description), description.text());
}

TEST(PrintingADescription, WritesAStageAsOneLine) {
  EXPECT_EQ(printed(StageDescription{.name = "decode",
                                     .what = "map",
                                     .threads = 4,
                                     .ahead = 16,
                                     .chunk = 32,
                                     .inputs = 128,
                                     .outputs = 544,
                                     .bytes = 1'800'000}),
            "decode: map, 4 threads, 16 x 32 elements ahead, holds 128 inputs, 544 outputs, 1.8 MB");
}

TEST(PrintingADescription, LeavesOutWhatAStageHasNot) {
  EXPECT_EQ(printed(StageDescription{.name = "range", .what = "range 3"}), "range 3");
  EXPECT_EQ(printed(StageDescription{.name = "shuffle", .what = "shuffle 4", .inputs = 1}),
            "shuffle 4, holds 1 input");
  EXPECT_EQ(printed(StageDescription{.name = "loop", .what = "loop", .outputs = 1}), "loop, holds 1 output");
  EXPECT_EQ(printed(StageDescription{.name = "two\nlines", .what = "map"}), "two lines: map");
}

}  // namespace
}  // namespace forebay_test
