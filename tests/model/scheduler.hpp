// SPDX-License-Identifier: MIT
//
// scheduler.hpp: Scheduler, which runs the threads of a model one at a time, each up to its next operation, in an
// order that a Strategy chooses.

#ifndef FOREBAY_TESTS_MODEL_SCHEDULER_HPP
#define FOREBAY_TESTS_MODEL_SCHEDULER_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/model/fiber.hpp"
#include "tests/model/footprint.hpp"
#include "tests/model/strategy.hpp"
#include "tests/model/transition.hpp"
#include "tests/model/vector_clock.hpp"

namespace forebay_model {

/// What may happen in an execution besides the threads' own steps.
struct Model {
  /// How many threads may wake up from a condition variable without a reason.
  int spurious_wakeups = 0;
  /// How often the time may pass to the next deadline before all threads are stuck. (When all are stuck, it always
  /// does.)
  int ticks = 0;
  /// Whether operations with memory_order_relaxed are steps of their own. If not, they are hints, whose order among
  /// others' steps is not explored.
  bool hints_are_steps = false;
  /// Whether exchange(1, memory_order_acquire) waits until the variable is 0, as lock() of a mutex does. It is how
  /// a spin lock is taken; how often it looks in vain changes nothing. If not, the spinning is explored.
  bool spin_locks_block = true;
  /// Whether the order of calls and results is explored too, so that the history of each real-time order is seen.
  bool real_time = true;
  /// An execution longer than this does not come to an end.
  std::size_t most_steps = 20000;
};

/// What is wrong with an execution.
struct Violation {
  std::string what;
  Schedule schedule;
  std::string trace;
};

class Scheduler {
  // Invariant: exactly one fiber runs; but for `running_`, each live thread stands before its pending operation.
 public:
  struct Thread {
    std::size_t index = 0;
    Operation pending{Kind::load};
    Way way = 0;
    bool lives = false;          // from its creation to its end
    std::size_t enabled_by = 0;  // the step that created or woke it, counted from 1
    VectorClock clock;
    std::uint32_t objects = 0;
    ObjectId looked_at = no_object;  // by its last load
    bool unchanged = false;          // since then, by others
    std::string name;
    std::shared_ptr<void> own;  // what forebay keeps of it
    std::function<void()> body;
    std::unique_ptr<Fiber> fiber;
  };

  explicit Scheduler(const Model& model);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  ~Scheduler();

  /// The scheduler whose execution the caller belongs to.
  [[nodiscard]] static Scheduler& current() noexcept { return *current_; }

  /// Runs `scenario` as the first thread, and all that it creates. Returns what went wrong, if anything did; the
  /// threads and whatever they refer to are left as they stand then.
  std::optional<Violation> run(const std::function<void()>& scenario, Strategy& strategy, bool with_trace = false);

  /// The step that runs has created or woken `thread`.
  void enables(Thread& thread) const noexcept { thread.enabled_by = schedule_.size(); }

  [[nodiscard]] const Schedule& schedule() const noexcept { return schedule_; }
  [[nodiscard]] const Footprint& last_footprint() const noexcept { return footprint_; }
  [[nodiscard]] const Model& model() const noexcept { return model_; }

  // ---- For what threads call

  /// Lets others go first, as the strategy likes, then returns: the caller does the operation. Returns which way.
  Way perform(const Operation& operation);

  [[nodiscard]] Thread& running() noexcept { return *running_; }
  [[nodiscard]] ObjectId new_object() noexcept;

  /// The step that runs touches this object, too.
  void touch(ObjectId object) noexcept { footprint_.add(object, true); }

  /// A thread changed `object`: threads that paused because of it may look again.
  void changed(ObjectId object) noexcept;

  /// The caller looks at `object`, and pauses if it does not like it.
  void looks_at(ObjectId object) noexcept;

  /// Blocks until a thread has changed what the caller looked at last.
  void pause();

  Thread& create_thread(std::function<void()> body, SourceLocation where);

  /// The object that a thread's end writes, and a join reads.
  [[nodiscard]] static ObjectId joined_object(const Thread& thread) noexcept {
    return first_free_object + static_cast<ObjectId>(thread.index);
  }

  [[nodiscard]] Time now() noexcept {
    clock_was_read_ = true;
    return now_;
  }

  /// Ends the execution: it has shown a mistake.
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

/// Ends the execution with this mistake unless `holds`.
inline void check(bool holds, const char* what) {
  if (!holds) Scheduler::current().fail(what);
}

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_SCHEDULER_HPP
