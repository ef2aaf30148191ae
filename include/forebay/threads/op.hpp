// SPDX-License-Identifier: MIT
//
// op.hpp: Op, the work of a thread of a QueueRunner, independent of the types of its queue and callable.

#ifndef FOREBAY_THREADS_OP_HPP
#define FOREBAY_THREADS_OP_HPP

#include <functional>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

class Op {
 public:
  /// Returns whether to call an op again that has not ended.
  using GoesOn = std::function<bool()>;

  Op() = default;
  Op(const Op&) = delete;
  Op& operator=(const Op&) = delete;
  virtual ~Op() = default;

  /// Calls the op repeatedly in this thread until it ends or `goes_on` returns false. Throws what the op throws.
  /// Several threads may run an op that was made for several threads.
  virtual void run(const GoesOn& goes_on) = 0;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_THREADS_OP_HPP
