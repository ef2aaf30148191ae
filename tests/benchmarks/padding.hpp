// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_PADDING_HPP
#define FOREBAY_BENCHMARK_PADDING_HPP

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "forebay/padding_fifo_queue.hpp"
#include "require.hpp"
#include "run_together.hpp"

namespace forebay_benchmark {

inline constexpr std::size_t padded_sequences = 128;

// The cost of a padded batch. Elements that own their floats include the release of the floats; spans have nothing to
// release. `bare` is only the memcpy and fill.
struct PaddingCost {
  Nanoseconds vectors;
  Nanoseconds spans;
  Nanoseconds by_hand;  // with vectors: dequeue_many into a std::vector, memcpy and fill, release
  Nanoseconds bare;
};

// Takes 128 sequences of 50 to 150 floats, 100 on average, into one batch padded to the longest.
class PaddingBenchmark {
 public:
  PaddingBenchmark() {
    for (std::size_t i = 0; i < padded_sequences; ++i) sequences_.emplace_back(50 + i * 37 % 101, 1.0F);
    for (const Sequence& sequence : sequences_) longest_ = std::max(longest_, sequence.size());
    buffer_.resize(padded_sequences * longest_);
  }

  // Returns the median of each. The measurements take turns. Filling the queues is not timed.
  PaddingCost measure(std::size_t rounds) {
    std::vector<Nanoseconds> vectors;
    std::vector<Nanoseconds> spans;
    std::vector<Nanoseconds> by_hand;
    std::vector<Nanoseconds> bare;
    for (std::size_t round = 0; round < rounds; ++round) {
      vectors.push_back(time_batch(vector_queue_, vector_batch_));
      spans.push_back(time_batch(span_queue_, span_batch_));
      by_hand.push_back(time_by_hand());
      bare.push_back(time([this] { copy_and_fill(sequences_); }));
      require_equal(vector_batch_.values());
      require_equal(span_batch_.values());
    }
    return {median(vectors), median(spans), median(by_hand), median(bare)};
  }

 private:
  using Sequence = std::vector<float>;
  using Span = std::span<const float>;

  static constexpr float pad_value = -1;

  template <class Work>
  static Nanoseconds time(Work work) {
    const Clock::time_point start = Clock::now();
    work();
    return Clock::now() - start;
  }

  template <class Queue, class Batch>
  Nanoseconds time_batch(Queue& queue, Batch& batch) {
    static_cast<void>(queue.enqueue_many(sequences_));
    return time([&] { static_cast<void>(queue.dequeue_many(padded_sequences, batch)); });
  }

  Nanoseconds time_by_hand() {
    static_cast<void>(vector_queue_.enqueue_many(sequences_));
    return time([this] {
      static_cast<void>(vector_queue_.dequeue_many(padded_sequences, taken_));
      copy_and_fill(taken_);
      taken_.clear();
    });
  }

  void require_equal(Span values) const {
    require(std::equal(buffer_.begin(), buffer_.end(), values.begin(), values.end()),
            "padding: the batch is not what it should be");
  }

  static Nanoseconds median(std::vector<Nanoseconds>& times) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
  }

  void copy_and_fill(const std::vector<Sequence>& sequences) {
    float* row = buffer_.data();
    for (const Sequence& sequence : sequences) {
      std::memcpy(row, sequence.data(), sequence.size() * sizeof(float));
      std::fill(row + sequence.size(), row + longest_, pad_value);
      row += longest_;
    }
  }

  std::vector<Sequence> sequences_;
  std::vector<Sequence> taken_;
  std::size_t longest_ = 0;
  std::vector<float> buffer_;
  forebay::PaddingFIFOQueue<Sequence> vector_queue_{padded_sequences};
  forebay::PaddingFIFOQueue<Span> span_queue_{padded_sequences};
  forebay::PaddedBatch<Sequence> vector_batch_{pad_value};
  forebay::PaddedBatch<Span> span_batch_{pad_value};
};

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_PADDING_HPP
