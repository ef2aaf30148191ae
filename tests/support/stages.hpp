// SPDX-License-Identifier: MIT
//
// stages.hpp: a table of the stages that have one count and deliver elements of the same type. Tests of impossible and
// extreme counts, of inputs without elements and of random descriptions read it, so a new stage needs only a line here.

#ifndef FOREBAY_TESTS_SUPPORT_STAGES_HPP
#define FOREBAY_TESTS_SUPPORT_STAGES_HPP

#include <string>
#include <vector>

#include "forebay/dataset.hpp"

namespace forebay_test {

template <class T>
struct StageWithCount {
  using Input = const forebay::Dataset<T>&;

  std::string name;
  std::string parameter;  // the name of the count
  int least;              // the smallest count that is accepted
  int usual;
  forebay::Dataset<T> (*add)(Input data, forebay::Count count);
};

template <class T>
std::vector<StageWithCount<T>> stages_with_count() {
  using Input = typename StageWithCount<T>::Input;
  using forebay::Count;
  return {
      {"repeat", "count", 1, 2, [](Input data, Count count) { return data.repeat(count); }},
      {"take", "count", 0, 11, [](Input data, Count count) { return data.take(count); }},
      {"skip", "count", 0, 5, [](Input data, Count count) { return data.skip(count); }},
      {"step_by", "step", 1, 3, [](Input data, Count step) { return data.step_by(step); }},
      {"shuffle", "window", 1, 6, [](Input data, Count window) { return data.shuffle(window); }},
      {"batch", "size", 1, 3, [](Input data, Count size) { return data.batch(size).unbatch(); }},
      {"prefetch", "count", 1, 3, [](Input data, Count count) { return data.prefetch(count); }},
  };
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_STAGES_HPP
