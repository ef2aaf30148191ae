// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_PIPELINE_WINDOW_HPP
#define FOREBAY_BENCHMARK_PIPELINE_WINDOW_HPP

#include <utility>
#include <vector>

#include "forebay/base/random_bits.hpp"
#include "records.hpp"

namespace forebay_benchmark::input {

// Shuffles records in a window, as a user writes it by hand. A drawn record is used in place, and the next one is read
// into its place.
template <class Reader>
class Window {
 public:
  explicit Window(Reader reader) : reader_(std::move(reader)), records_(window_size) {
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (!reader_(records_[i])) records_.resize(i);
    }
  }

  // Calls use(record) with the next record. Returns false if there is none.
  template <class Use>
  bool next(Use use) {
    if (records_.empty()) return false;
    Record& drawn = records_[bits_.below(records_.size())];
    use(std::as_const(drawn));
    if (reader_(drawn)) return true;
    drawn = records_.back();
    records_.pop_back();
    return true;
  }

 private:
  Reader reader_;
  std::vector<Record> records_;
  forebay::detail::RandomBits bits_{7};
};

}  // namespace forebay_benchmark::input

#endif  // FOREBAY_BENCHMARK_PIPELINE_WINDOW_HPP
