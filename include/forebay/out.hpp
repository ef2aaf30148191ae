// SPDX-License-Identifier: MIT
//
// out.hpp: Out<T>, where a stage of the user's own puts its results (Dataset::apply).

#ifndef FOREBAY_OUT_HPP
#define FOREBAY_OUT_HPP

#include <utility>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Belongs to the call that it is given to.
template <class T>
class Out {
 public:
  using value_type = T;

  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;
  virtual ~Out() = default;

  /// The next result. Any number of them may come from one element.
  void emit(T element) { put(std::move(element)); }

  /// Ends the epoch behind what was emitted: no further element of it is read, and finish() is called next. What is
  /// emitted by this call after end() is dropped.
  void end() { end_epoch(); }

 protected:
  Out() = default;

 private:
  virtual void put(T&& element) = 0;
  virtual void end_epoch() noexcept = 0;
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_OUT_HPP
