// SPDX-License-Identifier: MIT
//
// expect: forebay: give it a Coordinator or a named Pipeline

#include <forebay/dataset.hpp>

int main() {
  const auto data = forebay::range(3).map([](int number) { return number; });
  const forebay::MonitoredSession session(data);
}
