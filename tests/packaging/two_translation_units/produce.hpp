// SPDX-License-Identifier: MIT
//
// The interface between the two translation units.

#ifndef FOREBAY_TESTS_PACKAGING_PRODUCE_HPP
#define FOREBAY_TESTS_PACKAGING_PRODUCE_HPP

#include <forebay/forebay.hpp>

/// Starts a thread that enqueues 1 to 100 and then closes the queue.
void produce(forebay::RandomShuffleQueue<int>& queue, forebay::Coordinator& coordinator);

#endif  // FOREBAY_TESTS_PACKAGING_PRODUCE_HPP
