// SPDX-License-Identifier: MIT
//
// The interface between the two translation units.

#ifndef FOREBAY_TESTS_PACKAGING_PRODUCE_HPP
#define FOREBAY_TESTS_PACKAGING_PRODUCE_HPP

#include <forebay/forebay.hpp>

/// Starts a thread that puts 1 to 100 in and closes the queue.
void produce(forebay::RandomShuffleQueue<int>& queue, forebay::Coordinator& coordinator);

#endif  // FOREBAY_TESTS_PACKAGING_PRODUCE_HPP
