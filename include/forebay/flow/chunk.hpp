// SPDX-License-Identifier: MIT
//
// chunk.hpp: Chunk<T>, which stages pass to one another: some elements with their numbers, and what follows them.

#ifndef FOREBAY_FLOW_CHUNK_HPP
#define FOREBAY_FLOW_CHUNK_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/element_ranges.hpp"
#include "forebay/checkpoint/resume_point.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/flow/move_into.hpp"
#include "forebay/flow/slot.hpp"
#include "forebay/position.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// What follows the elements of a chunk.
enum class End : unsigned char {
  none,     ///< more of the epoch
  epoch,    ///< the end of the epoch, or of the elements to read
  failure,  ///< Chunk::failure
};

/// An element that was skipped because it failed. It would have preceded the element at index `before` of its chunk.
struct Skipped {
  std::size_t before;
  Position position;
  std::exception_ptr failure;
  std::string location{};  // where a reader read it, if known
};

/// A result of the work on a chunk in addition to its elements, such as a batch of all of them.
struct ChunkResult {
  ChunkResult() = default;
  ChunkResult(const ChunkResult&) = delete;
  ChunkResult& operator=(const ChunkResult&) = delete;
  virtual ~ChunkResult() = default;
};

/// The part of a chunk that does not depend on the type of its elements. Code that uses only this part is compiled
/// once.
///
/// Invariant: size_ == live_; in a chunk of numbers only, live_ == 0. Indexed sources deliver such chunks, and the work
/// on a chunk fetches its elements.
class AnyChunk {
 public:
  AnyChunk() = default;
  AnyChunk(AnyChunk&&) noexcept = default;
  AnyChunk& operator=(AnyChunk&&) noexcept = default;
  virtual ~AnyChunk() = default;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  /// Returns whether the chunk contains the numbers of elements, but not the elements.
  [[nodiscard]] bool numbers_only() const noexcept { return live_ < size_; }

  [[nodiscard]] std::uint64_t number(std::size_t i) const noexcept { return numbers_[i]; }

  /// Returns the number of an element in its source, even if it was renumbered. Requires numbers_only().
  [[nodiscard]] std::uint64_t index(std::size_t i) const noexcept {
    return i < indices_.size() ? indices_[i] : numbers_[i];
  }

  /// Renumbers the elements from index `first` on, starting with `number`.
  void renumber(std::size_t first, std::uint64_t number) {
    if (numbers_only()) {
      for (std::size_t i = indices_.size(); i < size_; ++i) indices_.push_back(numbers_[i]);
    }
    for (std::size_t i = first; i < size_; ++i) numbers_[i] = number++;
  }
  [[nodiscard]] Position position(std::size_t i) const noexcept { return {epoch.number, numbers_[i]}; }

  /// Empties the chunk. Its elements become storage.
  void clear() noexcept {
    live_ = 0;
    size_ = 0;
    skipped.clear();
    resume_point.clear();
    indices_.clear();
    next = 0;
    failure = nullptr;
    end = End::none;
    in_slots_ = in_slots_ || gives_slots_;
  }

  /// Adds a number without an element.
  void push_number(std::uint64_t number) {
    make_room_for_number();
    numbers_[size_++] = number;
  }

  /// Removes the elements from index `size` on.
  void truncate(std::size_t size) noexcept {
    if (size >= size_) return;
    size_ = size;
    if (live_ > size) live_ = size;
    if (indices_.size() > size) indices_.resize(size);
  }

  Epoch epoch;
  End end = End::none;
  std::exception_ptr failure;
  std::vector<Skipped> skipped;
  ResumePoint resume_point;               // position of the stream before the elements, if known
  std::unique_ptr<ChunkResult> collated;  // also reused as storage
  std::unique_ptr<AnyChunk> output;       // of the work that has begun on it; otherwise null
  std::size_t next = 0;                   // the next element to work on
  std::uint64_t sequence_number = 0;      // in the order of a parallel stage
  std::uint64_t generation = 0;           // of the claims (see Schedule)

 protected:
  void make_room_for_numbers(std::size_t count) {
    if (count > numbers_.size() - size_) numbers_.resize(2 * size_ + larger<std::size_t>(count, 8));
  }
  void make_room_for_number() { make_room_for_numbers(1); }

  /// Adds consecutive numbers. Requires room for them.
  void push_numbers(std::size_t count, std::uint64_t first) noexcept {
    for (std::size_t i = 0; i < count; ++i) numbers_[size_++] = first++;
  }

  std::size_t live_ = 0;
  std::size_t size_ = 0;
  std::vector<std::uint64_t> numbers_;  // may have room for more
  std::vector<std::uint64_t> indices_;  // in a chunk of numbers only: source numbers of renumbered elements
  bool in_slots_ = false;               // the elements are in slots
  bool gives_slots_ = false;            // the reader passes slots on
};

/// Replaces bool, because std::vector<bool> has no elements to refer to.
struct BoolElement {
  bool value = false;
};

/// Contains elements of one epoch, in order. clear() keeps the elements as storage for later ones, so swap chunks
/// instead of destroying them.
///
/// Large elements lie side by side, or each in its own slot. Slots stay in place while they pass from chunk to chunk.
/// They are used in chunks to or from which stages pass single elements.
template <class T>
class Chunk final : public AnyChunk {
 public:
  using Elements = std::vector<std::conditional_t<std::is_same_v<T, bool>, BoolElement, T>>;
  using Storage = T;  // that a function fills

  [[nodiscard]] T& operator[](std::size_t i) noexcept {
    if constexpr (lies_apart<T>) {
      if (in_slots_) return *slots_[i];
    }
    return side_by_side(i);
  }

  /// Allocates storage for `size` elements at once if there is none yet.
  void reserve(std::size_t size) {
    if (!in_slots_) elements_.reserve(size);
    if (numbers_.size() < size) numbers_.resize(size);
  }

  void push(T&& element, std::uint64_t number) {
    make_room_for_number();  // before anything is moved
    put(std::move(element));
    push_number(number);
  }

  /// Adds the element in `slot`, which is left with storage or empty.
  void push_slot(Slot<T>& slot, std::uint64_t number) {
    if constexpr (lies_apart<T>) {
      if (empty()) in_slots_ = true;
      if (in_slots_) {
        make_room_for_number();
        slot.swap(next_slot());
        return push_filled(number);
      }
    }
    push(std::move(*slot), number);
  }

  /// Adds an element of another chunk, which must not use it any more. That chunk receives storage in exchange.
  void push_from(Chunk& other, std::size_t i, std::uint64_t number) {
    if constexpr (lies_apart<T>) {
      other.gives_slots_ = true;
      if (other.in_slots_) return push_slot(other.slots_[i], number);
    }
    push(std::move(other[i]), number);
  }

  /// Does the same for the elements from index `first` to `last`, which keep their numbers.
  void push_all_from(Chunk& other, std::size_t first, std::size_t last) {
    if constexpr (CopiedInRuns<T>) {
      if (!in_slots_ && !other.in_slots_) {
        make_room_for_numbers(last - first);
        put_run({other.elements_.data() + first, last - first});
        for (std::size_t i = first; i < last; ++i) numbers_[size_++] = other.numbers_[i];
        return;
      }
    }
    for (std::size_t i = first; i < last; ++i) push_from(other, i, other.number(i));
  }

  /// Adds copies of elements, numbered from `number` on.
  void push_run(std::span<const T> run, std::uint64_t number) requires CopiedInRuns<T> {
    make_room_for_numbers(run.size());
    put_run(run);
    push_numbers(run.size(), number);
  }

  /// Adds `count` elements, numbered from `number` on, that fill(std::span<T>) fills; none if it throws.
  template <class Fill>
  void push_filled_run(std::size_t count, std::uint64_t number, const Fill& fill) requires CopiedInRuns<T> {
    static_assert(!lies_apart<T>, "they lie side by side");
    make_room_for_numbers(count);
    if (elements_.size() < live_ + count) elements_.resize(live_ + count);
    fill(std::span<T>(elements_.data() + live_, count));
    live_ += count;
    push_numbers(count, number);
  }

  /// Moves an element to `slot`; this chunk must not use it any more. Storage in `slot` moves here in exchange.
  void take_slot(std::size_t i, Slot<T>& slot) {
    if constexpr (lies_apart<T>) {
      gives_slots_ = true;
      if (in_slots_) return slots_[i].swap(slot);
    }
    fill_slot<T>(slot, std::move((*this)[i]));
  }
  [[nodiscard]] Slot<T> take_slot(std::size_t i) {
    if constexpr (lies_apart<T>) {
      Slot<T> slot;
      take_slot(i, slot);
      return slot;
    } else {
      return make_slot<T>(std::move((*this)[i]));
    }
  }

  /// Swaps slots with those that `other` fills next. Requires that the elements of this chunk are not used any more.
  void exchange_storage(Chunk& other) noexcept requires lies_apart<T> {
    for (std::size_t i = 0, j = other.live_; i < slots_.size() && j < other.slots_.size(); ++i, ++j) {
      slots_[i].swap(other.slots_[j]);
    }
  }

  /// Returns storage for the next element: reused if possible, otherwise the result of `make()`. push_filled() then
  /// adds it; push_written() does the same after a function has filled it.
  template <class Make>
  [[nodiscard]] T& next_storage(const Make& make) {
    if constexpr (lies_apart<T>) {
      if (in_slots_) {
        Slot<T>& slot = next_slot();
        if (slot == nullptr) slot = make_slot<T>(make());
        return *slot;
      }
    }
    if (live_ == elements_.size()) append(make());
    return (*this)[live_];
  }
  void push_filled(std::uint64_t number) {
    push_number(number);
    ++live_;
  }
  void push_written(std::uint64_t number) { push_filled(number); }

  /// Removes `count` elements from index `first` on. If moving an element throws, removes all elements from `first` on.
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

  /// Returns how many elements it has, including those that are storage.
  [[nodiscard]] std::size_t stored() const noexcept {
    if constexpr (lies_apart<T>) return elements_.size() + slots_.size();
    return elements_.size();
  }

  /// Swaps the elements with `elements`, which then holds exactly the elements of this chunk. The chunk keeps its size;
  /// the previous content of `elements` becomes its storage. Requires that T is not bool.
  void swap_elements(Elements& elements) {
    if (in_slots_) leave_slots();
    elements_.erase(elements_.begin() + static_cast<std::ptrdiff_t>(live_), elements_.end());
    elements_.swap(elements);
    live_ = 0;
  }

 private:
  struct NoSlots {};
  using Slots = std::conditional_t<lies_apart<T>, std::vector<Slot<T>>, NoSlots>;

  /// Returns the slot of the next element. Requires in_slots_.
  [[nodiscard]] Slot<T>& next_slot() {
    if (live_ == slots_.size()) slots_.emplace_back();
    return slots_[live_];
  }

  /// Moves the elements out of their slots, side by side.
  void leave_slots() {
    if constexpr (lies_apart<T>) {
      for (std::size_t i = 0; i < live_; ++i) put_side_by_side(i, std::move(*slots_[i]));
    }
    in_slots_ = false;
  }

  void put(T&& element) {
    if (in_slots_) {
      if constexpr (lies_apart<T>) fill_slot<T>(next_slot(), std::move(element));
    } else {
      put_side_by_side(live_, std::move(element));
    }
    ++live_;
  }

  void put_run(std::span<const T> run) requires CopiedInRuns<T> {
    if constexpr (lies_apart<T>) {
      if (in_slots_) {
        for (const T& element : run) {
          Slot<T>& slot = next_slot();
          if (slot == nullptr)
            slot = make_slot<T>(T(element));
          else
            *slot = element;
          ++live_;
        }
        return;
      }
    }
    const std::size_t stored = smaller(run.size(), elements_.size() - live_);
    if (stored > 0) std::memmove(elements_.data() + live_, run.data(), stored * sizeof(T));
    elements_.insert(elements_.end(), run.begin() + static_cast<std::ptrdiff_t>(stored), run.end());
    live_ += run.size();
  }

  [[nodiscard]] T& side_by_side(std::size_t i) noexcept {
    if constexpr (std::is_same_v<T, bool>) {
      return elements_[i].value;
    } else {
      return elements_[i];
    }
  }

  /// Requires storage for all elements before index `i`.
  void put_side_by_side(std::size_t i, T&& element) {
    if (i < elements_.size()) {
      move_into(side_by_side(i), std::move(element));
    } else {
      append(std::move(element));
    }
  }

  void append(T&& element) {
    if constexpr (std::is_same_v<T, bool>) {
      elements_.push_back(BoolElement{element});
    } else {
      elements_.push_back(std::move(element));
    }
  }

  Elements elements_;
  Slots slots_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FLOW_CHUNK_HPP
