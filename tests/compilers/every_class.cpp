// SPDX-License-Identifier: MIT
//
// Every public name of forebay in one program. Each compiler builds and runs it from the headers, from the single
// headers and from the module. Prints a line for each check that fails; the exit status is 0 if none does.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <sstream>
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
#include <forebay/html_report.hpp>
#include <forebay/progress_line.hpp>
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
  queue.close(forebay::DiscardElements());
  queue.consumer(forebay::discard_elements).finish();
  check(throws<forebay::OutOfRangeError>([&] { static_cast<void>(queue.dequeue().value()); }), "then comes the end");
  static_assert(std::derived_from<forebay::OutOfRangeError, forebay::QueueError>);
  static_assert(std::derived_from<forebay::DeadlineExceededError, forebay::QueueError>);
  static_assert(std::derived_from<forebay::CancelledError, forebay::QueueError>);
}

void capacities() {
  static_assert(forebay::Capacity(forebay::unbounded).is_unbounded());
  static_assert(std::convertible_to<forebay::Unbounded, std::size_t>);
  check(throws<std::invalid_argument>([] { const forebay::Capacity none(0); }), "there is no capacity of 0");
  check(throws<std::invalid_argument>([] { static_cast<void>(forebay::range(9).batch(forebay::Count(-1))); }),
        "nor a count of -1");
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
  forebay::RandomShuffleQueue<int> in_order({.capacity = 8, .seed = 7, .window = 1});
  check(in_order.enqueue_many({1, 2}).count == 2 && *in_order.dequeue() == 1, "a window of one keeps the order");
  const forebay::QueueStatistics statistics = in_order.statistics();
  const forebay::QueueStatistics::Side& producers = statistics.producers;
  check(producers.elements == 2 && producers.waits == 0 && producers.waiting == 0 && producers.waited == 0s &&
            producers.longest_wait == 0s && statistics.consumers.elements == 1 && statistics.high_water >= 1,
        "a queue counts what goes through it");
  std::ostringstream printed;
  printed << forebay::QueueStatus::ok << ' ' << statistics;
  check(printed.str() == "ok " + statistics.text(), "what it has counted is printed as one line");
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

void handles() {
  forebay::FIFOQueue<int> queue(4);
  forebay::Producer<forebay::BlockingQueue<int, forebay::FirstInFirstOut>> producer = queue.producer();
  forebay::FIFOQueue<int>::Consumer consumer = queue.consumer();
  static_assert(
      std::is_same_v<decltype(consumer), forebay::Consumer<forebay::BlockingQueue<int, forebay::FirstInFirstOut>>>);
  check(queue.producers(2).size() == 2 && queue.consumers(2).size() == 2, "for several threads at once");
  check(producer.enqueue_many({1, 2}).count == 2 && consumer.dequeue().value() == 1, "handles have the same calls");
  check(throws<std::runtime_error>([&] { producer.run([] { throw std::runtime_error("as it should"); }); }),
        "run rethrows");
  check(consumer.dequeue().value() == 2, "what is stored comes out");
  check(throws<std::runtime_error>([&] { static_cast<void>(consumer.dequeue()); }), "and then the cause");

  forebay::PriorityQueue<int> abandoned(4);
  check(throws<int>([&] {
          const auto reference = forebay::QueueRef<int>(abandoned).producer();
          throw 1;
        }),
        "an exception destroys a producer");
  check(throws<forebay::ProducerAbandonedError>([&] { static_cast<void>(abandoned.dequeue()); }),
        "which is a failure");
}

void overflow() {
  forebay::FIFOQueue<int> queue(1);
  std::optional<int> dropped;
  check(queue.enqueue(1, forebay::DropOldest()) == forebay::QueueStatus::ok, "there is room");
  check(queue.enqueue(2, forebay::drop_oldest, dropped) == forebay::QueueStatus::ok && dropped == 1, "room is made");
  check(queue.enqueue(3, forebay::DropNewest()) == forebay::QueueStatus::full, "there is no room");
  check(queue.enqueue(3, forebay::drop_newest) == forebay::QueueStatus::full, "nor now");
  check(queue.statistics().dropped == 3, "drops are counted");
}

// NOLINTBEGIN(readability-identifier-naming,readability-convert-member-functions-to-static)
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

struct Pool {
  std::coroutine_handle<> ready = nullptr;
  void operator()(std::coroutine_handle<> coroutine) noexcept { ready = coroutine; }
};

Detached use_coroutines(forebay::FIFOQueue<int>& queue, forebay::Coordinator& coordinator, Pool& pool, int& sum) {
  const auto first = co_await queue.async_dequeue();
  const forebay::BasicAwaitOptions<forebay::StdSync> options(coordinator, forebay::on(pool));
  const auto batch = co_await queue.async_dequeue_many(2, options);
  std::vector<int> rest;
  const auto status = co_await queue.async_dequeue_available(2, rest, forebay::AwaitOptions(coordinator));
  const auto last = co_await queue.async_dequeue_up_to(2, {coordinator, forebay::on(pool)});
  const auto stored = co_await queue.async_enqueue(7);
  const auto many = co_await queue.async_enqueue_many(std::vector<int>(2, 8));
  check(status == forebay::QueueStatus::ok && last.status() == forebay::QueueStatus::stopped, "a stop ends a wait");
  check(stored == forebay::QueueStatus::ok && many.count == 2, "there is room for three");
  sum = *first + (*batch)[0] + (*batch)[1] + rest[0];
}

Detached use_handles(forebay::FIFOQueue<int>::Producer producer, forebay::FIFOQueue<int>::Consumer consumer,
                     int& sum) {
  const auto stored = co_await producer.async_enqueue_many(std::vector<int>(2, 4));
  producer.fail(nullptr);
  const auto taken = co_await consumer.async_dequeue_up_to(2);
  check(stored.count == 2 && taken.has_value(), "handles have the same calls");
  sum = (*taken)[0] + (*taken)[1];
}

void coroutines() {
  forebay::FIFOQueue<int> queue(3);
  forebay::Coordinator coordinator;
  Pool pool;
  int sum = 0;
  use_coroutines(queue, coordinator, pool, sum);
  for (int i = 1; i <= 3; ++i) check(queue.enqueue(i) == forebay::QueueStatus::ok, "the coroutine takes one");
  check(queue.waiting_consumers() == 0 && pool.ready != nullptr, "the pool is told");
  pool.ready.resume();
  check(queue.enqueue(4) == forebay::QueueStatus::ok, "the coroutine goes on");
  coordinator.request_stop();
  pool.ready.resume();
  check(sum == 10 && queue.size() == 3, "the coroutine has ended");
  forebay::FIFOQueue<int> handled(2);
  use_handles(handled.producer(), handled.consumer(), sum);
  check(sum == 8, "of coroutines, too");
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
  const forebay::StragglersError stragglers(std::vector<forebay::ThreadActivity>{{"slow"}});
  check(stragglers.names().size() == 1 && !stragglers.threads()[0].waits(), "stragglers have names");
}

void waits() {
  forebay::FIFOQueue<int> queue(4);
  queue.set_name("images");
  check(queue.name() == "images", "a queue has a name");
  forebay::Coordinator coordinator;
  std::string told;
  coordinator.launch("consumer", [&] { static_cast<void>(queue.dequeue(coordinator)); });
  const forebay::BasicProgressWatch<forebay::StdSync> watch(
      coordinator,
      [&](const forebay::Stall& stall) {
        told = to_string(stall) + to_string(stall.waiting);
        coordinator.request_stop();
      },
      1ms);
  coordinator.join();
  check(told.find("consumer ") != std::string::npos, "a stall names the thread, which may not have begun to wait");
  check(coordinator.threads().empty() && coordinator.progress() == 0, "then no thread is left, and nothing has moved");
  static_assert(std::is_same_v<forebay::ProgressWatch, forebay::BasicProgressWatch<forebay::StdSync>>);
}

void session() {
  forebay::Coordinator coordinator;
  std::size_t called = 0;
  const auto count = [&](forebay::MonitoredSession& its) { called += its.steps(); };
  forebay::MonitoredSession its(coordinator, {forebay::stop_at_step(4), forebay::every_n_steps(2, count),
                                              forebay::SessionRunHook{.end = count}});
  while (!its.should_stop()) check(its.run([] {}), "a step is done");
  its.request_stop();
  its.close();
  check(called == 10, "hooks are called");
  auto pipeline = forebay::range(3).map([](int i) { return i; }).run();
  forebay::MonitoredSession over(pipeline);
  while (!pipeline.should_stop()) over.run([&] { static_cast<void>(pipeline.next().value()); });
  check(over.steps() == 3, "so is a pipeline");
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
  const forebay::PipelineStatistics statistics = forebay::pipeline_statistics(runner);
  check(statistics.loop.elements == 100 && statistics.stages[0].threads == 2, "what it did is counted");
}

void reporting() {
  const forebay::StageStatistics read{.name = "read",
                                      .threads = 1,
                                      .is_serial = true,
                                      .elements = 8,
                                      .working = 1s,
                                      .starved = 0s,
                                      .blocked = 9s,
                                      .ahead = 4};
  const forebay::PipelineStatistics statistics{.stages = {read},
                                               .loop = {.name = "loop", .elements = 8, .working = 10s},
                                               .time = 10s,
                                               .processor_time = 11s,
                                               .machine_time = 12s,
                                               .throttled_time = 0s,
                                               .cores = forebay::usable_cores()};
  check(forebay::report(statistics).find(forebay::verdict(statistics)) == 0, "a report begins with a verdict");
  check(forebay::limiting_stage(statistics) == &statistics.loop, "who limits is one of them");
  check(statistics.since(statistics).time == 0s, "nothing has happened since now");
  std::ostringstream metrics;
  forebay::write_metrics(metrics, statistics);
  check(metrics.str().find("# HELP") == 0, "metrics are text");
  check(read.failed == 0 && read.left_out == 0 && read.first_failure.empty(), "nothing was left out");
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
  runner.end_input();
  check(sum == 2450, "each thread has a callable of its own");
}

void running() {
  forebay::FIFOQueue<int> queue(4);
  fill<forebay::QueueRunner>(queue);
  forebay::FIFOQueue<int> other(4);
  fill<forebay::BasicQueueRunner<forebay::StdSync>>(other);
}

// ---- Data sets

template <class T>
std::vector<T> outputs_of(const forebay::Dataset<T>& data) {
  std::vector<T> outputs;
  for (T& output : data.run()) outputs.push_back(std::move(output));
  return outputs;
}

using Numbers = std::vector<int>;

void sources() {
  const forebay::IndexedDataset<int> numbers = forebay::range(4);
  check(numbers.size() == 4 && numbers[2] == 2, "some data sets have random access");
  const auto names = forebay::from_slices(std::vector<std::string>{"a", "b"});
  check(outputs_of<std::string>(names) == std::vector<std::string>{"a", "b"}, "a container is a data set");
  const auto squares = forebay::from_indexed(3, [](std::size_t i) { return static_cast<int>(i * i); });
  check(outputs_of<int>(squares) == Numbers{0, 1, 4}, "so is a function of a number");
  const auto below_2 = [] { return [i = 0]() mutable { return i < 2 ? std::optional(i++) : std::nullopt; }; };
  check(outputs_of(forebay::from_callable(below_2())) == Numbers{0, 1}, "and one that ends");
  const auto factory = forebay::per_epoch(below_2);
  static_assert(std::is_same_v<decltype(factory), const forebay::PerEpoch<decltype(factory.factory)>>);
  check(outputs_of(forebay::from_callable(factory).repeat(2)) == Numbers{0, 1, 0, 1}, "or begins anew in each epoch");
  forebay::FIFOQueue<int> queue(2);
  static_cast<void>(queue.enqueue_many({5, 6}));
  queue.close();
  check(outputs_of(forebay::from_queue(queue)) == Numbers{5, 6}, "a queue is a data set");
  const auto lines = forebay::text_lines(std::vector<std::string>{"no such file"}, {.on_error = forebay::skip(1)});
  check(outputs_of(lines).empty(), "so are text files, if they are there");
  check(outputs_of(forebay::text_lines({"no such file"}, {.on_error = forebay::skip(1)})).empty(), "by their names");
  const auto pairs = outputs_of(forebay::zip(numbers, names));
  check(pairs.size() == 2 && std::get<1>(pairs[1]) == "b", "several can be taken together");
  const forebay::ZipOptions options{.lengths = forebay::equal};
  check(options.lengths == forebay::Lengths::equal, "their lengths may have to be equal");
  check(outputs_of(forebay::zip(options, names, names)).size() == 2, "as they are here");
}

/// A source of three bytes.
class ThreeBytes : public forebay::ByteSource {
 public:
  std::size_t read(std::span<char> into) override {
    const std::size_t count = std::min(into.size(), left_);
    std::fill_n(into.begin(), count, 'x');
    left_ -= count;
    return count;
  }

 private:
  std::size_t left_ = 3;
};

void files() {
  const forebay::FileOptions options{.buffer_size = 4096};
  check(throws<forebay::FileError>([&] { forebay::File("no such file", options); }), "a missing file is an error");
  check(throws<forebay::FileError>([] { static_cast<void>(forebay::list_files("no such file*")); }), "so is no match");

  const std::vector<std::string> none;
  const auto records = forebay::fixed_size_records<int>(none, forebay::FixedSizeOptions{.header = 4});
  check(outputs_of<int>(records).empty(), "no files have no records");
  const forebay::LengthPrefixOptions prefix{.bytes = 8};
  check(outputs_of(forebay::length_prefixed_records(none, prefix)).empty(), "of any kind");
  check(outputs_of(forebay::tfrecords(none)).empty() && forebay::indexed_tfrecords(none).size() == 0, "at all");
  check(forebay::indexed_length_prefixed_records(none, prefix).size() == 0, "also by their numbers");
  check(forebay::indexed_text_lines(none).size() == 0, "and no lines");
  const forebay::OpenByteSource open = [](const std::string&) { return std::make_unique<ThreeBytes>(); };
  const forebay::ReadFileOptions read{.open = open};
  check(outputs_of(forebay::text_lines("no such file", read)).front() == "xxx", "a source replaces a file");
  check(throws<forebay::FileError>([&] { forebay::LengthPrefixedReader("no such file", prefix); }), "a reader opens");
  check(throws<forebay::FileError>([] { forebay::TFRecordReader("no such file"); }), "its file");
  check(throws<forebay::FileError>([] { forebay::FixedSizeReader("no such file", 4); }), "when it is created");

  check(outputs_of<forebay::TarEntry>(forebay::tar_entries(none)).empty(), "no archives have no entries");
  check(outputs_of<forebay::WebSample>(forebay::webdataset(none)).empty(), "and no samples");
  const forebay::TarIndexOptions selected{.select = [](const std::string& name) { return name.empty(); }};
  check(forebay::indexed_tar_entries(none, selected).size() + forebay::indexed_webdataset(none).size() == 0, "at all");
  check(throws<forebay::FileError>([] { forebay::TarEntryReader("no such file"); }), "a reader opens");
  check(throws<forebay::FileError>([] { forebay::WebSampleReader("no such file"); }), "its archive");
}

void tables() {
  const std::string missing = "no such file";
  const forebay::CsvOptions csv{.header = true, .on_error = forebay::skip(1)};
  const std::vector<forebay::CsvRow> rows = outputs_of(forebay::csv_rows({missing}, csv));
  check(rows.empty(), "a table is a data set, if its file is there");
  check(throws<forebay::FileError>([&] { const forebay::CsvReader reader(missing); }), "and has a reader");
  check(throws<forebay::FileError>([&] { static_cast<void>(forebay::npy_rows<float>(missing)); }), "so are arrays");
  check(throws<forebay::FileError>([&] { static_cast<void>(forebay::idx_rows<float>({missing})); }), "and those");
}

struct Sums {
  void operator()(int&& number, forebay::Out<int>& out) { out.emit(sum += number); }
  int sum = 0;
};

struct Twice {
  void operator()(int&& number, forebay::Context& context, forebay::Out<int>& out) const {
    out.emit_all(Numbers(2, out.recycled() + number + static_cast<int>(context.position().epoch)));
  }
};

void stages() {
  const auto numbers = forebay::range(10);
  check(outputs_of(numbers.filter([](int i) { return i % 2 == 0; }).skip(1).take(2)) == Numbers{2, 4},
        "some are taken");
  const auto halves = numbers.split([](int i) { return i; }, {1, 1});
  check(outputs_of(halves[0]).size() + outputs_of(halves[1]).size() == 10, "or split by a key");
  check(outputs_of<int>(numbers.shard(1, 4, forebay::Even::drop)) == Numbers{1, 5}, "a machine has its share");
  check(outputs_of<int>(numbers.seed(1).shuffle()) == outputs_of<int>(numbers.seed(1).shuffle()), "an order is drawn");
  check(outputs_of<int>(numbers.shuffle_pages(5)).size() == 10, "or one of pages");
  check(outputs_of(numbers.shuffle(3)).size() == 10, "or one of a window");
  check(outputs_of(numbers.step_by(4)) == Numbers{0, 4, 8}, "the first of every four");
  check(outputs_of(numbers.take(4).apply(Sums())) == Numbers{0, 1, 3, 6}, "a stage may be the user's own");
  check(outputs_of(numbers.take(4).apply(Twice())).size() == 8, "and emit a range");
  check(outputs_of(numbers.take(3).flat_map([](int count) {
          return Numbers(static_cast<std::size_t>(count));
        })).size() == 3,
        "one becomes many");
  const auto twice = [](int i) { return Numbers{i, i}; };
  check(outputs_of(numbers.take(3).interleave(2, 1, twice)) == Numbers{0, 1, 0, 1, 2, 2}, "several are taken in turn");
  const forebay::InterleaveOptions at_once{.cycle = 2, .block = 2, .prefetch = 4, .on_error = forebay::skip(1)};
  check(outputs_of(numbers.take(2).interleave(at_once, twice)) == Numbers{0, 0, 1, 1}, "and read at once");
  check(std::get<0>(outputs_of(numbers.enumerate())[3]) == 3, "elements have numbers");
  const forebay::BatchOptions complete{.remainder = forebay::drop};
  check(outputs_of(numbers.repeat(2).seamless().batch(6, complete)).size() == 3, "batches may go across epochs");
  check(outputs_of(forebay::from_slices(std::vector<Numbers>{{1}, {2, 3}}).padded_batch(2))[0].lengths()[0] == 1,
        "sequences are padded");
  check(outputs_of(numbers.stacked_batch(4)).size() == 3, "and numbers stacked");
  const auto write = [](int i, forebay::Row<int>& into) { into.component<0>() = i; };
  check(outputs_of(numbers.stacked_batch<int>(4, 2, write))[1][0] == 4, "rows are written in place");
  const auto write_some = [](int i, forebay::Row<Numbers>& into) {
    into.component<0>()[0] = i;
    into.set_length<0>(1);
  };
  check(outputs_of(numbers.padded_batch<Numbers>(4, {.shape = {2}}, 2, write_some))[1](0, 0) == 4, "and padded");
  check(outputs_of(numbers.repeat(2).seamless().shuffle(3)).size() == 20, "and a window");
  const forebay::BucketOptions buckets{.boundaries = {4}, .batch_sizes = {2, 3}, .max_length = 9};
  static_assert(std::is_same_v<decltype(buckets.batch_sizes), forebay::Counts>);
  check(buckets.boundaries.counts().size() == 1 &&
            outputs_of(numbers.bucket_by_length([](int i) { return i; }, buckets)).size() == 4,
        "batches may be of similar length");
  const forebay::CostOptions costs{.limit = 9, .sort_window = 4};
  check(outputs_of(numbers.skip(1).batch_by_cost([](int i) { return i; }, costs)).size() >= 5, "or of limited cost");
  const forebay::MixOptions restarting{.stop = forebay::MixStop::all_exhausted, .restart = true};
  check(restarting.stop == forebay::all_exhausted, "the names of an option are its values");
  check(outputs_of(forebay::mix(restarting, {numbers, numbers}, {1, 2})).size() >= 20, "mix restarts inputs");
  check(outputs_of(forebay::mix({.stop = forebay::first_exhausted}, {numbers, numbers}, {1, 2})).size() <= 20,
        "mix may end with its first input");
  int third = 0;
  forebay::from_indexed<int>(4, [](std::size_t i, int& into) { into = static_cast<int>(i); }).read(3, third);
  check(third == 3, "an element is read into a variable");
  check(outputs_of(numbers.batch(3).unbatch().concatenate(forebay::mix({numbers, numbers}, {1, 2}))).size() == 30,
        "data sets are joined");
  check(numbers.map([](int i) { return i; }).collect().size() == 10, "what was made can be kept");
  const forebay::DatasetDescription described = numbers.shuffle(4).describe({{"range", 8}});
  const forebay::StageDescription shuffled{.name = "shuffle",
                                           .what = "shuffle 4",
                                           .threads = 0,
                                           .ahead = 0,
                                           .chunk = 0,
                                           .inputs = 36,
                                           .outputs = 0,
                                           .bytes = 288};
  check(described.stages[1] == shuffled && described.bytes() == 304, "a data set tells what it will take");
  check(described.text().find("stage ") == 0, "a description is a table");
}

void mapping() {
  const auto draw = [](int i, forebay::Context& context) {
    forebay::Draw& bits = context.draw();
    return context.position() == forebay::Position{0, static_cast<std::uint64_t>(i)} && bits.below(10) < 10;
  };
  const auto drawn = outputs_of(forebay::range(100).map(2, draw));
  check(drawn.size() == 100 && std::find(drawn.begin(), drawn.end(), false) == drawn.end(),
        "an element is told its place");
  const forebay::MapOptions options{.threads = 2,
                                    .order = forebay::any_order,
                                    .ahead = 2,
                                    .chunk = 3,
                                    .on_error = forebay::skip(1),
                                    .loop_helps = false,
                                    .make = [] { return std::string("made"); }};
  static_assert(std::is_same_v<decltype(options.order), forebay::Order>);
  static_assert(std::is_same_v<decltype(options.on_error), forebay::OnError>);
  static_assert(std::is_same_v<decltype(options.make), forebay::StorageFactory>);
  const auto filled = outputs_of(forebay::range(10).map(options, [](int i, std::string& into) {
    if (i == 5) throw std::runtime_error("five");
    into = std::to_string(i);
  }));
  check(filled.size() == 9 && std::count(filled.begin(), filled.end(), "6") == 1,
        "storage is filled, and what fails may be left out");
  const forebay::ReadOptions lenient{.on_error = forebay::skip(1)};
  check(
      outputs_of(forebay::range(2).flat_map(
          lenient, [](int i) { return i == 0 ? throw std::runtime_error("zero") : Numbers{10 / i}; })) == Numbers{10},
      "also where it is read");
  std::uint64_t failed = 0;
  const auto note = [&](forebay::Position at, const std::exception_ptr& /*failure*/) { failed = at.number; };
  check(outputs_of(forebay::range(3).map({.on_error = forebay::redirect(note)},
                                         [](int i) { return i == 2 ? throw std::runtime_error("two") : i; })) ==
                Numbers{0, 1} &&
            failed == 2,
        "or told to somebody");
}

void pipelines() {
  const auto data = forebay::range(6).repeat(2).map(2, [](int i) { return i; }).batch(4).prefetch(1).traced();
  forebay::Coordinator coordinator;
  forebay::Pipeline<Numbers> pipeline(data, coordinator);
  const forebay::OneEpoch<Numbers> epoch = pipeline.one_epoch();
  std::size_t batches = 0;
  for ([[maybe_unused]] const Numbers& batch : epoch) ++batches;
  check(batches == 2 && pipeline.position().epoch == 1, "an epoch ends");
  std::ostringstream metrics;
  pipeline.write_metrics(metrics);
  check(pipeline.statistics().loop.elements == 2 && pipeline.report().find("loop") < metrics.str().size(),
        "two outputs have been taken");
  pipeline.for_each([&batches](Numbers&) { ++batches; });
  check(batches == 4 && pipeline.next(forebay::no_wait).status() == forebay::QueueStatus::closed, "and so does all");
  pipeline.join();
  std::ostringstream trace;
  pipeline.write_trace(trace);
  check(trace.str().starts_with("[\n{"), "what its threads did is told");
  std::ostringstream page;
  forebay::write_html_report(pipeline, page);
  check(page.str().starts_with("<!DOCTYPE html>"), "also as a page");
  std::ostringstream progress;
  const forebay::ProgressLineOptions options{.redraw = true};
  forebay::ProgressLine(progress, pipeline, options).add(6, {forebay::ProgressValue{"loss", 0.5}});
  check(progress.str().starts_with("\repoch 2"), "and as a line");
  check(pipeline.threads().empty() && pipeline.progress() > 0, "then nobody is left");
  const auto failing = forebay::range(3).map([](int i) { return i == 1 ? throw std::runtime_error("one") : i; });
  check(throws<forebay::DatasetError>([&] { outputs_of(failing); }), "what fails is thrown");
  const auto numbers = forebay::range(6);
  auto interrupted = numbers.traced().run();
  check(interrupted.next().value() == 0, "an output before the checkpoint");
  check(numbers.run(interrupted.checkpoint()).next().value() == 1, "the one behind it");
  forebay::Coordinator of_resumed;
  check(numbers.run(interrupted.checkpoint(), of_resumed).next().value() == 1, "the same, with a coordinator");
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
    handles();
    overflow();
    coroutines();
    waiting();
    coordination();
    waits();
    session();
    running();
    reporting();
    running_with_state();
    sources();
    files();
    tables();
    stages();
    mapping();
    pipelines();
  } catch (const std::exception& exception) {
    check(false, exception.what());
  }
  return failures == 0 ? 0 : 1;
}
