// SPDX-License-Identifier: MIT
//
// map_options.hpp: MapOptions, how a map of a data set is run.
//
//   images.map({.threads = 4, .ahead = 64, .on_error = forebay::skip(100)}, decode)

#ifndef FOREBAY_MAP_OPTIONS_HPP
#define FOREBAY_MAP_OPTIONS_HPP

#include <any>
#include <concepts>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "forebay/count.hpp"
#include "forebay/on_error.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// A factory for the storage that `void f(T, U& into)` is given: a function without arguments that returns a U. All
/// threads call it, at the same time and through a const reference.
class StorageFactory {
 public:
  StorageFactory() = default;

  template <class Factory>
  requires(!std::same_as<std::remove_cvref_t<Factory>, StorageFactory> &&
           std::copy_constructible<std::decay_t<Factory>> && std::invocable<const std::decay_t<Factory>&>)
      StorageFactory(Factory&& factory)
      : factory_(std::function<std::decay_t<std::invoke_result_t<const std::decay_t<Factory>&>>()>(
            std::forward<Factory>(factory))) {}

  [[nodiscard]] bool given() const noexcept { return factory_.has_value(); }

  /// It, if it makes Us; else null.
  template <class U>
  [[nodiscard]] const std::function<U()>* makes() const noexcept {
    return std::any_cast<std::function<U()>>(&factory_);
  }

 private:
  std::any factory_;
};

/// In which order a map with threads hands out what it has made.
enum class Order {
  in_order,   ///< that of the elements
  any_order,  ///< as it is ready
};

inline constexpr Order any_order = Order::any_order;

/// Where a number is not given, the library chooses: 4 chunks ahead for each thread; chunks of the batch behind the
/// map, else of 32 elements, of 1 where the elements are batches already.
struct MapOptions {
  /// How many threads work, from 1 to 65,536. With 1 it is done in the thread that asks for its results, unless
  /// !loop_helps.
  Count threads = 1;
  /// With any_order, an element that takes long holds up no others of its epoch, as long as there is room ahead: they
  /// keep their positions, and their order depends on timing. An epoch still ends behind its last element, and a
  /// failure comes behind everything before it. The loop's thread is none of the threads then.
  Order order = Order::in_order;
  /// How many chunks may be read and not yet taken, from 1: what bounds the memory, and what an element that takes
  /// long may hold up.
  std::optional<Count> ahead{};
  /// How many elements a thread takes at a time, from 1. While the loop waits for a slow source, a thread passes on
  /// those that it has after a millisecond, unless it makes batches of them.
  std::optional<Count> chunk{};
  /// What becomes of elements at which f throws.
  OnError on_error{};
  /// Whether the thread of the loop may be one of the threads, while it waits. Set to false for a loop that feeds a
  /// device: then all threads are started beside it. The loop's thread reads no source that may block (from_queue, a
  /// from_callable without cursor and seek, a reader with a Context&): there it works on what other threads have read.
  bool loop_helps = true;
  /// What makes the storage that f fills, if it is one that fills: by default, U().
  StorageFactory make{};
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_MAP_OPTIONS_HPP
