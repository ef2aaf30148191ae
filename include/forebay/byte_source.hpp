// SPDX-License-Identifier: MIT

/// @file
/// Defines ByteSource, the interface for files that the library cannot read by itself: compressed files, or objects in
/// a store.
///
/// @code
/// class GzipSource : public forebay::ByteSource { ... };   // examples/gzip_records.cpp: 20 lines with zlib
///
/// auto open = [](const std::string& name) { return std::make_unique<GzipSource>(name); };
/// auto lines = forebay::text_lines(files, {.open = open});
/// auto rows = forebay::csv_rows(files, {.header = true, .open = open});
/// @endcode
///
/// When to use: for files of any format of files.hpp that is read in order. Data sets with random access need files.
///
/// A reader counts and reports positions in the bytes that the source delivers. A run that resumes calls seek(). If the
/// source cannot do that, it is read from its beginning, and what was read before is dropped.
///
/// Thread safety: a source is used by one thread at a time. Several threads may call the function that opens sources.

#ifndef FOREBAY_BYTE_SOURCE_HPP
#define FOREBAY_BYTE_SOURCE_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Delivers the bytes of one file, from its beginning to its end.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Fills the beginning of `into`, which is not empty, with the next bytes. Returns how many; 0 only at the end.
  ///
  /// May throw any std::exception. Its text becomes the reason of a failure that follows the elements before it, and
  /// nothing more is read. `.on_error` treats that failure like the failure of a damaged file. A std::bad_alloc ends
  /// the run instead.
  virtual std::size_t read(std::span<char> into) = 0;

  /// Continues at the byte `position`, which a checkpoint has saved, and returns true; or does nothing and returns
  /// false. A position beyond the end is the end. May throw like read().
  virtual bool seek(std::uint64_t position) {
    static_cast<void>(position);
    return false;
  }
};

/// Opens the file with the given name. May throw like ByteSource::read().
using OpenByteSource = std::function<std::unique_ptr<ByteSource>(const std::string& name)>;

namespace detail {

/// Throws std::runtime_error if the function returns null.
[[nodiscard]] inline std::unique_ptr<ByteSource> open_source(const OpenByteSource& open, const std::string& name) {
  std::unique_ptr<ByteSource> source = open(name);
  if (source == nullptr) throw std::runtime_error("cannot open: the option .open has returned no source");
  return source;
}

/// Throws std::runtime_error if the source claims to have delivered more than was requested.
[[nodiscard]] inline std::size_t read_source(ByteSource& source, std::span<char> into) {
  const std::size_t count = source.read(into);
  if (count <= into.size()) return count;
  throw std::runtime_error("the source has returned " + std::to_string(count) + " bytes instead of at most " +
                           std::to_string(into.size()));
}

/// Returns why a source has failed, without the name of the file at the beginning, which the failure has anyway.
[[nodiscard]] inline std::string reason_of(const std::exception& error, const std::string& name) {
  const std::string what = error.what();
  return what.starts_with(name + ": ") ? what.substr(name.size() + 2) : what;
}

/// Returns the result of a call of the source of the file `name`. If the call throws, calls fail(reason), which throws.
/// Passes on that memory has run out.
template <class Call, class Fail>
[[nodiscard]] auto call_source(const std::string& name, const Call& call, const Fail& fail) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {  // also a FileError, of the bytes before they were decompressed
    fail(reason_of(error, name));
    throw;  // not reached
  }
}

}  // namespace detail
}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_BYTE_SOURCE_HPP
