// SPDX-License-Identifier: MIT
//
// filter.hpp: filter, which passes on the elements that satisfy a predicate; and split, whose parts are filters.

#ifndef FOREBAY_STAGE_FILTER_HPP
#define FOREBAY_STAGE_FILTER_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/hash.hpp"
#include "forebay/base/random_bits.hpp"
#include "forebay/describe/properties.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/describe/stage_name.hpp"
#include "forebay/flow/chunk.hpp"
#include "forebay/flow/errors.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/pull_wait.hpp"
#include "forebay/flow/stage_node.hpp"
#include "forebay/flow/stream.hpp"
#include "forebay/stage/function_checks.hpp"
#include "forebay/stage/weights.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Passes on the elements that satisfy a predicate.
template <class T, class Predicate>
struct Filter {
  using Output = T;

  PullResult step(Input<T>& input, Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    const PullResult result = input.look(wanted(most, chunk), wait);
    if (result != PullResult::more) return result;
    if (passes(input)) {
      chunk.push_from(input.chunk(), input.next(), input.number());
    } else if (left_out != nullptr) {
      left_out->add(1);
    }
    input.pass();
    return result;
  }

  bool passes(Input<T>& input) const {
    try {
      return static_cast<bool>(std::invoke(*predicate, std::as_const(input.element())));
    } catch (...) {
      throw_as_dataset_error(name, input.position());
    }
  }

  std::shared_ptr<const Predicate> predicate;
  StageName name;
  std::shared_ptr<LeftOut> left_out{};
};

[[nodiscard]] inline Properties describe_filter(Properties properties) {
  properties.size.reset();
  properties.describe("filter");
  return properties;
}

template <class T, class Predicate>
[[nodiscard]] NodePointer<T> filter_node(const NodePointer<T>& node, Predicate&& predicate) {
  using Function = std::decay_t<Predicate>;
  constexpr bool is_called = std::predicate<const Function&, const T&>;
  constexpr bool would_be = std::predicate<Function&, const T&>;
  static_assert(NotMutable<is_called, would_be>::value);
  static_assert(is_called || would_be,
                "forebay: filter(predicate): the predicate must take a const T& and return a bool");
  auto shared = std::make_shared<const Function>(std::forward<Predicate>(predicate));
  return make_stage_node<T>(node, describe_filter(node->properties()), "filter", [shared](StageContext& opening) {
    return Filter<T, Function>{shared, std::move(opening.name), std::move(opening.left_out)};
  });
}

// ---- split

/// The keys of split: numbers and texts.
template <class Key>
concept SplitKey = std::integral<Key> || std::convertible_to<const Key&, std::string_view>;

/// Returns the same hash of a key on every machine and in every version.
template <std::integral Key>
[[nodiscard]] constexpr std::uint64_t hash_of_key(Key key) noexcept {
  return splitmix64(static_cast<std::uint64_t>(key));
}
[[nodiscard]] inline std::uint64_t hash_of_key(std::string_view key) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char letter : key) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  return splitmix64(hash);
}

/// Selects the elements of one part.
template <class T, class Key>
struct IsInPart {
  bool operator()(const T& element) const {
    std::uint64_t drawn = RandomBits(hash_of_key(std::invoke(*key, element))).below(sum);
    std::size_t drawn_part = 0;
    for (; drawn >= shares[drawn_part]; ++drawn_part) drawn -= shares[drawn_part];
    return drawn_part == part;
  }

  std::shared_ptr<const Key> key;
  std::vector<std::uint64_t> shares;
  std::uint64_t sum;
  std::size_t part;
};

[[nodiscard]] inline Properties describe_part(Properties properties, std::size_t part,
                                              const std::vector<std::uint64_t>& shares) {
  std::string details = text_of({part});
  for (const std::uint64_t share : shares) details += text_of({share});
  properties.size.reset();
  properties.describe("split", details);
  properties.stages.back().known.what = "split, part" + text_of({part});
  return properties;
}

template <class T, class Given, std::size_t count>
[[nodiscard]] std::array<NodePointer<T>, count> part_nodes(const NodePointer<T>& node, Given&& given,
                                                           const double (&given_shares)[count]) {
  using Key = std::decay_t<Given>;
  static_assert(
      std::invocable<const Key&, const T&> && SplitKey<std::decay_t<std::invoke_result_t<const Key&, const T&>>>,
      "forebay: split(key, shares): key must take a const T& and return an integer or a text");
  const std::vector<std::uint64_t> shares =
      whole_weights(given_shares, "split: a share", "split: no share is above 0");
  const std::uint64_t sum = std::accumulate(shares.begin(), shares.end(), std::uint64_t{0});
  const auto key = std::make_shared<const Key>(std::forward<Given>(given));
  std::array<NodePointer<T>, count> parts;
  for (std::size_t i = 0; i < count; ++i) {
    const auto is_in_part = std::make_shared<const IsInPart<T, Key>>(IsInPart<T, Key>{key, shares, sum, i});
    parts[i] = make_stage_node<T>(
        node, describe_part(node->properties(), i, shares), "split", [is_in_part](StageContext& opening) {
          return Filter<T, IsInPart<T, Key>>{is_in_part, std::move(opening.name), std::move(opening.left_out)};
        });
  }
  return parts;
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_FILTER_HPP
