// SPDX-License-Identifier: MIT
//
// indexed.hpp: IndexedSource<T>, a source with random access, and IndexedElements<T>, which delivers its elements.

#ifndef FOREBAY_SOURCE_INDEXED_HPP
#define FOREBAY_SOURCE_INDEXED_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/element_ranges.hpp"
#include "forebay/base/text.hpp"
#include "forebay/checkpoint/snapshot.hpp"
#include "forebay/describe/described_stage.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/describe/properties.hpp"
#include "forebay/describe/stage_name.hpp"
#include "forebay/flow/chunk.hpp"
#include "forebay/flow/errors.hpp"
#include "forebay/flow/pull_wait.hpp"
#include "forebay/flow/slot.hpp"
#include "forebay/flow/stream.hpp"
#include "forebay/position.hpp"
#include "forebay/source/index_order.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class T>
class IndexedSource {
 public:
  /// `fills` says whether read() reuses the memory of the element that it replaces.
  IndexedSource(std::uint64_t size, const char* name, bool fills = false) noexcept
      : size_(size), name_(name), fills_(fills) {}
  IndexedSource(const IndexedSource&) = delete;
  IndexedSource& operator=(const IndexedSource&) = delete;
  virtual ~IndexedSource() = default;

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] const char* name() const noexcept { return name_; }
  [[nodiscard]] bool fills() const noexcept { return fills_; }

  /// Returns the element with the given number. Several threads call it concurrently.
  [[nodiscard]] virtual T at(std::uint64_t number) const = 0;

  /// Replaces `into` with the element. Several threads call it concurrently.
  virtual void read(std::uint64_t number, T& into) const {
    if constexpr (std::is_move_assignable_v<T>) into = at(number);
  }

  /// Adds the element to `chunk`, or a run of at most `most` elements that begins with it. Returns how many. Throws a
  /// DatasetError of the stage `name` if the element cannot be read.
  virtual std::uint64_t push_to(Chunk<T>& chunk, std::uint64_t number, std::uint64_t most,
                                const std::string& name) const = 0;

 private:
  std::uint64_t size_;
  const char* name_;
  bool fills_;
};

/// A source whose elements are returned by a function of their number.
template <class T, class At>
class ComputedSource : public IndexedSource<T> {
 public:
  ComputedSource(std::uint64_t size, const char* name, At computed)
      : IndexedSource<T>(size, name), at_(std::move(computed)) {}

  [[nodiscard]] T at(std::uint64_t number) const override {
    return std::invoke(at_, static_cast<std::size_t>(number));  // it may take an int; that is up to the user
  }

  std::uint64_t push_to(Chunk<T>& chunk, std::uint64_t number, std::uint64_t /*most*/,
                        const std::string& name) const override {
    const Position position{chunk.epoch.number, number};
    chunk.push(call_user(name, position, [&] { return at(number); }), number);
    return 1;
  }

 private:
  At at_;
};

/// A function that fills neighbouring elements: fill(number of the first one, elements).
template <class Fill, class T>
concept FillsRuns = CopiedInRuns<T> && !lies_apart<T> && std::invocable<const Fill&, std::size_t, std::span<T>>;

/// A source whose elements are filled by a function of their number, which reuses their memory.
template <class T, class Fill>
class FilledSource final : public IndexedSource<T> {
 public:
  FilledSource(std::uint64_t size, const char* name, Fill fill)
      : IndexedSource<T>(size, name, true), fill_(std::move(fill)) {}

  [[nodiscard]] T at(std::uint64_t number) const override {
    T into;  // not set: all of it is filled
    read(number, into);
    return into;
  }

  void read(std::uint64_t number, T& into) const override {
    if constexpr (std::invocable<const Fill&, std::size_t, T&>) {
      std::invoke(fill_, static_cast<std::size_t>(number), into);
    } else {
      fill_(static_cast<std::size_t>(number), std::span<T>(&into, 1));
    }
  }

  std::uint64_t push_to(Chunk<T>& chunk, std::uint64_t number, std::uint64_t most,
                        const std::string& name) const override {
    if constexpr (FillsRuns<Fill, T>) {
      if (most > 1) {
        const auto count = static_cast<std::size_t>(smaller<std::uint64_t>(most, elements_at_once));
        if (push_run_to(chunk, number, count)) return count;
      }
    }
    T& into = chunk.next_storage([] { return T(); });
    call_user(name, Position{chunk.epoch.number, number}, [&] { read(number, into); });
    chunk.push_filled(number);
    return 1;
  }

 private:
  /// Returns false if one of the elements cannot be read: perhaps not the first one.
  bool push_run_to(Chunk<T>& chunk, std::uint64_t number, std::size_t count) const {
    const auto fill = [&](std::span<T> into) { fill_(static_cast<std::size_t>(number), into); };
    try {
      chunk.push_filled_run(count, number, fill);
      return true;
    } catch (...) {
      return false;
    }
  }

  Fill fill_;
};

/// Whether failures can name the element: it is a text, a std::filesystem::path, or a tuple that has one.
template <class T>
inline constexpr bool has_text = std::convertible_to<const T&, std::string_view> || requires(const T& element) {
  { element.generic_string() } -> std::convertible_to<std::string>;
};
template <class... T>
inline constexpr bool has_text<std::tuple<T...>> = (has_text<T> || ...);

/// Returns the text of an element, or of the first member of a tuple that has one.
template <class T>
[[nodiscard]] std::string text_of_element(const T& element) {
  constexpr std::size_t most = 200;
  if constexpr (std::is_pointer_v<T>) {
    return element == nullptr ? std::string() : text_of_element(std::string_view(element));
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    return in_one_line(std::string(std::string_view(element).substr(0, most)));
  } else {
    return text_of_element(element.string());
  }
}
template <class First, class... Rest>
[[nodiscard]] std::string text_of_element(const std::tuple<First, Rest...>& elements) {
  if constexpr (has_text<First>) {
    return text_of_element(std::get<0>(elements));
  } else {
    const auto after_first = [](const First& /*first*/, const Rest&... rest) { return std::tie(rest...); };
    return text_of_element(std::apply(after_first, elements));
  }
}

/// A source whose elements have texts, by which failures name them.
template <class T, class At>
class NamingSource final : public ComputedSource<T, At>, public Locations {
 public:
  using ComputedSource<T, At>::ComputedSource;

  [[nodiscard]] std::string of(Position position) const override {
    return position.number < this->size() ? text_of_element(this->at(position.number)) : std::string();
  }
};

/// Delivers the elements of an indexed source in order, or only their numbers.
template <class T>
class IndexedElements {
 public:
  using Output = T;

  /// `is_elastic` says whether they are an elastic shard of the source.
  IndexedElements(std::shared_ptr<const IndexedSource<T>> source, IndexOrder order, std::uint64_t size,
                  bool is_elastic, std::string name, bool numbers_only)
      : source_(std::move(source)),
        order_(std::move(order)),
        size_(size),
        is_elastic_(is_elastic),
        name_(std::move(name)),
        numbers_only_(numbers_only) {}

  PullResult step(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    if (place_ == size_) return PullResult::ended;
    do {
      const std::uint64_t number = order_.at(place_);
      if (numbers_only_) {
        chunk.push_number(number);
        ++place_;
      } else {
        const std::uint64_t run = order_.run(place_, smaller<std::uint64_t>(most - chunk.size(), size_ - place_));
        place_ += source_->push_to(chunk, number, run, name_);
      }
    } while (place_ < size_ && chunk.size() < most && (numbers_only_ || !wait.over()));  // a number costs nothing
    return PullResult::more;
  }

  void begin(const Epoch& epoch) noexcept {
    place_ = 0;
    order_.begin(epoch);
  }

  [[nodiscard]] static constexpr bool can_skip() noexcept { return true; }
  PullResult skip(std::uint64_t& count, const PullWait& /*wait*/) noexcept {
    const std::uint64_t skipped = smaller(count, size_ - place_);
    place_ += skipped;
    count -= skipped;
    return count > 0 ? PullResult::ended : PullResult::more;
  }

  void save(Snapshot& to) const { to.add(place_); }
  void restore(SnapshotReader& from) {
    place_ = from.number();
    if (place_ > size_ && !is_elastic_) from.fail("the epoch has fewer elements");
  }

  void skip_to(std::uint64_t number) noexcept { place_ = smaller(number, size_); }

 private:
  std::shared_ptr<const IndexedSource<T>> source_;
  IndexOrder order_;
  std::uint64_t size_;
  bool is_elastic_;
  std::string name_;
  bool numbers_only_;
  std::uint64_t place_ = 0;
};

/// Returns a source of `size` elements with the given properties.
[[nodiscard]] inline Properties describe_indexed(Properties properties, const StageText& text, std::uint64_t size) {
  properties.size = size;
  properties.describe(text.name, text_of({size}) + text.details);
  properties.stages.back().buffers = text.buffers;
  return properties;
}

/// Returns the properties that collect() keeps of the data set that it has read.
[[nodiscard]] inline Properties describe_collected(const Properties& from) {
  Properties properties;
  properties.description = "(" + from.description + ")";
  properties.cannot_resume = from.cannot_resume;
  return properties;
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_SOURCE_INDEXED_HPP
