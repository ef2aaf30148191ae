// SPDX-License-Identifier: MIT
//
// open_files.hpp: open_regular_file(); and OpenFiles, which reads any part of many files and keeps a limited number of
// them open.

#ifndef FOREBAY_FILES_OPEN_FILES_HPP
#define FOREBAY_FILES_OPEN_FILES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/file.hpp"
#include "forebay/files/file_reader.hpp"
#include "forebay/source/reader.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A file, and its size when a data set was created from it.
struct KnownFile {
  std::string name;
  std::uint64_t size;
};

/// Where an element of several files is.
struct PlaceInFiles {
  std::size_t file;
  std::uint64_t before;  // the elements in front of it in the file
};

/// Returns the place of an element. `ends` has, for each file, the number of elements up to its end. Requires
/// number < ends.back().
template <class Number>
[[nodiscard]] PlaceInFiles place_in_files(const std::vector<Number>& ends, Number number) noexcept {
  const auto file = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), number) - ends.begin());
  return {file, file == 0 ? number : number - ends[file - 1]};
}

/// Opens a file for reads at any position. Throws a FileError, also for a pipe or another device: opening it could
/// block, and it has no size.
[[nodiscard]] inline File open_regular_file(const std::string& name, const FileOptions& options = {}) {
  using Type = std::filesystem::file_type;
  std::error_code ignored;  // File reports a missing file
  const Type type = std::filesystem::status(name, ignored).type();
  if (type == Type::fifo || type == Type::character || type == Type::block || type == Type::socket) {
    throw FileError(name, "is not a regular file");
  }
  return File(name, options);
}

/// Reads any part of the files. Parts that follow one another are read through a buffer, even if several threads read
/// different regions; a part at another position is read alone.
///
/// Thread safety: any number of threads may read.
class OpenFiles {
 public:
  explicit OpenFiles(std::vector<KnownFile> files) noexcept : files_(std::move(files)) {}

  /// Returns the bytes of the buffers when each file is read from its beginning to its end, one after the other.
  [[nodiscard]] std::uint64_t buffer_bytes() const {
    std::vector<std::uint64_t> buffers;
    buffers.reserve(files_.size());
    for (const KnownFile& file : files_) buffers.push_back(buffer_of(file.size, usual_buffer<FileReader>));
    std::sort(buffers.begin(), buffers.end(), std::greater<>());
    buffers.resize(smaller(buffers.size(), most_open));
    return std::accumulate(buffers.begin(), buffers.end(), std::uint64_t{0});
  }

  [[nodiscard]] const KnownFile& file(std::size_t index) const noexcept { return files_[index]; }

  /// Fills `into` with the bytes from `position` on of the file with the given index. Throws a FileError, which calls
  /// the part `what`, if the file is shorter now, and whenever it opens a file whose size has changed.
  void read(std::size_t index, std::uint64_t position, std::span<char> into, const char* what) const {
    if (!latest_lock_.try_lock()) {  // another thread is reading
      std::unique_ptr<Reading> reading = take_or_open(index, position);
      reading->read(position, into, what);
      keep(std::move(reading));
      return;
    }
    const Guard guard(latest_lock_, std::adopt_lock);
    std::unique_ptr<Reading> reading = std::move(latest_);
    if (reading == nullptr || !reading->continues_at(index, position)) {
      reading = take_or_open(index, position, std::move(reading));
    }
    reading->read(position, into, what);
    latest_ = std::move(reading);
  }

 private:
  static constexpr std::size_t most_open = 64;  // while no thread reads
  static constexpr std::size_t most_idle = most_open - 1;

  /// An open file; its position is where its last read ended.
  struct Reading {
    Reading(std::size_t file_index, const std::string& name) : index(file_index), file(open_regular_file(name)) {}

    /// Returns whether the file has the given index and its last read ended at `position`.
    [[nodiscard]] bool continues_at(std::size_t of_index, std::uint64_t position) const noexcept {
      return index == of_index && file.position() == position;
    }

    void read(std::uint64_t position, std::span<char> into, const char* what) {
      if (file.position() == position) return file.read_exactly(into, what);
      const std::size_t count = file.read_at(position, into);
      if (count < into.size()) file.fail(position + count, std::string("the file ends within ") + what);
      file.seek(position + into.size());
    }

    std::size_t index;
    File file;
  };

  /// Returns a reading of the file: an idle one, preferably one that ended at `position`; otherwise `latest`, if it
  /// reads that file; otherwise a new one. Keeps `latest` for later if it does not return it.
  [[nodiscard]] std::unique_ptr<Reading> take_or_open(std::size_t index, std::uint64_t position,
                                                      std::unique_ptr<Reading> latest = nullptr) const {
    std::unique_ptr<Reading> taken = take(index, position);
    if (taken == nullptr && latest != nullptr && latest->index == index) return latest;
    if (latest != nullptr) keep(std::move(latest));
    return taken != nullptr ? std::move(taken) : open(index);
  }

  /// Takes an idle reading of the file, preferably one that ended at `position`; null if there is none.
  [[nodiscard]] std::unique_ptr<Reading> take(std::size_t index, std::uint64_t position) const {
    const Guard guard(mutex_);
    std::size_t best = idle_.size();
    for (std::size_t i = idle_.size(); i-- > 0;) {
      if (idle_[i]->index != index) continue;
      best = i;
      if (idle_[i]->file.position() == position) break;
    }
    if (best == idle_.size()) return nullptr;
    std::unique_ptr<Reading> taken = std::move(idle_[best]);
    idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(best));
    return taken;
  }

  [[nodiscard]] std::unique_ptr<Reading> open(std::size_t index) const {
    const KnownFile& known = files_[index];
    auto opened = std::make_unique<Reading>(index, known.name);
    const std::uint64_t size = opened->file.size();
    if (size != known.size) {
      opened->file.fail(size < known.size ? size : known.size,
                        "the file has " + std::to_string(size) + " bytes now, but had " + std::to_string(known.size) +
                            " when the data set was created");
    }
    return opened;
  }

  /// Keeps the reading for later, and closes the one that was idle longest if there are too many.
  void keep(std::unique_ptr<Reading> reading) const {
    std::unique_ptr<Reading> closed;  // without the lock
    const Guard guard(mutex_);
    if (idle_.size() == most_idle) {
      closed = std::move(idle_.front());
      idle_.erase(idle_.begin());
    }
    idle_.push_back(std::move(reading));
  }

  std::vector<KnownFile> files_;
  mutable TryLock<StdSync> latest_lock_;
  mutable std::unique_ptr<Reading> latest_ FOREBAY_GUARDED_BY(latest_lock_);  // by the last read that had the lock
  mutable Mutex<StdSync> mutex_;
  mutable std::vector<std::unique_ptr<Reading>> idle_ FOREBAY_GUARDED_BY(mutex_);  // longest idle first
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_OPEN_FILES_HPP
