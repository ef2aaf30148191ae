// SPDX-License-Identifier: MIT
//
// single_use.hpp: SingleUse, for what can be run only once: a queue, or a callable that cannot be copied.

#ifndef FOREBAY_DESCRIBE_SINGLE_USE_HPP
#define FOREBAY_DESCRIBE_SINGLE_USE_HPP

#include <cstddef>
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

  /// Uses up all of them. If one is already used up or occurs twice, throws std::invalid_argument and uses up none.
  static void use(const std::vector<std::shared_ptr<SingleUse>>& all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i]->used_.exchange(true)) continue;
      const bool twice = count(all, i) > 0;
      for (std::size_t j = 0; j < i; ++j) {
        if (all[j] != all[i]) all[j]->used_.store(false);
      }
      if (twice) all[i]->used_.store(false);
      throw std::invalid_argument("forebay: " + all[i]->what_ + " can be run once, " +
                                  (twice ? "not in two branches of a data set" : "and has been"));
    }
  }

  [[nodiscard]] const std::string& what() const noexcept { return what_; }

  /// Uses up all of them. The destructor undoes this unless keep() was called.
  class Use {
   public:
    explicit Use(const std::vector<std::shared_ptr<SingleUse>>& all) : all_(&all) { use(all); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() {
      if (all_ == nullptr) return;
      for (const std::shared_ptr<SingleUse>& each : *all_) each->used_.store(false);
    }

    void keep() noexcept { all_ = nullptr; }

   private:
    const std::vector<std::shared_ptr<SingleUse>>* all_;
  };

 private:
  /// Returns how often the element at `i` occurs before `i`.
  static std::size_t count(const std::vector<std::shared_ptr<SingleUse>>& all, std::size_t i) {
    std::size_t count = 0;
    for (std::size_t j = 0; j < i; ++j) count += all[j] == all[i] ? 1U : 0U;
    return count;
  }

  std::string what_;
  StdSync::atomic<bool> used_{false};
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_DESCRIBE_SINGLE_USE_HPP
