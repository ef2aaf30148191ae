// SPDX-License-Identifier: MIT
//
// read_bytes.hpp: take_bytes(), which reads a header; read_bytes() and BytesLeft, which read a record whose length the
// file states.

#ifndef FOREBAY_FILES_READ_BYTES_HPP
#define FOREBAY_FILES_READ_BYTES_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/file.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Tells whether a file has as many bytes as it states. Asks the system only if the answer is not known.
class BytesLeft {
 public:
  /// Returns whether `count` bytes follow and can be held in memory. Of a pipe, nothing is known.
  [[nodiscard]] bool are_at_least(std::uint64_t count, const File& file) {
    if (std::cmp_greater(count, std::numeric_limits<std::ptrdiff_t>::max())) return false;
    if (!file.is_seekable()) return true;
    const std::uint64_t position = file.position();
    if (is_within(position, count)) return true;
    size_ = file.size();  // it may have grown
    return is_within(position, count);
  }

 private:
  [[nodiscard]] bool is_within(std::uint64_t position, std::uint64_t count) const noexcept {
    return position <= size_ && count <= size_ - position;
  }

  std::uint64_t size_ = 0;
};

/// Moves on by storage.size() bytes, fewer only at the end of the source, and returns them: in the buffer of the source
/// if it has all of them, otherwise in `storage`. They are valid until the next read. Source is File or FilePart.
template <class Source>
[[nodiscard]] std::string_view take_bytes(Source& source, std::span<char> storage) {
  const std::string_view some = source.buffered();
  if (some.empty()) return some;
  if (some.size() < storage.size()) return {storage.data(), source.read(storage)};
  source.consume(storage.size());
  return {some.data(), storage.size()};
}

/// Fills `into` with the next `count` bytes of the file. Its memory grows with the bytes that are there, so a wrong
/// count cannot exhaust it. Requires that BytesLeft has confirmed the count. Throws a FileError "the file ends within
/// WHAT".
inline void read_bytes(File& file, std::uint64_t count, std::string& into, const char* what) {
  into.clear();
  if (into.capacity() < count && file.is_seekable()) into.reserve(static_cast<std::size_t>(count));
  while (into.size() < count) {
    const std::string_view some = file.buffered();
    if (some.empty()) file.fail(file.position(), std::string("the file ends within ") + what);
    const auto taken = static_cast<std::size_t>(smaller<std::uint64_t>(some.size(), count - into.size()));
    into.append(some.data(), taken);
    file.consume(taken);
  }
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_READ_BYTES_HPP
