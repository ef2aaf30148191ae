// SPDX-License-Identifier: MIT
//
// main.cpp of forebay_soak: tests for bugs that appear only after a long time, or with many threads or queues.
// README.md has the commands. Prints a line for each check, and returns exit status 1 if one of them failed.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "forebay/queues.hpp"
#include "tests/support/arguments.hpp"
#include "tests/support/iterations.hpp"
#include "tests/support/tally.hpp"

namespace {

using forebay::QueueStatus;
using forebay_test::Arguments;
using forebay_test::LocalTally;
using forebay_test::sanitized;
using Number = std::uint64_t;

// ---- Measurements

/// Returns the resident memory of this process in KiB.
std::size_t resident_memory() {
  std::ifstream statistics("/proc/self/statm");
  std::size_t all_pages = 0;
  std::size_t resident_pages = 0;
  statistics >> all_pages >> resident_pages;
  return resident_pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 1024;
}

/// The memory after a tenth of the work, and after all of it.
class Memory {
 public:
  explicit Memory(std::uint64_t work) : work_(work) {}

  /// Called by any thread that has done `done` more units of work.
  void note_progress(std::uint64_t done) {
    const std::uint64_t before = done_.fetch_add(done);
    if (before < work_ / 10 && before + done >= work_ / 10) at_a_tenth_ = resident_memory();
    if (before < work_ && before + done >= work_) at_the_end_ = resident_memory();
  }

  /// Always holds under a sanitizer, which keeps released memory.
  [[nodiscard]] bool is_flat() const { return sanitized || at_the_end_ <= at_a_tenth_ + allowance; }
  [[nodiscard]] std::string text() const {
    return std::to_string(at_a_tenth_) + " KiB at 10 %, " + std::to_string(at_the_end_) + " KiB at the end";
  }

 private:
  static constexpr std::size_t allowance = 8192;  // KiB that malloc and stacks may use later

  const std::uint64_t work_;
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<std::size_t> at_a_tenth_ = 0;
  std::atomic<std::size_t> at_the_end_ = 0;
};

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

bool report(const std::string& check, bool holds, std::uint64_t count, const char* unit, const Stopwatch& stopwatch,
            const std::string& more) {
  const double seconds = stopwatch.seconds();
  std::printf("%-6s  %-28s  %llu %s, %.1f s, %.0f/s; %s\n", holds ? "ok" : "FAILED", check.c_str(),
              static_cast<unsigned long long>(count), unit, seconds, static_cast<double>(count) / seconds,
              more.c_str());
  std::fflush(stdout);
  return holds;
}

// ---- Kinds of queues

/// A scattered order, so that the smallest element may be anywhere.
struct ByHash {
  bool operator()(Number a, Number b) const { return a * 0x9e3779b97f4a7c15 < b * 0x9e3779b97f4a7c15; }
};

struct OfNumbers {
  static constexpr std::size_t bytes_stored = 2 * sizeof(Number);  // including a flag
  using Batch = std::vector<Number>;
  static Number make(Number number) { return number; }
  static Number number_at(const Batch& batch, std::size_t i) { return batch[i]; }
};
struct Fifo : OfNumbers {
  using Queue = forebay::FIFOQueue<Number>;
  static constexpr const char* name = "FIFOQueue";
  static Queue make_queue(forebay::Capacity capacity) { return Queue(capacity); }
};
struct Shuffle : OfNumbers {
  using Queue = forebay::RandomShuffleQueue<Number>;
  static constexpr const char* name = "RandomShuffleQueue";
  static Queue make_queue(forebay::Capacity capacity) {
    return Queue({.capacity = capacity, .min_after_dequeue = capacity.is_unbounded() ? 0 : capacity.elements() / 4});
  }
};
struct Priority : OfNumbers {
  using Queue = forebay::PriorityQueue<Number, ByHash>;
  static constexpr std::size_t bytes_stored = 5 * sizeof(Number);  // including the entry in the order
  static constexpr const char* name = "PriorityQueue";
  static Queue make_queue(forebay::Capacity capacity) { return Queue(capacity); }
};
/// Sequences of one to four numbers that are padded.
struct Padding {
  using Queue = forebay::PaddingFIFOQueue<std::vector<Number>>;
  using Batch = forebay::PaddedBatch<std::vector<Number>>;
  static constexpr const char* name = "PaddingFIFOQueue";
  static Queue make_queue(std::size_t capacity) { return Queue(capacity); }
  static std::vector<Number> make(Number number) { return std::vector<Number>(length(number), number); }
  static Number number_at(const Batch& batch, std::size_t i) {
    const Number number = batch(i, 0);
    return batch.length(i) == length(number) ? number : ~number;
  }
  static std::size_t length(Number number) { return 1 + number % 4; }
};

// ---- Many elements

/// Two producers and two consumers pass `count` elements in batches.
template <class Kind>
bool check_elements(std::uint64_t count) {
  constexpr std::size_t sides = 2;
  constexpr std::size_t batch_size = 128;
  auto queue = Kind::make_queue(1024);
  std::array<LocalTally, sides> in;
  std::array<LocalTally, sides> out;
  Memory memory(count);
  const Stopwatch stopwatch;

  const auto produce = [&](std::size_t side) {
    std::vector<typename Kind::Queue::value_type> batch;
    const Number end = count * (side + 1) / sides;
    for (Number next = count * side / sides; next < end;) {
      batch.clear();
      for (; batch.size() < batch_size && next < end; ++next) {
        in.at(side).add(next);
        batch.push_back(Kind::make(next));
      }
      if (queue.enqueue_many(std::move(batch)).status != QueueStatus::ok) return;
    }
  };
  const auto consume = [&](std::size_t side) {
    typename Kind::Batch batch;
    while (queue.dequeue_up_to(batch_size, batch) == QueueStatus::ok) {
      for (std::size_t i = 0; i < batch.size(); ++i) out.at(side).add(Kind::number_at(batch, i));
      memory.note_progress(batch.size());
    }
  };

  {
    std::vector<std::jthread> consumers;
    std::vector<std::jthread> producers;
    for (std::size_t side = 0; side < sides; ++side) {
      consumers.emplace_back(consume, side);
      producers.emplace_back(produce, side);
    }
    producers.clear();
    queue.close();
  }
  LocalTally sent;
  LocalTally received;
  for (const LocalTally& tally : in) sent.add(tally);
  for (const LocalTally& tally : out) received.add(tally);
  const bool conserved = sent == received && sent.count() == count && queue.size() == 0;
  return report(std::string("elements ") + Kind::name, conserved && memory.is_flat(), count, "elements", stopwatch,
                (conserved ? "all received, " : "sum, xor or count differ, ") + memory.text());
}

bool check_elements_of_every_kind(std::uint64_t count) {
  bool holds = check_elements<Fifo>(count);
  holds = check_elements<Shuffle>(count) && holds;
  holds = check_elements<Padding>(count) && holds;
  return check_elements<Priority>(count) && holds;
}

// ---- Elements that accumulate

/// The maximum resident memory.
class MostMemory {
 public:
  void look() { most_ = std::max(most_, resident_memory()); }
  [[nodiscard]] std::size_t kibibytes() const { return most_; }

 private:
  std::size_t most_ = 0;
};

/// Fills and drains an unbounded queue over and over, until `count` elements have passed. The memory never exceeds that
/// of the most elements stored at a time, however many have passed.
template <class Kind>
bool check_swings(std::uint64_t count) {
  constexpr std::size_t batch_size = 1000;
  constexpr std::uint64_t swings = 100;
  constexpr std::size_t allowance = 8192;  // KiB
  const std::uint64_t most_stored = count / swings;
  const std::size_t before = resident_memory();
  auto queue = Kind::make_queue(forebay::unbounded);
  MostMemory most;
  LocalTally sent;
  LocalTally received;
  const Stopwatch stopwatch;
  std::vector<Number> batch;
  while (sent.count() < count) {
    while (sent.count() < count && sent.count() - received.count() < most_stored) {
      batch.clear();
      for (std::size_t i = 0; i < batch_size; ++i) {
        batch.push_back(sent.count());
        sent.add(sent.count());
      }
      if (queue.enqueue_many(batch).status != QueueStatus::ok) return false;
    }
    most.look();
    while (queue.dequeue_available(batch_size, batch, forebay::no_wait) == QueueStatus::ok) {
      for (const Number number : batch) received.add(number);
    }
  }
  const std::size_t bound = before + (most_stored + batch_size) * Kind::bytes_stored / 1024 + allowance;
  const bool conserved = sent == received && queue.size() == 0;
  const bool is_bounded = sanitized || most.kibibytes() <= bound;
  return report(std::string("swings ") + Kind::name, conserved && is_bounded, sent.count(), "elements", stopwatch,
                (conserved ? "all received, " : "sum, xor or count differ, ") + std::to_string(most.kibibytes()) +
                    " KiB at most, of " + std::to_string(bound));
}

bool check_swings_of_every_kind(std::uint64_t count) {
  bool holds = check_swings<Fifo>(count);
  holds = check_swings<Shuffle>(count / 10) && holds;
  return check_swings<Priority>(count / 100) && holds;
}

// ---- Many threads

/// Runs `count` threads: half of them wait for elements, half for room. Serves half of each, and releases the others by
/// a close.
bool check_threads(std::uint64_t count) {
  const std::size_t half = count / 2;
  const std::size_t served = half / 2;
  forebay::FIFOQueue<int> empty(1);
  forebay::FIFOQueue<int> full(1);
  if (full.enqueue(0) != QueueStatus::ok) return false;
  std::atomic<std::size_t> received = 0;
  std::atomic<std::size_t> sent = 0;
  std::atomic<std::size_t> turned_away = 0;
  const auto note = [&](QueueStatus status, std::atomic<std::size_t>& done) {
    if (status == QueueStatus::ok) ++done;
    if (status == QueueStatus::closed) ++turned_away;
  };

  Stopwatch stopwatch;
  std::vector<std::jthread> threads;
  std::string trouble;
  try {
    for (std::size_t i = 0; i < half; ++i) {
      threads.emplace_back([&] { note(empty.dequeue().status(), received); });
      threads.emplace_back([&] { note(full.enqueue(1), sent); });
    }
  } catch (const std::system_error& error) {
    trouble = "no more than " + std::to_string(threads.size()) + " threads: " + error.what();
  }
  if (trouble.empty()) {
    while (empty.waiting_consumers() < half || full.waiting_producers() < half) std::this_thread::yield();
    stopwatch = Stopwatch();
    for (std::size_t i = 0; i < served; ++i) {
      if (empty.enqueue(1) != QueueStatus::ok || !full.dequeue()) trouble = "an element was not taken";
    }
  }
  const auto is_served = [&] { return received == served && sent == served; };
  while (trouble.empty() && !is_served()) std::this_thread::yield();
  empty.close(forebay::cancel_pending_enqueues);
  full.close(forebay::cancel_pending_enqueues);
  threads.clear();
  const bool holds = trouble.empty() && is_served() && turned_away == 2 * (half - served);
  return report("threads", holds, count, "threads", stopwatch,
                trouble.empty() ? std::to_string(received + sent) + " served, " + std::to_string(turned_away) +
                                      " let go by close (time without their start)"
                                : trouble);
}

// ---- Many queues in a row

constexpr std::size_t chain_length = 24;

/// A source and a row of queues. A runner fills each queue from the preceding one.
class Chain {
 public:
  explicit Chain(std::uint64_t count) {
    for (std::size_t i = 0; i < chain_length; ++i) queues_.emplace_back(16);
    runners_.emplace_back(queues_.front(), 1, [this, count] { return next(count); });
    for (std::size_t i = 1; i < chain_length; ++i) {
      runners_.emplace_back(queues_[i], 1, [this, i] { return pass_on(queues_[i - 1]); });
    }
    forebay::start_queue_runners(coordinator_, runners_);
  }

  [[nodiscard]] std::optional<Number> receive() { return pass_on(queues_.back()); }
  void stop() { coordinator_.request_stop(); }
  void join() { coordinator_.join(); }

  /// Read this after joining the chain.
  [[nodiscard]] const LocalTally& sent() const { return sent_; }

 private:
  std::optional<Number> next(std::uint64_t count) {
    if (sent_.count() == count) return std::nullopt;
    const Number number = sent_.count();
    sent_.add(number);
    return number;
  }
  static std::optional<Number> pass_on(forebay::FIFOQueue<Number>& from) {
    const auto element = from.dequeue();
    if (!element) return std::nullopt;
    return *element;
  }

  LocalTally sent_;
  forebay::Coordinator coordinator_;
  std::deque<forebay::FIFOQueue<Number>> queues_;
  std::deque<forebay::QueueRunner> runners_;
};

bool check_chain(std::uint64_t count) {
  const std::string name = "chain of " + std::to_string(chain_length) + " queues";
  Memory memory(count);
  const Stopwatch stopwatch;
  Chain chain(count);
  LocalTally received;
  bool in_order = true;
  while (const auto number = chain.receive()) {
    in_order = in_order && *number == received.count();
    received.add(*number);
    memory.note_progress(1);
  }
  chain.join();
  const bool conserved = in_order && chain.sent() == received && received.count() == count;
  return report(name, conserved && memory.is_flat(), count, "elements", stopwatch,
                (conserved ? "all received in order, " : "not the elements that were sent, ") + memory.text());
}

/// Stops the chain while elements pass through it.
bool check_chain_is_stopped() {
  constexpr std::uint64_t before_stop = 1000;
  Chain chain(~std::uint64_t{0});
  std::uint64_t received = 0;
  while (received < before_stop && chain.receive()) ++received;
  const Stopwatch stopwatch;
  chain.stop();
  chain.join();
  while (chain.receive()) ++received;
  const bool holds = received >= before_stop && received <= chain.sent().count();
  return report("stop of a chain", holds, chain_length, "queues", stopwatch, "every thread ended");
}

// ---- Many short lives

/// Runs a queue with its coordinator and runner. Every eighth is stopped before its end.
template <class Kind>
bool live_shortly(std::uint64_t life) {
  constexpr Number count = 4;
  Number next = 0;
  std::uint64_t received = 0;
  auto queue = Kind::make_queue(count);
  forebay::Coordinator coordinator;
  forebay::QueueRunner runner(queue, 1, [&next]() -> std::optional<typename Kind::Queue::value_type> {
    if (next == count) return std::nullopt;
    return Kind::make(next++);
  });
  runner.start(coordinator);
  const bool is_stopped = life % 8 == 7;
  if (is_stopped) coordinator.request_stop();
  while (queue.dequeue()) ++received;
  coordinator.join();
  return is_stopped ? received <= count : received == count;
}

bool check_queues(std::uint64_t count) {
  constexpr std::array lives = {live_shortly<Fifo>, live_shortly<Shuffle>, live_shortly<Padding>,
                                live_shortly<Priority>};
  Memory memory(count);
  const Stopwatch stopwatch;
  bool all_received = true;
  for (std::uint64_t life = 0; life < count; ++life) {
    all_received = lives.at((life / 8) % lives.size())(life) && all_received;
    memory.note_progress(1);
  }
  return report("short-lived queues", all_received && memory.is_flat(), count, "queues", stopwatch,
                (all_received ? "all received, " : "elements lost, ") + memory.text());
}

// ---- The command line

struct Check {
  std::string_view name;
  bool (*run)(std::uint64_t count);
  std::uint64_t count;
  std::uint64_t quick_count;
};

constexpr std::array checks = {
    Check{"elements", check_elements_of_every_kind, 1'000'000'000, 200'000},
    Check{"swings", check_swings_of_every_kind, 1'000'000'000, 2'000'000},
    Check{"threads", check_threads, 10'000, 100},
    Check{"chain", [](std::uint64_t count) { return check_chain(count) && check_chain_is_stopped(); }, 1'000'000,
          2'000},
    Check{"queues", check_queues, 1'000'000, 400},
};

void show_usage() {
  std::fputs("usage: forebay_soak [--quick]\n", stderr);
  for (const Check& check : checks) {
    std::fprintf(stderr, "       forebay_soak %s [COUNT]    (%llu)\n", check.name.data(),
                 static_cast<unsigned long long>(check.count));
  }
}

bool run_all(bool quick) {
  bool holds = true;
  for (const Check& check : checks) holds = check.run(quick ? check.quick_count : check.count) && holds;
  return holds;
}

/// Returns the work that the command line requests. The work returns whether all checks passed.
std::function<bool()> work_of(Arguments arguments) {
  if (arguments.empty()) return [] { return run_all(false); };
  const std::string_view name = arguments.take();
  if (name == "--quick") {
    arguments.require_empty();
    return [] { return run_all(true); };
  }
  const auto* const check = std::ranges::find(checks, name, &Check::name);
  if (check == checks.end()) throw std::invalid_argument("there is no check '" + std::string(name) + "'");
  const std::uint64_t count = arguments.empty() ? check->count : arguments.take_positive_number(name);
  arguments.require_empty();
  return [check, count] { return check->run(count); };
}

}  // namespace

int main(int argument_count, char** argument_values) {
  std::function<bool()> work;
  try {
    work = work_of(Arguments(argument_count, argument_values));
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "forebay_soak: %s\n", error.what());
    show_usage();
    return 2;
  }
  return work() ? 0 : 1;
}
