// SPDX-License-Identifier: MIT
//
// ended_loops.hpp: EndedLoops, which records the threads whose loop has reached the end of a pipeline.

#ifndef FOREBAY_PARALLEL_ENDED_LOOPS_HPP
#define FOREBAY_PARALLEL_ENDED_LOOPS_HPP

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Thread safety: any thread may call any member at any time.
template <class Sync>
class EndedLoops {
  using Time = typename Sync::clock::time_point;

 public:
  /// Records that a loop of the calling thread has reached the end.
  void add() {
    const Looping caller = this_thread();
    const Guard guard(mutex_);
    const auto has_its_id = [&](const Looping& each) { return each.id == caller.id; };
    std::erase_if(threads_, has_its_id);  // perhaps of a thread that has ended
    threads_.push_back(caller);
  }

  /// Throws std::logic_error if a loop of the calling thread has reached the end.
  void throw_if_added() const {
    const Guard guard(mutex_);
    if (threads_.empty() || std::find(threads_.begin(), threads_.end(), this_thread()) == threads_.end()) return;
    throw std::logic_error(
        "forebay: a loop of this thread has reached the end of the pipeline, so another one would be empty: run the "
        "data set again, or describe several epochs with repeat(n)");
  }

 private:
  /// Identifies a thread. A system may reuse the id of a thread that has ended.
  struct Looping {
    typename Sync::thread::id id{};
    Time since{};

    friend bool operator==(const Looping&, const Looping&) = default;
  };

  struct FirstTime {
    std::optional<Time> time;
  };

  [[nodiscard]] static Looping this_thread() noexcept {
    std::optional<Time>& since = Sync::template of_this_thread<FirstTime>().time;
    if (!since) since = Sync::clock::now();
    return {Sync::this_thread_id(), *since};
  }

  mutable Mutex<Sync> mutex_;
  std::vector<Looping> threads_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_ENDED_LOOPS_HPP
