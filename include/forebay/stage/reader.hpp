// SPDX-License-Identifier: MIT
//
// reader.hpp: what is a reader, the callable of which a data set is made: `std::optional<T> next()` or
// `bool next(T& into)`; and Reading<F, T>, which reads from one.

#ifndef FOREBAY_STAGE_READER_HPP
#define FOREBAY_STAGE_READER_HPP

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "forebay/stage/chunk.hpp"
#include "forebay/stage/failing.hpp"
#include "forebay/stage/signature.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// `next()` returns a std::optional<T>, or what reads like one: a Dequeued<T>, a pointer.
template <class F>
concept ReturningReader = requires(F& next) {
  static_cast<bool>(next());
  *next();
};
/// `next(into)` fills an element and returns whether it did.
template <class F, class T>
concept FillingReader = !ReturningReader<F> && std::default_initializable<T> && requires(F & next, T& into) {
  { next(into) } -> std::convertible_to<bool>;
};

/// What the reader F reads; `Given`, if that is not void. void if F is no reader.
template <class F, class Given = void>
struct ReadBy {
  using type = std::conditional_t<std::is_void_v<Given>, FilledByReader<F>, Given>;
};
template <ReturningReader F>
struct ReadBy<F, void> {
  using type = std::remove_cvref_t<decltype(*std::declval<F&>()())>;
};

template <class F, class T>
concept ReaderOf = ReturningReader<F> || FillingReader<F, T>;

/// A reader with cursor() and seek(cursor), which can go back to where it has been.
template <class F>
concept SeekableReader = requires(F& reader) {
  reader.seek(std::as_const(reader).cursor());
};

/// A cursor is an integer or a text.
template <std::integral Cursor>
void save_cursor(Snapshot& to, Cursor cursor) {
  to.add(static_cast<std::uint64_t>(cursor));
}
template <std::convertible_to<std::string> Cursor>
void save_cursor(Snapshot& to, const Cursor& cursor) {
  to.add(std::string(cursor));
}
template <class Cursor>
[[nodiscard]] auto restored_cursor(SnapshotReader& from) {
  if constexpr (std::integral<std::remove_cvref_t<Cursor>>) {
    return static_cast<std::remove_cvref_t<Cursor>>(from.number());
  } else {
    return from.text();
  }
}

/// What read() came to.
enum class Read : unsigned char { element, skipped, end };

/// Reads one epoch of a reader.
template <class F, class T>
class Reading {
  using Failure = typename FailureOf<F>::type;

 public:
  explicit Reading(F reader) : reader_(std::move(reader)) {}

  /// Adds the next element to `chunk`, under `number`. What the reader throws is for `failures`; one that fails twice
  /// in a row has ended.
  Read read(Chunk<T>& chunk, std::uint64_t number, ReadFailures& failures) {
    if (FailureOf<F>::is_end && failed_) return Read::end;
    try {
      const bool there = read_one(chunk, number);
      failed_ = false;
      return there ? Read::element : Read::end;
    } catch (const UserFailure& failure) {
      failures.skip(chunk.epoch, number, failure.cause);
      return std::exchange(failed_, true) ? Read::end : Read::skipped;
    }
  }

  /// Where the reader is, if it can tell.
  void save(Snapshot& to) const {
    if constexpr (SeekableReader<F>) save_cursor(to, reader_.cursor());
    to.add(failed_ ? 1 : 0);
  }
  void restore(SnapshotReader& from) {
    if constexpr (SeekableReader<F>) reader_.seek(restored_cursor<decltype(std::as_const(reader_).cursor())>(from));
    failed_ = from.flag();
  }

 private:
  bool read_one(Chunk<T>& chunk, std::uint64_t number) {
    if constexpr (ReturningReader<F>) {
      auto&& element = call_user<Failure>([this]() -> decltype(auto) { return reader_(); });
      if (!element) return false;
      const auto converted = [&element]() -> T {
        if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(element)>>) {
          return T(*element);
        } else {
          return T(*std::forward<decltype(element)>(element));
        }
      };
      chunk.push(call_user(converted), number);
    } else {
      T& into = chunk.next_storage([] { return call_user([] { return T(); }); });
      if (!call_user<Failure>([&]() -> bool { return reader_(into); })) return false;
      chunk.push_filled(number);
    }
    return true;
  }

  F reader_;
  bool failed_ = false;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_READER_HPP
