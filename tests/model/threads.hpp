// SPDX-License-Identifier: MIT
//
// threads.hpp: run_together for scenarios.

#ifndef FOREBAY_TESTS_MODEL_THREADS_HPP
#define FOREBAY_TESTS_MODEL_THREADS_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <utility>

#include "tests/model/model_thread.hpp"

namespace forebay_model {

/// Runs each body in a separate thread, and joins all of them. The bodies must outlive the call.
template <std::invocable... Bodies>
void run_together(Bodies&&... bodies) {
  std::array<ModelThread, sizeof...(Bodies)> threads{ModelThread([&bodies] { bodies(); })...};
  for (ModelThread& thread : threads) thread.join();
}

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_THREADS_HPP
