// SPDX-License-Identifier: MIT
//
// expect: tfrecords(file) or tfrecords(files), by their names

#include <forebay/files.hpp>

int main() { static_cast<void>(forebay::tfrecords(5)); }
