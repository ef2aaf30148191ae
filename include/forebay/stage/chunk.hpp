// SPDX-License-Identifier: MIT
//
// chunk.hpp: Chunk<T>, what stages hand to one another: some elements with their numbers, and what comes behind them.

#ifndef FOREBAY_STAGE_CHUNK_HPP
#define FOREBAY_STAGE_CHUNK_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/position.hpp"
#include "forebay/stage/chain_place.hpp"
#include "forebay/stage/move_into.hpp"
#include "forebay/stage/rounds.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// What comes behind the elements of a chunk.
enum class End : unsigned char {
  none,     ///< more of the epoch
  epoch,    ///< the mark: the epoch is at its end
  input,    ///< nothing more; the chunk is empty
  failure,  ///< Chunk::failure
};

/// An element that was left out because it failed: it would have stood before the element `before` of its chunk.
struct Skipped {
  std::size_t before;
  Position position;
  std::exception_ptr failure;
};

/// What the work on a chunk makes of it besides elements, such as a batch of all of them.
struct Gathered {
  Gathered() = default;
  Gathered(const Gathered&) = delete;
  Gathered& operator=(const Gathered&) = delete;
  virtual ~Gathered() = default;
};

/// All of a chunk but its elements, of whatever type: code that does not look at those is compiled once.
///
/// Invariant: numbers_.size() == live_, or live_ == 0 in a chunk of numbers only (from indexed sources, whose elements
/// are fetched by the work).
class AnyChunk {
 public:
  AnyChunk() = default;
  AnyChunk(AnyChunk&&) noexcept = default;
  AnyChunk& operator=(AnyChunk&&) noexcept = default;
  virtual ~AnyChunk() = default;

  [[nodiscard]] std::size_t size() const noexcept { return numbers_.size(); }
  [[nodiscard]] bool empty() const noexcept { return numbers_.empty(); }

  /// Whether only the numbers of the elements are there.
  [[nodiscard]] bool numbers_only() const noexcept { return live_ < numbers_.size(); }

  [[nodiscard]] std::uint64_t number(std::size_t i) const noexcept { return numbers_[i]; }
  [[nodiscard]] Position position(std::size_t i) const noexcept { return {epoch.number, numbers_[i]}; }

  /// Makes it an empty chunk; its elements become storage.
  void clear() noexcept {
    live_ = 0;
    numbers_.clear();
    skipped.clear();
    place.base.clear();
    failure = nullptr;
    end = End::none;
  }

  /// Adds a number without an element.
  void push_number(std::uint64_t number) { numbers_.push_back(number); }

  /// Leaves out the elements from `size` on.
  void truncate(std::size_t size) noexcept {
    if (size >= numbers_.size()) return;
    numbers_.resize(size);
    if (live_ > size) live_ = size;
  }

  Epoch epoch;
  End end = End::none;
  std::exception_ptr failure;
  std::vector<Skipped> skipped;
  ChainPlace place;                    // where the chain was before them, if that is known
  std::unique_ptr<Gathered> gathered;  // storage, too
  std::uint64_t ticket = 0;            // which one it is of those that have gone the same way, for a trace

 protected:
  std::size_t live_ = 0;
  std::vector<std::uint64_t> numbers_;
};

/// std::vector<bool> has no elements to refer to.
struct BoolElement {
  bool value = false;
};

/// Elements of one epoch, in their order. What clear() leaves behind is storage: elements that were made and are made
/// use of again. So a chunk is not thrown away but swapped.
template <class T>
class Chunk final : public AnyChunk {
 public:
  using Elements = std::vector<std::conditional_t<std::is_same_v<T, bool>, BoolElement, T>>;

  [[nodiscard]] T& operator[](std::size_t i) noexcept {
    if constexpr (std::is_same_v<T, bool>) {
      return elements_[i].value;
    } else {
      return elements_[i];
    }
  }

  /// Has storage for `size` elements at once, instead of growing to it, when there is none yet.
  void reserve(std::size_t size) {
    elements_.reserve(size);
    numbers_.reserve(size);
  }

  /// Adds an element.
  void push(T&& element, std::uint64_t number) {
    if (numbers_.size() == numbers_.capacity()) numbers_.reserve(2 * numbers_.size() + 8);  // before anything is moved
    put(std::move(element));
    numbers_.push_back(number);
  }

  /// Storage for the next element: one that was made before, or else what `make()` returns. push_filled() adds it.
  template <class Make>
  [[nodiscard]] T& next_storage(const Make& make) {
    if (live_ == elements_.size()) append(make());
    return (*this)[live_];
  }
  void push_filled(std::uint64_t number) {
    numbers_.push_back(number);
    ++live_;
  }

  /// Leaves out the elements from `size` on, and does not keep them as storage: what they own is given up.
  void drop(std::size_t size) {
    for (std::size_t i = size; i < live_; ++i) static_cast<void>(T(std::move((*this)[i])));
    truncate(size);
  }

  /// Leaves out `count` elements from `first` on. If an element's move throws, all from `first` on.
  void erase(std::size_t first, std::size_t count) {
    if (count == 0) return;
    try {
      for (std::size_t i = first + count; i < size(); ++i) {
        if (!numbers_only()) (*this)[i - count] = std::move((*this)[i]);
        numbers_[i - count] = numbers_[i];
      }
    } catch (...) {
      truncate(first);
      throw;
    }
    truncate(size() - count);
  }

  /// Exchanges the elements for those of `elements`, which then holds what this chunk held and nothing else; the chunk
  /// keeps its size and has storage in their place. Requires that T is not bool.
  void swap_elements(Elements& elements) {
    elements_.erase(elements_.begin() + static_cast<std::ptrdiff_t>(live_), elements_.end());
    elements_.swap(elements);
    live_ = 0;
  }

  /// Takes what is in `elements` as storage. Requires that the chunk is empty.
  void take_storage(Elements& elements) noexcept { elements_.swap(elements); }

 private:
  void put(T&& element) {
    if (live_ < elements_.size()) {
      move_into((*this)[live_], std::move(element));
    } else {
      append(std::move(element));
    }
    ++live_;
  }

  void append(T&& element) {
    if constexpr (std::is_same_v<T, bool>) {
      elements_.push_back(BoolElement{element});
    } else {
      elements_.push_back(std::move(element));
    }
  }

  Elements elements_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_CHUNK_HPP
