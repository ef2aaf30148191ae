// SPDX-License-Identifier: MIT
//
// file_handle.hpp: FileHandle, an open file. This is the only header that calls the operating system to read files.
// PosixFileHandle uses the calls of POSIX; StandardFileHandle is for every other system, Windows included.

#ifndef FOREBAY_FILE_FILE_HANDLE_HPP
#define FOREBAY_FILE_FILE_HANDLE_HPP

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#if !defined(_WIN32) && __has_include(<unistd.h>)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/mutex.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Throws the error that `errno` names.
[[noreturn]] inline void throw_errno(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// A file of the C library. Both kinds of reading move the same position, so a lock protects it.
class StandardFileHandle {
 public:
  explicit StandardFileHandle(const char* name) : shared_(std::make_unique<Shared>(std::fopen(name, "rb"))) {
    if (shared_->file == nullptr) throw_errno("cannot open");
    // File has a buffer of its own.
    static_cast<void>(std::setvbuf(shared_->file.get(), nullptr, _IONBF, 0));
    is_seekable_ = seek(0, SEEK_END) && seek(0, SEEK_SET);
  }

  [[nodiscard]] bool is_seekable() const noexcept { return is_seekable_; }

  /// Returns the current size.
  [[nodiscard]] std::uint64_t size() const {
    const Guard guard(shared_->mutex);
    if (!seek(0, SEEK_END)) throw_errno("cannot get the size");
    const std::int64_t end = tell();
    if (end < 0) throw_errno("cannot get the size");
    return static_cast<std::uint64_t>(end);
  }

  /// Reads at most `count` bytes, at `position` if the file is seekable. Returns 0 only at the end of the file.
  [[nodiscard]] std::size_t read_some(std::uint64_t position, char* into, std::size_t count) const {
    const Guard guard(shared_->mutex);
    if (is_seekable_ && std::cmp_greater(position, most_position)) return 0;
    if (is_seekable_ && !seek(position, SEEK_SET)) throw_errno("cannot seek");
    std::clearerr(shared_->file.get());
    errno = 0;
    const std::size_t read = std::fread(into, 1, count, shared_->file.get());
    if (read == 0 && std::ferror(shared_->file.get()) != 0) throw_errno("cannot read");
    return read;
  }

  static void expect_sequential_reads() noexcept {}

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept { static_cast<void>(std::fclose(file)); }
  };
  struct Shared {
    explicit Shared(std::FILE* opened) noexcept : file(opened) {}
    std::unique_ptr<std::FILE, Close> file;
    Mutex<StdSync> mutex;
  };

#if defined(_WIN32)
  using Offset = long long;
#elif defined(_POSIX_VERSION)
  using Offset = ::off_t;
#else
  using Offset = long;
#endif
  static constexpr Offset most_position = std::numeric_limits<Offset>::max();

  [[nodiscard]] bool seek(std::uint64_t position, int from) const noexcept {
#if defined(_WIN32)
    return _fseeki64(shared_->file.get(), static_cast<Offset>(position), from) == 0;
#elif defined(_POSIX_VERSION)
    return ::fseeko(shared_->file.get(), static_cast<Offset>(position), from) == 0;
#else
    return std::fseek(shared_->file.get(), static_cast<Offset>(position), from) == 0;
#endif
  }

  [[nodiscard]] std::int64_t tell() const noexcept {
#if defined(_WIN32)
    return _ftelli64(shared_->file.get());
#elif defined(_POSIX_VERSION)
    return ::ftello(shared_->file.get());
#else
    return std::ftell(shared_->file.get());
#endif
  }

  std::unique_ptr<Shared> shared_;
  bool is_seekable_ = false;
};

#if defined(_POSIX_VERSION)

/// A file descriptor. Reads of a seekable file name their position, so any number of threads may read.
class PosixFileHandle {
 public:
  explicit PosixFileHandle(const char* name) : descriptor_(open(name)) {
    if (descriptor_.number < 0) throw_errno("cannot open");
    const Status status = this->status();
    if (S_ISDIR(status.st_mode)) {
      errno = EISDIR;
      throw_errno("cannot read");
    }
    is_seekable_ = S_ISREG(status.st_mode);
  }

  [[nodiscard]] bool is_seekable() const noexcept { return is_seekable_; }

  /// Returns the current size.
  [[nodiscard]] std::uint64_t size() const { return static_cast<std::uint64_t>(status().st_size); }

  /// Reads at most `count` bytes, at `position` if the file is seekable. Returns 0 only at the end of the file.
  [[nodiscard]] std::size_t read_some(std::uint64_t position, char* into, std::size_t count) const {
    if (std::cmp_greater(position, std::numeric_limits<Offset>::max())) return 0;
    const auto most = smaller<std::size_t>(count, std::size_t{1} << 30U);  // macOS rejects 2 GiB and more
    for (;;) {
      const ::ssize_t read =
          is_seekable_ ? read_at(static_cast<Offset>(position), into, most) : ::read(descriptor_.number, into, most);
      if (read >= 0) return static_cast<std::size_t>(read);
      if (errno != EINTR) throw_errno("cannot read");
    }
  }

  /// Tells the kernel to read ahead far.
  void expect_sequential_reads() const noexcept {
#if defined(POSIX_FADV_SEQUENTIAL)
    if (is_seekable_) static_cast<void>(::posix_fadvise(descriptor_.number, 0, 0, POSIX_FADV_SEQUENTIAL));
#endif
  }

 private:
#if defined(_LFS64_LARGEFILE)  // 64-bit positions, also where off_t has 32 bits
  using Offset = ::off64_t;
  using Status = struct ::stat64;
  [[nodiscard]] static int open_once(const char* name) noexcept { return ::open64(name, O_RDONLY | O_CLOEXEC); }
  [[nodiscard]] static int get_status(int descriptor, Status& into) noexcept { return ::fstat64(descriptor, &into); }
  [[nodiscard]] ::ssize_t read_at(Offset position, char* into, std::size_t count) const noexcept {
    return ::pread64(descriptor_.number, into, count, position);
  }
#else
  using Offset = ::off_t;
  using Status = struct ::stat;
  [[nodiscard]] static int open_once(const char* name) noexcept { return ::open(name, O_RDONLY | O_CLOEXEC); }
  [[nodiscard]] static int get_status(int descriptor, Status& into) noexcept { return ::fstat(descriptor, &into); }
  [[nodiscard]] ::ssize_t read_at(Offset position, char* into, std::size_t count) const noexcept {
    return ::pread(descriptor_.number, into, count, position);
  }
#endif

  /// Owns a file descriptor.
  struct Descriptor {
    explicit Descriptor(int opened) noexcept : number(opened) {}
    Descriptor(Descriptor&& other) noexcept : number(std::exchange(other.number, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
      std::swap(number, other.number);
      return *this;
    }
    ~Descriptor() {
      if (number >= 0) static_cast<void>(::close(number));
    }
    int number;
  };

  [[nodiscard]] static int open(const char* name) noexcept {
    for (;;) {
      const int descriptor = open_once(name);
      if (descriptor >= 0 || errno != EINTR) return descriptor;
    }
  }

  [[nodiscard]] Status status() const {
    Status status{};
    if (get_status(descriptor_.number, status) != 0) throw_errno("cannot get the size");
    return status;
  }

  Descriptor descriptor_;
  bool is_seekable_ = false;
};

using FileHandle = PosixFileHandle;
#else
using FileHandle = StandardFileHandle;
#endif

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILE_FILE_HANDLE_HPP
