// SPDX-License-Identifier: MIT
//
// reader.hpp: the concept of a reader, from which a data set reads its elements, and ReaderEpoch<F, T>, which reads one
// epoch. A reader is a callable `std::optional<T> next()` or `bool next(T& into)`, either with a Context& as its last
// parameter.

#ifndef FOREBAY_SOURCE_READER_HPP
#define FOREBAY_SOURCE_READER_HPP

#include <concepts>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/checkpoint/snapshot.hpp"
#include "forebay/context.hpp"
#include "forebay/flow/chunk.hpp"
#include "forebay/flow/errors.hpp"
#include "forebay/flow/pull_wait.hpp"
#include "forebay/flow/signature.hpp"
#include "forebay/flow/stream.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Whether the reader F takes a Context as its last parameter.
template <class F>
inline constexpr bool reads_with_context = ends_with_context<typename SignatureOf<F>::type>;

/// Calls the reader, with the Context if it takes one. This is a class so that no compiler tries the other form: the
/// body of a generic lambda may not compile with a Context.
template <class F, bool with_context = reads_with_context<F>>
struct ReaderCall {
  template <class... Into>
  static constexpr auto call(F& next, Context& /*context*/, Into&... into) -> decltype(next(into...)) {
    return next(into...);
  }
};
template <class F>
struct ReaderCall<F, true> {
  template <class... Into>
  static constexpr auto call(F& next, Context& context, Into&... into) -> decltype(next(into..., context)) {
    return next(into..., context);
  }
};
template <class F, class... Into>
constexpr auto call_reader(F& next, Context& context, Into&... into)
    -> decltype(ReaderCall<F>::call(next, context, into...)) {
  return ReaderCall<F>::call(next, context, into...);
}

/// `next()` returns a std::optional<T> or a similar type, such as a Dequeued<T> or a pointer.
template <class F>
concept ReturningReader = requires(F& next, Context& context) {
  static_cast<bool>(call_reader(next, context));
  *call_reader(next, context);
};
/// `next(into)` fills an element and returns whether it did.
template <class F, class T>
concept FillingReader =
    !ReturningReader<F> && std::default_initializable<T> && requires(F & next, Context& context, T& into) {
  { call_reader(next, context, into) } -> std::convertible_to<bool>;
};

/// The type that the reader F reads: `Given` unless that is void. void if F is not a reader.
template <class F, class Given = void>
struct ReadBy {
  using type = std::conditional_t<std::is_void_v<Given>, FilledByReader<F>, Given>;
};
template <ReturningReader F>
struct ReadBy<F, void> {
  using type = std::remove_cvref_t<decltype(*call_reader(std::declval<F&>(), std::declval<Context&>()))>;
};

template <class F, class T>
concept ReaderOf = ReturningReader<F> || FillingReader<F, T>;

/// A reader with cursor() and seek(cursor), which can return to an earlier position.
template <class F>
concept SeekableReader = requires(F& reader) {
  reader.seek(std::as_const(reader).cursor());
};

/// A reader with location(), which returns the location of the last element or failure.
template <class F>
concept LocatedReader = requires(const F& reader) {
  std::string(reader.location());
};
template <class F>
[[nodiscard]] std::string location_of(const F& reader) {
  if constexpr (LocatedReader<F>) {
    try {
      return std::string(reader.location());
    } catch (...) {  // the failure that has this location matters more
    }
  }
  return {};
}

/// A reader with skip(n), which skips up to n elements, fewer only at its end, and returns how many.
template <class F>
concept SkippingReader = requires(F& reader, std::uint64_t count) {
  { reader.skip(count) } -> std::integral;
};

/// Reports at compile time what is wrong with the optional members of a reader.
template <class F>
struct ReaderMembers {
  static constexpr bool has_location = requires {
    requires std::is_member_function_pointer_v<decltype(&F::location)>;
  };
  static constexpr bool has_skip = requires { requires std::is_member_function_pointer_v<decltype(&F::skip)>; };
  static_assert(!has_skip || SkippingReader<F>,
                "forebay: skip(n) of a reader must take a std::uint64_t and return the number of skipped elements");
  static_assert(!has_location || LocatedReader<F>,
                "forebay: location() of a reader must be const, have no parameters and return a std::string");
  static constexpr bool are_right = true;
};

/// The bytes of a reader's buffer, unless its options set others. 0 for a user's reader, whose buffer is unknown.
template <class Reader>
inline constexpr std::uint64_t usual_buffer = 0;

/// A reader of lines: line() returns the number of the line, from 1, at which the last element begins.
template <class F>
concept LineNumberingReader = requires(const F& reader) {
  { reader.line() } -> std::same_as<std::uint64_t>;
  { reader.file() } -> std::same_as<const std::string&>;
};

/// A cursor is an integer or a text; readers of the library may use two numbers.
inline void save_cursor(Snapshot& to, const std::pair<std::uint64_t, std::uint64_t>& cursor) {
  to.add(cursor.first);
  to.add(cursor.second);
}
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
  } else if constexpr (std::same_as<Cursor, std::pair<std::uint64_t, std::uint64_t>>) {
    const std::uint64_t first = from.number();
    return Cursor(first, from.number());
  } else {
    return from.text();
  }
}

/// The maximum of elements that one call skips, because a reader may count in an int.
inline constexpr std::uint64_t most_skipped_at_once = 1U << 30U;

/// Reads one epoch of a reader.
template <class F, class T>
class ReaderEpoch {
  using Failure = typename FailureOf<F>::type;

 public:
  /// Reads in `epoch`. The reader draws random numbers from `stream`.
  ReaderEpoch(F reader, std::uint64_t epoch, std::uint64_t stream)
      : reader_(std::move(reader)), epoch_(epoch), stream_(stream) {}

  /// Adds the next element to `chunk`, with `number`. `failures` handles exceptions of the reader; a user's reader that
  /// fails twice in a row has ended. After a stop, an end or failure of the reader is ignored, and the result is
  /// not_now.
  PullResult read(Chunk<T>& chunk, std::uint64_t number, ReadFailures& failures, const PullWait& wait) {
    if (FailureOf<F>::is_end && failed_) return PullResult::ended;
    try {
      const bool there = read_one(chunk, number, wait);
      if (!there && is_stopped(wait)) return PullResult::not_now;
      failed_ = false;
      if (there) ++count_;
      return there ? PullResult::more : PullResult::ended;
    } catch (const UserFailure& failure) {
      if (is_stopped(wait)) return PullResult::not_now;
      failures.skip(chunk.epoch, number, {failure.cause, location_of(reader_)});
      return std::exchange(failed_, true) && !FailureOf<F>::goes_on ? PullResult::ended : PullResult::more;
    }
  }

  [[nodiscard]] const F& reader() const noexcept { return reader_; }

  /// Returns the number of elements read.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

  /// Skips like AnyStream::skip. Throws what the reader throws, and std::logic_error if the reader returns an
  /// impossible number.
  PullResult skip(std::uint64_t& count) requires SkippingReader<F> {
    const std::uint64_t wanted = smaller(count, most_skipped_at_once);
    const auto skipped = reader_.skip(wanted);
    if (std::cmp_less(skipped, 0) || std::cmp_greater(skipped, wanted)) {
      throw std::logic_error("skip(" + std::to_string(wanted) + ") of a reader returned " + std::to_string(skipped));
    }
    count_ += static_cast<std::uint64_t>(skipped);
    count -= static_cast<std::uint64_t>(skipped);
    return std::cmp_equal(skipped, wanted) ? PullResult::more : PullResult::ended;
  }

  /// Returns the location of the reader, if it has location().
  void save(Snapshot& to) const {
    to.add(count_);
    if constexpr (SeekableReader<F>) save_cursor(to, reader_.cursor());
    to.add(failed_ ? 1 : 0);
  }
  void restore(SnapshotReader& from) {
    const std::uint64_t count = from.number();
    if constexpr (SeekableReader<F>) {
      reader_.seek(restored_cursor<decltype(std::as_const(reader_).cursor())>(from));
      count_ = count;
    }
    failed_ = from.flag();
  }

 private:
  [[nodiscard]] static bool is_stopped(const PullWait& wait) noexcept {
    return reads_with_context<F> && wait.stop_requested();
  }

  template <class... Into>
  decltype(auto) call(const PullWait& wait, Into&... into) {
    if constexpr (reads_with_context<F>) {
      Context context({epoch_, count_}, stream_, &wait);
      return reader_(into..., context);
    } else {
      return reader_(into...);
    }
  }

  bool read_one(Chunk<T>& chunk, std::uint64_t number, const PullWait& wait) {
    if constexpr (ReturningReader<F>) {
      auto&& element = call_user<Failure>([&]() -> decltype(auto) { return call(wait); });
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
      if (!call_user<Failure>([&]() -> bool { return call(wait, into); })) return false;
      chunk.push_filled(number);
    }
    return true;
  }

  F reader_;
  std::uint64_t epoch_;
  std::uint64_t stream_;
  std::uint64_t count_ = 0;
  bool failed_ = false;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_SOURCE_READER_HPP
