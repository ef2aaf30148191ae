// SPDX-License-Identifier: MIT
//
// scheduler.hpp: Scheduler runs the threads of a model one at a time, each up to its next operation. A Strategy chooses
// the order.

#ifndef FOREBAY_TESTS_MODEL_SCHEDULER_HPP
#define FOREBAY_TESTS_MODEL_SCHEDULER_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <typeindex>
#include <vector>

#include "tests/model/fiber.hpp"
#include "tests/model/footprint.hpp"
#include "tests/model/strategy.hpp"
#include "tests/model/transition.hpp"
#include "tests/model/vector_clock.hpp"

namespace forebay_model {

/// The events that may happen in an execution besides the threads' own steps.
struct Model {
  /// How many waits on condition variables may wake up spuriously.
  int spurious_wakeups = 0;
  /// How often time may pass to the next deadline before all threads are stuck. (When all are stuck, it always does.)
  int ticks = 0;
  /// Whether operations with memory_order_relaxed are separate steps. If not, they are hints, whose order among the
  /// steps of other threads is not explored.
  bool hints_are_steps = false;
  /// Whether exchange(1, memory_order_acquire) waits until the variable is 0, as a mutex's lock() does. Spin locks are
  /// taken that way, and unsuccessful attempts change nothing. If false, the spinning is explored.
  bool spin_locks_block = true;
  /// Whether to explore the order of calls and results, too, so that every real-time order gets a history.
  bool real_time = true;
  /// A longer execution counts as endless.
  std::size_t most_steps = 20000;
};

/// An error in an execution.
struct Violation {
  std::string what;
  Schedule schedule;
  std::string trace;
};

class Scheduler {
  // Invariant: exactly one fiber runs. Every live thread except `running_` is just before its pending operation.
 public:
  struct Thread {
    std::size_t index = 0;
    Operation pending{Kind::load};
    Way way = 0;
    bool lives = false;          // from its creation until it ends
    std::size_t enabled_by = 0;  // the step that created or woke it, counted from 1
    VectorClock clock;
    std::uint32_t objects = 0;
    ObjectId looked_at = no_object;  // by its last load
    bool unchanged = false;          // since then, by other threads
    std::string name;
    std::map<std::type_index, std::shared_ptr<void>> own;  // forebay's data about the thread, by type
    std::function<void()> body;
    std::unique_ptr<Fiber> fiber;
  };

  explicit Scheduler(const Model& model);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  ~Scheduler();

  /// Returns the scheduler of the caller's execution.
  [[nodiscard]] static Scheduler& current() noexcept { return *current_; }

  /// Runs `scenario` as the first thread, with all threads that it creates. Returns the violation, if any. In that case
  /// it abandons the threads and everything they refer to.
  std::optional<Violation> run(const std::function<void()>& scenario, Strategy& strategy, bool with_trace = false);

  /// Notes that the current step has created or woken `thread`.
  void enables(Thread& thread) const noexcept { thread.enabled_by = schedule_.size(); }

  [[nodiscard]] const Schedule& schedule() const noexcept { return schedule_; }
  [[nodiscard]] const Footprint& last_footprint() const noexcept { return footprint_; }
  [[nodiscard]] const Model& model() const noexcept { return model_; }

  // ---- Called by threads

  /// Lets other threads run first, as the strategy decides. Then the caller performs the operation, in the returned
  /// way.
  Way perform(const Operation& operation);

  [[nodiscard]] Thread& running() noexcept { return *running_; }
  [[nodiscard]] ObjectId new_object() noexcept;

  /// Notes that the current step touches this object, too.
  void touch(ObjectId object) noexcept { footprint_.add(object, true); }

  /// Notes that a thread changed `object`. Threads that paused because of it may look again.
  void changed(ObjectId object) noexcept;

  /// Notes that the caller looks at `object`, and may pause until it changes.
  void looks_at(ObjectId object) noexcept;

  /// Blocks until a thread has changed the object that the caller looked at last.
  void pause();

  Thread& create_thread(std::function<void()> body, SourceLocation where);

  /// Returns the object that the end of a thread writes, and a join reads.
  [[nodiscard]] static ObjectId joined_object(const Thread& thread) noexcept {
    return first_free_object + static_cast<ObjectId>(thread.index);
  }

  [[nodiscard]] Time now() noexcept {
    clock_was_read_ = true;
    return now_;
  }

  /// Ends the execution because it has shown a mistake.
  [[noreturn]] void fail(const std::string& what);

  [[nodiscard]] bool tracing() const noexcept { return tracing_; }
  void trace(const std::string& line);

 private:
  static void run_thread(void* thread);
  void run_body(Thread& thread);
  Thread& new_thread(std::function<void()> body);
  Thread& choose();
  Transition choose_transition();
  void find_candidates();
  void add_candidates_of(const Thread& thread);
  [[nodiscard]] Candidate candidate(const Thread& thread, Way way) const noexcept;
  [[nodiscard]] Footprint footprint_of(const Thread& thread, Way way) const noexcept;
  [[nodiscard]] bool can(const Transition& transition) const noexcept;
  bool pass_time();
  [[nodiscard]] std::string deadlock() const;
  [[nodiscard]] static std::string described(const Thread& thread);
  void trace_step(const Transition& transition);
  void leave_as_it_stands();

  static Scheduler* current_;

  const Model model_;
  Fiber outside_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::size_t created_ = 0;
  Thread* running_ = nullptr;
  Thread* creator_ = nullptr;  // while a new thread runs up to its first operation
  Strategy* strategy_ = nullptr;
  std::vector<Candidate> candidates_;
  std::vector<Candidate> blocked_;
  Footprint footprint_;
  Schedule schedule_;
  Time now_ = 0;
  int spurious_left_ = 0;
  int ticks_left_ = 0;
  bool clock_was_read_ = false;
  bool tracing_ = false;
  std::string trace_;
  std::optional<Violation> violation_;
};

/// Ends the execution with this message unless `holds`.
inline void check(bool holds, const char* what) {
  if (!holds) Scheduler::current().fail(what);
}

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_SCHEDULER_HPP
