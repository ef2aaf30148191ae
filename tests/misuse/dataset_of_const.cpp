// SPDX-License-Identifier: MIT
//
// expect: the element type of a data set must be an object type

#include <functional>

#include <forebay/dataset.hpp>

void train(const forebay::Dataset<const int>&);
int main() { train(forebay::Dataset<const int>(nullptr)); }
