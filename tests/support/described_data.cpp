// SPDX-License-Identifier: MIT
//
// described_data.cpp: see described_data.hpp. It is compiled once, because all sources and stages together take long.

#include "tests/support/described_data.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "forebay/base/random_bits.hpp"
#include "forebay/dataset.hpp"
#include "tests/support/stages.hpp"

namespace forebay_test {
namespace {

using forebay::Context;
using forebay::Out;
using forebay::range;
using forebay::detail::RandomBits;

/// A reader that can seek.
struct NumberReader {
  std::optional<Number> operator()() { return next < 40 ? std::optional(next++) : std::nullopt; }
  [[nodiscard]] Number cursor() const { return next; }
  void seek(Number cursor) { next = cursor; }

  Number next = 0;
};

Data source(std::uint64_t kind) {
  switch (kind % 9) {
    case 0: return range<Number>(0, 37);
    case 5: return range<Number>(0, 20).repeat(2).concatenate(range<Number>(50, 60).repeat().take(13));
    case 6:
      return forebay::from_slices(std::vector<Data>{range<Number>(0, 9).shuffle(), range<Number>(0, 4).repeat(3)})
          .flat_map([](const Data& data) { return data; });
    case 1: return range<Number>(0, 128).seed(3).shuffle().step_by(2).shard(1, 3);
    case 7: return range<Number>(0, 45).seed(5).shuffle_pages(1 + kind / 9 % 9).take(40);
    case 8: return data_of_files(kind / 9);
    case 2:
      if (kind / 9 % 2 == 0) return forebay::from_callable(NumberReader());
      return forebay::from_callable(
          [next = Number{0}]() mutable { return next < 40 ? std::optional(next++) : std::nullopt; });
    case 3: return range<Number>(0, 7).flat_map([](Number count) { return range<Number>(0, count); });
    default:
      return forebay::zip(range<Number>(0, 30), range<Number>(0, 20).shuffle(4).repeat(2))
          .map([](std::tuple<Number, Number> pair) { return std::get<0>(pair) * 100 + std::get<1>(pair); });
  }
}

struct Differences {
  void operator()(Number&& number, Out<Number>& out) {
    if (count++ % 2 == 1) out.emit(number ^ before);
    if (count % 5 == 0) out.emit(before);
    if (count == 33) out.end();
    before = number;
  }
  void finish(Out<Number>& out) {
    if (fails) throw std::runtime_error("finish");
    out.emit(count);
    before = count = 0;
  }
  [[nodiscard]] std::string save() const { return std::to_string(before) + ' ' + std::to_string(count); }
  void restore(std::string_view saved) {
    before = std::stoull(std::string(saved));
    count = std::stoull(std::string(saved.substr(saved.find(' '))));
  }
  bool fails = false;
  Number before = 0;
  Number count = 0;
};

/// Emits elements at random, some time after they have come. Its state is what it holds.
struct Delay {
  void operator()(Number&& number, Context& context, Out<Number>& out) {
    numbers.push_back(context.position().number);
    elements.push_back(number);
    while (elements.size() > context.draw().below(9)) emit_one(context, out);
  }
  void finish(Context& context, Out<Number>& out) {
    while (!elements.empty()) emit_one(context, out);
    out.emit_all(std::vector<Number>{context.position().number, context.draw().below(1000)});
  }
  void emit_one(Context& context, Out<Number>& out) {
    const auto at = static_cast<std::ptrdiff_t>(context.draw().below(elements.size()));
    out.emit(elements[static_cast<std::size_t>(at)]);
    elements.erase(elements.begin() + at);
    numbers.erase(numbers.begin() + at);
  }
  [[nodiscard]] std::vector<std::uint64_t> held() const { return numbers; }
  void refill(Number&& number, std::uint64_t its_number) {
    numbers.push_back(its_number);
    elements.push_back(number);
  }
  std::vector<std::uint64_t> numbers{};
  std::vector<Number> elements{};
};

/// Cannot save its state.
struct Hash {
  void operator()(Number&& number, Out<Number>& out) { out.emit(hash = hash * 31 + number); }
  Number hash = 7;
};

/// Emits the elements of a group together. Between two groups it is as at the beginning.
struct Groups {
  void operator()(Number&& number, Out<Number>& out) {
    group.push_back(number);
    if (number % 5 == 0) out.emit_all(std::exchange(group, {}));
  }
  void finish(Out<Number>& out) { out.emit_all(group); }
  [[nodiscard]] bool empty() const { return group.empty(); }
  std::vector<Number> group{};
};

Data with_stage_of_users(const Data& data, std::uint64_t kind) {
  switch (kind % 5) {
    case 0: return data.apply(Differences());
    case 1: return data.apply(Differences{.fails = true});
    case 2: return data.apply(Delay());
    case 3: return data.apply(Hash());
    default: return data.apply(Groups());
  }
}

bool is_even(Number number) { return number % 2 == 0; }

Data with_threads(const Data& data, const Settings& settings) {
  return data.map(settings.options(), [settings](Number number) {
    settings.delay(number);
    return number;
  });
}

Data drawing(const Data& data, const Settings& settings) {
  return data.map(settings.options(),
                  [](Number number, Context& context) { return number + context.draw().below(1000); });
}

forebay::BucketOptions buckets() {
  return {.boundaries = {3, 12}, .batch_sizes = {2, 4, 3}, .max_length = 28, .too_long = forebay::skip(3)};
}

Number cost(Number number) { return 1 + number % 30; }

forebay::MixOptions mixes(std::uint64_t kind) {
  if (kind % 3 == 0) return {.stop = forebay::first_exhausted};
  return {.restart = kind % 3 == 1};
}

forebay::CostOptions costs(std::uint64_t kind) {
  forebay::CostOptions options{.limit = 28 + kind % 60, .sort_window = kind / 60 % 40, .too_costly = forebay::skip(3)};
  options.count_times_largest = kind % 2 == 0;
  options.shuffle_batches = kind % 3 > 0;
  if (kind % 5 == 0) options.most_elements = 3;
  if (kind % 7 == 0) options.remainder = forebay::drop;
  options.too_costly_alone = kind % 11 == 0;
  return options;
}

Data paired(const Data& first, const Data& second) {
  return forebay::zip(first, second).map([](std::tuple<Number, Number> pair) {
    return std::get<0>(pair) * 10 + std::get<1>(pair);
  });
}

/// An even shard of a stage without random access. Its epochs are left early in various ways.
Data even_shard_left_early(const Data& data, std::uint64_t kind) {
  const Data shard = data.filter([](Number /*number*/) { return true; })
                         .shard(kind % 2, 2, kind / 2 % 2 == 0 ? forebay::Even::drop : forebay::Even::repeat);
  switch (kind / 4 % 4) {
    case 0: return shard.take(4).repeat(3);
    case 1: return paired(shard, range<Number>(0, 5)).repeat(3);
    case 2: return paired(range<Number>(0, 5), shard).repeat(3);
    default: return shard.take(4).repeat().take(9).repeat(2);
  }
}

/// Batches whose rows are written in place, some of which fail.
Data rows_unbatched(const Data& data, std::uint64_t kind, const Settings& settings) {
  using Pair = std::array<Number, 2>;
  MapOptions options = settings.options();
  if (kind % 2 == 0) options.on_error = forebay::skip(1000);
  const auto write = [settings](Number number, forebay::Row<Pair>& into, Context& context) {
    settings.delay(number);
    into.component<0>()[0] = number;
    if (number % 13 == 12) throw std::runtime_error("row");
    into.component<0>()[1] = context.draw().below(1000);
  };
  return data.stacked_batch<Pair>(4, {}, options, write).flat_map([](const forebay::StackedBatch<Pair>& batch) {
    return std::vector<Number>(batch.values().begin(), batch.values().end());
  });
}

Data with_stage(const Data& data, std::uint64_t kind, const Settings& settings) {
  constexpr std::uint64_t kinds = 33;
  switch (kind % kinds) {
    case 0:
      if (kind / kinds % 2 == 0) return data.filter([](Number number) { return number % 3 != 0; });
      return data.split([](Number number) { return number / 2; }, {1, 0, 2})[kind / kinds % 3];
    case 3:
      if (kind / kinds % 3 == 0) return data.shard(1, 2);
      return data.shard(1, 4, kind / kinds % 3 == 1 ? forebay::Even::drop : forebay::Even::repeat);
    case 6:
      return data.map(settings.options(), [settings](Number number) {
        settings.delay(number);
        return number * 7 + 1;
      });
    case 7:
      return data.map(settings.options(), [settings](Number number, Number& into, Context& context) {
        settings.delay(number);
        into = number + context.draw().below(1000) + context.position().number;
      });
    case 8:
      return data.batch(4)
          .map(settings.options(),
               [](const std::vector<Number>& batch) {
                 Number sum = batch.size();
                 for (const Number number : batch) sum = sum * 31 + number;
                 return sum;
               })
          .prefetch(2);
    case 9:
      return data.map(settings.options(), [](Number number) { return number; })
          .batch(5)
          .flat_map([](const std::vector<Number>& batch) { return batch; });
    case 10: return with_stage_of_users(data, kind / kinds);
    case 12: return data.repeat().take(50);
    case 13:
      return data.map({.threads = settings.threads, .ahead = settings.ahead, .on_error = forebay::skip(1000)},
                      [](Number number) {
                        if (number % 4 == 1) throw number;
                        return number;
                      });
    case 14:
      return data.map(settings.options(), [settings](Number number) {
        settings.delay(number);
        return number % 17 == 16 ? throw std::runtime_error(std::to_string(number)) : number;
      });
    case 15:
      return data.filter([](Number number) { return number % 19 == 18 ? throw std::runtime_error("filter") : true; });
    case 17: {
      MapOptions in_any_order = settings.options();
      in_any_order.order = forebay::any_order;
      return data
          .map(in_any_order,
               [settings](Number number) {
                 settings.delay(number);
                 return number;
               })
          .batch(1000)
          .map(
              [](const std::vector<Number>& epoch) { return std::accumulate(epoch.begin(), epoch.end(), Number{0}); });
    }
    case 18:
      return data.interleave({.cycle = 3, .block = 2, .prefetch = settings.threads},
                             [settings](Number number, Context& context) {
                               settings.delay(number);
                               if (number % 23 == 22) throw std::runtime_error("open");
                               return std::vector<Number>(number % 4, context.draw().below(1000));
                             });
    case 19:
      return data.interleave({.cycle = 2, .prefetch = settings.ahead, .on_error = forebay::skip(5)},
                             [settings](Number number) {
                               settings.delay(number);
                               if (number % 7 == 6) throw std::runtime_error("open");
                               return range<Number>(0, number % 5).shuffle().map([](Number inner) {
                                 return inner % 4 == 3 ? throw std::runtime_error("read") : inner;
                               });
                             });
    case 16: return paired(data, range<Number>(0, 9).map(settings.options(), [](Number number) { return number; }));
    case 1:
    case 2:
    case 4:
    case 5:
    case 11:
    case 21:
    case 29: {  // a seventh each
      const auto stages = stages_with_count<Number>();
      const auto& stage = stages[static_cast<std::size_t>(kind / kinds % stages.size())];
      return stage.add(data, stage.usual);
    }
    case 28: return even_shard_left_early(data, kind / kinds);
    case 25: return data.repeat(2).seamless().shuffle(5);
    case 26: return data.concatenate(with_threads(range<Number>(0, 5).repeat(2).filter(is_even), settings));
    case 27: return with_threads(range<Number>(0, 6).repeat(4).take(9), settings).concatenate(data);
    case 20:
      return forebay::mix<Number>(mixes(kind / kinds),
                                  {data, with_threads(range<Number>(0, 8).repeat(2).shuffle(3), settings)}, {2, 1});
    case 22: return data.bucket_by_length([](Number number) { return number % 30; }, buckets()).unbatch();
    case 23: return data.seamless().bucket_by_length([](Number number) { return number % 30; }, buckets()).unbatch();
    case 31: return data.batch_by_cost(cost, costs(kind / kinds)).unbatch();
    case 24:  // a later input that leaves its epochs early and draws by their numbers
      return forebay::zip(data, drawing(with_threads(range<Number>(0, 4).repeat(5), settings).take(7), settings))
          .map([](std::tuple<Number, Number> pair) { return std::get<0>(pair) + std::get<1>(pair); });
    case 30: return rows_unbatched(data, kind / kinds, settings);
    default:
      return data.repeat(3).seamless().batch(8).map(
          [](const std::vector<Number>& batch) { return batch.front() + batch.size(); });
  }
}

/// A source that may fail, and up to three maps, most of which skip few failures or many. A chunk may have more
/// failures than may be skipped.
Data with_failures(RandomBits& bits, const Settings& settings) {
  Data data = forebay::from_indexed(40, [damaged = bits.below(80)](std::size_t i) {
    return i == damaged ? throw std::runtime_error("damaged") : Number{i};
  });
  for (std::uint64_t stages = 1 + bits.below(3); stages > 0; --stages) {
    MapOptions options = settings.options();
    if (bits.below(4) > 0) options.on_error = forebay::skip(bits.below(2) == 0 ? 1000 : bits.below(9));
    data = data.map(options, [settings, divisor = 3 + bits.below(20)](Number number) {
      settings.delay(number);
      return number % divisor == 2 ? throw std::runtime_error(std::to_string(number)) : number;
    });
    if (bits.below(3) == 0) data = data.skip(bits.below(6));
  }
  return data;
}

}  // namespace

Data description(std::uint64_t number, const Settings& settings) {
  RandomBits bits(number);
  if (number % 5 == 4) return with_failures(bits, settings);
  Data data = source(bits());
  const std::uint64_t stages = bits.below(5);
  for (std::uint64_t i = 0; i < stages; ++i) data = with_stage(data, bits(), settings);
  return data;
}

}  // namespace forebay_test
