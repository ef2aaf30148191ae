// SPDX-License-Identifier: MIT
//
// weights.hpp: the weights of mix and the shares of split, as integers.

#ifndef FOREBAY_STAGE_WEIGHTS_HPP
#define FOREBAY_STAGE_WEIGHTS_HPP

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "forebay/base/reject.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Converts weights to integers, so that every machine draws the same. Throws std::invalid_argument unless they are
/// finite and nonnegative, with a message about `one` of them; or if none is above 0, unless `none`, the message, is
/// null.
[[nodiscard]] inline std::vector<std::uint64_t> whole_weights(std::span<const double> weights, const char* one,
                                                              const char* none) {
  double largest = 0;
  for (const double weight : weights) {
    if (!std::isfinite(weight) || weight < 0) {
      reject({one, " must be finite and at least 0, not ", std::to_string(weight).c_str()});
    }
    if (largest < weight) largest = weight;
  }
  if (!(largest > 0)) {
    if (none != nullptr) reject({none});
    return std::vector<std::uint64_t>(weights.size());
  }
  const int exponent = std::ilogb(largest);
  const auto scaled = [exponent](double weight) { return std::scalbn(weight, -exponent); };  // so the sum is finite
  double sum = 0;
  for (const double weight : weights) sum += scaled(weight);
  std::vector<std::uint64_t> whole;
  whole.reserve(weights.size());
  for (const double weight : weights) {
    whole.push_back(weight > 0 ? static_cast<std::uint64_t>(scaled(weight) / sum * 0x1p40) + 1 : 0);
  }
  return whole;
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_WEIGHTS_HPP
