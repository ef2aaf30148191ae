// SPDX-License-Identifier: MIT
//
// epochs_test.cpp: epochs that are repeated, joined and left early, in any nesting. Outputs, positions and draws equal
// those of a naive reference that computes each epoch in vectors, also in runs that are resumed several times.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/random_bits.hpp"
#include "forebay/dataset.hpp"
#include "tests/support/await.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/iterations.hpp"
#include "tests/support/plain_run.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::Context;
using forebay::Dataset;
using forebay::Even;
using forebay::range;
using forebay::detail::Epoch;
using forebay::detail::EpochCount;
using forebay::detail::first_part_of;
using forebay::detail::hash_combine;
using forebay::detail::Permutation;
using forebay::detail::RandomBits;
using forebay::detail::splitmix64;

using Number = std::uint64_t;
using Data = Dataset<Number>;

// ---- The reference

// Each function that may take a Context adds the number of its element to its result. So a wrong number is seen even if
// a stage downstream renumbers.

struct Item {
  Number value;
  Number number;

  friend bool operator==(const Item&, const Item&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Item& item) {
    return out << item.value << '@' << item.number;
  }
};
using Items = std::vector<Item>;

/// Returns the first `most` elements of an epoch in a branch of the description.
using Elements = std::function<Items(const Epoch& epoch, Number branch, std::size_t most)>;

constexpr std::size_t all = 100'000;

/// A data set and its expected elements.
struct Described {
  Data data;
  EpochCount epochs{};
  Elements elements;
  Number random_stages = 0;
  Number shard = 0;               // of a shard, until a stage downstream renumbers
  Number salt = 0;                // of shards downstream of which a stage has renumbered
  bool is_endless_epoch = false;  // a take must end it

  void renumber() {
    if (shard != 0) salt = hash_combine(salt, std::exchange(shard, 0));
  }
  /// Returns the random stream from which stages downstream draw in a branch.
  [[nodiscard]] std::function<Number(Number)> stream() const {
    return [random_stages = random_stages, salt = salt](Number branch) {
      return hash_combine(Number{0}, branch, random_stages, salt);
    };
  }
};

Items renumbered(Items items) {
  for (std::size_t i = 0; i < items.size(); ++i) items[i].number = i;
  return items;
}

Items first_of(Items items, std::size_t most) {
  if (items.size() > most) items.resize(most);
  return items;
}

/// How many more elements sources may deliver to the reference. Larger data sets are not compared.
std::size_t budget = 0;

Described numbers(Number count) {
  return {range<Number>(0, count), {}, [count](const Epoch&, Number, std::size_t most) {
            Items items;
            for (Number i = 0; i < count && i < most; ++i) items.push_back({i, i});
            if (items.size() > budget) throw std::runtime_error("too many elements");
            budget -= items.size();
            return items;
          }};
}

/// Returns the numbers of each page in turn.
Items paged(Number count, Number page, Number key) {
  const auto permuted = [](Number size, Number with_key) {
    const Permutation permutation(size, with_key);
    std::vector<Number> places;
    for (Number i = 0; i < size; ++i) places.push_back(permutation.at(i));
    return places;
  };
  if (page == 1) page = count;
  const Number pages = (count + page - 1) / page;
  Items items;
  for (const Number number : permuted(pages, key)) {
    const Number first = number * page;
    const Number size = std::min(page, count - first);
    for (const Number i : permuted(size, pages == 1 ? key : hash_combine(key, number, Number{1}))) {
      items.push_back({first + i, first + i});
    }
  }
  return items;
}

Described shuffled_pages(Number count, Number page) {
  Described made = numbers(count);
  ++made.random_stages;
  made.data = range<Number>(0, count).shuffle_pages(page);
  made.elements = [before = made.elements, stream = made.stream(), count, page](const Epoch& epoch, Number branch,
                                                                                std::size_t most) {
    static_cast<void>(before(epoch, branch, all));
    return first_of(paged(count, page, hash_combine(epoch.stream_of(stream(branch)), epoch.number)), most);
  };
  return made;
}

/// A reader that can seek. Each epoch has a copy.
struct NumberReader {
  std::optional<Number> operator()() { return next < count ? std::optional(next++) : std::nullopt; }
  [[nodiscard]] Number cursor() const { return next; }
  void seek(Number cursor) { next = cursor; }

  Number count;
  Number next = 0;
};

Described reader(Number count) {
  Described made = numbers(count);
  made.data = forebay::from_callable(NumberReader{count});
  return made;
}

Described seamless(const Described& of, bool is_explicit = false) {
  if (of.epochs.is_one() && !is_explicit) return of;
  Described made = of;
  made.data = is_explicit ? of.data.seamless() : of.data;  // otherwise the stage itself joins them
  made.renumber();
  made.epochs = EpochCount();
  made.is_endless_epoch = of.epochs.is_endless();
  made.elements = [of](const Epoch& epoch, Number branch, std::size_t most) {
    Items items;
    Epoch part = first_part_of(epoch, of.epochs);
    for (Number i = 0; items.size() < most && (of.epochs.is_endless() || i < of.epochs.number()); ++i) {
      const Items more = of.elements(part, branch, most - items.size());
      if (more.empty() && of.epochs.is_endless()) throw std::runtime_error("an endless repeat of nothing");
      items.insert(items.end(), more.begin(), more.end());
      part = part.next();
    }
    return renumbered(std::move(items));
  };
  return made;
}

Described repeat(const Described& of, Number count) {
  Described made = of;
  made.data = count == 0 ? of.data.repeat() : of.data.repeat(count);
  made.epochs = of.epochs * (count == 0 ? EpochCount::endless() : EpochCount(count));
  return made;
}

Described take(const Described& of, std::size_t count) {
  Described made = seamless(of);
  made.data = of.data.take(count);
  made.is_endless_epoch = false;
  made.elements = [before = seamless(of).elements, count](const Epoch& epoch, Number branch, std::size_t most) {
    return before(epoch, branch, std::min(most, count));
  };
  return made;
}

Described skip(const Described& of, std::size_t count) {
  Described made = seamless(of);
  made.data = of.data.skip(count);
  made.elements = [before = seamless(of).elements, count](const Epoch& epoch, Number branch, std::size_t most) {
    Items items = before(epoch, branch, most + count);
    items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(std::min(count, items.size())));
    return items;
  };
  return made;
}

Described step_by(const Described& of, std::size_t step) {
  Described made = of;
  made.data = of.data.step_by(step);
  made.elements = [before = of.elements, step](const Epoch& epoch, Number branch, std::size_t most) {
    const Items items = before(epoch, branch, all);
    Items first;
    for (std::size_t i = 0; i < items.size(); i += step) first.push_back(items[i]);
    return first_of(std::move(first), most);
  };
  return made;
}

Described filter(const Described& of) {
  Described made = of;
  made.data = of.data.filter([](Number number) { return number % 3 != 1; });
  made.elements = [before = of.elements](const Epoch& epoch, Number branch, std::size_t most) {
    Items items = before(epoch, branch, all);
    std::erase_if(items, [](const Item& item) { return item.value % 3 == 1; });
    return first_of(std::move(items), most);
  };
  return made;
}

Described draw(const Described& of, const forebay::MapOptions& options) {
  Described made = of;
  ++made.random_stages;
  made.data = of.data.map(options, [](Number number, Context& context) {
    return (number + context.draw().below(100)) * 31 + context.position().number;
  });
  made.elements = [before = of.elements, stream = made.stream()](const Epoch& epoch, Number branch, std::size_t most) {
    Items items = before(epoch, branch, most);
    for (Item& item : items) {
      Context context({epoch.number, item.number}, epoch.stream_of(stream(branch)));
      item.value = (item.value + context.draw().below(100)) * 31 + item.number;
    }
    return items;
  };
  return made;
}

Described shuffle(const Described& of, std::size_t window) {
  Described made = of;
  ++made.random_stages;
  made.data = of.data.shuffle(window);
  made.elements = [before = of.elements, stream = made.stream(), window](const Epoch& epoch, Number branch,
                                                                         std::size_t most) {
    const Items items = before(epoch, branch, all);
    const Number of_epoch = splitmix64(hash_combine(epoch.stream_of(stream(branch)), epoch.number));
    Items held;
    Items drawn;
    std::size_t next = 0;
    while (next < items.size() && held.size() < window) held.push_back(items[next++]);
    for (Number place = 0; !held.empty(); ++place) {
      const auto chosen = static_cast<std::size_t>(((splitmix64(of_epoch ^ place) >> 32) * held.size()) >> 32);
      drawn.push_back(held[chosen]);
      held[chosen] = next < items.size() ? items[next] : held.back();
      if (next++ >= items.size()) held.pop_back();
    }
    return first_of(std::move(drawn), most);
  };
  return made;
}

Described batch(const Described& of, std::size_t size) {
  Described made = of;
  made.renumber();
  ++made.random_stages;
  const auto sum = [](Number one, Number other) { return one * 31 + other; };
  made.data = of.data.batch(size).map([sum](const std::vector<Number>& batch, Context& context) {
    return sum(std::accumulate(batch.begin(), batch.end(), Number{batch.size()}, sum), context.position().number);
  });
  made.elements = [before = of.elements, size, sum](const Epoch& epoch, Number branch, std::size_t most) {
    const Items items = before(epoch, branch, all);
    Items batches;
    for (std::size_t i = 0; i < items.size(); i += size) {
      Number value = std::min(size, items.size() - i);
      for (std::size_t k = i; k < std::min(i + size, items.size()); ++k) value = sum(value, items[k].value);
      batches.push_back({sum(value, i / size), i / size});
    }
    return first_of(std::move(batches), most);
  };
  return made;
}

Described flat_map(const Described& of) {
  Described made = of;
  made.renumber();
  ++made.random_stages;
  made.data = of.data.flat_map([](Number number, Context& context) {
    return std::vector<Number>(number % 4, number * 31 + context.position().number);
  });
  made.elements = [before = of.elements](const Epoch& epoch, Number branch, std::size_t most) {
    Items items;
    for (const Item& item : before(epoch, branch, all)) {
      items.insert(items.end(), item.value % 4, {item.value * 31 + item.number, 0});
    }
    return renumbered(first_of(std::move(items), most));
  };
  return made;
}

Described even_shard(const Described& of, Even even) {
  Described made = of;
  made.shard = hash_combine(made.shard, Number{1}, Number{3});
  made.data = of.data.filter([](Number) { return true; }).shard(1, 3, even);
  made.elements = [before = of.elements, even](const Epoch& epoch, Number branch, std::size_t most) {
    const Items items = before(epoch, branch, all);
    const std::size_t groups = even == Even::drop ? items.size() / 3 : (items.size() + 2) / 3;
    Items shard;
    for (std::size_t i = 0; i < groups; ++i) shard.push_back(items[(i * 3 + 1) % items.size()]);
    return first_of(std::move(shard), most);
  };
  return made;
}

Described with_branch(Described made, Described other, Elements elements) {
  made.renumber();
  other.renumber();
  if (other.salt != 0) made.salt = hash_combine(made.salt, other.salt);
  made.elements = [elements = std::move(elements)](const Epoch& epoch, Number branch, std::size_t most) {
    return renumbered(first_of(elements(epoch, branch, most), most));
  };
  made.is_endless_epoch = made.is_endless_epoch || other.is_endless_epoch;
  return made;
}

Described concatenate(const Described& first, const Described& second) {
  Described made = seamless(first);
  made.data = first.data.concatenate(second.data);
  return with_branch(made, seamless(second),
                     [one = seamless(first).elements, two = seamless(second).elements](
                         const Epoch& epoch, Number branch, std::size_t most) {
                       Items items = one(epoch, branch, most);
                       if (items.size() >= most) return items;
                       const Items more = two(epoch, hash_combine(branch, Number{1}), most - items.size());
                       items.insert(items.end(), more.begin(), more.end());
                       return items;
                     });
}

Described zip(const Described& first, const Described& second) {
  const auto value_of = [](Number one, Number other, Number number) { return (one * 100 + other) * 31 + number; };
  Described made = seamless(first);
  ++made.random_stages;
  made.data = forebay::zip(first.data, second.data).map([=](const std::tuple<Number, Number>& pair, Context& context) {
    return value_of(std::get<0>(pair), std::get<1>(pair), context.position().number);
  });
  made = with_branch(
      made, seamless(second),
      [one = seamless(first).elements, two = seamless(second).elements, value_of,
       is_first_endless = seamless(first).is_endless_epoch](const Epoch& epoch, Number branch, std::size_t most) {
        // Reads the endless one only as far as the other one goes, plus one element of the first.
        const auto of_second = [&](std::size_t count) { return two(epoch, hash_combine(branch, Number{1}), count); };
        Items firsts;
        Items seconds;
        if (is_first_endless) {
          seconds = of_second(most);
          firsts = one(epoch, branch, std::min(most, seconds.size() + 1));
        } else {
          firsts = one(epoch, branch, most);
          seconds = of_second(firsts.size());
        }
        Items items;
        for (std::size_t i = 0; i < std::min(firsts.size(), seconds.size()); ++i) {
          items.push_back({value_of(firsts[i].value, seconds[i].value, i), i});
        }
        return items;
      });
  made.is_endless_epoch = seamless(first).is_endless_epoch && seamless(second).is_endless_epoch;
  return made;
}

/// Does not change the outputs.
Described ahead(const Described& of, Number kind) {
  Described made = of;
  const auto same = [](Number number) { return number; };
  if (kind % 3 == 0) made.data = of.data.prefetch(3);
  if (kind % 3 == 1) made.data = of.data.map({.threads = 2, .ahead = 3, .chunk = 2}, same);
  if (kind % 3 == 2) made.data = of.data.prefetch(2).prefetch(3);
  return made;
}

Described source(RandomBits& bits) {
  const Number count = 1 + bits.below(9);
  switch (bits.below(4)) {
    case 0: return reader(count);
    case 1: return shuffled_pages(count, 1 + bits.below(5));
    default: return numbers(count);
  }
}

Described with_stage(const Described& of, RandomBits& bits) {
  if (of.is_endless_epoch) return take(of, 1 + bits.below(20));
  if (of.epochs.is_endless()) return bits.below(2) == 0 ? take(of, 1 + bits.below(20)) : zip(of, numbers(9));
  switch (bits.below(16)) {
    case 0: return take(of, bits.below(12));
    case 1: return skip(of, bits.below(4));
    case 2: return filter(of);
    case 3: return draw(of, {});
    case 4: return draw(of, {.threads = 2, .ahead = 3, .chunk = 2});
    case 5: return shuffle(of, 1 + bits.below(7));
    case 6: return batch(of, 1 + bits.below(4));
    case 7: return flat_map(of);
    case 8: return even_shard(of, bits.below(2) == 0 ? Even::drop : Even::repeat);
    case 9: return concatenate(of, repeat(source(bits), 1 + bits.below(3)));
    case 10: return zip(draw(repeat(shuffle(source(bits), 3), 1 + bits.below(3)), {}), of);
    case 11: return seamless(of, true);
    case 12: return repeat(of, 0);
    case 13: return ahead(of, bits());
    case 14: return step_by(of, 1 + bits.below(5));
    default: return repeat(of, 1 + bits.below(3));
  }
}

Described described(Number number) {
  RandomBits bits(number);
  Described made = source(bits);
  for (Number stages = 2 + bits.below(6); stages > 0; --stages) made = with_stage(made, bits);
  while (made.is_endless_epoch || made.epochs.is_endless()) made = take(made, 17);
  return made;
}

/// Returns all expected elements, or nothing if there are too many or a repeat of nothing is endless.
std::optional<std::vector<Items>> expected_of(const Described& described) {
  if (described.epochs.number() > 100) return std::nullopt;
  std::vector<Items> epochs;
  std::size_t size = 0;
  budget = 20'000;
  try {
    for (Number i = 0; i < described.epochs.number(); ++i) {
      epochs.push_back(described.elements({i}, 0, all));
      size += epochs.back().size();
    }
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
  return size <= 400 ? std::optional(std::move(epochs)) : std::nullopt;
}

std::vector<Items> epochs_by_plain_run(const Data& data, std::size_t most) {
  const auto output = output_of(data, most);
  EXPECT_EQ(output.failure, "");
  std::vector<Items> epochs(output.epochs.size());
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    for (std::size_t k = 0; k < output.epochs[i].size(); ++k) {
      EXPECT_EQ(output.positions[i][k].epoch, i);
      epochs[i].push_back({output.epochs[i][k], output.positions[i][k].number});
    }
  }
  return epochs;
}

// proves: joined-epochs
TEST(EpochsOfAnyDescription, AreThoseOfANaiveReference) {
  constexpr Number numbers = iterations(3000);
  std::size_t compared = 0;
  for (Number number = 0; number < numbers; ++number) {
    const Described made = described(number);
    const auto expected = expected_of(made);
    if (!expected) continue;
    ++compared;
    ASSERT_EQ(epochs_by_plain_run(made.data, 1 + number % 7), *expected)
        << number << ": " << made.data.node()->properties().description;
  }
  EXPECT_GT(compared, 2 * numbers / 3);
}

using Numbered = std::pair<Position, Number>;  // the value of an element, and where its Context says that it is
using Outputs = std::vector<Numbered>;

/// Adds their positions to the elements. Fails at the element with the position `fails_at`.
Dataset<Numbered> numbered(const Data& data, const std::optional<Position>& fails_at = {}) {
  return data.map([](Number value, const Context& context) { return Numbered(context.position(), value); })
      .filter(
          [fails_at](const Numbered& element) { return element.first == fails_at ? throw Failure("broken") : true; });
}

Outputs outputs_of_all(const std::vector<Items>& epochs) {
  Outputs outputs;
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    for (const Item& item : epochs[i]) outputs.push_back({{i, item.number}, item.value});
  }
  return outputs;
}

/// Returns up to `most` outputs from `checkpoint` on, and the checkpoint after them.
template <class T>
std::pair<std::vector<T>, std::string> outputs_from(const Dataset<T>& data,
                                                    const std::optional<std::string>& checkpoint, std::size_t most) {
  auto pipeline = data.run(checkpoint);
  std::vector<T> outputs;
  while (outputs.size() < most) {
    const auto output = pipeline.next();
    if (!output) break;
    if constexpr (std::is_same_v<T, Numbered>) {
      EXPECT_EQ(output->first.epoch, pipeline.position().epoch);
    }
    outputs.push_back(*output);
  }
  return {outputs, pipeline.checkpoint()};
}

/// Resumes a run of which output `at` of the `expected` ones fails. The failure must name its position.
void expect_failure(const Data& data, const std::string& checkpoint, const Outputs& expected, std::size_t at) {
  const Position position = expected.at(at).first;
  auto pipeline = numbered(data, position).run(checkpoint);
  try {
    for (std::size_t i = 0; pipeline.next(); ++i) ASSERT_LT(i, at);
    ADD_FAILURE() << "no failure";
  } catch (const DatasetError& error) {
    EXPECT_EQ(error.position(), position) << error.what();
  }
}

/// Resumes after every number of outputs, and compares with what must follow. Then the same run fails at one of the
/// next outputs.
void expect_exact_resumes(const Data& data, const Outputs& whole) {
  for (std::size_t i = 0; i <= whole.size(); ++i) {
    const Outputs expected(whole.begin() + static_cast<std::ptrdiff_t>(i), whole.end());
    const auto [before, place] = outputs_from(numbered(data), {}, i);
    ASSERT_EQ(before, Outputs(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(i)));
    ASSERT_EQ(outputs_from(numbered(data), place, all).first, expected) << i;
    if (expected.empty()) continue;
    expect_failure(data, place, expected, i % std::min<std::size_t>(expected.size(), 3));
    if (testing::Test::HasFailure()) return;
  }
}

// proves: checkpoint
TEST(EpochsOfAnyDescription, AreTheSameAfterOneToFourResumes) {
  RandomBits bits(31);
  for (Number number = 0; number < iterations(400); ++number) {
    const Described made = described(number);
    const auto expected = expected_of(made);
    if (!expected) continue;
    SCOPED_TRACE(std::to_string(number) + ": " + made.data.node()->properties().description);
    const Outputs whole = outputs_of_all(*expected);
    Outputs taken;
    std::optional<std::string> checkpoint;
    for (Number resumes = 1 + bits.below(4); resumes > 0; --resumes) {
      const auto [outputs, place] = outputs_from(numbered(made.data), checkpoint, bits.below(2 + whole.size() / 2));
      taken.insert(taken.end(), outputs.begin(), outputs.end());
      checkpoint = place;
    }
    const auto rest = outputs_from(numbered(made.data), checkpoint, all).first;
    taken.insert(taken.end(), rest.begin(), rest.end());
    ASSERT_EQ(taken, whole);
  }
}

// proves: checkpoint
TEST(EpochsOfSmallDescriptions, AreTheSameResumedAtEveryPlace) {
  for (Number number = 0; number < iterations(300); ++number) {
    const Described made = described(number);
    const auto expected = expected_of(made);
    if (!expected) continue;
    const Outputs whole = outputs_of_all(*expected);
    if (whole.size() > 40) continue;
    SCOPED_TRACE(std::to_string(number) + ": " + made.data.node()->properties().description);
    expect_exact_resumes(made.data, whole);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

// ---- Descriptions that were wrong during development

/// Compares outputs and positions with the reference, and the outputs that follow every resume point.
void expect_as_expected(const Described& made) {
  SCOPED_TRACE(made.data.node()->properties().description);
  const auto expected = expected_of(made);
  ASSERT_TRUE(expected);
  for (const std::size_t most : {1U, 3U, 100U}) ASSERT_EQ(epochs_by_plain_run(made.data, most), *expected) << most;
  expect_exact_resumes(made.data, outputs_of_all(*expected));
}

Described with_threads(const Described& of) { return ahead(of, 1); }

// proves: checkpoint
TEST(Epochs, ResumedAtTheVeryEndHaveNothingMore) {
  expect_as_expected(take(with_threads(concatenate(filter(numbers(3)), numbers(5))), 1));
  expect_as_expected(repeat(take(with_threads(concatenate(filter(numbers(3)), numbers(5))), 1), 2));
}

// proves: joined-epochs
TEST(Epochs, OfALaterInputAreNumberedThroughAllRepeats) {
  expect_as_expected(repeat(zip(numbers(10), shuffle(with_threads(repeat(numbers(5), 2)), 4)), 3));
  expect_as_expected(repeat(zip(numbers(10), draw(shuffle(repeat(numbers(5), 2), 4), {.threads = 2})), 3));
}

// proves: epoch-left
TEST(Epochs, ThatAWindowHasReadAheadAreNotTakenForOthers) {
  const Described windows = shuffle(repeat(batch(seamless(shuffle(reader(8), 3), true), 2), 0), 3);
  expect_as_expected(repeat(take(with_threads(windows), 11), 2));
}

// proves: checkpoint
TEST(Epochs, ThatBeginWhileARunIsResumedAreNotReplayed) {
  const Described joined_epochs = concatenate(batch(flat_map(reader(7)), 1), repeat(reader(4), 3));
  expect_as_expected(shuffle(repeat(joined_epochs, 2), 7));
}

// proves: checkpoint
TEST(Epochs, ThatClaimsWereRestoredInDoNotBeginOnceMore) {
  expect_as_expected(with_threads(shuffle(take(shuffle(repeat(numbers(8), 3), 2), 10), 2)));
}

// proves: epoch-left
TEST(Epochs, LeaveNothingBehindInAStage) {
  expect_as_expected(repeat(shuffle(flat_map(shuffle(reader(4), 6)), 2), 3));
  expect_as_expected(repeat(take(batch(flat_map(shuffle(reader(9), 6)), 4), 2), 3));
}

// proves: joined-epochs
TEST(Epochs, OfNestedEndlessRepeatsAllDiffer) {
  const Described nested = repeat(take(repeat(take(repeat(shuffle(numbers(8), 8), 0), 5), 0), 7), 4);
  expect_as_expected(nested);
  auto epochs = epochs_by_plain_run(nested.data, 7);
  ASSERT_EQ(epochs.size(), 4U);
  std::set<std::vector<Number>> different;
  for (const Items& epoch : epochs) {
    std::vector<Number> values;
    for (const Item& item : epoch) values.push_back(item.value);
    different.insert(values);
  }
  EXPECT_EQ(different.size(), 4U);
}

// proves: checkpoint
TEST(Epochs, AreExactBehindTwoPrefetches) {
  expect_as_expected(repeat(take(ahead(numbers(9), 2), 4), 3));
  expect_as_expected(repeat(concatenate(numbers(6), ahead(numbers(3), 2)), 3));
}

// proves: endless-repeat
TEST(Epochs, OfAnEndlessRepeatOfNothingAreAFailureAlsoWhenResumed) {
  const auto sparse =
      range(6).repeat(2).map([](int i, Context& context) { return i + 10 * int(context.position().epoch); });
  const auto data = sparse.filter([](int i) { return i < 6; }).repeat().map(2, [](int i) { return i; });
  auto pipeline = data.run();
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(pipeline.next());
  const std::string checkpoint = pipeline.checkpoint();
  EXPECT_TRUE(contains(message_of<DatasetError>([&] { static_cast<void>(pipeline.next()); }), "an empty epoch"));
  auto resumed = data.run(checkpoint);
  EXPECT_TRUE(contains(message_of<DatasetError>([&] { static_cast<void>(resumed.next()); }), "an empty epoch"));
}

/// Joined epochs whose numbers are almost exhausted.
TEST(Epochs, OfAJoinedEpochThatHasNoNumbersLeftAreInARoundOfTheirOwn) {
  const Number largest = std::numeric_limits<Number>::max();
  const auto drawn = [](Number number, Context& context) { return number + context.draw().below(1000); };
  const Data data = range<Number>(0, 4).map(drawn).repeat(3).seamless().repeat();
  PlainRun<Number> run(data);
  const auto epoch_of = [&](Number number) {
    run.begin({number});
    std::vector<Number> values;
    PullResult answer = PullResult::more;
    while (!PlainRun<Number>::is_end(answer)) {
      answer = run.pull(5);
      for (std::size_t i = 0; i < run.chunk().size(); ++i) {
        EXPECT_EQ(run.chunk().position(i), (Position{number, values.size()}));
        values.push_back(run.chunk()[i]);
      }
    }
    EXPECT_EQ(values.size(), 12U);
    return values;
  };
  const Number last_with_numbers = largest / 3 - 1;
  std::set<std::vector<Number>> different;
  for (Number i = 0; i < 4; ++i) different.insert(epoch_of(last_with_numbers + i));
  EXPECT_EQ(different.size(), 4U);
  EXPECT_EQ(epoch_of(last_with_numbers), epoch_of(last_with_numbers));
  const auto beyond = epoch_of(last_with_numbers + 2);
  epoch_of(last_with_numbers + 1);
  std::vector<Number> walked;
  for (PullResult answer = PullResult::more; !PlainRun<Number>::is_end(answer);) {
    answer = run.pull(5);
    for (std::size_t i = 0; i < run.chunk().size(); ++i) walked.push_back(run.chunk()[i]);
  }
  EXPECT_EQ(walked, beyond) << "walked into, as begun";
}

// proves: checkpoint
TEST(Epochs, SavedAgainWhileARunCatchesUpAreExact) {
  const Data data = range<Number>(0, 40).filter([](Number) { return true; }).shuffle(9).batch(4).unbatch().repeat(2);
  PlainRun<Number> run(data);
  std::vector<Number> whole;
  while (!run.is_over()) {
    static_cast<void>(run.pull(1));
    for (std::size_t i = 0; i < run.chunk().size(); ++i) whole.push_back(run.chunk()[i]);
  }
  for (std::size_t taken = 0; taken <= whole.size(); ++taken) {
    std::string checkpoint = outputs_from(data, {}, taken).second;
    for (int again = 0; again < 3; ++again) {
      auto resumed = data.run(checkpoint);
      static_cast<void>(resumed.next(forebay::no_wait));  // perhaps in the middle of it
      const std::size_t now = static_cast<std::size_t>(resumed.position().epoch * 40 + resumed.position().number);
      checkpoint = resumed.checkpoint();
      std::vector<Number> rest;
      for (const Number value : outputs_from(data, checkpoint, all).first) rest.push_back(value);
      ASSERT_EQ(rest, std::vector<Number>(whole.begin() + static_cast<std::ptrdiff_t>(now), whole.end())) << taken;
    }
  }
}

// proves: joined-epochs
TEST(Epochs, ThatAreJoinedFetchElementsByTheirIndex) {
  const auto at = [](std::size_t i) { return i < 5 ? i * 10 : throw Failure("there is no such element"); };
  const auto shuffled = forebay::from_indexed(5, at).shuffle().repeat(2);
  const auto with_position = [](std::size_t element, Context& context) {
    return std::pair(element, context.position().number);
  };
  const auto elements = elements_of(shuffled);
  auto pipeline = shuffled.seamless().map({.threads = 2, .chunk = 3}, with_position).repeat(2).run();
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_EQ(pipeline.next().value(), (std::pair<std::size_t, Number>(elements[i], i)));
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(pipeline.next().value().second, i);
  EXPECT_FALSE(pipeline.next());
}

// ---- Failures and claims of epochs that are left early or read ahead

// proves: epoch-left
TEST(LeftEpochs, AClaimThatIsOvertakenEndsNoOthers) {
  std::atomic<int> epochs{0};
  std::atomic<bool> blocks{false};
  std::atomic<bool> is_left{false};
  const auto open = [&] {
    return [&, is_first = epochs++ == 0, next = 0]() mutable -> std::optional<int> {
      if (!is_first || next < 2) return next++;
      blocks = true;
      await([&] { return is_left.load(); });
      throw Failure("of an epoch that was left");
    };
  };
  const forebay::MapOptions one_thread{.threads = 1, .ahead = 4, .chunk = 1, .loop_helps = false};
  const auto data = forebay::from_callable(forebay::per_epoch(open)).map(one_thread, [](int i) { return i; });
  auto pipeline = data.take(2).repeat(2).run();
  EXPECT_EQ(pipeline.next().value(), 0);
  EXPECT_EQ(pipeline.next().value(), 1);
  await([&] { return blocks.load(); });
  is_left = true;
  EXPECT_EQ(pipeline.next().value(), 0);
  EXPECT_EQ(pipeline.next().value(), 1);
  EXPECT_FALSE(pipeline.next());
}

/// Fails in the second of three epochs, either in the factory or in the reader it returns.
Dataset<int> failing_in_the_second_epoch(bool fails_at_once) {
  const auto epochs = std::make_shared<std::atomic<int>>(0);
  const auto open = [=] {
    const int epoch = (*epochs)++;
    if (epoch == 1 && fails_at_once) throw Failure("broken");
    return [epoch, next = 0]() mutable -> std::optional<int> {
      if (epoch == 1 && next == 0) throw Failure("broken");
      return next < 5 ? std::optional(next++) : std::nullopt;
    };
  };
  return forebay::from_callable(forebay::per_epoch(open)).repeat(3);
}

// proves: failure-ahead
TEST(EpochsReadAhead, ThatFailDoSoBehindTheOneBefore) {
  const auto same = [](int i) { return i; };
  for (const bool fails_at_once : {false, true}) {
    for (int kind = 0; kind < 3; ++kind) {
      Dataset<int> data = failing_in_the_second_epoch(fails_at_once);
      if (kind != 1) data = data.map({.threads = 2, .ahead = 8, .chunk = 2}, same);
      if (kind != 0) data = data.shuffle(3);
      auto pipeline = data.run();
      std::size_t outputs = 0;
      EXPECT_EQ(message_of<DatasetError>([&] {
                  while (pipeline.next()) ++outputs;
                }),
                "forebay: from_callable, epoch 1, number 0: broken");
      EXPECT_EQ(outputs, 5U) << kind;
    }
  }
}

// ---- What may differ in a resumed run

std::string rejection_of(const Data& data, const std::string& checkpoint) {
  return rejection([&] { static_cast<void>(data.run(checkpoint)); });
}

// proves: bad-checkpoint
TEST(Epochs, ThatAreJoinedAreAsManyInAResumedRun) {
  const auto shuffled = [](int inner) { return range<Number>(0, 10).shuffle(4).repeat(inner).seamless().shuffle(3); };
  const std::string checkpoint = outputs_from(shuffled(2).repeat(3), {}, 5).second;
  EXPECT_EQ(rejection_of(shuffled(3).repeat(3), checkpoint),
            "forebay: checkpoint: it is of another data set: stage 3 is seamless 3, was seamless 2");
  EXPECT_EQ(rejection_of(shuffled(2).repeat(5), checkpoint), "nothing was thrown");
  const std::string of_take = outputs_from(range<Number>(0, 3).repeat(3).take(7), {}, 2).second;
  EXPECT_EQ(rejection_of(range<Number>(0, 3).repeat(5).take(7), of_take),
            "forebay: checkpoint: it is of another data set: stage 2 is seamless 5, was seamless 3");
  EXPECT_NE(rejection_of(range<Number>(0, 3).repeat().take(7), of_take), "nothing was thrown");
}

// proves: bad-checkpoint
TEST(Checkpoint, TellsWhatTheLibrarySeesOfFunctionsAndReaders) {
  const auto checkpoint_of = [](const Data& data) { return outputs_from(data, {}, 2).second; };
  const Data numbers = range<Number>(0, 9);
  const Data without = numbers.map([](Number number) { return number; }).shuffle(3);
  const Data with = numbers.map([](Number number, Context&) { return number; }).shuffle(3);
  EXPECT_EQ(rejection_of(with, checkpoint_of(without)),
            "forebay: checkpoint: it is of another data set: stage 2 is map with a Context, was map");
  const Data of_ranges = numbers.flat_map([](Number number) { return std::vector<Number>(number); });
  const Data of_data = numbers.flat_map([](Number number) { return range<Number>(0, number); });
  EXPECT_EQ(rejection_of(of_data, checkpoint_of(of_ranges)),
            "forebay: checkpoint: it is of another data set: stage 2 is flat_map of data sets, was flat_map");
  const auto reading = [](forebay::OnError on_error) {
    return forebay::from_callable(NumberReader{9}, {.on_error = std::move(on_error)});
  };
  EXPECT_EQ(rejection_of(reading(forebay::skip(3)), checkpoint_of(reading({}))),
            "forebay: checkpoint: it is of another data set: stage 1 is from_callable, skips 3, was from_callable");
}

// proves: bad-checkpoint
TEST(Checkpoint, OfVersion1IsRejectedByName) {
  EXPECT_EQ(rejection_of(range<Number>(0, 3), "forebay checkpoint 1 | range 3 | epoch 0 output 0 | 0 | | 0"),
            "forebay: checkpoint, column 1: it is of version 1, and this library reads version 2");
}

// ---- Costs

/// The cost of noting upstream positions must not add up over the stages: this took a minute.
TEST(ManyStages, HandOutTheirFirstElementsAtOnce) {
  Data data = range<Number>(0, 100'000);
  for (int i = 0; i < iterations(1000); ++i) data = data.shuffle(2);
  auto pipeline = data.run();
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(pipeline.next());
}

}  // namespace
}  // namespace forebay_test
