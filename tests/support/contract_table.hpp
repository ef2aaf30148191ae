// SPDX-License-Identifier: MIT
//
// contract_table.hpp: the table of the contract from examples/guide/contract.md. Each cell has its meaning for a test:
// the state, the form of wait, the status, and the effect on the elements.
//
// One test compares that page with this table, and another runs every cell. A column of the page covers several states:
// see `column`.

#ifndef FOREBAY_TESTS_SUPPORT_CONTRACT_TABLE_HPP
#define FOREBAY_TESTS_SUPPORT_CONTRACT_TABLE_HPP

#include <array>
#include <compare>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace forebay_test {

/// The form of the call's wait.
enum class Form {
  for_ever,
  no_wait,
  duration,
  time_point,
  stop_token,
  coordinator,
  duration_and_stop_token,
  time_point_and_coordinator
};
inline constexpr std::array all_forms = {Form::for_ever,
                                         Form::no_wait,
                                         Form::duration,
                                         Form::time_point,
                                         Form::stop_token,
                                         Form::coordinator,
                                         Form::duration_and_stop_token,
                                         Form::time_point_and_coordinator};

constexpr bool has_time(Form form) {
  return form == Form::duration || form == Form::time_point || form == Form::duration_and_stop_token ||
         form == Form::time_point_and_coordinator;
}
constexpr bool has_stop(Form form) {
  return form == Form::stop_token || form == Form::coordinator || form == Form::duration_and_stop_token ||
         form == Form::time_point_and_coordinator;
}

/// What happens to the call. With `none`, a new call's wait is already over: its time has passed, or its stop was
/// requested. Otherwise the test sees the call wait before anything happens.
enum class Event {
  none,       // a new call
  possible,   // waits until the missing elements or room arrive
  time_over,  // waits until its time has passed
  stop,       // waits until its stop is requested
  close       // waits until the queue is closed
};
enum class Closing { none, plain, cancel, cause };
/// What is missing when the call begins: elements or room.
enum class Lack { nothing, something, everything };

struct State {
  Closing closing = Closing::none;
  Event event = Event::none;
  Lack lack = Lack::nothing;
  friend auto operator<=>(const State&, const State&) = default;
};

enum class Outcome { ok, not_now, timed_out, stopped, closed, cause };
/// How many elements go in or come out. The others are untouched, or stay in the queue.
enum class Moved { all, none, what_fits, what_is_left };

struct Cell {
  State state;
  Form form = Form::for_ever;
  Outcome outcome = Outcome::ok;
  Moved moved = Moved::all;
};
using Cells = std::vector<Cell>;

/// A cell of the page: its text and its meaning.
struct Promise {
  std::string_view text;
  Cells cells;
};

inline constexpr std::size_t columns = 4;
struct Operation {
  std::string_view signature;
  std::array<Promise, columns> promises;
  bool takes_wait = true;  // otherwise it never waits, as with no_wait

  [[nodiscard]] bool can_take(Form form) const { return takes_wait || form == Form::no_wait; }
};

inline constexpr std::array<std::string_view, columns + 1> column_titles = {
    "operation", "open, possible now", "open, not possible", "after `close()`",
    "after `close(cancel_pending_enqueues)` or `close(cause)`"};

/// Returns the column of the page for `state`.
constexpr std::size_t column(const State& state) {
  if (state.closing == Closing::plain) return 2;
  if (state.closing != Closing::none) return 3;
  return state.lack == Lack::nothing ? 0 : 1;
}

/// Returns whether a call with this form of wait can get into this state.
constexpr bool can_meet(Form form, const State& state) {
  switch (state.event) {
    case Event::none: return state.closing != Closing::none || state.lack == Lack::nothing || form != Form::for_ever;
    case Event::time_over: return has_time(form);
    case Event::stop: return has_stop(form);
    case Event::possible:
    case Event::close: return form != Form::no_wait;
  }
  return false;
}

/// Returns every state. The table of an operation must contain all of them.
inline std::vector<State> all_states() {
  std::vector<State> states = {{}, {.lack = Lack::something}};
  for (const Event event : {Event::possible, Event::time_over, Event::stop}) {
    states.push_back({.event = event, .lack = Lack::something});
  }
  for (const Closing closing : {Closing::plain, Closing::cancel, Closing::cause}) {
    for (const Lack lack : {Lack::nothing, Lack::something, Lack::everything}) {
      states.push_back({.closing = closing, .lack = lack});
    }
    states.push_back({.closing = closing, .event = Event::close, .lack = Lack::something});
  }
  return states;
}

namespace detail {

/// Returns the same cell for every form of wait that can meet the state.
inline Cells whatever_the_wait(const State& state, Outcome outcome, Moved moved) {
  Cells cells;
  for (const Form form : all_forms) {
    if (can_meet(form, state)) cells.push_back({state, form, outcome, moved});
  }
  return cells;
}

inline Cells joined(std::initializer_list<Cells> lists) {
  Cells all;
  for (const Cells& each : lists) all.insert(all.end(), each.begin(), each.end());
  return all;
}

inline Cells done_at_once() { return whatever_the_wait({}, Outcome::ok, Moved::all); }

/// The cells of a call that never waits, in every state that one with no_wait can meet.
inline Cells at_once(const State& state, Outcome outcome, Moved moved) {
  return {{state, Form::no_wait, outcome, moved}};
}
inline Cells turned_away_at_once(std::initializer_list<Closing> closings) {
  Cells cells;
  for (const Closing closing : closings) {
    for (const Lack lack : {Lack::nothing, Lack::something, Lack::everything})
      cells.push_back({{.closing = closing, .lack = lack}, Form::no_wait, Outcome::closed, Moved::none});
  }
  return cells;
}

/// `left` says which elements a call has moved when it gives up.
inline Cells waits(Moved left) {
  const State now = {.lack = Lack::something};
  const State time_over = {.event = Event::time_over, .lack = Lack::something};
  const State stop = {.event = Event::stop, .lack = Lack::something};
  return joined({{{now, Form::no_wait, Outcome::not_now, left},
                  {now, Form::duration, Outcome::timed_out, left},
                  {now, Form::time_point, Outcome::timed_out, left},
                  {now, Form::stop_token, Outcome::stopped, left},
                  {now, Form::coordinator, Outcome::stopped, left},
                  {now, Form::duration_and_stop_token, Outcome::stopped, left},
                  {now, Form::time_point_and_coordinator, Outcome::stopped, left}},
                 whatever_the_wait({.event = Event::possible, .lack = Lack::something}, Outcome::ok, Moved::all),
                 whatever_the_wait(time_over, Outcome::timed_out, left),
                 whatever_the_wait(stop, Outcome::stopped, left)});
}

/// The effect of closing on new calls that lack nothing, something or everything, and on a call that waited.
struct AfterClosing {
  Outcome lacks_nothing, lacks_something, lacks_everything, waited;
  Moved moved_something, moved_of_waiting;
};
inline Cells after_closing(Closing closing, const AfterClosing& after) {
  const auto moved = [](Outcome outcome, Moved by_part) { return outcome == Outcome::ok ? by_part : Moved::none; };
  return joined(
      {whatever_the_wait({.closing = closing}, after.lacks_nothing, moved(after.lacks_nothing, Moved::all)),
       whatever_the_wait({.closing = closing, .lack = Lack::something}, after.lacks_something, after.moved_something),
       whatever_the_wait({.closing = closing, .lack = Lack::everything}, after.lacks_everything, Moved::none),
       whatever_the_wait({.closing = closing, .event = Event::close, .lack = Lack::something}, after.waited,
                         after.moved_of_waiting)});
}

/// Enqueues are rejected, but pending ones complete.
inline Cells turned_away() {
  return after_closing(Closing::plain,
                       {Outcome::closed, Outcome::closed, Outcome::closed, Outcome::ok, Moved::none, Moved::all});
}
/// Enqueues are rejected, and so are pending ones, which have put in `left`.
inline Cells cancelled(Moved left) {
  const AfterClosing after{Outcome::closed, Outcome::closed, Outcome::closed, Outcome::closed, Moved::none, left};
  return joined({after_closing(Closing::cancel, after), after_closing(Closing::cause, after)});
}

/// Dequeues that find too few elements return `ok` with what is left, or `closed`, as `too_few` says.
inline Cells drains(Closing closing, Outcome too_few) {
  const Outcome end = closing == Closing::cause ? Outcome::cause : Outcome::closed;
  const Outcome last = too_few == Outcome::ok ? Outcome::ok : end;
  const Moved left = too_few == Outcome::ok ? Moved::what_is_left : Moved::none;
  return after_closing(closing, {Outcome::ok, last, end, last, left, left});
}
inline Cells drains_too(Outcome too_few) {
  return joined({drains(Closing::cancel, too_few), drains(Closing::cause, too_few)});
}

}  // namespace detail

inline const std::vector<Operation>& contract_table() {
  using namespace detail;
  static const std::vector<Operation> table = {
      {"enqueue(v, wait)",
       {{{"ok", done_at_once()},
         {"waits", waits(Moved::none)},
         {"`closed`; one that waits completes when there is room", turned_away()},
         {"`closed`, also for those that wait", cancelled(Moved::none)}}}},
      {"enqueue_many(range, wait)",
       {{{"ok", done_at_once()},
         {"puts in what fits, waits for the rest; nobody else's elements in between", waits(Moved::what_fits)},
         {"as enqueue, for what did not go in yet", turned_away()},
         {"as enqueue", cancelled(Moved::what_fits)}}}},
      {"enqueue(v, drop_newest)",
       {{{"ok", at_once({}, Outcome::ok, Moved::all)},
         {"`full`", at_once({.lack = Lack::something}, Outcome::not_now, Moved::none)},
         {"`closed`", turned_away_at_once({Closing::plain})},
         {"`closed`", turned_away_at_once({Closing::cancel, Closing::cause})}}},
       false},
      {"enqueue(v, drop_oldest)",
       {{{"ok", at_once({}, Outcome::ok, Moved::all)},
         {"ok; the oldest element makes room", at_once({.lack = Lack::something}, Outcome::ok, Moved::all)},
         {"`closed`", turned_away_at_once({Closing::plain})},
         {"`closed`", turned_away_at_once({Closing::cancel, Closing::cause})}}},
       false},
      {"dequeue(wait)",
       {{{"an element", done_at_once()},
         {"waits", waits(Moved::none)},
         {"an element while there is one, then `closed`", drains(Closing::plain, Outcome::closed)},
         {"the same; with a cause, the cause is thrown in place of `closed`", drains_too(Outcome::closed)}}}},
      {"dequeue_many(n, wait)",
       {{{"n elements", done_at_once()},
         {"waits for all n", waits(Moved::none)},
         {"n while there are n; then `closed`, and the rest stays", drains(Closing::plain, Outcome::closed)},
         {"the same", drains_too(Outcome::closed)}}}},
      {"dequeue_up_to(n, wait)",
       {{{"n elements", done_at_once()},
         {"waits for all n", waits(Moved::none)},
         {"what is left, up to n; none: `closed`", drains(Closing::plain, Outcome::ok)},
         {"the same", drains_too(Outcome::ok)}}}},
      {"dequeue_available(n, wait)",
       {{{"1 to n, what is there", done_at_once()},
         {"waits for one", waits(Moved::none)},
         {"as dequeue_up_to", drains(Closing::plain, Outcome::closed)},
         {"the same", drains_too(Outcome::closed)}}}}};
  return table;
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_CONTRACT_TABLE_HPP
