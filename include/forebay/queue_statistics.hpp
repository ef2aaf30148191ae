// SPDX-License-Identifier: MIT
//
// queue_statistics.hpp: QueueStatistics, what a queue has seen so far: how much went through it, who waited, how long.

#ifndef FOREBAY_QUEUE_STATISTICS_HPP
#define FOREBAY_QUEUE_STATISTICS_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>

#include "forebay/base/text.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// What statistics() of a queue returns: a value, true when it was taken.
///
/// Who waits long on the consumers' side wants faster producers, and the other way round. A wait is one for which a
/// thread lined up: what comes while it tries again for a short while needs none.
struct QueueStatistics {
  struct Side {
    /// How many elements went in, or came out: what a batch has gathered is not out before it has all.
    std::uint64_t elements = 0;
    /// How many waits have ended.
    std::uint64_t waits = 0;
    /// How long all have waited together, up to now. Threads that wait at the same time are added up.
    std::chrono::nanoseconds waited{};
    /// Of the waits that have ended.
    std::chrono::nanoseconds longest_wait{};
    /// How many threads wait now.
    std::size_t waiting = 0;

    /// Returns a line such as "1200 elements, 3 waits, 1.250 s waited, 800.000 ms the longest, 1 waiting now".
    [[nodiscard]] std::string text() const {
      return detail::counted(elements, "element") + ", " + detail::counted(waits, "wait") + ", " +
             detail::text_of(waited) + " waited, " + detail::text_of(longest_wait) + " the longest, " +
             std::to_string(waiting) + " waiting now";
    }

    friend bool operator==(const Side&, const Side&) = default;
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const Side& side) {
      return out << side.text().c_str();
    }
  };

  Side producers;
  Side consumers;
  /// The most elements that were stored when a thread began to wait, or one was let go. More may have been stored while
  /// nobody waited.
  std::size_t high_water = 0;

  /// Returns one line: the text of both sides, and the high water. `std::cout << queue.statistics()` writes it.
  [[nodiscard]] std::string text() const {
    return "producers: " + producers.text() + "; consumers: " + consumers.text() + "; " +
           detail::counted(high_water, "element") + " at high water";
  }

  friend bool operator==(const QueueStatistics&, const QueueStatistics&) = default;
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                      const QueueStatistics& statistics) {
    return out << statistics.text().c_str();
  }
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_QUEUE_STATISTICS_HPP
