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

/// Opens a file for reads at any position. Throws a FileError, also for a pipe or another device: opening it could
/// block, and it has no size.
[[nodiscard]] inline File open_regular_file(const std::string& name, FileOptions options = {}) {
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
    buffers.resize(smaller(buffers.size(), most_idle));
    return std::accumulate(buffers.begin(), buffers.end(), std::uint64_t{0});
  }

  [[nodiscard]] const KnownFile& file(std::size_t index) const noexcept { return files_[index]; }

  /// Fills `into` with the bytes from `position` on of the file with the given index. Throws a FileError, which calls
  /// the part `what`, if the file is shorter now, and whenever it opens a file whose size has changed.
  void read(std::size_t index, std::uint64_t position, std::span<char> into, const char* what) const {
    std::unique_ptr<Reading> reading = take(index, position);
    if (reading == nullptr) reading = open(index);
    File& file = reading->file;
    if (file.position() == position) {
      file.read_exactly(into, what);
    } else {
      const std::size_t read = file.read_at(position, into);
      if (read < into.size()) file.fail(position + read, std::string("the file ends within ") + what);
      file.seek(position + into.size());
    }
    give_back(std::move(reading));
  }

 private:
  static constexpr std::size_t most_idle = 64;

  /// An open file; its position is where its last read ended.
  struct Reading {
    Reading(std::size_t file_index, const std::string& name) : index(file_index), file(open_regular_file(name)) {}
    std::size_t index;
    File file;
  };

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
  void give_back(std::unique_ptr<Reading> reading) const {
    std::unique_ptr<Reading> closed;  // without the lock
    const Guard guard(mutex_);
    if (idle_.size() == most_idle) {
      closed = std::move(idle_.front());
      idle_.erase(idle_.begin());
    }
    idle_.push_back(std::move(reading));
  }

  std::vector<KnownFile> files_;
  mutable Mutex<StdSync> mutex_;
  mutable std::vector<std::unique_ptr<Reading>> idle_ FOREBAY_GUARDED_BY(mutex_);  // longest idle first
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_OPEN_FILES_HPP
