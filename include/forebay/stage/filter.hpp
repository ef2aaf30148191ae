// SPDX-License-Identifier: MIT
//
// filter.hpp: filter, which passes on the elements that satisfy a predicate.

#ifndef FOREBAY_STAGE_FILTER_HPP
#define FOREBAY_STAGE_FILTER_HPP

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

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

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_FILTER_HPP
