// SPDX-License-Identifier: MIT
//
// chunk.hpp: Chunk<T>, what stages hand to one another: some elements with their numbers, and what comes behind them.

#ifndef FOREBAY_FLOW_CHUNK_HPP
#define FOREBAY_FLOW_CHUNK_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/checkpoint/resume_point.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/flow/move_into.hpp"
#include "forebay/flow/slot.hpp"
#include "forebay/position.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// What comes behind the elements of a chunk.
enum class End : unsigned char {
  none,     ///< more of the epoch
  epoch,    ///< the end of the epoch, or of what is read
  failure,  ///< Chunk::failure
};

/// An element that was left out because it failed: it would have stood before the element `before` of its chunk.
struct Skipped {
  std::size_t before;
  Position position;
  std::exception_ptr failure;
  std::string location{};  // where it was read, if a reader told
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
/// Invariant: size_ == live_, or live_ == 0 in a chunk of numbers only (from indexed sources, whose elements are
/// fetched by the work).
class AnyChunk {
 public:
  AnyChunk() = default;
  AnyChunk(AnyChunk&&) noexcept = default;
  AnyChunk& operator=(AnyChunk&&) noexcept = default;
  virtual ~AnyChunk() = default;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  /// Whether only the numbers of the elements are there.
  [[nodiscard]] bool numbers_only() const noexcept { return live_ < size_; }

  [[nodiscard]] std::uint64_t number(std::size_t i) const noexcept { return numbers_[i]; }

  /// Of a chunk of numbers only: the number of an element in its source, also if it was renumbered.
  [[nodiscard]] std::uint64_t index(std::size_t i) const noexcept {
    return i < indices_.size() ? indices_[i] : numbers_[i];
  }

  /// Numbers the elements from `first` on anew, from `number` on.
  void renumber(std::size_t first, std::uint64_t number) {
    if (numbers_only()) {
      for (std::size_t i = indices_.size(); i < size_; ++i) indices_.push_back(numbers_[i]);
    }
    for (std::size_t i = first; i < size_; ++i) numbers_[i] = number++;
  }
  [[nodiscard]] Position position(std::size_t i) const noexcept { return {epoch.number, numbers_[i]}; }

  /// Makes it an empty chunk; its elements become storage.
  void clear() noexcept {
    live_ = 0;
    size_ = 0;
    skipped.clear();
    place.clear();
    indices_.clear();
    failure = nullptr;
    end = End::none;
    in_slots_ = in_slots_ || gives_slots_;
  }

  /// Adds a number without an element.
  void push_number(std::uint64_t number) {
    make_room_for_number();
    numbers_[size_++] = number;
  }

  /// Leaves out the elements from `size` on.
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
  ResumePoint place;                   // where the stream was before them, if that is known
  std::unique_ptr<Gathered> gathered;  // storage, too
  std::uint64_t sequence_number = 0;   // in the order of a parallel stage
  std::uint64_t run = 0;               // in which run of claims it was claimed (see SharedInput)

 protected:
  void make_room_for_number() {
    if (size_ == numbers_.size()) numbers_.resize(2 * size_ + 8);
  }

  std::size_t live_ = 0;
  std::size_t size_ = 0;
  std::vector<std::uint64_t> numbers_;  // there is room for more
  std::vector<std::uint64_t> indices_;  // of numbers only that were renumbered, those of the source
  bool in_slots_ = false;               // the elements are in slots
  bool gives_slots_ = false;            // who reads them passes slots on
};

/// std::vector<bool> has no elements to refer to.
struct BoolElement {
  bool value = false;
};

/// Elements of one epoch, in their order. What clear() leaves behind is storage: elements that were made and are made
/// use of again. So a chunk is not thrown away but swapped.
///
/// Large elements lie side by side, or each in a slot of its own, where they stay as they go from chunk to chunk: so in
/// chunks to or from which stages pass single elements.
template <class T>
class Chunk final : public AnyChunk {
 public:
  using Elements = std::vector<std::conditional_t<std::is_same_v<T, bool>, BoolElement, T>>;

  [[nodiscard]] T& operator[](std::size_t i) noexcept {
    if constexpr (lies_apart<T>) {
      if (in_slots_) return *slots_[i];
    }
    return side_by_side(i);
  }

  /// Has storage for `size` elements at once, instead of growing to it, when there is none yet.
  void reserve(std::size_t size) {
    if (!in_slots_) elements_.reserve(size);
    if (numbers_.size() < size) numbers_.resize(size);
  }

  /// Adds an element.
  void push(T&& element, std::uint64_t number) {
    make_room_for_number();  // before anything is moved
    put(std::move(element));
    push_number(number);
  }

  /// Adds the element that is in `slot`, which has storage then, or nothing.
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

  /// Adds an element of another chunk that will not be used there any more. Storage goes there in exchange.
  void push_from(Chunk& other, std::size_t i, std::uint64_t number) {
    if constexpr (lies_apart<T>) {
      other.gives_slots_ = true;
      if (other.in_slots_) return push_slot(other.slots_[i], number);
    }
    push(std::move(other[i]), number);
  }

  /// Passes on the slot of an element that will not be used here any more. Storage that is in `slot` stays in exchange.
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

  /// Exchanges slots for those that `other` fills next. Requires that none of the elements here will be used any more.
  void exchange_storage(Chunk& other) noexcept requires lies_apart<T> {
    for (std::size_t i = 0, j = other.live_; i < slots_.size() && j < other.slots_.size(); ++i, ++j) {
      slots_[i].swap(other.slots_[j]);
    }
  }

  /// Storage for the next element: one that was made before, or else what `make()` returns. push_filled() adds it.
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
    if (in_slots_) leave_slots();
    elements_.erase(elements_.begin() + static_cast<std::ptrdiff_t>(live_), elements_.end());
    elements_.swap(elements);
    live_ = 0;
  }

 private:
  struct NoSlots {};
  using Slots = std::conditional_t<lies_apart<T>, std::vector<Slot<T>>, NoSlots>;

  /// That of the next element. Requires that they are in slots.
  [[nodiscard]] Slot<T>& next_slot() {
    if (live_ == slots_.size()) slots_.emplace_back();
    return slots_[live_];
  }

  /// Lays its elements side by side.
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

  [[nodiscard]] T& side_by_side(std::size_t i) noexcept {
    if constexpr (std::is_same_v<T, bool>) {
      return elements_[i].value;
    } else {
      return elements_[i];
    }
  }

  /// Requires storage for all elements before it.
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
