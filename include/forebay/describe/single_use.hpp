// SPDX-License-Identifier: MIT
//
// single_use.hpp: SingleUse, for what can be run only once: a queue, or a callable that cannot be copied.

#ifndef FOREBAY_DESCRIBE_SINGLE_USE_HPP
#define FOREBAY_DESCRIBE_SINGLE_USE_HPP

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "forebay/sync.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Records whether something was run. Descriptions share it; any thread may use it.
class SingleUse {
 public:
  explicit SingleUse(std::string what) : what_(std::move(what)) {}

  /// Uses up all of them. If one is already used up or occurs twice, throws std::invalid_argument, and uses up none
  /// unless another thread uses them up at the same time.
  static void use(const std::vector<std::shared_ptr<SingleUse>>& all) {
    for (auto each = all.begin(); each != all.end(); ++each) {
      if ((*each)->used_.load()) (*each)->refuse("and has been");
      if (std::count(all.begin(), each, *each) > 0) (*each)->refuse("not in two branches of a data set");
    }
    for (const std::shared_ptr<SingleUse>& each : all) {
      if (each->used_.exchange(true)) each->refuse("and has been");
    }
  }

  [[nodiscard]] const std::string& what() const noexcept { return what_; }

 private:
  [[noreturn]] void refuse(const char* why) const {
    throw std::invalid_argument("forebay: " + what_ + " can be run once, " + why);
  }

  std::string what_;
  StdSync::atomic<bool> used_{false};
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_DESCRIBE_SINGLE_USE_HPP
