// SPDX-License-Identifier: MIT
//
// The cost of storing elements. One thread fills and empties a store. Measures its worst call, its memory when full and
// when empty again, and the cost of making an empty one. Each store has its own process, so that none finds what
// another has left.

#ifndef FOREBAY_BENCHMARK_STORE_HPP
#define FOREBAY_BENCHMARK_STORE_HPP

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "require.hpp"
#include "run_together.hpp"
#include "store_contenders.hpp"
#include "waiting.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace forebay_benchmark {

// A record as training pipelines read it.
struct Record {
  explicit Record(std::uint64_t number = 0) : bytes{static_cast<unsigned char>(number)} {}
  std::array<unsigned char, 785> bytes;
};

class StoreBenchmark {
 public:
  explicit StoreBenchmark(bool quick) : scale_(quick ? 100 : 1) {}

  void run() const {
    title("microseconds of the worst call, MB that are there", {"put", "take", "ns a pair", "full", "drained"});
    fill_unbounded<std::uint64_t>("unbounded, of 8 bytes", 10'000'000 / scale_);
    fill_unbounded<Record>("unbounded, of 785 bytes", 500'000 / scale_);
    fill_unbounded_by_priority("unbounded, smallest first", 500'000 / scale_);
    fill_bounded("of capacity 10^7, of 8 bytes", 10'000'000 / scale_);
    title("making an empty one", {"us", "MB"});
    make<std::uint64_t>("of capacity 10^8, of 8 bytes", 100'000'000 / scale_);
    make<Record>("of capacity 10^6, of 785 bytes", 1'000'000 / scale_);
  }

 private:
  template <class T>
  static void fill_unbounded(const char* what, std::size_t count) {
    fill<DequeStore<T>>(what, "std::deque", count);
    fill<FifoStore<T>>(what, "forebay FIFO", count, forebay::unbounded);
    fill<ShuffleStore<T>>(what, "forebay shuffle", count, forebay::unbounded);
#ifdef FOREBAY_BENCHMARK_HAS_TBB
    fill<TbbStore<T>>(what, "oneTBB", count);
#endif
#ifdef FOREBAY_BENCHMARK_HAS_BOOST
    fill<BoostStore<T>>(what, "Boost", count);
#endif
#ifdef FOREBAY_BENCHMARK_HAS_MOODYCAMEL
    fill<MoodycamelStore<T>>(what, "moodycamel", count);
#endif
  }

  static void fill_unbounded_by_priority(const char* what, std::size_t count) {
    using T = std::uint64_t;
    fill<HeapStore<T>>(what, "std::priority_queue", count);
    fill<PriorityStore<T>>(what, "forebay priority", count, forebay::unbounded);
#ifdef FOREBAY_BENCHMARK_HAS_TBB
    fill<TbbPriorityStore<T>>(what, "oneTBB", count);
#endif
#ifdef FOREBAY_BENCHMARK_HAS_BOOST
    fill<BoostPriorityStore<T>>(what, "Boost", count);
#endif
  }

  static void fill_bounded(const char* what, std::size_t count) {
    using T = std::uint64_t;
    fill<FifoStore<T>>(what, "forebay FIFO", count, count);
    fill<ShuffleStore<T>>(what, "forebay shuffle", count, count);
    fill<PriorityStore<T>>(what, "forebay priority", count, count);
#ifdef FOREBAY_BENCHMARK_HAS_TBB
    fill<TbbStore<T>>(what, "oneTBB", count, count);
#endif
#ifdef FOREBAY_BENCHMARK_HAS_BOOST
    fill<BoostBoundedStore<T>>(what, "Boost", count, count);
#endif
  }

  template <class T>
  static void make(const char* what, std::size_t capacity) {
    make<FifoStore<T>>(what, "forebay FIFO", capacity);
    make<ShuffleStore<T>>(what, "forebay shuffle", capacity);
    if constexpr (std::is_integral_v<T>) make<PriorityStore<T>>(what, "forebay priority", capacity);
#ifdef FOREBAY_BENCHMARK_HAS_TBB
    make<TbbStore<T>>(what, "oneTBB", capacity);
#endif
#ifdef FOREBAY_BENCHMARK_HAS_BOOST
    if constexpr (std::is_integral_v<T>) make<BoostBoundedStore<T>>(what, "Boost", capacity);
#endif
#ifdef FOREBAY_BENCHMARK_HAS_MOODYCAMEL
    make<MoodycamelStore<T>>(what, "moodycamel", capacity);
#endif
  }

  // ---- One store

  using Figures = std::array<double, 5>;

  template <class Store, class... Setting>
  static void fill(const char* what, const char* name, std::size_t count, Setting... setting) {
    print(what, name, 5, in_a_process([&] {
            const double before = resident_megabytes();
            Store store(setting...);
            // Numbers in scattered order. The factor is odd, so they stay distinct.
            const Calls put =
                calls(count, [&](std::size_t i) { store.put(typename Store::Element(i * 0x9e3779b97f4a7c15)); });
            const double full = resident_megabytes() - before;
            const Calls take = calls(count, [&](std::size_t) { store.take(); });
            give_back_what_is_free();
            return Figures{put.worst, take.worst, put.mean + take.mean, full, resident_megabytes() - before};
          }));
  }

  template <class Store>
  static void make(const char* what, const char* name, std::size_t capacity) {
    print(what, name, 2, in_a_process([&] {
            const double before = resident_megabytes();
            const Nanoseconds begin = thread_cpu_time();
            const Store store(capacity);
            const Nanoseconds end = thread_cpu_time();
            return Figures{microseconds(end - begin), resident_megabytes() - before};
          }));
  }

  struct Calls {
    double worst = 0;  // microseconds
    double mean = 0;   // nanoseconds of CPU time, including the cost of reading the clock
  };

  // Uses CPU time, so time taken by other processes does not count.
  template <class Call>
  static Calls calls(std::size_t count, Call call) {
    const Nanoseconds begin = thread_cpu_time();
    Nanoseconds before = begin;
    Nanoseconds worst{};
    for (std::size_t i = 0; i < count; ++i) {
      call(i);
      const Nanoseconds now = thread_cpu_time();
      worst = std::max(worst, now - before);
      before = now;
    }
    return {microseconds(worst), (before - begin).count() / static_cast<double>(count)};
  }

  static double microseconds(Nanoseconds duration) { return duration.count() / 1000.0; }

  // Released memory that the C library keeps does not belong to the store.
  static void give_back_what_is_free() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
  }

  static double resident_megabytes() {
    std::ifstream statistics("/proc/self/statm");
    double all = 0;
    double resident = 0;
    statistics >> all >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
  }

  // Runs `measure` in another process, and returns its result.
  template <class Measure>
  static Figures in_a_process(Measure measure) {
    std::fflush(stdout);
    std::array<int, 2> pipe_ends{};
    require(pipe(pipe_ends.data()) == 0, "no pipe can be had");
    const pid_t process = fork();
    require(process >= 0, "no process can be had");
    if (process == 0) std::_Exit(measure_and_write(measure, pipe_ends[1]));
    close(pipe_ends[1]);
    Figures figures{};
    const bool is_told = read(pipe_ends[0], figures.data(), sizeof figures) == sizeof figures;
    close(pipe_ends[0]);
    int status = 0;
    require(waitpid(process, &status, 0) == process && status == 0 && is_told, "a store could not be measured");
    return figures;
  }

  template <class Measure>
  static int measure_and_write(Measure& measure, int pipe_end) noexcept {
    try {
      const Figures figures = measure();
      return write(pipe_end, figures.data(), sizeof figures) == sizeof figures ? EXIT_SUCCESS : EXIT_FAILURE;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "forebay_benchmark: %s\n", error.what());
      return EXIT_FAILURE;
    }
  }

  // ---- The table

  static void title(const char* what, std::initializer_list<const char*> columns) {
    std::printf("\n%-60s", what);
    for (const char* const column : columns) std::printf("%12s", column);
    std::printf("\n%s\n", std::string(60 + 12 * columns.size(), '-').c_str());
  }

  static void print(const char* what, const char* name, std::size_t count, const Figures& figures) {
    std::printf("store %-34s%-20s", what, name);
    for (std::size_t i = 0; i < count; ++i) std::printf("%12.1f", figures[i]);
    std::puts("");
    std::fflush(stdout);
  }

  const std::size_t scale_;
};

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_STORE_HPP
