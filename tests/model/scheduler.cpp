// SPDX-License-Identifier: MIT

#include "tests/model/scheduler.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace forebay_model {
namespace {

constexpr Time one_tick = 1'000'000;

/// Keeps executions that showed a mistake, because their threads cannot be ended in an orderly way.
std::vector<std::unique_ptr<Scheduler::Thread>>& left_as_they_stand() {
  static auto& threads = *new std::vector<std::unique_ptr<Scheduler::Thread>>;  // never destroyed
  return threads;
}

std::string name_of_object(ObjectId object) {
  switch (object) {
    case clock_object: return "the clock";
    case thread_list: return "the threads";
    case history_object: return "the history";
    default: return "#" + std::to_string((object >> 20U) - 1) + "." + std::to_string(object & 0xfffffU);
  }
}

std::string_view file_name(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace

Scheduler* Scheduler::current_ = nullptr;

const char* name_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::load: return "load";
    case Kind::store: return "store";
    case Kind::modify: return "modify";
    case Kind::lock: return "lock";
    case Kind::unlock: return "unlock";
    case Kind::wait: return "wait";
    case Kind::asleep: return "wake up in";
    case Kind::awake: return "woken: lock for";
    case Kind::notify_one: return "notify_one";
    case Kind::notify_all: return "notify_all";
    case Kind::create_thread: return "create a thread";
    case Kind::join_thread: return "join";
    case Kind::read_clock: return "read";
    case Kind::sleep: return "sleep";
    case Kind::pause: return "pause until somebody changes";
    case Kind::call: return "call";
    case Kind::result: return "result";
  }
  return "?";
}

Scheduler::Scheduler(const Model& model) : model_(model) {}
Scheduler::~Scheduler() = default;

std::optional<Violation> Scheduler::run(const std::function<void()>& scenario, Strategy& strategy, bool with_trace) {
  Scheduler* const before = std::exchange(current_, this);
  strategy_ = &strategy;
  tracing_ = with_trace;
  trace_.clear();
  schedule_.clear();
  footprint_.clear();
  created_ = 0;
  now_ = 0;
  spurious_left_ = model_.spurious_wakeups;
  ticks_left_ = model_.ticks;
  clock_was_read_ = false;
  violation_.reset();

  Thread& first = new_thread(scenario);
  running_ = &first;
  Fiber::switch_to(outside_, *first.fiber);
  running_ = nullptr;
  current_ = before;
  if (violation_) leave_as_it_stands();
  return std::move(violation_);
}

ObjectId Scheduler::new_object() noexcept {
  return ((static_cast<ObjectId>(running_->index) + 1) << 20U) + running_->objects++;
}

Way Scheduler::perform(const Operation& operation) {
  Thread& me = *running_;
  me.pending = operation;
  if (creator_ != nullptr) {
    running_ = std::exchange(creator_, nullptr);
    Fiber::switch_to(*me.fiber, *running_->fiber);
  } else {
    Thread& next = choose();
    if (&next != &me) {
      running_ = &next;
      Fiber::switch_to(*me.fiber, *next.fiber);
    }
  }
  return me.way;
}

void Scheduler::changed(ObjectId object) noexcept {
  for (std::size_t i = 0; i < created_; ++i) {
    Thread& thread = *threads_[i];
    if (thread.looked_at == object && &thread != running_) thread.unchanged = false;
  }
}

void Scheduler::looks_at(ObjectId object) noexcept {
  running_->looked_at = object;
  running_->unchanged = true;
}

void Scheduler::pause() {
  if (!running_->unchanged) return;
  perform({.kind = Kind::pause, .object = running_->looked_at, .writes = false, .blocked = &running_->unchanged});
}

// ---- Threads

Scheduler::Thread& Scheduler::new_thread(std::function<void()> body) {
  if (created_ == most_threads) fail("too many threads for the model");
  if (created_ == threads_.size()) {
    Thread& fresh = *threads_.emplace_back(std::make_unique<Thread>());
    fresh.fiber = std::make_unique<Fiber>(&Scheduler::run_thread, &fresh);
  }
  Thread& thread = *threads_[created_];
  thread.index = created_++;
  thread.lives = true;
  enables(thread);
  thread.clock = created_ == 1 ? VectorClock() : running_->clock;
  thread.clock.advance(thread.index);
  thread.objects = 0;
  thread.looked_at = no_object;
  thread.unchanged = false;
  thread.name.clear();
  thread.own.clear();  // the scenario runs again as a new thread would run it
  thread.body = std::move(body);
  return thread;
}

Scheduler::Thread& Scheduler::create_thread(std::function<void()> body, SourceLocation where) {
  perform({.kind = Kind::create_thread, .object = thread_list, .where = where});
  Thread& thread = new_thread(std::move(body));
  Thread& me = *running_;
  me.clock.advance(me.index);
  // The new thread immediately runs up to its first operation, which no other thread can observe.
  creator_ = &me;
  running_ = &thread;
  Fiber::switch_to(*me.fiber, *thread.fiber);
  return thread;
}

void Scheduler::run_thread(void* thread) {
  while (true) current().run_body(*static_cast<Thread*>(thread));
}

void Scheduler::run_body(Thread& thread) {
  try {
    thread.body();
  } catch (const std::exception& escaped) {
    fail(std::string("an exception escaped a thread: ") + escaped.what());
  } catch (...) {
    fail("an exception escaped a thread");
  }
  thread.body = nullptr;
  thread.lives = false;
  touch(joined_object(thread));
  if (creator_ != nullptr) {
    running_ = std::exchange(creator_, nullptr);
    Fiber::switch_to(*thread.fiber, *running_->fiber);
  } else if (std::none_of(threads_.begin(), threads_.begin() + static_cast<std::ptrdiff_t>(created_),
                          [](const auto& each) { return each->lives; })) {
    Fiber::switch_to(*thread.fiber, outside_);
  } else {
    Thread& next = choose();
    running_ = &next;
    Fiber::switch_to(*thread.fiber, *next.fiber);
  }
}

// ---- Choosing

Scheduler::Thread& Scheduler::choose() {
  while (true) {
    if (schedule_.size() >= model_.most_steps) fail("the execution does not come to an end");
    const Transition transition = choose_transition();
    schedule_.push_back(transition);
    if (tracing_) trace_step(transition);
    footprint_.clear();
    if (transition.thread == clock_thread) {
      footprint_.add(clock_object, true);
      --ticks_left_;
      now_ += one_tick;
      continue;
    }
    Thread& thread = *threads_[transition.thread];
    footprint_ = footprint_of(thread, transition.way);
    if (transition.way == spuriously) --spurious_left_;
    thread.way = transition.way;
    return thread;
  }
}

Transition Scheduler::choose_transition() {
  if (const Transition* const prescribed = strategy_->prescribed(schedule_.size())) {
    while (!can(*prescribed) && pass_time()) {
    }
    if (!can(*prescribed)) fail("the scenario does not do the same when it is run again");
    return *prescribed;
  }
  do find_candidates();
  while (candidates_.empty() && pass_time());
  if (candidates_.empty()) fail(deadlock());
  const bool can_go_on = candidates_.front().transition.thread == running_->index;
  const std::size_t chosen = strategy_->choose({schedule_.size(), candidates_, blocked_, can_go_on, footprint_});
  return candidates_[chosen].transition;
}

void Scheduler::find_candidates() {
  candidates_.clear();
  blocked_.clear();
  add_candidates_of(*running_);
  for (std::size_t i = 0; i < created_; ++i) {
    if (i != running_->index) add_candidates_of(*threads_[i]);
  }
  if (ticks_left_ > 0 && clock_was_read_) {
    Candidate& tick = candidates_.emplace_back();
    tick.transition = {clock_thread, 0};
    tick.footprint.add(clock_object, true);
  }
}

void Scheduler::add_candidates_of(const Thread& thread) {
  if (!thread.lives) return;
  const Operation& operation = thread.pending;
  for (std::size_t i = 0; i < operation.ways(); ++i) {
    const Way way = static_cast<Way>(i);
    if (can({static_cast<std::uint8_t>(thread.index), way})) candidates_.push_back(candidate(thread, way));
  }
  if (operation.blocked != nullptr && *operation.blocked) blocked_.push_back(candidate(thread, 0));
  if (operation.kind != Kind::asleep) return;
  for (const Way way : {spuriously, timed_out}) {
    if (can({static_cast<std::uint8_t>(thread.index), way})) candidates_.push_back(candidate(thread, way));
  }
}

Candidate Scheduler::candidate(const Thread& thread, Way way) const noexcept {
  return {{static_cast<std::uint8_t>(thread.index), way},
          footprint_of(thread, way),
          thread.pending.blocked != nullptr,
          thread.enabled_by};
}

bool Scheduler::can(const Transition& transition) const noexcept {
  if (transition.thread == clock_thread) return ticks_left_ > 0;
  if (transition.thread >= created_ || !threads_[transition.thread]->lives) return false;
  const Operation& operation = threads_[transition.thread]->pending;
  switch (operation.kind) {
    case Kind::asleep:
      if (transition.way == spuriously) return spurious_left_ > 0;
      return transition.way == timed_out && now_ >= operation.deadline;
    case Kind::sleep: return now_ >= operation.deadline;
    case Kind::awake:
      if (transition.way == told_timeout && now_ < operation.deadline) return false;
      [[fallthrough]];
    default: return transition.way < operation.ways() && (operation.blocked == nullptr || !*operation.blocked);
  }
}

Footprint Scheduler::footprint_of(const Thread& thread, Way way) const noexcept {
  const Operation& operation = thread.pending;
  Footprint footprint;
  footprint.add(operation.object, operation.writes);
  footprint.add(operation.second, true);
  if (way == spuriously) footprint.add(budget_object, true);
  const bool timed = operation.kind == Kind::sleep || (operation.kind == Kind::awake && operation.ways() > 1);
  if (way == timed_out || timed) footprint.add(clock_object, false);
  return footprint;
}

/// Lets time pass when all threads are stuck. Returns false if none of them has a deadline.
bool Scheduler::pass_time() {
  Time next = never;
  for (std::size_t i = 0; i < created_; ++i) {
    const Thread& thread = *threads_[i];
    if (!thread.lives) continue;
    if (thread.pending.kind != Kind::asleep && thread.pending.kind != Kind::sleep) continue;
    if (thread.pending.deadline > now_) next = std::min(next, thread.pending.deadline);
  }
  if (next == never) return false;
  now_ = next;
  if (tracing_) trace("(everybody waits: time passes)");
  return true;
}

// ---- Reports

void Scheduler::fail(const std::string& what) {
  violation_.emplace(Violation{what, schedule_, std::move(trace_)});
  Fiber::switch_to(*running_->fiber, outside_);
  std::terminate();
}

void Scheduler::leave_as_it_stands() {
  for (auto& thread : threads_) left_as_they_stand().push_back(std::move(thread));
  threads_.clear();
}

std::string Scheduler::deadlock() const {
  std::string text = "deadlock:";
  for (std::size_t i = 0; i < created_; ++i) {
    const Thread& thread = *threads_[i];
    if (!thread.lives) continue;
    text += "\n  " + described(thread) +
            (thread.pending.kind == Kind::asleep ? " is never woken up, asleep in " : " cannot ");
    if (thread.pending.kind != Kind::asleep) text += std::string(name_of(thread.pending.kind)) + " ";
    text += name_of_object(thread.pending.object);
  }
  return text;
}

std::string Scheduler::described(const Thread& thread) {
  return "thread " + std::to_string(thread.index) + (thread.name.empty() ? "" : " \"" + thread.name + "\"");
}

void Scheduler::trace_step(const Transition& transition) {
  if (transition.thread == clock_thread) return trace("time passes");
  const Thread& thread = *threads_[transition.thread];
  const Operation& operation = thread.pending;
  std::string line = described(thread) + ": " + name_of(operation.kind) + " " + name_of_object(operation.object);
  if (transition.way == spuriously) line += ", without a reason";
  if (transition.way == timed_out) line += ", because its time is over";
  if (operation.ways() > 1) line += ", way " + std::to_string(transition.way);
  if (operation.where.line() != 0) {
    line += "  [" + std::string(file_name(operation.where.file_name())) + ":" +
            std::to_string(operation.where.line()) + "]";
  }
  trace(line);
}

void Scheduler::trace(const std::string& line) { trace_ += line + "\n"; }

}  // namespace forebay_model
