// SPDX-License-Identifier: MIT
//
// Queues in all the states in which a debugger can find them, and how gdb shows them: below each command what it
// prints. At the call of stop_here() all of that holds.

#include <coroutine>
#include <exception>
#include <thread>
#include <utility>

#include <forebay/forebay.hpp>

namespace {

/// A type that a queue which moves its elements about keeps behind a pointer, because its move may throw.
struct Numbered {
  explicit Numbered(int its_number) : number(its_number) {}
  Numbered(Numbered&& other) noexcept(false) : number(std::exchange(other.number, 0)) {}
  Numbered& operator=(Numbered&& other) noexcept(false) {
    number = std::exchange(other.number, 0);
    return *this;
  }
  ~Numbered() = default;

  int number;
};

// NOLINTBEGIN(readability-identifier-naming,readability-convert-member-functions-to-static)
/// A coroutine that waits for an element.
struct Detached {
  struct promise_type {
    Detached get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};
// NOLINTEND(readability-identifier-naming,readability-convert-member-functions-to-static)

Detached await_one(forebay::FIFOQueue<int>& queue) { static_cast<void>(co_await queue.async_dequeue()); }

/// Where gdb stops.
int stop_here() {
  static int looks = 0;
  return ++looks;
}

}  // namespace

int main() {
  // Round the end of the ring.
  forebay::FIFOQueue<int> fifo(3);
  for (int i = 1; i <= 3; ++i) static_cast<void>(fifo.enqueue(i));
  static_cast<void>(fifo.dequeue());
  static_cast<void>(fifo.dequeue());
  static_cast<void>(fifo.enqueue(4));
  // gdb: print fifo
  // forebay::FIFOQueue<int> of capacity 3, open, 2 elements, waiting: 0 producers, 0 consumers = {3, 4}

  forebay::PriorityQueue<Numbered, forebay::By<&Numbered::number>> numbered(4);
  for (const int i : {2, 3, 1}) static_cast<void>(numbered.enqueue(Numbered(i)));
  numbered.close();
  // gdb: print numbered
  // forebay::PriorityQueue<(anonymous namespace)::Numbered> of capacity 4, closed, 3 elements,
  // waiting: 0 producers, 0 consumers = {{number = 2}, {number = 3}, {number = 1}}

  forebay::RandomShuffleQueue<int> shuffled({.capacity = 4, .seed = 1});
  static_cast<void>(shuffled.enqueue(5));
  // gdb: print shuffled
  // forebay::RandomShuffleQueue<int> of capacity 4, open, 1 element, waiting: 0 producers, 0 consumers = {5}

  forebay::FIFOQueue<bool> flags(forebay::unbounded);
  static_cast<void>(flags.enqueue(true));
  // gdb: print flags
  // forebay::FIFOQueue<bool> of capacity unbounded, open, 1 element, waiting: 0 producers, 0 consumers = {true}

  // In the third of its blocks.
  forebay::FIFOQueue<int> endless(forebay::unbounded);
  for (int i = 0; i < 10'002; ++i) static_cast<void>(endless.enqueue(i));
  for (int i = 0; i < 10'000; ++i) static_cast<void>(endless.dequeue());
  // gdb: print endless
  // forebay::FIFOQueue<int> of capacity unbounded, open, 2 elements,
  // waiting: 0 producers, 0 consumers = {10000, 10001}

  forebay::PriorityQueue<int> ranked(forebay::unbounded);
  static_cast<void>(ranked.enqueue_many({6, 5}));
  // gdb: print ranked
  // forebay::PriorityQueue<int> of capacity unbounded, open, 2 elements, waiting: 0 producers, 0 consumers = {6, 5}

  // Its heap has copied three, of which one has left.
  forebay::PriorityQueue<int> copied(8);
  static_cast<void>(copied.enqueue_many({6, 5, 7}));
  static_cast<void>(copied.dequeue());
  static_cast<void>(copied.enqueue(4));
  // gdb: print copied
  // forebay::PriorityQueue<int> of capacity 8, open, 3 elements, waiting: 0 producers, 0 consumers = {6, 7, 4}

  const forebay::PaddingFIFOQueue<double> numbers(2);
  // gdb: print numbers
  // forebay::PaddingFIFOQueue<double> of capacity 2, open, 0 elements, waiting: 0 producers, 0 consumers

  // A batch larger than the capacity has gathered what came.
  forebay::FIFOQueue<int> gathered(2);
  std::thread consumer([&gathered] { static_cast<void>(gathered.dequeue_many(5)); });
  while (gathered.waiting_consumers() == 0) std::this_thread::yield();
  static_cast<void>(gathered.enqueue_many({1, 2, 3}));
  // gdb: print gathered
  // forebay::FIFOQueue<int> of capacity 2, open, 3 elements, waiting: 0 producers, 1 consumer = {1, 2, 3}

  forebay::FIFOQueue<int> full(1);
  static_cast<void>(full.enqueue(7));
  std::thread producer([&full] { static_cast<void>(full.enqueue(8)); });
  while (full.waiting_producers() == 0) std::this_thread::yield();
  forebay::BlockingQueue<int, forebay::FirstInFirstOut>& engine = full;
  // gdb: print engine
  // forebay::BlockingQueue<int> of capacity 1, open, 1 element, waiting: 1 producer, 0 consumers = {7}

  forebay::FIFOQueue<int> held(1);
  auto handle = held.producer();
  auto first_consumer = held.consumer();
  auto second_consumer = held.consumer();
  static_cast<void>(handle.enqueue(1));
  static_cast<void>(handle.enqueue(2, forebay::drop_oldest));
  static_cast<void>(handle.enqueue(3, forebay::drop_newest));
  // gdb: print held
  // forebay::FIFOQueue<int> of capacity 1, open, 1 element, waiting: 0 producers, 0 consumers,
  // held open by: 1 producer, 2 consumers, dropped: 2 elements = {2}

  // A coroutine waits like a thread.
  forebay::FIFOQueue<int> awaited(1);
  await_one(awaited);
  // gdb: print awaited
  // forebay::FIFOQueue<int> of capacity 1, open, 0 elements, waiting: 0 producers, 1 consumer

  static_cast<void>(gathered.size());  // takes the locks, so operations in progress have ended
  stop_here();
  static_cast<void>(engine.dequeue());
  gathered.close();
  awaited.close();
  consumer.join();
  producer.join();
  return 0;
}
