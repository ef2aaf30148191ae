// SPDX-License-Identifier: MIT
//
// oneTBB's parallel_pipeline: a serial filter reads and shuffles, a parallel one decodes, a serial one trains, in
// order. Tokens are reused storage, so nothing is allocated on the way.

#ifndef FOREBAY_BENCHMARK_PIPELINE_TBB_HPP
#define FOREBAY_BENCHMARK_PIPELINE_TBB_HPP

#ifdef FOREBAY_BENCHMARK_HAS_TBB

#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>

#include <cstddef>
#include <span>
#include <vector>

#include "../require.hpp"
#include "records.hpp"
#include "training.hpp"
#include "window.hpp"

namespace forebay_benchmark::input {

// Runs `read(token) -> bool`, `decode(token)` and `train(token)` with `count` tokens, on two threads.
template <class Token, class Read, class Decode, class Train>
void run_tokens(std::size_t count, Read read, Decode decode, Train train) {
  const tbb::global_control two_threads(tbb::global_control::max_allowed_parallelism, threads);
  std::vector<Token> tokens(count);
  tbb::concurrent_queue<Token*> free;
  for (Token& token : tokens) free.push(&token);
  const auto first = tbb::make_filter<void, Token*>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& flow) {
    Token* token = nullptr;
    require(free.try_pop(token), "oneTBB: more tokens are under way than there are");
    if (!read(*token)) flow.stop();
    return token;
  });
  const auto second = tbb::make_filter<Token*, Token*>(tbb::filter_mode::parallel, [&](Token* token) {
    decode(*token);
    return token;
  });
  const auto third = tbb::make_filter<Token*, void>(tbb::filter_mode::serial_in_order, [&](Token* token) {
    train(*token);
    free.push(token);
  });
  tbb::parallel_pipeline(count, first & second & third);
}

// Each record is a token, as in oneTBB's documentation.
inline void run_record_tokens(const Task& task, Training& training) {
  struct Token {
    Record record;
    Image image;
  };
  Window window(task.reader());
  Batch batch;
  batch.reserve(images_of_a_batch);
  run_tokens<Token>(
      8 * images_of_a_batch,
      [&](Token& token) { return window.next([&](const Record& record) { token.record = record; }); },
      [&](Token& token) { task.decode(token.record, token.image); },
      [&](Token& token) {
        batch.push_back(token.image);
        if (batch.size() < images_of_a_batch) return;
        training.step(batch);
        batch.clear();
      });
  if (!batch.empty()) training.step(batch);
}

// Each batch is a token: the variant to choose after measuring the other one.
template <class Task, class Training>
void run_batch_tokens(const Task& task, Training& training) {
  struct Token {
    std::vector<Record> records = std::vector<Record>(images_of_a_batch);
    Batch batch = Batch(images_of_a_batch);
    std::size_t size = 0;
  };
  Window window(task.reader());
  run_tokens<Token>(
      4 * threads,
      [&](Token& token) {
        token.size = 0;
        const auto take = [&](const Record& record) { token.records[token.size++] = record; };
        while (token.size < images_of_a_batch && window.next(take)) continue;
        return token.size > 0;
      },
      [&](Token& token) {
        for (std::size_t i = 0; i < token.size; ++i) task.decode(token.records[i], token.batch[i]);
      },
      [&](Token& token) { training.step(std::span(token.batch).first(token.size)); });
}

}  // namespace forebay_benchmark::input

#endif  // FOREBAY_BENCHMARK_HAS_TBB

#endif  // FOREBAY_BENCHMARK_PIPELINE_TBB_HPP
