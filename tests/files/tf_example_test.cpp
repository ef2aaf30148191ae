// SPDX-License-Identifier: MIT
//
// tf_example_test.cpp: the parser of tf.train.Example in the examples reads what another program has written, and
// rejects damaged messages.

#include "examples/tf_example.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/record_files.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/repository.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

std::string second_record() {
  forebay::TFRecordReader reader(data_file("three.tfrecord"));
  std::string record;
  EXPECT_EQ(reader.skip(1), 1U);
  EXPECT_TRUE(reader(record));
  return record;
}

TEST(TfExample, HasTheFeaturesOfAnotherWriter) {
  const std::string record = second_record();
  const TfExample example(record);
  EXPECT_EQ(example.bytes("image/filename"), std::vector<std::string_view>{"image1.png"});
  EXPECT_EQ(example.bytes("image/encoded"), (std::vector<std::string_view>{{"\x00\x01\x02\xfd\xfe\x01", 6}}));
  EXPECT_EQ(example.integers("image/width"), std::vector<std::int64_t>{1025});
  EXPECT_EQ(example.integers("label"), (std::vector<std::int64_t>{7, 300, 1}));
  EXPECT_EQ(example.floats("box"), (std::vector<float>{0.25F, 0.5F, 1.0F}));
}

TEST(TfExample, RejectsAFeatureThatIsMissingOrHasAnotherType) {
  const std::string record = second_record();
  const TfExample example(record);
  EXPECT_TRUE(contains(message_of<std::runtime_error>([&] { return example.floats("height"); }), "no feature height"));
  EXPECT_TRUE(contains(message_of<std::runtime_error>([&] { return example.floats("label"); }), "another type"));
}

TEST(TfExample, RejectsATruncatedMessage) {
  const std::string record = second_record();
  for (std::size_t size = 0; size < record.size(); ++size) {
    const std::string truncated = record.substr(0, size);
    EXPECT_THROW(static_cast<void>(TfExample(truncated).integers("label")), std::runtime_error) << size;
  }
}

}  // namespace
}  // namespace forebay_test
