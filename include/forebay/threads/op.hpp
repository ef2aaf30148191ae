// SPDX-License-Identifier: MIT
//
// op.hpp: what a thread of a QueueRunner runs, whatever its queue and its callable are.

#ifndef FOREBAY_THREADS_OP_HPP
#define FOREBAY_THREADS_OP_HPP

#include <functional>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

class Op {
 public:
  /// Whether an op that is not at its end is to be called again.
  using GoesOn = std::function<bool()>;

  Op() = default;
  Op(const Op&) = delete;
  Op& operator=(const Op&) = delete;
  virtual ~Op() = default;

  /// Calls it again and again, in this thread, until it is at its end or `goes_on` says no. Throws what it throws. An
  /// op that was made for several threads may be run by them at the same time.
  virtual void run(const GoesOn& goes_on) = 0;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_THREADS_OP_HPP
