// SPDX-License-Identifier: MIT
//
// A mistake in the library itself: Clang has to find it in a template, with any policy.
//
// expect: reading variable 'count_' requires holding mutex 'mutex_'
// flags: -Wthread-safety -Werror

#include <forebay/base/mutex.hpp>
#include <forebay/base/thread_annotations.hpp>
#include <forebay/sync.hpp>

template <class Sync>
class Counter {
 public:
  void add() {
    const forebay::detail::Guard guard(mutex_);
    ++count_;
  }
  [[nodiscard]] int count() const { return count_; }

 private:
  mutable forebay::detail::Mutex<Sync> mutex_;
  int count_ FOREBAY_GUARDED_BY(mutex_) = 0;
};

int main() {
  Counter<forebay::StdSync> counter;
  counter.add();
  return counter.count();
}
