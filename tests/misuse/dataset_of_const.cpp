// SPDX-License-Identifier: MIT
//
// expect: the elements of a data set are objects

#include <functional>

#include <forebay/dataset.hpp>

void train(const forebay::Dataset<const int>&);
int main() { train(forebay::Dataset<const int>(nullptr)); }
