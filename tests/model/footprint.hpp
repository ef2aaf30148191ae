// SPDX-License-Identifier: MIT
//
// footprint.hpp: Footprint, the objects that a step of a thread reads and writes. Two steps of different threads whose
// footprints do not conflict may be swapped without an effect, so only one order needs to be explored.

#ifndef FOREBAY_TESTS_MODEL_FOOTPRINT_HPP
#define FOREBAY_TESTS_MODEL_FOOTPRINT_HPP

#include <array>
#include <cstddef>
#include <cstdint>

namespace forebay_model {

/// Identifies an object of an execution. The same schedule gives the same object the same id.
using ObjectId = std::uint32_t;

inline constexpr ObjectId no_object = 0;
inline constexpr ObjectId clock_object = 1;   ///< the time
inline constexpr ObjectId budget_object = 2;  ///< the number of spurious wake-ups left
inline constexpr ObjectId thread_list = 3;    ///< the order in which threads were created
/// Calls and results of operations. Here a "write" is a result: only the order between calls and results matters.
inline constexpr ObjectId history_object = 4;
inline constexpr ObjectId first_free_object = 5;

class Footprint {
 public:
  void clear() noexcept {
    size_ = 0;
    everything_ = false;
  }

  void add(ObjectId object, bool write) noexcept {
    if (object == no_object) return;
    const std::uint32_t access = (object << 1U) | (write ? 1U : 0U);
    for (std::size_t i = 0; i < size_; ++i) {
      if (accesses_[i] == access) return;
    }
    if (size_ == accesses_.size()) {
      everything_ = true;
    } else {
      accesses_[size_++] = access;
    }
  }

  [[nodiscard]] bool conflicts_with(const Footprint& other) const noexcept {
    if (everything_ || other.everything_) return true;
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j < other.size_; ++j) {
        if (conflict(accesses_[i], other.accesses_[j])) return true;
      }
    }
    return false;
  }

 private:
  static bool conflict(std::uint32_t a, std::uint32_t b) noexcept {
    if ((a >> 1U) != (b >> 1U)) return false;
    if ((a >> 1U) == history_object) return a != b;
    return ((a | b) & 1U) != 0;
  }

  std::array<std::uint32_t, 7> accesses_{};
  std::uint8_t size_ = 0;
  bool everything_ = false;
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_FOOTPRINT_HPP
