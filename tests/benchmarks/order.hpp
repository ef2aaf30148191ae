// SPDX-License-Identifier: MIT
//
// The cost of an order by the number of stored elements: forebay's PriorityQueue and RandomShuffleQueue against a mutex
// around the container that a textbook uses.

#ifndef FOREBAY_BENCHMARK_ORDER_HPP
#define FOREBAY_BENCHMARK_ORDER_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "options.hpp"
#include "order_contenders.hpp"
#include "require.hpp"
#include "run_together.hpp"

namespace forebay_benchmark {

// Numbers in random order, cheap to generate.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}

  Number next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<Number>(state_ >> 32);
  }

 private:
  std::uint64_t state_;
};

// One store, type-erased. Each member function runs `threads` threads and returns how long they took.
class StoreUnderTest {
 public:
  virtual ~StoreUnderTest() = default;
  virtual Nanoseconds put(std::size_t threads, std::size_t count) = 0;
  virtual Nanoseconds take_all(std::size_t threads) = 0;
  // Alternates put and take, so the number of stored elements stays the same.
  virtual Nanoseconds put_and_take(std::size_t threads, std::size_t count) = 0;
};

template <class Store>
class StoreOf final : public StoreUnderTest {
 public:
  StoreOf(std::size_t stored, std::uint64_t round) : store_(stored), seed_(round << 8) {}

  Nanoseconds put(std::size_t threads, std::size_t count) override {
    stored_ += count / threads * threads;
    return run(threads, [this, count = count / threads](Numbers numbers, Number& sum) {
      for (std::size_t i = 0; i < count; ++i) store_.put(added(sum, numbers.next()));
    });
  }

  Nanoseconds take_all(std::size_t threads) override {
    store_.close();
    const Nanoseconds time = run(threads, [this, count = stored_ / threads](Numbers, Number& sum) {
      for (std::size_t i = 0; i < count; ++i) sum -= store_.take();
    });
    require(sum_ == 0, "elements were lost or doubled");
    return time;
  }

  // Each number put in is larger than the last one taken out, like the time of the next event in a simulation.
  // Otherwise it would soon be smaller than all stored numbers, and leave immediately.
  Nanoseconds put_and_take(std::size_t threads, std::size_t count) override {
    return run(threads, [this, count = count / threads](Numbers numbers, Number& sum) {
      Number last = last_;
      for (std::size_t i = 0; i < count; ++i) {
        store_.put(added(sum, last + numbers.next()));
        last = store_.take();
        sum -= last;
      }
      last_ = last;
    });
  }

 private:
  static Number added(Number& sum, Number number) {
    sum += number;
    return number;
  }

  template <class Body>
  Nanoseconds run(std::size_t threads, Body body) {
    std::vector<Number> sums(threads);
    std::vector<std::function<void()>> bodies;
    for (Number& sum : sums) bodies.push_back([&, numbers = Numbers(++seed_)] { body(numbers, sum); });
    const Nanoseconds time = run_together(Store::name, bodies);
    for (const Number sum : sums) sum_ += sum;
    return time;
  }

  Store store_;
  std::size_t stored_ = 0;
  std::uint64_t seed_;
  Number sum_ = 0;  // of the stored numbers
  std::atomic<Number> last_ = 0;
};

class OrderBenchmark {
 public:
  explicit OrderBenchmark(const Options& options) : options_(options) {}

  void run() const {
    compare("smallest first, ns for an element in and out", {contender<LockedHeap>(), contender<PriorityOrder>()});
    compare("at random, ns for an element in and out",
            {contender<LockedVector>(), contender<ShuffleOrder>(), contender<WindowOrder>()});
    compare("smallest first, strings, ns for an element in and out",
            {contender<LockedHeapOfStrings>(), contender<PriorityOrderOfStrings>()});
  }

 private:
  struct OrderContender {
    const char* name;
    std::unique_ptr<StoreUnderTest> (*make)(std::size_t stored, std::uint64_t round);
  };
  using Contenders = std::vector<OrderContender>;
  using Stores = std::vector<std::unique_ptr<StoreUnderTest>>;

  template <class Store>
  static OrderContender contender() {
    return {Store::name, [](std::size_t stored, std::uint64_t round) -> std::unique_ptr<StoreUnderTest> {
              return std::make_unique<StoreOf<Store>>(stored, round);
            }};
  }

  void compare(const char* what, const Contenders& contenders) const {
    std::printf("\n%-45s%9s", what, "stored");
    for (const OrderContender& each : contenders) std::printf("%22s", each.name);
    std::printf("\n%s\n", std::string(54 + 22 * contenders.size(), '-').c_str());
    for (const std::size_t stored : {100U, 1'000U, 100'000U, 1'000'000U}) {
      if (options_.quick && stored > 1'000) return;
      for (const std::size_t threads : {1U, 2U, 8U}) {
        put_and_take(contenders, stored, threads);
        fill_and_drain(contenders, stored, threads);
      }
    }
  }

  void put_and_take(const Contenders& contenders, std::size_t stored, std::size_t threads) const {
    const std::size_t pairs = options_.quick ? 1'000 : 200'000;
    Stores stores;
    for (const OrderContender& each : contenders) {
      stores.push_back(each.make(stored, 0));
      stores.back()->put(1, stored);
      stores.back()->put_and_take(threads, pairs);
    }
    print("put and take", stored, threads, contenders.size(),
          [&](std::size_t i) { return stores[i]->put_and_take(threads, pairs) / static_cast<double>(pairs); });
    for (const auto& store : stores) store->take_all(1);
  }

  // Each round has different numbers, because a processor learns to predict every branch of a few hundred that recur.
  void fill_and_drain(const Contenders& contenders, std::size_t stored, std::size_t threads) const {
    const std::size_t rounds = std::max<std::size_t>(1, (options_.quick ? 1'000 : 100'000) / stored);
    const std::size_t count = stored / threads * threads;
    print("fill, and drain", stored, threads, contenders.size(), [&](std::size_t i) {
      Nanoseconds time{};
      for (std::size_t round = 0; round < rounds; ++round) {
        const auto store = contenders[i].make(stored, round);
        time += store->put(threads, stored);
        time += store->take_all(threads);
      }
      return time / static_cast<double>(rounds * count);
    });
  }

  template <class Measure>
  void print(const char* what, std::size_t stored, std::size_t threads, std::size_t contenders,
             Measure measure) const {
    std::vector<std::vector<double>> times(contenders);
    for (std::size_t repetition = 0; repetition < options_.repetitions(); ++repetition) {
      for (std::size_t i = 0; i < contenders; ++i) times[i].push_back(measure(i).count());
    }
    for (std::vector<double>& each : times) std::ranges::sort(each);
    std::printf("order %-28s%2zu threads %9zu", what, threads, stored);
    const double textbook = times[0][times[0].size() / 2];
    for (const std::vector<double>& each : times)
      std::printf("%14.1f%6.2fx ", each[each.size() / 2], each[each.size() / 2] / textbook);
    std::puts("");
    std::fflush(stdout);
  }

  const Options& options_;
};

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_ORDER_HPP
