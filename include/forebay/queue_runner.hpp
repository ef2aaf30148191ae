// SPDX-License-Identifier: MIT
//
// queue_runner.hpp: QueueRunner, which keeps a queue filled from threads of its own and closes it at the end.
//
// It is given a queue and ops, one for each thread. An op is anything that can be called, again and again:
//
//   [&]() -> std::optional<T>     returns the next element; none: the end of the input
//   [&]() -> std::vector<T>       returns the next run of elements (any range); an empty one: the end of the input
//   [&]() -> std::optional<std::vector<T>>   the same, where runs may be empty
//   [&]() -> T                    returns the next element; throws OutOfRangeError at the end of the input
//   [&]() -> Dequeued<T>          returns what it took from another queue, an element or a batch: closed or stopped:
//                                 the end; timed out or empty: it is called again; what the dequeue throws is a
//                                 failure
//   [&]() -> QueueStatus          enqueues by itself, and returns how that went; not ok: the end
//   [&]() -> EnqueueManyResult    the same
//   [&]() -> void                 enqueues by itself, as in the original; throws OutOfRangeError at the end
//
// What an op returns is of the queue's element type, or converts to it as the elements of an enqueue_many do (see
// blocking_queue.hpp). What merely happens to convert does not compile: a bool ("go on?") or a character for a number,
// an std::string for a view of it.
//
// State of its own, such as an open file, an op has as a mutable lambda, one for each thread. One op that several
// threads run is called through a const reference, at the same time, so there a mutable one does not compile; that is
// what per_thread(factory) is for, which makes one in each thread. (A mutable lambda in a std::function is const to
// the compiler. Do not give it to several threads.)
//
// Lifetime: the queue outlives the runner. Runner and coordinator may be destroyed in either order. The destructor
// leaves no thread behind: if threads still run, it cancels the queue, asks the coordinator to stop, and waits. So an
// op must not run it, and must not own the runner: that ends the program (std::terminate, with a message).
//
// Thread safety: every member function may be called from any thread at any time, the destructor excepted. Ops, what
// they capture and the destructors of exceptions may call the runner and the coordinator. An op must not end its
// thread by pthread_exit, nor may the thread be cancelled by pthread_cancel: that would end the program.

#ifndef FOREBAY_QUEUE_RUNNER_HPP
#define FOREBAY_QUEUE_RUNNER_HPP

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <initializer_list>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/coordinator.hpp"
#include "forebay/threads/enqueue_op.hpp"
#include "forebay/waiting/parker.hpp"
#include "forebay/waiting/stop_signal.hpp"
#include "forebay/base/element_ranges.hpp"
#include "forebay/per_thread.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Guarantees:
///  - One op at its end does not stop the others. When the last thread ends, however it ends, the queue is closed:
///  after
///    the end of the input what is stored drains, and `join()` returns without anybody having to request a stop.
///  - A failure closes the queue with its cause, so that consumers are told after what was stored, and is reported to
///    the coordinator. It stops the other ops, also when the runner has no coordinator but its own.
///  - A stop cancels the queue, through one more thread (the closer), so that no op stays blocked in it. An op that
///    blocks elsewhere has to be given the coordinator too. What an op has returned and the queue did not take before
///    it was cancelled, by a stop or a failure, is dropped; an op that enqueues by itself is told `closed`, and has
///    its element still.
///  - An op that throws one of the coordinator's clean-stop types ends the input of the runner: no op is called again,
///    and what the others are about to put in goes in, for which they wait as long as it takes. Then the queue is
///    closed, what is stored drains, and a stop is requested. Nothing is lost, unless a stop is requested before. (An
///    op that does not end by itself is waited for. To stop it at once, request a stop.)
///  - Starting is all or nothing: no op runs before all threads are there.
template <class Sync = StdSync>
class BasicQueueRunner {
 public:
  using Coordinator = BasicCoordinator<Sync>;

  /// `threads` threads, all of which run `op`, at the same time and through a const reference; or, if it is a
  /// per_thread(factory), one op that the factory makes in each. Throws std::invalid_argument if there are none.
  /// (TensorFlow: QueueRunner(queue, [op] * threads).)
  template <class Queue, std::integral Threads, class Op>
  BasicQueueRunner(Queue& queue, Threads threads, Op&& op, std::string name = "QueueRunner")
      : BasicQueueRunner(queue,
                         std::vector(at_least_one(threads), detail::EnqueueOp<Queue>::shared(std::forward<Op>(op))),
                         std::move(name)) {}

  /// One thread for each op: `QueueRunner(queue, {[&] { ... }, [&] { ... }})`.
  template <class Queue>
  BasicQueueRunner(Queue& queue, std::initializer_list<std::type_identity_t<detail::EnqueueOp<Queue>>> ops,
                   std::string name = "QueueRunner")
      : BasicQueueRunner(queue, std::vector(ops), std::move(name)) {}

  /// One thread for each op of a range, such as a std::vector<std::function<void()>>. Ops that cannot be copied are
  /// moved out of a container that is given away.
  template <class Queue, std::ranges::input_range Ops>
  BasicQueueRunner(Queue& queue, Ops&& ops, std::string name = "QueueRunner")
      : state_(std::make_shared<State>(queue, std::move(name))) {
    for (auto&& op : ops) {
      using Given = detail::GivenBy<Ops>;
      state_->add([op = detail::EnqueueOp<Queue>(static_cast<Given>(op)), &queue] { return op.begin(queue); });
    }
    if (state_->empty()) throw std::invalid_argument("forebay: a QueueRunner needs at least 1 op, not 0");
  }

  /// If threads still run: cancels the queue, asks the coordinator to stop, and waits for them. Never throws.
  ~BasicQueueRunner() { state_->end(); }

  BasicQueueRunner(const BasicQueueRunner&) = delete;
  BasicQueueRunner& operator=(const BasicQueueRunner&) = delete;

  /// Starts one thread for each op, and the closer, launched by `coordinator`: its join() waits for them. Throws
  /// std::logic_error if they run already; after they have ended it may be started again. If a thread cannot be
  /// created, none stays, and std::system_error is thrown. (TensorFlow: create_threads(coord, start=True), which does
  /// nothing if they run already.)
  void start(Coordinator& coordinator) { State::start({state_}, coordinator); }

  /// Starts them without a coordinator of the caller's: join() waits, the destructor cancels the queue, and an op that
  /// fails stops the others.
  void start() {
    auto coordinator = std::make_unique<Coordinator>();  // in the end the one before, destroyed without the lock
    const std::unique_lock lock(starting_);
    state_->throw_if_running();
    own_coordinator_.swap(coordinator);
    start(*own_coordinator_);
  }

  /// Waits until all threads have ended, and rethrows the first of exceptions_raised(); again each time, until the
  /// next start. Throws std::system_error (resource_deadlock_would_occur) when called by one of them.
  void join() { state_->join(); }

  /// The failures of the ops since the last start, the first one first.
  [[nodiscard]] std::vector<std::exception_ptr> exceptions_raised() const { return state_->exceptions_raised(); }

 private:
  template <class Threads>
  static std::size_t at_least_one(Threads threads) {
    if (std::cmp_greater_equal(threads, 1)) return static_cast<std::size_t>(threads);
    throw std::invalid_argument("forebay: a QueueRunner needs at least 1 thread, not " + std::to_string(threads));
  }

  template <class AnySync, class... Runners>
  friend void start_queue_runners(BasicCoordinator<AnySync>& coordinator, Runners&&... runners);

  class State;

  /// Adds the state of a runner, of what a pointer points to, or of each of a range.
  template <class Runners>
  static void add_states(Runners& runners, std::vector<std::shared_ptr<State>>& states) {
    if constexpr (std::derived_from<Runners, BasicQueueRunner>) {
      states.push_back(runners.state_);
    } else if constexpr (requires { *runners; }) {
      add_states(*runners, states);
    } else {
      for (auto&& each : runners) add_states(each, states);
    }
  }

  std::shared_ptr<State> state_;   // shared with the threads
  typename Sync::mutex starting_;  // guards own_coordinator_
  std::unique_ptr<Coordinator> own_coordinator_;
};

namespace detail {

template <class Runner, class Sync>
concept RunnerOrPointer = std::derived_from<std::remove_reference_t<Runner>, BasicQueueRunner<Sync>> ||
    requires(Runner& runner) {
  { *runner } -> std::convertible_to<BasicQueueRunner<Sync>&>;
};

template <class Runners, class Sync>
inline constexpr bool can_be_started = RunnerOrPointer<Runners, Sync>;
template <std::ranges::input_range Runners, class Sync>
inline constexpr bool can_be_started<Runners, Sync> = RunnerOrPointer<std::ranges::range_reference_t<Runners>, Sync>;

}  // namespace detail

/// Starts several runners together, all or none. Each of `runners` is a QueueRunner, or a pointer to one, or a range
/// of either. (TensorFlow: start_queue_runners(coord), without its global list.)
template <class Sync, class... Runners>
void start_queue_runners(BasicCoordinator<Sync>& coordinator, Runners&&... runners) {
  using Runner = BasicQueueRunner<Sync>;
  static_assert(
      (detail::can_be_started<Runners, Sync> && ...),
      "forebay: start_queue_runners(coordinator, runners...) starts QueueRunners, pointers to them, or ranges "
      "of either; a queue is given to a QueueRunner");
  static_assert((!std::derived_from<Runners, Runner> && ...),
                "forebay: a QueueRunner that is started must not be a temporary, which would end at once");
  if constexpr ((detail::can_be_started<Runners, Sync> && ...)) {
    std::vector<std::shared_ptr<typename Runner::State>> states;
    (Runner::add_states(runners, states), ...);
    Runner::State::start(states, coordinator);
  }
}

/// What the threads of a runner share with it. It outlives both.
///
/// Invariants, under mutex_: running_ ops, and if closer_runs_ the closer, have begun and not ended; while one has,
/// *coordinator_ lives, because it waits for them.
template <class Sync>
class BasicQueueRunner<Sync>::State {
 public:
  /// Begins an op, in the thread that runs it: returns what runs it once, and returns whether to run it again.
  using Op = std::function<std::function<bool()>()>;

  template <class Queue>
  State(Queue& queue, std::string name)
      : name_(std::move(name)),
        close_([&queue] { queue.close(); }),
        cancel_([&queue](const std::exception_ptr& cause) { queue.close(cause); }) {}

  void add(Op op) { ops_.push_back(std::move(op)); }
  [[nodiscard]] bool empty() const noexcept { return ops_.empty(); }

  /// Starts the threads of all `states`, or none.
  static void start(const std::vector<std::shared_ptr<State>>& states, Coordinator& coordinator) {
    std::vector<NamedThread> threads;
    std::size_t begun = 0;
    try {
      for (; begun < states.size(); ++begun) states[begun]->begin(coordinator);
      for (const auto& state : states) add_threads(state, threads);
      coordinator.launch(std::move(threads));
    } catch (...) {
      while (begun > 0) states[--begun]->take_back();
      throw;
    }
  }

  void throw_if_running() const {
    const Lock lock(mutex_);
    throw_if_running_locked();
  }

  void join() {
    Lock lock(mutex_);
    throw_if_called_by_op("waits for itself");
    changed_.wait(lock, [this] { return ended(); });
    const std::exception_ptr first = raised_.empty() ? nullptr : raised_.front();
    lock.unlock();
    if (first != nullptr) std::rethrow_exception(first);
  }

  /// Ends what runs, for the runner's destructor. The ops refer to what the caller may destroy next.
  void end() noexcept {
    std::vector<Op> ops;  // destroyed without the lock
    Lock lock(mutex_);
    throw_if_called_by_op("destroys the runner that waits for it");
    if (running_ > 0) request_stop(lock);
    changed_.wait(lock, [this] { return ended(); });
    ops.swap(ops_);
  }

  [[nodiscard]] std::vector<std::exception_ptr> exceptions_raised() const {
    const Lock lock(mutex_);
    return raised_;
  }

 private:
  using Lock = std::unique_lock<typename Sync::mutex>;

  static void add_threads(const std::shared_ptr<State>& state, std::vector<NamedThread>& threads) {
    for (std::size_t i = 0; i < state->ops_.size(); ++i) {
      threads.push_back({state->name_ + "-" + std::to_string(i), [state, i] { state->run_op(state->ops_[i]); }});
    }
    threads.push_back({state->name_ + "-closer", [state] { state->run_closer(); }});
  }

  void begin(Coordinator& coordinator) {
    std::vector<std::exception_ptr> raised;  // in the end those of the time before, destroyed without the lock
    const Lock lock(mutex_);
    throw_if_running_locked();
    raised.reserve(ops_.size());
    members_.reserve(ops_.size());
    raised_.swap(raised);
    ends_cleanly_.store(false, std::memory_order_relaxed);
    coordinator_ = &coordinator;
    running_ = ops_.size();
    closer_runs_ = true;
  }

  void take_back() noexcept {
    const Lock lock(mutex_);
    running_ = 0;
    closer_runs_ = false;
    changed_.notify_all();
  }

  void run_op(const Op& op) noexcept {
    enter();
    try {
      const auto turn = op();
      while (!coordinator_->should_stop() && !ends_cleanly() && turn()) {
      }
    } catch (const OutOfRangeError&) {
      // The end of the input.
    } catch (const CancelledError&) {
      // A wait inside the op that ended because of the stop is no failure.
      if (!coordinator_->should_stop()) fail(std::current_exception());
    } catch (...) {
      fail(std::current_exception());
    }
    leave();
  }

  /// A clean stop waits until the others have put in what they have; the closer requests it.
  /// The queue first: a consumer must not take a failure for the end of the input.
  void fail(const std::exception_ptr& cause) noexcept {
    if (coordinator_->is_clean_stop(cause)) {
      ends_cleanly_.store(true, std::memory_order_relaxed);
      return;
    }
    cancel_(cause);
    {
      const Lock lock(mutex_);
      raised_.push_back(cause);
    }
    coordinator_->request_stop(cause);
  }

  void enter() noexcept {
    const Lock lock(mutex_);
    members_.push_back(Sync::this_thread_id());
  }

  void leave() noexcept {
    const Lock lock(mutex_);
    std::erase(members_, Sync::this_thread_id());
    if (--running_ > 0) return;
    closer_.signal();
    changed_.notify_all();
  }

  void run_closer() noexcept {
    {
      const typename detail::StopSignal<Sync>::Subscription subscription(coordinator_->stop_signal(), closer_);
      while (!coordinator_->should_stop() && ops_run()) closer_.park(std::nullopt);
      close_queue();
    }
    if (ends_cleanly()) coordinator_->request_stop();
    const Lock lock(mutex_);
    closer_runs_ = false;
    changed_.notify_all();
  }

  /// Politely at the end of the input; a stop cancels, and takes along why.
  void close_queue() noexcept {
    if (coordinator_->should_stop()) {
      cancel_(coordinator_->failure());
    } else {
      close_();
    }
  }

  /// Whether an op has asked for a clean stop. Relaxed: to the other ops it is a hint, and the closer learns from
  /// running_, under the lock, that there is nobody left to set it.
  [[nodiscard]] bool ends_cleanly() const noexcept { return ends_cleanly_.load(std::memory_order_relaxed); }

  [[nodiscard]] bool ops_run() const noexcept {
    const Lock lock(mutex_);
    return running_ > 0;
  }

  // Everything below requires mutex_.

  [[nodiscard]] bool ended() const noexcept { return running_ == 0 && !closer_runs_; }

  /// Lets go of the lock: what is attached to the coordinator is closed.
  void request_stop(Lock& lock) noexcept {
    const typename Coordinator::Hold hold(*coordinator_);  // its threads, which it waits for, may end now
    lock.unlock();
    coordinator_->request_stop();
    lock.lock();
  }

  void throw_if_called_by_op(const char* does) const {
    if (std::find(members_.begin(), members_.end(), Sync::this_thread_id()) == members_.end()) return;
    throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                            "forebay: a thread of the QueueRunner \"" + name_ + "\" " + does);
  }

  void throw_if_running_locked() const {
    if (ended()) return;
    throw std::logic_error("forebay: the QueueRunner \"" + name_ + "\" is running already");
  }

  const std::string name_;
  const std::function<void()> close_;
  const std::function<void(const std::exception_ptr&)> cancel_;
  std::vector<Op> ops_;
  detail::Parker<Sync> closer_;

  mutable typename Sync::mutex mutex_;
  typename Sync::condition_variable changed_;
  std::size_t running_ = 0;
  std::vector<typename Sync::thread::id> members_;  // the threads that run ops
  bool closer_runs_ = false;
  typename Sync::template atomic<bool> ends_cleanly_{false};
  Coordinator* coordinator_ = nullptr;
  std::vector<std::exception_ptr> raised_;
};

using QueueRunner = BasicQueueRunner<>;

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_QUEUE_RUNNER_HPP
