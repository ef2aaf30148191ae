// SPDX-License-Identifier: MIT
//
// replay_test.cpp: what a resumed run reads again. It counts the elements that every source and every user function
// sees, in runs that were left anywhere, and compares them with a bound that follows from the description.
//
// The clock stands still, so a note is taken whenever its stage may take one: the distances are numbers of elements.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/base/random_bits.hpp"
#include "forebay/dataset.hpp"
#include "forebay/flow/stage_node.hpp"
#include "tests/support/iterations.hpp"
#include "tests/support/plain_run.hpp"
#include "tests/support/still_clock.hpp"
#include "tests/support/typed_loop.hpp"

namespace forebay_test {
namespace {

namespace stages = forebay::detail;
using stages::Chunk;
using stages::PullWait;
using stages::RandomBits;
using stages::Snapshot;
using stages::SnapshotReader;
using stages::splitmix64;

using Number = std::uint64_t;
using Data = Dataset<Number>;

using Run = PlainRun<Number, StillSync>;

// ---- Descriptions with bounds

/// The outputs of a data set that a resumed run may request again, and how many lie between two times at which the
/// state of the data set is saved.
struct Again {
  Number outputs;
  Number between;

  /// Returns the same for an input of which an output needs up to `ratio` elements, divided by `parts`.
  [[nodiscard]] Again times(Number ratio, Number parts = 1) const {
    return {(outputs * ratio + parts - 1) / parts, (between * ratio + parts - 1) / parts};
  }
};

/// A source or a user function. `limit` is how many elements it may see again.
struct Counter {
  std::string name;
  Number seen = 0;
  Number limit = 0;
};
using CounterPointer = std::shared_ptr<Counter>;

CounterPointer counter(const std::string& name) { return std::make_shared<Counter>(Counter{name}); }

struct Described {
  Data data;
  std::vector<CounterPointer> counters;
  std::function<void(const Again& again)> set_limits;
  Number at_once = 1;  // elements that a step may add beyond those requested
  Number items = 20;   // of its saved state

  /// How many elements of it a stage may pull, but not read yet.
  [[nodiscard]] Number pulled_ahead() const { return stages::elements_at_once + at_once; }

  /// Adds a stage. `limit(again)` returns the same for its input, and sets the limits of its own counters.
  [[nodiscard]] Described with(Data made, const std::function<Again(const Again& again)>& limit,
                               const std::vector<CounterPointer>& own = {}) const {
    Described next = *this;
    next.data = std::move(made);
    next.counters.insert(next.counters.end(), own.begin(), own.end());
    next.set_limits = [limit, before = set_limits](const Again& again) { before(limit(again)); };
    next.at_once = 1;
    next.items += 20;
    return next;
  }

  /// The input of a stage that holds nothing. Its state is exact only while everything that was pulled has been read;
  /// otherwise the run resumes at the note that the last save has requested.
  [[nodiscard]] Again plain(const Again& needed) const {
    const Number slack = 2 * pulled_ahead();
    return {needed.outputs + needed.between + slack, needed.between + slack};
  }

  /// The input of a stage whose last `most` elements count as unread in a saved state.
  [[nodiscard]] Again reads_again(const Again& needed, Number most) const {
    const Again again = plain(needed);
    return {again.outputs + 2 * most, again.between + most};
  }

  /// The input of a stage that holds up to `most` elements, the oldest one for `age` elements. It takes a note after
  /// every `most` elements, less often if the notes are large.
  [[nodiscard]] Again held(const Again& needed, Number most, Number age) const {
    const Number distance = std::max({most, Number{stages::elements_at_once}, items / 8}) + pulled_ahead();
    return {needed.outputs + age + distance + 2 * pulled_ahead(), distance + pulled_ahead()};
  }
};

/// A reader that counts what it delivers, and can seek.
struct Reader {
  std::optional<Number> operator()() {
    if (next == last) return std::nullopt;
    ++counter->seen;
    return next++;
  }
  [[nodiscard]] Number cursor() const { return next; }
  void seek(Number cursor) { next = cursor; }

  CounterPointer counter;
  Number next;
  Number last;
};

Described reader(Number first, Number count) {
  const CounterPointer seen = counter("the reader");
  return {forebay::from_callable(Reader{seen, first, first + count}), {seen}, [seen](const Again& again) {
            seen->limit = again.outputs + 2;
          }};
}

/// Returns a function that counts its calls.
template <class F>
auto counting(const CounterPointer& counter, F f) {
  return [counter, f](Number number) {
    ++counter->seen;
    return f(number);
  };
}

Described mapped(const Described& of, const std::string& name = "the function of map") {
  const CounterPointer seen = counter(name);
  const auto limit = [of, seen](const Again& again) {
    seen->limit = of.plain(again).outputs;
    return of.plain(again);
  };
  return of.with(of.data.map(counting(seen, [](Number number) { return number + 1; })), limit, {seen});
}

Described numbers(Number count) {
  return mapped({forebay::range<Number>(0, count), {}, [](const Again& /*again*/) {}}, "the function after range");
}

Described filtered(const Described& of) {
  const CounterPointer seen = counter("the predicate");
  const auto limit = [of, seen](const Again& again) {
    const Again needed = of.plain(again.times(2));
    seen->limit = needed.outputs + 64;
    return Again{needed.outputs + 64, needed.between + 64};
  };
  return of.with(of.data.filter(counting(seen, [](Number number) { return splitmix64(number) % 4 != 0; })), limit,
                 {seen});
}

Described shuffled(const Described& of, Number window) {
  Described made = of.with(of.data.shuffle(window), [of, window](const Again& again) {
    return of.held(again, window, 16 * window);  // an element stays longer with a probability of e^-16
  });
  made.items += 2 * window;
  return made;
}

Number sum(const std::vector<Number>& batch) {
  return std::accumulate(batch.begin(), batch.end(), Number{batch.size()},
                         [](Number one, Number other) { return one * 31 + other; });
}

Described batched(const Described& of, Number size) {
  const CounterPointer seen = counter("the function after batch");
  const auto limit = [of, size, seen](const Again& again) {
    seen->limit = again.outputs + again.between + 4 * stages::elements_at_once;
    return of.reads_again(again.times(size), size);
  };
  const auto sum_of = [seen](const std::vector<Number>& batch) {
    ++seen->seen;
    return sum(batch);
  };
  return of.with(of.data.batch(size).map(sum_of), limit, {seen});
}

/// Splits each element into up to `most` elements, and at least half as many.
Described unbatched(const Described& of, Number most) {
  const CounterPointer seen = counter("the function before unbatch");
  const Number least = (most + 1) / 2;
  const auto limit = [of, least, seen](const Again& again) {
    const Again needed = of.plain(of.plain(again.times(1, least)));  // of unbatch, then of map
    seen->limit = needed.outputs;
    return needed;
  };
  const auto split = counting(seen, [most, least](Number number) {
    std::vector<Number> parts(least + splitmix64(number) % (most - least + 1));
    std::iota(parts.begin(), parts.end(), number * 1000);
    return parts;
  });
  Described made = of.with(of.data.map(split).unbatch(), limit, {seen});
  made.at_once = most;
  return made;
}

/// The inputs of a flat_map or an interleave: between 1 and 8 elements each.
Number size_of(Number number) { return 1 + splitmix64(number) % 8; }

template <class F>
Described interleaved(const Described& of, Number cycle, const F& open, const CounterPointer& opened,
                      const std::vector<CounterPointer>& inner) {
  const auto limit = [of, cycle, opened, inner](const Again& again) {
    const Again needed = of.held(again, cycle, 8 * (cycle + 1));
    opened->limit = needed.outputs + cycle;
    for (const CounterPointer& each : inner) {
      each->limit = needed.outputs * 8 + again.between + cycle * (8 + 2 * stages::elements_at_once);
    }
    return needed;
  };
  std::vector<CounterPointer> own{opened};
  own.insert(own.end(), inner.begin(), inner.end());
  Data made =
      cycle == 1 ? of.data.flat_map(counting(opened, open)) : of.data.interleave(cycle, 2, counting(opened, open));
  Described described = of.with(std::move(made), limit, own);
  described.items += 20 * cycle;
  return described;
}

Described interleaved(const Described& of, Number cycle, Number kind) {
  const CounterPointer opened = counter("the function of interleave " + std::to_string(cycle));
  const CounterPointer inner = counter("an inner input");
  if (kind % 3 == 0) {
    const auto open = [](Number number) { return std::vector<Number>(size_of(number), number); };
    return interleaved(of, cycle, open, opened, {});
  }
  if (kind % 3 == 1) {
    const auto open = [inner](Number number) { return Reader{inner, number, number + size_of(number)}; };
    return interleaved(of, cycle, open, opened, {inner});
  }
  const auto open = [inner](Number number) {
    return forebay::range<Number>(0, size_of(number)).map(counting(inner, [number](Number i) { return number + i; }));
  };
  return interleaved(of, cycle, open, opened, {inner});
}

Described in_buckets(const Described& of) {
  const CounterPointer seen = counter("the length");
  constexpr Number most = 3 + 5 + 4;
  const auto limit = [of, seen](const Again& again) {
    const Again needed = of.held(of.plain(again.times(most)), most, 16 * most);
    seen->limit = needed.outputs;
    return needed;
  };
  const forebay::BucketOptions options{.boundaries = {10, 20}, .batch_sizes = {3, 5, 4}};
  const auto length = [seen](const Number& number) {
    ++seen->seen;
    return splitmix64(number) % 30;
  };
  return of.with(of.data.bucket_by_length(length, options).map(sum), limit, {seen});
}

Described by_cost(const Described& of, Number window) {
  const CounterPointer seen = counter("the cost");
  constexpr Number limit_of_batch = 60;
  const auto limit = [of, seen, window](const Again& again) {
    const Number most = window + limit_of_batch;
    const Again needed = of.held(of.plain(again.times(limit_of_batch)), most, 16 * most);
    seen->limit = needed.outputs + most;  // those that it still holds
    return needed;
  };
  const auto cost = [seen](const Number& number) {
    ++seen->seen;
    return 1 + splitmix64(number) % 30;
  };
  const forebay::CostOptions options{.limit = limit_of_batch, .sort_window = window};
  return of.with(of.data.batch_by_cost(cost, options).map(sum), limit, {seen});
}

bool all(Number /*number*/) { return true; }

Described sharded(const Described& of, bool is_even) {
  const Data given = of.data.filter(all);
  const Data made = is_even ? given.shard(1, 3, forebay::Even::drop) : given.shard(1, 3);
  return of.with(made, [of](const Again& again) { return of.plain(of.reads_again(again.times(3), 3)); });
}

Described stepped(const Described& of, Number stride) {
  return of.with(of.data.step_by(stride), [of, stride](const Again& again) { return of.plain(again.times(stride)); });
}

/// Joins two data sets, of whose elements a resumed run may need as many again as of the outputs.
Described joined_with(const Described& of, const Described& other, Data data) {
  Described made = of.with(
      std::move(data), [of](const Again& again) { return of.plain(of.plain(again)); }, other.counters);
  made.set_limits = [other, before = made.set_limits](const Again& again) {
    before(again);
    other.set_limits(other.plain(other.plain(again)));
  };
  made.items += other.items;
  return made;
}

Described zipped(const Described& of, const Described& other) {
  const auto first = [](const std::tuple<Number, Number>& pair) { return std::get<0>(pair) + std::get<1>(pair); };
  return joined_with(of, other, forebay::zip(of.data, other.data).map(first));
}

Described mix_of(const Described& of, const Described& other, Number kind) {
  const forebay::MixOptions options{.stop = kind == 0 ? forebay::first_exhausted : forebay::all_exhausted,
                                    .restart = kind == 1};
  return joined_with(of, other, forebay::mix<Number>(options, {of.data, other.data}, {3, 1}));
}

/// Repeats the first `count` elements, joined to one epoch.
Described repeated(const Described& of, Number count) {
  Described made =
      of.with(of.data.take(count).repeat().seamless(), [of](const Again& again) { return of.plain(again); });
  made.set_limits = [counters = of.counters, before = made.set_limits](const Again& again) {
    before({0, again.between});  // how much the stages read before the first output of an epoch
    std::vector<Number> first;
    for (const CounterPointer& counter : counters) first.push_back(counter->limit);
    before(again);
    for (std::size_t i = 0; i < counters.size(); ++i) counters[i]->limit += 2 * first[i];
  };
  return made;
}

/// Does not change the elements.
Described ahead(const Described& of, bool with_threads) {
  const Data made = with_threads
                        ? of.data.map({.threads = 2, .ahead = 3, .chunk = 2}, [](Number number) { return number; })
                        : of.data.prefetch(3);
  return of.with(made, [of](const Again& again) { return of.plain(again); });
}

Described enumerated(const Described& of) {
  const auto value = [](const std::tuple<Number, Number>& pair) { return std::get<1>(pair); };
  return of.with(of.data.enumerate().map(value), [of](const Again& again) { return of.plain(of.plain(again)); });
}

/// Adds each `size` consecutive elements. Between two outputs it always holds size - 1 elements: the last ones read.
class SlidingSum {
 public:
  using Output = Number;

  explicit SlidingSum(std::size_t size) : size_(size) {}

  PullResult step(stages::Input<Number>& input, Chunk<Number>& chunk, std::size_t most, const PullWait& wait) {
    const PullResult answer = input.look(stages::wanted(most, chunk), wait);
    if (answer != PullResult::more) return answer;
    window_.push_back(input.element());
    input.pass();
    if (window_.size() < size_) return PullResult::more;
    chunk.push(sum(window_), number_++);
    window_.erase(window_.begin());
    return PullResult::more;
  }

  void begin(const stages::Epoch& /*epoch*/) noexcept {
    number_ = 0;
    window_.clear();
  }
  [[nodiscard]] std::uint64_t reads_again() const noexcept { return window_.size(); }
  void save(Snapshot& to) const { to.add(number_); }
  void restore(SnapshotReader& from) { number_ = from.number(); }

 private:
  std::size_t size_;
  std::vector<Number> window_{};
  Number number_ = 0;
};

Described in_sliding_windows(const Described& of, std::size_t size) {
  stages::Properties properties = of.data.node()->properties();
  properties.renumber();
  properties.describe("sliding sum", stages::text_of({size}));
  const Data made(
      stages::make_stage_node<Number>(of.data.node(), std::move(properties), "sliding sum",
                                      [size](const stages::StageContext& /*opening*/) { return SlidingSum(size); }));
  return of.with(made, [of, size](const Again& again) { return of.reads_again(again, size); });
}

/// A user's stage: a window that holds elements and emits them at random.
struct Window {
  void operator()(Number&& number, forebay::Context& context, forebay::Out<Number>& out) {
    elements.push_back({number, context.position().number});
    if (elements.size() <= size) return;
    std::swap(elements[context.draw().below(elements.size())], elements.back());
    out.emit(elements.back().first);
    elements.pop_back();
  }
  [[nodiscard]] std::vector<Number> held() const {
    std::vector<Number> held;
    for (const auto& element : elements) held.push_back(element.second);
    return held;
  }
  void refill(Number&& number, Number its_number) { elements.push_back({number, its_number}); }

  Number size;
  std::vector<std::pair<Number, Number>> elements{};
};

Described held_by_users(const Described& of, Number size) {
  Described made = of.with(of.data.apply(Window{.size = size}), [of, size](const Again& again) {
    return of.held(again, 4 * size, 16 * size);  // the stage has not said how many it holds
  });
  made.items += 2 * size;
  return made;
}

/// A user's stage that adds to each element those before it in a group of `size`, and can only begin anew with a group.
struct Group {
  void operator()(Number&& number, forebay::Out<Number>& out) {
    out.emit(sum += number);
    if (++count % size == 0) sum = 0;
  }
  [[nodiscard]] bool empty() const { return count % size == 0; }

  Number size;
  Number count = 0;
  Number sum = 0;
};

Described grouped_by_users(const Described& of, Number size) {
  return of.with(of.data.apply(Group{.size = size}), [of, size](const Again& again) {
    return of.reads_again({again.outputs + size, again.between + size}, size);
  });
}

constexpr Number endless = 1'000'000;

Described source(RandomBits& bits) { return bits.below(2) == 0 ? reader(0, endless) : numbers(endless); }

Described with_stage(const Described& of, RandomBits& bits) {
  switch (bits.below(22)) {
    case 0: return mapped(of);
    case 1: return filtered(of);
    case 2: return shuffled(of, 1 + bits.below(40));
    case 3:
    case 4: return batched(of, 1 + bits.below(40));
    case 5:
    case 6: return unbatched(of, 1 + bits.below(60));
    case 7: return interleaved(of, 1, bits());
    case 8: return interleaved(of, 2 + bits.below(4), bits());
    case 9: return in_buckets(of);
    case 10: return sharded(of, bits.below(2) == 0);
    case 11: return stepped(of, 1 + bits.below(6));
    case 12: return zipped(of, source(bits));
    case 13: return joined_with(of, source(bits), of.data.concatenate(forebay::range<Number>(0, 9)));
    case 14: return enumerated(of);
    case 15: return mix_of(of, source(bits), bits.below(3));
    case 16: return repeated(of, 3000 + bits.below(3000));
    case 17: return ahead(of, bits.below(2) == 0);
    case 18: return held_by_users(of, 1 + bits.below(40));
    case 20: return by_cost(of, bits.below(2) * bits.below(40));
    case 19: return grouped_by_users(of, 1 + bits.below(60));
    default: return in_sliding_windows(of, 1 + static_cast<std::size_t>(bits.below(20)));
  }
}

Described described(Number number) {
  RandomBits bits(number);
  Described made = source(bits);
  for (Number left = 1 + bits.below(4); left > 0; --left) made = with_stage(made, bits);
  return made;
}

// ---- Runs that are left

/// A position at which a run was left, what the counters saw there and after the next pull, and its outputs.
struct Left {
  Snapshot place{};
  std::vector<Number> before;
  std::vector<Number> after{};
  std::vector<Number> outputs{};
};

std::vector<Number> outputs_of_pull(Run& run) {
  std::vector<Number> outputs;
  for (std::size_t i = 0; i < run.chunk().size(); ++i) outputs.push_back(run.chunk()[i]);
  return outputs;
}

std::vector<Number> seen_by(const Described& described) {
  std::vector<Number> seen;
  for (const CounterPointer& counter : described.counters) seen.push_back(counter->seen);
  return seen;
}

/// How a run is left: after pulls of `most` outputs, of which each `every`-th follows a save.
struct Pace {
  std::size_t most;
  std::size_t every;
};

/// Runs until a counter has seen `enough` elements. Returns the positions at which it was saved.
std::vector<Left> run_until(const Described& described, const Pace& pace, Number enough) {
  std::vector<Left> left;
  Run run(described.data);
  for (std::size_t pulls = 0; pulls < enough; ++pulls) {
    const std::vector<Number> before = seen_by(described);
    if (!before.empty() && *std::max_element(before.begin(), before.end()) > enough) break;
    const bool saves = pulls % pace.every == 0;
    if (saves) {
      left.push_back({{}, before});
      run.save(left.back().place);
    }
    if (Run::is_end(run.pull(pace.most))) break;
    if (saves) left.back().after = seen_by(described);
    if (saves) left.back().outputs = outputs_of_pull(run);
  }
  if (!left.empty() && left.back().after.empty()) left.pop_back();  // at the end
  return left;
}

/// Resumes at a position, pulls once, and checks what the counters have seen in addition to what was new.
void expect_few_again(const Described& described, const Left& left, std::size_t most) {
  for (const CounterPointer& counter : described.counters) counter->seen = 0;
  Run run(described.data);
  SnapshotReader from(left.place, "loop");
  run.restore(from);
  static_cast<void>(run.pull(most));
  EXPECT_EQ(outputs_of_pull(run), left.outputs);
  for (std::size_t i = 0; i < described.counters.size(); ++i) {
    const Counter& counter = *described.counters[i];
    const Number is_new = left.after[i] - left.before[i];
    EXPECT_LE(counter.seen, is_new + counter.limit) << counter.name << ", left after " << left.before[i];
  }
}

/// Returns whether at least one bound is well below what a run from the beginning would see.
bool expect_few_again(const Described& described, const Pace& pace, Number enough, std::size_t positions) {
  const Number between = pace.most * pace.every + described.pulled_ahead();
  described.set_limits(described.plain({pace.most, between}));
  const std::vector<Left> left = run_until(described, pace, enough);
  bool is_strict = false;
  for (std::size_t i = 0; i < left.size(); i += 1 + left.size() / positions) {
    for (std::size_t k = 0; k < described.counters.size(); ++k) {
      is_strict = is_strict || left[i].before[k] > 2 * described.counters[k]->limit;
    }
    expect_few_again(described, left[i], pace.most);
    if (testing::Test::HasFailure()) break;
  }
  return is_strict;
}

// proves: bounded-replay
TEST(ResumesOfAnyDescription, ReadNoMoreAgainThanFollowsFromTheDescription) {
  constexpr Number descriptions = iterations(200);
  Number strict = 0;
  for (Number number = 0; number < descriptions; ++number) {
    const Described made = described(number);
    SCOPED_TRACE(std::to_string(number) + ": " + made.data.node()->properties().description);
    RandomBits bits(number + 1000);
    const Pace pace{bits.below(2) == 0 ? 1U : 1 + static_cast<std::size_t>(bits.below(20)),
                    1 + static_cast<std::size_t>(bits.below(8))};
    if (expect_few_again(made, pace, 20'000, 8)) ++strict;
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  EXPECT_GT(strict, descriptions / 2) << "bounds that can be exceeded";
}

// ---- Resumes of a stage with threads

/// Passes elements on.
class Passing final : public stages::Worker {
 public:
  void run(stages::AnyChunk& any_in, std::size_t& next, std::size_t last, stages::AnyChunk& any_out,
           const PullWait& /*wait*/) override {
    auto& in = static_cast<Chunk<Number>&>(any_in);
    auto& out = static_cast<Chunk<Number>&>(any_out);
    for (; next < last; ++next) out.push(Number{in[next]}, in.number(next));
  }
};

class PassingOn final : public stages::Work {
 public:
  [[nodiscard]] std::unique_ptr<stages::Worker> begin() const override { return std::make_unique<Passing>(); }
};

/// A stage with threads, downstream of a description.
class ParallelRun {
 public:
  struct Shape {
    std::size_t threads;
    std::size_t ahead;
    std::size_t chunk;

    /// How many elements the threads may have claimed before an output was taken.
    [[nodiscard]] Number claimed() const { return (ahead + threads + 1) * chunk; }
  };

  ParallelRun(const Data& data, const Shape& shape, const stages::Checkpoint* from = nullptr)
      : loop_([&](stages::Runtime& runtime) { return open(data, shape, runtime); }, data.node()->properties(), 1,
              from) {}

  /// Returns whether there were so many outputs.
  bool take(std::size_t count) {
    for (; count > 0; --count) {
      if (loop_.take(forebay::BasicWait<StillSync>::forever, nullptr, [](Number) {}) != QueueStatus::ok) return false;
    }
    return true;
  }

  [[nodiscard]] stages::Checkpoint checkpoint() const { return loop_.checkpoint(); }

 private:
  using QueueStatus = forebay::QueueStatus;
  using Stage = stages::ParallelStage<Number, Number, StillSync>;

  std::unique_ptr<stages::Stream<Number>> open(const Data& data, const Shape& shape, stages::Runtime& runtime) {
    return std::make_unique<Stage>(
        static_cast<stages::PipelineRuntime<StillSync>&>(runtime), stages::open_run(*data.node(), upstream_),
        std::make_unique<PassingOn>(),
        stages::ParallelSettings{
            .name = "passing", .threads = shape.threads, .ahead = shape.ahead, .chunk = shape.chunk});
  }

  stages::PlainRuntime upstream_;
  TypedLoop<Number, StillSync> loop_;
};

// proves: bounded-replay
TEST(ResumesOfAStageWithThreads, ReadNoMoreAgainThanFollowsFromTheDescription) {
  RandomBits bits(3);
  for (Number number = 0; number < iterations(60); ++number) {
    const Described made = described(number);
    SCOPED_TRACE(std::to_string(number) + ": " + made.data.node()->properties().description);
    const ParallelRun::Shape shape{1 + bits.below(3), 1 + bits.below(4), 1 + bits.below(8)};
    const auto run = [&](const stages::Checkpoint* from, std::size_t count) {
      ParallelRun parallel(made.data, shape, from);
      return parallel.take(count) ? std::optional(parallel.checkpoint()) : std::nullopt;
    };
    const auto checkpoint = run(nullptr, 20 + bits.below(400));
    if (!checkpoint) continue;
    for (const CounterPointer& counter : made.counters) counter->seen = 0;
    if (!run(&*checkpoint, 1)) continue;
    const Number claimed = shape.claimed() + made.pulled_ahead();
    made.set_limits(made.plain({2 * claimed, claimed}));
    for (const CounterPointer& counter : made.counters) EXPECT_LE(counter->seen, counter->limit) << counter->name;
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

// ---- Resumes that read the whole epoch again

/// Returns how often `function` was called by a run that resumes after `count` outputs, up to its next output.
Number calls_again(const Data& data, const CounterPointer& function, std::size_t count) {
  Run run(data);
  Snapshot place;
  for (std::size_t i = 0; i < count; ++i) {
    place.clear();
    run.save(place);
    static_cast<void>(run.pull(1));
  }
  function->seen = 0;
  Run resumed(data);
  SnapshotReader from(place, "loop");
  resumed.restore(from);
  static_cast<void>(resumed.pull(1));
  return function->seen;
}

// proves: bounded-replay
TEST(AResumeBehindUnbatchAndBatch, ReadsOnlyTheLastVectorsAgain) {
  const CounterPointer calls = counter("the function");
  const auto vectors = forebay::range<Number>(0, endless).map(counting(calls, [](Number number) {
    return std::vector<Number>(90 + number * 7 % 20, number);
  }));
  for (const std::size_t count : {10U, 100U, 1000U}) {
    EXPECT_LE(calls_again(vectors.unbatch().batch(102).map(sum), calls, count), 70U) << count;
  }
}

// proves: bounded-replay
TEST(AResumeOfAStageThatAlwaysHoldsItsLastElements, ReadsOnlyThoseAgain) {
  const Described given = unbatched(numbers(endless), 100);
  const Described made = in_sliding_windows(given, 30);
  for (const std::size_t count : {100U, 1000U, 10'000U}) {
    EXPECT_LE(calls_again(made.data, given.counters.back(), count), 70U) << count;
  }
}

}  // namespace
}  // namespace forebay_test
