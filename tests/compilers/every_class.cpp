// SPDX-License-Identifier: MIT
//
// Every public name of forebay in one program: built and run by each compiler, from the headers, from the single
// header and from the module. Exit status 0 if all of it did what it should; else a line for each check that failed.

#include <array>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>
#include <version>

#if defined(__cpp_lib_jthread)
#include <stop_token>
#endif

#if defined(FOREBAY_TESTS_IMPORT)
import forebay;
#elif defined(FOREBAY_TESTS_SINGLE_HEADER)
#include <forebay.hpp>
#else
#include <forebay/forebay.hpp>
#endif

namespace {

using namespace std::chrono_literals;

int failures = 0;

void check(bool holds, const char* what) {
  if (holds) return;
  std::printf("not so: %s\n", what);
  ++failures;
}

template <class Exception, class Call>
bool throws(Call call) {
  try {
    call();
  } catch (const Exception&) {
    return true;
  }
  return false;
}

struct Example {
  std::array<float, 2> pixels;
  int label;
};

struct Job {
  int due;
  std::string name;
};

void statuses() {
  using forebay::QueueStatus;
  forebay::FIFOQueue<int> queue(2);
  check(queue.enqueue_many(std::vector{1, 2, 3}, forebay::no_wait).count == 2, "two of three fit");
  check(queue.enqueue(3, forebay::NoWait()) == QueueStatus::full, "a third one is told full");
  check(queue.enqueue(3, 1ms) == QueueStatus::timed_out, "or timed_out");
  check(std::string_view(to_string(QueueStatus::timed_out)) == "timed_out", "a status has a name");
  forebay::Dequeued<int> first = queue.dequeue();
  check(first && first.value() == 1 && first.status() == QueueStatus::ok, "the first one leaves first");
  queue.close(forebay::cancel_pending_enqueues);
  queue.close(forebay::CancelPendingEnqueues());
  const forebay::EnqueueManyResult refused = queue.enqueue_many({4, 5});
  check(refused.status == QueueStatus::closed && refused.count == 0, "nothing goes into a closed queue");
  check(queue.is_closed() && queue.size() == 1 && queue.capacity() == 2, "what was stored is still there");
  check(queue.dequeue_up_to(5)->size() == 1, "and is delivered");
  check(throws<forebay::OutOfRangeError>([&] { static_cast<void>(queue.dequeue().value()); }), "then comes the end");
  static_assert(std::derived_from<forebay::OutOfRangeError, forebay::QueueError>);
  static_assert(std::derived_from<forebay::DeadlineExceededError, forebay::QueueError>);
  static_assert(std::derived_from<forebay::CancelledError, forebay::QueueError>);
}

void capacities() {
  static_assert(forebay::Capacity(forebay::unbounded).is_unbounded());
  static_assert(std::convertible_to<forebay::Unbounded, std::size_t>);
  check(throws<std::invalid_argument>([] { const forebay::Capacity none(0); }), "there is no capacity of 0");
  check(throws<std::invalid_argument>([] { const forebay::Count negative(-1); }), "nor a count of -1");
  forebay::FIFOQueue<std::string> queue(forebay::unbounded);
  for (int i = 0; i < 1000; ++i) static_cast<void>(queue.enqueue(std::to_string(i)));
  queue.close();
  std::size_t sizes = 0;
  for (auto&& batch : queue.batches(300, forebay::Remainder::drop)) sizes += batch.size();
  check(sizes == 900 && queue.dequeue_available(200)->size() == 100, "a remainder is left if that is asked for");
}

void shuffling() {
  const forebay::RandomShuffleOptions options{.capacity = 8, .min_after_dequeue = 3, .seed = 7};
  forebay::RandomShuffleQueue<int> queue(options);
  static_assert(
      std::derived_from<forebay::RandomShuffleQueue<int>, forebay::BlockingQueue<int, forebay::UniformDraw>>);
  check(queue.enqueue_many({1, 2, 3, 4, 5, 6, 7, 8}).status == forebay::QueueStatus::ok, "eight fit");
  check(!queue.dequeue_many(6, forebay::no_wait), "three have to stay");
  queue.close();
  int sum = 0;
  for (const int element : queue) sum += element;
  check(sum == 36, "what was mixed is what was put in");
}

void priorities() {
  forebay::PriorityQueue<Job, forebay::By<&Job::due>> jobs(4);
  static_assert(std::derived_from<decltype(jobs),
                                  forebay::BlockingQueue<Job, forebay::SmallestFirst<Job, forebay::By<&Job::due>>>>);
  for (const int due : {3, 1, 2}) static_cast<void>(jobs.enqueue(Job{due, "job"}));
  check(jobs.dequeue()->due == 1, "what is due first leaves first");
  forebay::PriorityQueue<forebay::Prioritized<std::string>, std::greater<>> names(4);
  static_cast<void>(names.enqueue(1, "one"));
  static_cast<void>(names.enqueue(2, "two"));
  check(names.dequeue()->value == "two", "or what has the largest priority");
}

void padding() {
  using Sequence = std::vector<float>;
  static_assert(!forebay::FixedShape<Sequence> && forebay::FixedShape<Example> && forebay::SingleValue<int>);
  const forebay::PaddingOptions<Sequence> options{.pad_value = -1.0F, .shape = {std::nullopt}};
  forebay::PaddingFIFOQueue<Sequence> sequences(4, options);
  static_assert(std::derived_from<decltype(sequences),
                                  forebay::BlockingQueue<Sequence, forebay::PaddedFirstInFirstOut<Sequence>>>);
  static_cast<void>(sequences.enqueue(Sequence{1.0F}));
  static_cast<void>(sequences.enqueue(Sequence{2.0F, 3.0F}));
  const auto batch = sequences.dequeue_many(2);
  const forebay::PaddedComponent<Sequence>& component = batch->component<0>();
  check(component.extents() == std::array<std::size_t, 2>{2, 2}, "the shorter one is padded");
  check((*batch)(0, 1) < 0.0F && (*batch)(1, 1) > 2.0F && batch->lengths()[0] == 1, "with the pad value");
  check(forebay::Dimension().is_variable() && forebay::Dimension(3).extent() == 3, "a dimension varies, or is fixed");
  static_assert(std::is_same_v<forebay::PaddingOptions<int>::PadValue, forebay::NoPadding>);
}

void stacking() {
  forebay::FIFOQueue<Example> examples(4);
  static_assert(std::derived_from<forebay::FIFOQueue<int>,
                                  forebay::BlockingQueue<int, forebay::FirstInFirstOut, forebay::StdSync>>);
  for (int i = 0; i < 3; ++i) static_cast<void>(examples.enqueue(Example{{1.0F, 2.0F}, i}));
  forebay::StackedBatch<Example> batch;
  static_assert(std::is_same_v<decltype(batch), forebay::PaddedBatch<Example>>);
  check(examples.dequeue_many(3, batch) == forebay::QueueStatus::ok, "records are stacked");
  check(batch.component<0>().values().size() == 6 && batch.component<1>()[2] == 2, "one array for each component");

  forebay::FIFOQueue<std::tuple<forebay::Characters, std::string>> sentences(2);
  static_cast<void>(sentences.enqueue({"to be", "Hamlet"}));
  forebay::PaddedBatch<std::tuple<forebay::Characters, std::string>> padded;
  check(sentences.dequeue_many(1, padded) == forebay::QueueStatus::ok, "sentences are batched");
  check(padded.component<0>().extents()[1] == 5 && padded.component<1>()[0] == "Hamlet", "by characters, and whole");
}

void several_queues() {
  forebay::FIFOQueue<int> quiet(4);
  forebay::PriorityQueue<int> busy(4);
  static_cast<void>(busy.enqueue(5));
  const forebay::Dequeued<forebay::ElementFrom<int>> any = forebay::dequeue_any(quiet, busy);
  check(any->index == 1 && any->element == 5, "the queue that has something is the one that gives");
  forebay::FIFOQueue<std::string> words(4);
  static_cast<void>(words.enqueue("word"));
  const auto either = forebay::dequeue_any(100s, quiet, words);
  check(either && std::get<1>(*either) == "word", "also if the types differ");
  const forebay::QueueRef<int> chosen = forebay::from_list<int>(0, {quiet, busy});
  static_cast<void>(chosen.enqueue(6));
  check(quiet.dequeue().value() == 6, "a reference refers to its queue");
  const forebay::QueueRef word_queue(words);
  check(word_queue.capacity() == 4, "of any kind");
}

void waiting() {
  forebay::FIFOQueue<int> queue(1);
  const forebay::Wait brief(1ms);
  static_assert(std::is_same_v<forebay::Wait, forebay::BasicWait<forebay::StdSync>>);
  check(throws<forebay::DeadlineExceededError>([&] { static_cast<void>(queue.dequeue(brief).value()); }), "time ends");
  forebay::BasicCoordinator<forebay::StdSync> coordinator;
  coordinator.request_stop();
  check(throws<forebay::CancelledError>([&] { static_cast<void>(queue.dequeue(coordinator).value()); }),
        "so do stops");
#if defined(__cpp_lib_jthread)
  std::stop_source source;
  source.request_stop();
  check(queue.dequeue({100s, source.get_token()}).status() == forebay::QueueStatus::stopped, "also of stop tokens");
#endif
}

void coordination() {
  forebay::FIFOQueue<int> queue(4);
  forebay::Coordinator coordinator(forebay::clean_stop_types<forebay::OutOfRangeError>);
  static_assert(std::is_same_v<std::remove_cv_t<decltype(forebay::clean_stop_types<>)>, forebay::CleanStopTypes<>>);
  std::vector<forebay::NamedThread> threads;
  for (const char* name : {"one", "other"}) {
    threads.push_back({name, [&queue] {
                         for (int i = 1; i <= 50; ++i) static_cast<void>(queue.enqueue(i));
                       }});
  }
  coordinator.launch(std::move(threads));
  int sum = 0;
  for (int i = 0; i < 100; ++i) sum += queue.dequeue().value();
  check(sum == 2550, "two threads fill what a third one empties");
  coordinator.launch("failing", [] { throw std::runtime_error("as it should"); });
  check(throws<std::runtime_error>([&] { coordinator.join(); }), "a failure comes out of join");
  check(forebay::StragglersError({"slow"}).names().size() == 1, "stragglers have names");
}

template <class Runner>
void fill(forebay::FIFOQueue<int>& queue) {
  std::atomic<int> next = 0;
  const auto op = [&next]() -> std::optional<int> {
    if (const int number = next++; number < 100) return number;
    return std::nullopt;
  };
  forebay::Coordinator coordinator;
  Runner runner(queue, 2, op);
  forebay::start_queue_runners(coordinator, runner);
  int sum = 0;
  for (const int element : queue) sum += element;
  coordinator.join();
  check(sum == 4950, "a runner fills its queue, and closes it");
}

void running_with_state() {
  forebay::FIFOQueue<int> queue(4);
  const auto factory = forebay::per_thread(
      [] { return [next = 0]() mutable { return next < 50 ? std::optional(next++) : std::nullopt; }; });
  static_assert(std::is_same_v<decltype(factory), const forebay::PerThread<decltype(factory.factory)>>);
  forebay::QueueRunner runner(queue, 2, factory);
  runner.start();
  int sum = 0;
  for (const int element : queue) sum += element;
  check(sum == 2450, "each thread has a callable of its own");
}

void running() {
  forebay::FIFOQueue<int> queue(4);
  fill<forebay::QueueRunner>(queue);
  forebay::FIFOQueue<int> other(4);
  fill<forebay::BasicQueueRunner<forebay::StdSync>>(other);
}

}  // namespace

int main() {
  try {
    statuses();
    capacities();
    shuffling();
    priorities();
    padding();
    stacking();
    several_queues();
    waiting();
    coordination();
    running();
    running_with_state();
  } catch (const std::exception& exception) {
    check(false, exception.what());
  }
  return failures == 0 ? 0 : 1;
}
