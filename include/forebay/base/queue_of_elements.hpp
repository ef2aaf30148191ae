// SPDX-License-Identifier: MIT
//
// queue_of_elements.hpp: the concept of a queue as an argument.

#ifndef FOREBAY_BASE_QUEUE_OF_ELEMENTS_HPP
#define FOREBAY_BASE_QUEUE_OF_ELEMENTS_HPP

#include <concepts>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A queue of any kind or a reference to one, not a pointer to it and not a container.
template <class Queue>
concept QueueOfElements = requires(Queue& queue) {
  typename Queue::value_type;
  { queue.is_closed() } -> std::convertible_to<bool>;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_QUEUE_OF_ELEMENTS_HPP
