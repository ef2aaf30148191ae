// SPDX-License-Identifier: MIT
//
// position_test.cpp: the text of a position.

#include <gtest/gtest.h>

#include <string>

#include "forebay/dataset_error.hpp"
#include "forebay/position.hpp"
#include "tests/support/printed.hpp"

namespace forebay_test {
namespace {

using forebay::Position;

TEST(PrintingAPosition, WritesWhatADatasetErrorSays) {
  const Position position{.epoch = 2, .number = 17};
  EXPECT_EQ(printed(position), "epoch 2, number 17");
  const forebay::DatasetError error("decode", position);
  EXPECT_EQ(std::string(error.what()), "forebay: decode, " + printed(position) + ": no cause");
}

}  // namespace
}  // namespace forebay_test
