// SPDX-License-Identifier: MIT
//
// queue_operations_fuzz.cpp: random operations on every kind of queue in one thread, compared with a reference queue.
// Elements, comparisons and allocations may fail. README.md says how an input is read.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <forward_list>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/engine/cell.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/padding_fifo_queue.hpp"
#include "forebay/priority_queue.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "forebay/wait.hpp"
#include "tests/fuzz/faults.hpp"
#include "tests/fuzz/one_thread_sync.hpp"
#include "tests/fuzz/reference_queue.hpp"
#include "tests/fuzz/require.hpp"

// Small, so that the ends of blocks and of the constructed cells are reached often.
template <class Element>
inline constexpr std::size_t forebay::detail::cells_of_a_block<Element, forebay_fuzz::OneThreadSync> = 4;
template <class Element>
inline constexpr std::size_t forebay::detail::cells_made_at_once<Element, forebay_fuzz::OneThreadSync> = 3;

namespace forebay_fuzz {
namespace {

using forebay::QueueStatus;

/// Rows of numbers to be padded. Their length depends on the number.
using Rows = std::vector<std::vector<int>>;
constexpr int pad = -1;

std::size_t row_count(int number) { return 1 + static_cast<std::size_t>(number) % 3; }
std::size_t row_length(int number, std::size_t row) {
  return (static_cast<std::size_t>(number) + row) % 3 + (row == 0 ? 1 : 0);
}

using Wait = forebay::BasicWait<OneThreadSync>;

// ---- The input

/// The bytes of an input as letters and digits. After its end it yields `a` and `0`. Line ends are skipped.
class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : bytes_(bytes) { skip_line_ends(); }

  [[nodiscard]] bool has_ended() const { return bytes_.empty(); }
  /// Converts a letter; `a` is 0.
  std::size_t letter(std::size_t count) { return next('a') % count; }
  /// Converts a digit; `0` is 0, `9` is 9, `:` is 10.
  std::size_t digit(std::size_t count) { return next('0') % count; }

 private:
  std::size_t next(char zero) {
    if (bytes_.empty()) return 0;
    const auto number = static_cast<std::uint8_t>(bytes_.front() - static_cast<std::uint8_t>(zero));
    bytes_ = bytes_.subspan(1);
    skip_line_ends();
    return number;
  }
  void skip_line_ends() {
    while (!bytes_.empty() && bytes_.front() == '\n') bytes_ = bytes_.subspan(1);
  }

  std::span<const std::uint8_t> bytes_;
};

// ---- The kinds of queues

struct Settings {
  forebay::Capacity capacity;
  std::size_t parameter;  // min_after_dequeue, or whether the number of rows is fixed
};

template <class T>
struct OfElements {
  using Stored = T;
  static constexpr bool batch_may_exceed_capacity = true;

  static T make(int number) { return T(number); }
  static int number_of(const T& element) { return element.number(); }
  static std::size_t alive() { return T::alive; }
  static bool accepts(const Settings& /*settings*/, int /*number*/) { return true; }
  static std::size_t min_after_dequeue(const Settings& /*settings*/) { return 0; }
  static std::vector<int> numbers_of(const std::vector<T>& batch) {
    std::vector<int> numbers;
    for (const T& element : batch) numbers.push_back(element.number());
    return numbers;
  }
};

template <class T>
struct Fifo : OfElements<T> {
  using Queue = forebay::FIFOQueue<T, OneThreadSync>;
  static constexpr Order order = Order::of_arrival;
  static Queue make_queue(const Settings& settings) { return Queue(settings.capacity); }
};

template <class T>
struct Shuffle : OfElements<T> {
  using Queue = forebay::RandomShuffleQueue<T, OneThreadSync>;
  static constexpr Order order = Order::any;
  static std::size_t min_after_dequeue(const Settings& settings) {
    return settings.parameter % std::min<std::size_t>(settings.capacity.elements(), 16);
  }
  static Queue make_queue(const Settings& settings) {
    return Queue({.capacity = settings.capacity, .min_after_dequeue = min_after_dequeue(settings), .seed = 1});
  }
};

template <class T>
struct Window : Shuffle<T> {
  using typename Shuffle<T>::Queue;
  static constexpr Order order = Order::in_window;
  static Queue make_queue(const Settings& settings) {
    return Queue({.capacity = settings.capacity, .seed = 1, .window = Shuffle<T>::min_after_dequeue(settings) + 1});
  }
};

template <class T>
struct Padding : OfElements<T> {
  using Queue = forebay::PaddingFIFOQueue<T, OneThreadSync>;
  static constexpr Order order = Order::of_arrival;
  static Queue make_queue(const Settings& settings) { return Queue(settings.capacity); }
};

struct ByPriority {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    may_fail(Fault::comparison);
    return priority(a.number()) < priority(b.number());
  }
};

template <class T>
struct Priority : OfElements<T> {
  using Queue = forebay::PriorityQueue<T, ByPriority, OneThreadSync>;
  static constexpr Order order = Order::by_priority;
  static constexpr bool batch_may_exceed_capacity = false;
  static Queue make_queue(const Settings& settings) { return Queue(settings.capacity); }
};

/// Rows of different length: batches are padded.
struct PaddedRows {
  using Stored = Rows;
  using Batch = forebay::PaddedBatch<Rows>;
  using Queue = forebay::PaddingFIFOQueue<Rows, OneThreadSync>;
  static constexpr Order order = Order::of_arrival;
  static constexpr bool batch_may_exceed_capacity = true;
  static constexpr std::size_t fixed_rows = 2;

  static bool has_fixed_rows(const Settings& settings) { return settings.parameter % 2 == 1; }
  static Queue make_queue(const Settings& settings) {
    if (has_fixed_rows(settings)) return Queue(settings.capacity, {.pad_value = pad, .shape = {fixed_rows, {}}});
    return Queue(settings.capacity, {.pad_value = pad, .shape = {}});
  }
  static std::size_t min_after_dequeue(const Settings& /*settings*/) { return 0; }
  static bool accepts(const Settings& settings, int number) {
    return !has_fixed_rows(settings) || row_count(number) == fixed_rows;
  }

  static Rows make(int number) {
    Rows rows;
    for (std::size_t row = 0; row < row_count(number); ++row) rows.emplace_back(row_length(number, row), number);
    return rows;
  }
  static int number_of(const Rows& rows) {
    if (rows.empty()) return Element<false>::moved_from;
    require(!rows.front().empty(), "an element has lost its content");
    const int number = rows.front().front();
    require(rows == make(number), "an element has changed");
    return number;
  }
  static std::vector<int> numbers_of(const std::vector<Rows>& batch) {
    std::vector<int> numbers;
    for (const Rows& rows : batch) numbers.push_back(number_of(rows));
    return numbers;
  }
  static std::vector<int> numbers_of(const Batch& batch) {
    std::vector<int> numbers;
    std::size_t most_rows = 0;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      numbers.push_back(batch(i, 0, 0));
      most_rows = std::max(most_rows, row_count(numbers.back()));
      for (std::size_t row = 0; row < row_count(numbers.back()); ++row) {
        longest = std::max(longest, row_length(numbers.back(), row));
      }
    }
    require(batch.empty() || batch.extents() == Batch::Extents{numbers.size(), most_rows, longest},
            "a batch has other extents than its largest elements");
    for (std::size_t i = 0; i < batch.size(); ++i) require_padded(batch, i, numbers[i]);
    return numbers;
  }

 private:
  static void require_padded(const Batch& batch, std::size_t i, int number) {
    require(batch.length(i) == row_count(number), "a batch shows a wrong length");
    for (std::size_t row = 0; row < batch.extents()[1]; ++row) {
      const std::size_t length = row < row_count(number) ? row_length(number, row) : 0;
      require(batch.length(i, row) == length, "a batch shows a wrong length of a row");
      for (std::size_t column = 0; column < batch.extents()[2]; ++column) {
        require(batch(i, row, column) == (column < length ? number : pad), "a batch is wrongly padded");
      }
    }
  }
};

// ---- Operations

struct Cause : std::exception {
  explicit Cause(std::size_t its_number) : number(its_number) {}
  std::size_t number;
};

/// A queue and its reference.
template <class Kind>
class Session {
  using Stored = typename Kind::Stored;
  using Queue = typename Kind::Queue;

 public:
  explicit Session(Input& input)
      : input_(input),
        settings_(read_settings(input)),
        reference_(
            {settings_.capacity.elements(), Kind::min_after_dequeue(settings_), Kind::batch_may_exceed_capacity},
            Kind::order),
        queue_(Kind::make_queue(settings_)) {
    stopped_.request_stop();
  }

  void run() {
    for (steps_done = 0; !input_.has_ended(); ++steps_done) {
      step();
      compare();
    }
    fault_ = Fault::none;
    queue_.close();
    reference_.close(std::nullopt);
    count_ = reference_.size();
    take([&] { return queue_.dequeue_available(count_, wait_); }, at_least_one());
    compare();
    require(queue_.size() == 0, "elements are left");
  }

 private:
  static Settings read_settings(Input& input) {
    const std::size_t capacity = input.digit(13);
    const std::size_t parameter = input.digit(16);
    if (capacity == 0) return {forebay::unbounded, parameter};
    return {capacity, parameter};
  }

  void step() {
    const std::size_t operation = input_.letter(13);
    count_ = input_.digit(48);
    read_wait();
    fault_ = static_cast<Fault>(input_.letter(4));
    fault_at_ = 1 + input_.digit(16);
    switch (operation) {
      case 0: return enqueue_copy();
      case 1: return enqueue_moved();
      case 2: return enqueue_many_copied();
      case 3: return enqueue_many_moved();
      case 4: return enqueue_many_of_unknown_size();
      case 5: return dequeue();
      case 6: return take([&] { return queue_.dequeue_many(count_, wait_); }, {count_, count_, count_});
      case 7: return take([&] { return queue_.dequeue_up_to(count_, wait_); }, {count_, count_, 1});
      case 8: return take([&] { return queue_.dequeue_available(count_, wait_); }, at_least_one());
      case 9:
        return take_into_reused([&] { return queue_.dequeue_many(count_, reused_, wait_); }, {count_, count_, count_});
      case 10:
        return take_into_reused([&] { return queue_.dequeue_up_to(count_, reused_, wait_); }, {count_, count_, 1});
      case 11:
        return take_into_reused([&] { return queue_.dequeue_available(count_, reused_, wait_); }, at_least_one());
      default: return close();
    }
  }

  void read_wait() {
    switch (input_.letter(4)) {
      case 0: return set_wait(forebay::no_wait, QueueStatus::full, QueueStatus::empty);
      case 1: return set_wait(std::chrono::seconds(0), QueueStatus::timed_out, QueueStatus::timed_out);
      case 2: return set_wait(std::chrono::seconds(1), QueueStatus::timed_out, QueueStatus::timed_out);
      default: return set_wait(stopped_.get_token(), QueueStatus::stopped, QueueStatus::stopped);
    }
  }
  void set_wait(const Wait& wait, QueueStatus no_room, QueueStatus no_elements) {
    wait_ = wait;
    no_room_ = no_room;
    no_elements_ = no_elements;
  }

  [[nodiscard]] Demand at_least_one() const { return {std::min<std::size_t>(count_, 1), count_, 1}; }

  /// Runs `call` with the fault of this step, and returns how it ended if it threw. An enqueue may conceal that it
  /// failed to help a priority queue with its order.
  template <class Call>
  Outcome::End end_of(Call call, bool may_swallow = false) {
    using End = Outcome::End;
    failed = false;
    armed = fault_;
    until_failure = fault_at_;
    End end = End::returned;
    try {
      call();
    } catch (const InjectedFailure&) {
      end = End::failed;
    } catch (const std::bad_alloc&) {
      end = End::failed;
    } catch (const std::invalid_argument&) {
      end = End::rejected;
    } catch (const Cause& cause) {
      end = End::cause;
      caught_ = cause.number;
    }
    armed = Fault::none;
    // Copies are made first. One may fail after an element that is rejected; then the caller receives that failure.
    const bool is_told = end == End::failed || end == End::rejected;
    require(failed ? is_told || may_swallow : end != End::failed, "a failure was swallowed, or came from nowhere");
    return end;
  }

  // ---- Enqueue

  int next_number() {
    const std::size_t serial = next_serial_++;
    const std::size_t its_priority = (count_ + serial * (count_ / priorities)) % priorities;
    return static_cast<int>(serial * priorities + its_priority);
  }

  struct Range {
    std::vector<int> numbers;
    std::vector<Stored> elements;
  };
  Range make_range(std::size_t count) {
    Range range;
    range.elements.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      range.numbers.push_back(next_number());
      range.elements.push_back(Kind::make(range.numbers.back()));
    }
    return range;
  }

  void enqueue_copy() {
    const Range range = make_range(1);
    check_enqueue(range, false, [&] { return EnqueueResult{queue_.enqueue(range.elements.front(), wait_)}; });
  }
  void enqueue_moved() {
    Range range = make_range(1);
    check_enqueue(range, true,
                  [&] { return EnqueueResult{queue_.enqueue(std::move(range.elements.front()), wait_)}; });
  }
  void enqueue_many_copied() {
    const Range range = make_range(count_);
    check_enqueue(range, false, [&] { return EnqueueResult(queue_.enqueue_many(range.elements, wait_)); });
  }
  void enqueue_many_moved() {
    Range range = make_range(count_);
    check_enqueue(range, true, [&] { return EnqueueResult(queue_.enqueue_many(std::move(range.elements), wait_)); });
  }
  void enqueue_many_of_unknown_size() {
    const Range range = make_range(count_);
    const std::forward_list<Stored> list(range.elements.begin(), range.elements.end());
    check_enqueue(range, false, [&] { return EnqueueResult(queue_.enqueue_many(list, wait_)); });
  }

  /// What an enqueue or an enqueue_many returns.
  struct EnqueueResult {
    explicit EnqueueResult(QueueStatus its_status)
        : status(its_status), count(its_status == QueueStatus::ok ? 1 : 0) {}
    explicit EnqueueResult(forebay::EnqueueManyResult many) : status(many.status), count(many.count) {}
    QueueStatus status;
    std::size_t count;
  };

  template <class Call>
  void check_enqueue(const Range& range, bool moves, Call call) {
    const auto unacceptable =
        std::ranges::find_if(range.numbers, [&](int number) { return !Kind::accepts(settings_, number); });
    const auto acceptable = static_cast<std::size_t>(unacceptable - range.numbers.begin());
    const Outcome expected = reference_.enqueue(range.numbers.size(), acceptable, no_room_);
    Outcome outcome;
    outcome.end = end_of(
        [&] {
          const EnqueueResult result = call();
          outcome.status = result.status;
          outcome.count = result.count;
        },
        Kind::order == Order::by_priority);
    if (outcome.end != Outcome::End::returned) outcome.count = queue_.size() - reference_.size();
    if (outcome.end == Outcome::End::failed) {
      require(outcome.count < range.numbers.size() && outcome.count <= expected.count,
              "a failed enqueue put in more than it may");
    } else {
      require(outcome == expected, "an enqueue did not come to what it should");
    }
    for (std::size_t i = 0; i < range.numbers.size(); ++i) {
      const bool is_gone = moves && i < outcome.count;
      require(is_gone || Kind::number_of(range.elements[i]) == range.numbers[i], "an argument was touched");
      if (i < outcome.count) reference_.put(range.numbers[i]);
    }
  }

  // ---- Dequeue

  void dequeue() {
    check_dequeue({1, 1, 1}, [&] {
      const auto element = queue_.dequeue(wait_);
      armed = Fault::none;
      std::vector<int> numbers;
      if (element) numbers.push_back(Kind::number_of(*element));
      return std::pair(element.status(), numbers);
    });
  }

  template <class Call>
  void take(Call call, const Demand& demand) {
    check_dequeue(demand, [&] {
      const auto batch = call();
      armed = Fault::none;
      return std::pair(batch.status(), batch ? Kind::numbers_of(*batch) : std::vector<int>());
    });
  }

  template <class Call>
  void take_into_reused(Call call, const Demand& demand) {
    check_dequeue(demand, [&] {
      const QueueStatus status = call();
      armed = Fault::none;
      require(status == QueueStatus::ok || reused_.empty(), "a batch holds something that was not taken");
      return std::pair(status, Kind::numbers_of(reused_));
    });
  }

  /// `call` returns the status and the numbers it took.
  template <class Call>
  void check_dequeue(const Demand& demand, Call call) {
    const Outcome expected = reference_.dequeue(demand, no_elements_);
    Outcome outcome;
    std::vector<int> numbers;
    outcome.end = end_of([&] { std::tie(outcome.status, numbers) = call(); });
    outcome.count = outcome.end == Outcome::End::cause ? caught_ : numbers.size();
    if (outcome.end == Outcome::End::failed) return;
    require(outcome == expected, "a dequeue did not come to what it should");
    for (const int number : numbers) reference_.take(number);
  }

  // ---- Close

  void close() {
    switch (count_ % 3) {
      case 0: queue_.close(); break;
      case 1: queue_.close(forebay::cancel_pending_enqueues); break;
      default: queue_.close(std::make_exception_ptr(Cause(count_))); break;
    }
    reference_.close(count_ % 3 == 2 ? std::optional(count_) : std::nullopt);
  }

  // ---- After each step

  void compare() {
    require(queue_.invariants_hold(), "the invariants do not hold");
    require(queue_.size() == reference_.size(), "the queue has another size than the reference queue");
    require(queue_.is_closed() == reference_.is_closed(), "the queue is closed, or the reference queue is");
    require(queue_.waiting_consumers() == 0 && queue_.waiting_producers() == 0, "somebody waits");
    if constexpr (requires { Kind::alive(); }) {
      // Elements that a batch returned are destroyed together, with the last of them.
      const std::size_t expected = reference_.size() + reused_.size();
      require(Kind::alive() >= expected, "elements are stored that do not live");
      require(Kind::alive() == expected || reference_.size() > 0, "elements live that are nowhere");
    }
  }

  Input& input_;
  const Settings settings_;
  ReferenceQueue reference_;
  Queue queue_;
  std::vector<Stored> reused_;
  std::stop_source stopped_;
  std::size_t next_serial_ = 0;

  std::size_t caught_ = 0;

  // The current step
  std::size_t count_ = 0;
  Wait wait_;
  QueueStatus no_room_ = QueueStatus::full;
  QueueStatus no_elements_ = QueueStatus::empty;
  Fault fault_ = Fault::none;
  std::size_t fault_at_ = 1;
};

template <class Kind>
void run(Input& input) {
  Session<Kind>(input).run();
  if constexpr (requires { Kind::alive(); }) require(Kind::alive() == 0, "elements outlive their queue");
}

using CopyMayFail = Element<false>;
using MoveMayFail = Element<true>;

}  // namespace
}  // namespace forebay_fuzz

void* operator new(std::size_t size) { return forebay_fuzz::allocate(size, 1); }
void* operator new[](std::size_t size) { return forebay_fuzz::allocate(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return forebay_fuzz::allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return forebay_fuzz::allocate(size, static_cast<std::size_t>(alignment));
}
// libFuzzer sorts with these operators.
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept { return std::malloc(size); }
void* operator new[](std::size_t size, const std::nothrow_t& /*tag*/) noexcept { return std::malloc(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}

/// libFuzzer calls this with each input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {  // NOLINT
  using namespace forebay_fuzz;
  Input input({data, size});
  switch (input.letter(11)) {
    case 0: run<Fifo<CopyMayFail>>(input); break;
    case 1: run<Fifo<MoveMayFail>>(input); break;
    case 2: run<Shuffle<CopyMayFail>>(input); break;
    case 3: run<Shuffle<MoveMayFail>>(input); break;
    case 4: run<Padding<CopyMayFail>>(input); break;
    case 5: run<Padding<MoveMayFail>>(input); break;
    case 6: run<Priority<CopyMayFail>>(input); break;
    case 7: run<Priority<MoveMayFail>>(input); break;
    case 8: run<PaddedRows>(input); break;
    case 9: run<Window<CopyMayFail>>(input); break;
    default: run<Window<MoveMayFail>>(input); break;
  }
  return 0;
}
