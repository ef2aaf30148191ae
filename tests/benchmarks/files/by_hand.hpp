// SPDX-License-Identifier: MIT
//
// The best loops that one writes by hand for each format, with the checks that forebay makes: truncated files, wrong
// checksums, fields that are no numbers. They do not tell where a failure is, and cannot resume.

#ifndef FOREBAY_BENCHMARK_FILES_BY_HAND_HPP
#define FOREBAY_BENCHMARK_FILES_BY_HAND_HPP

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "../require.hpp"
#include "forebay/files/crc32c.hpp"
#include "forebay/files/tar_header.hpp"

namespace forebay_benchmark::files {

/// What a contender has read, which is the same for all contenders of a cell.
struct Sum {
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;

  void add(std::size_t size) noexcept {
    ++elements;
    bytes += size;
  }
  bool operator==(const Sum&) const = default;
};

class Descriptor {
 public:
  explicit Descriptor(const std::string& name) : number_(open(name.c_str(), O_RDONLY | O_CLOEXEC)) {
    require(number_ >= 0, "a file cannot be opened");
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(number_); }

  /// Returns how many bytes it has read, fewer only at the end of the file.
  std::size_t read(char* into, std::size_t count) const {
    std::size_t done = 0;
    while (done < count) {
      const auto some = ::read(number_, into + done, count - done);
      require(some >= 0, "a file cannot be read");
      if (some == 0) break;
      done += static_cast<std::size_t>(some);
    }
    return done;
  }

  [[nodiscard]] std::uint64_t size() const {
    struct stat status {};
    require(fstat(number_, &status) == 0, "a file has no size");
    return static_cast<std::uint64_t>(status.st_size);
  }

 private:
  int number_;
};

/// A file with a buffer of 256 KiB.
class Buffered {
 public:
  explicit Buffered(const std::string& name) : file_(name), left_in_file_(file_.size()) {}

  /// Copies `count` bytes; returns whether they were there.
  bool take(char* into, std::size_t count) {
    while (count > 0) {
      if (next_ == end_ && !fill()) return false;
      const std::size_t some = count < end_ - next_ ? count : end_ - next_;
      std::memcpy(into, buffer_.get() + next_, some);
      next_ += some;
      into += some;
      count -= some;
    }
    return true;
  }

  /// Replaces `into` by `count` bytes, without setting its memory first.
  bool take(std::string& into, std::size_t count) {
    into.clear();
    if (count > left()) return false;
    while (into.size() < count) {
      if (next_ == end_ && !fill()) return false;
      const std::size_t missing = count - into.size();
      const std::size_t some = missing < end_ - next_ ? missing : end_ - next_;
      into.append(buffer_.get() + next_, some);
      next_ += some;
    }
    return true;
  }

  bool skip(std::size_t count) {
    while (count > end_ - next_) {
      count -= end_ - next_;
      next_ = end_;
      if (!fill()) return false;
    }
    next_ += count;
    return true;
  }

  [[nodiscard]] std::uint64_t left() const noexcept { return left_in_file_ + (end_ - next_); }

  /// Returns the next line without its newline; false at the end. The line is valid until the next call.
  bool line(std::string_view& line) {
    if (next_ == end_ && !fill()) return false;
    const char* const begin = buffer_.get() + next_;
    if (const auto* const end = static_cast<const char*>(std::memchr(begin, '\n', end_ - next_))) {
      line = {begin, static_cast<std::size_t>(end - begin)};
      next_ += line.size() + 1;
      return true;
    }
    long_line_.clear();
    do {
      const std::string_view rest(buffer_.get() + next_, end_ - next_);
      const std::size_t newline = rest.find('\n');
      long_line_ += rest.substr(0, newline);
      next_ = newline == std::string_view::npos ? end_ : next_ + newline + 1;
      if (newline != std::string_view::npos) break;
    } while (fill());
    line = long_line_;
    return true;
  }

 private:
  bool fill() {
    next_ = 0;
    end_ = file_.read(buffer_.get(), size);
    left_in_file_ -= end_ < left_in_file_ ? end_ : left_in_file_;
    return end_ > 0;
  }

  static constexpr std::size_t size = 262'144;
  Descriptor file_;
  std::unique_ptr<char[]> buffer_{new char[size]};
  std::size_t next_ = 0;
  std::size_t end_ = 0;
  std::uint64_t left_in_file_;
  std::string long_line_;
};

template <class Number>
Number loaded(const char* bytes) noexcept {  // this benchmark runs on little-endian processors
  Number number;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

/// One call of read for each record.
inline Sum plain_read(const std::string& name, std::size_t record_size) {
  Sum sum;
  const Descriptor file(name);
  std::string record(record_size, '\0');
  for (;;) {
    const std::size_t count = file.read(record.data(), record_size);
    if (count == 0) return sum;
    require(count == record_size, "a record is truncated");
    sum.add(record.size());
  }
}

inline Sum lines_by_hand(const std::string& name) {
  Sum sum;
  Buffered file(name);
  std::string line;
  for (std::string_view next; file.line(next);) {
    if (next.ends_with('\r')) next.remove_suffix(1);
    line = next;
    sum.add(line.size());
  }
  return sum;
}

inline Sum prefixed_by_hand(const std::string& name) {
  Sum sum;
  Buffered file(name);
  std::array<char, 4> prefix{};
  std::string record;
  while (file.left() > 0) {
    require(file.take(prefix.data(), prefix.size()), "a length is truncated");
    require(file.take(record, loaded<std::uint32_t>(prefix.data())), "a record is truncated");
    sum.add(record.size());
  }
  return sum;
}

inline Sum tfrecords_by_hand(const std::string& name) {
  using forebay::detail::masked_crc32c;
  Sum sum;
  Buffered file(name);
  std::array<char, 12> header{};
  std::array<char, 4> checksum{};
  std::string record;
  while (file.left() > 0) {
    require(file.take(header.data(), header.size()), "a header is truncated");
    require(masked_crc32c({header.data(), 8}) == loaded<std::uint32_t>(header.data() + 8), "a length is damaged");
    require(file.take(record, loaded<std::uint64_t>(header.data())), "a record is truncated");
    require(file.take(checksum.data(), checksum.size()), "a checksum is truncated");
    require(masked_crc32c(record) == loaded<std::uint32_t>(checksum.data()), "a record is damaged");
    sum.add(record.size());
  }
  return sum;
}

/// Reads files in the format ustar.
class TarByHand {
 public:
  explicit TarByHand(const std::string& name) : file_(name) {}

  bool next(std::string& name, std::string& bytes) {
    forebay::detail::TarBlock block{};
    for (;;) {
      if (file_.left() == 0) return false;
      require(file_.take(block.data(), block.size()), "a header is truncated");
      if (block[0] == '\0') return false;
      require(checksum(block) == octal(block.data() + 148, 8), "a checksum is wrong");
      const std::uint64_t size = octal(block.data() + 124, 12);
      if (block[156] != '0' && block[156] != '\0') {
        require(file_.skip((size + 511) / 512 * 512), "an entry is truncated");
        continue;
      }
      name.assign(block.data() + 345, strnlen(block.data() + 345, 155));
      if (!name.empty()) name += '/';
      name.append(block.data(), strnlen(block.data(), 100));
      require(file_.take(bytes, size), "an entry is truncated");
      require(file_.skip((512 - size % 512) % 512), "an entry is truncated");
      return true;
    }
  }

 private:
  /// Its own field counts as spaces.
  static std::uint64_t checksum(const forebay::detail::TarBlock& block) {
    std::uint64_t sum = forebay::detail::tar_sum(block) + 8 * ' ';
    for (std::size_t i = 148; i < 156; ++i) sum -= static_cast<unsigned char>(block[i]);
    return sum;
  }

  static std::uint64_t octal(const char* digits, std::size_t count) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < count && digits[i] >= '0' && digits[i] <= '7'; ++i) {
      number = number * 8 + static_cast<unsigned>(digits[i] - '0');
    }
    return number;
  }

  Buffered file_;
};

inline Sum tar_by_hand(const std::string& archive) {
  Sum sum;
  TarByHand files(archive);
  for (std::string name, bytes; files.next(name, bytes);) sum.add(name.size() + bytes.size());
  return sum;
}

inline Sum samples_by_hand(const std::string& archive) {
  Sum sum;
  TarByHand files(archive);
  std::map<std::string, std::string, std::less<>> fields;
  std::string key;
  const auto deliver = [&] {
    if (fields.empty()) return;
    std::size_t size = key.size();
    for (const auto& [extension, bytes] : fields) size += bytes.size();
    sum.add(size);
    fields.clear();
  };
  for (std::string name, bytes; files.next(name, bytes);) {
    const std::size_t dot = name.find('.', name.rfind('/') + 1);
    if (dot == std::string::npos) continue;
    if (name.compare(0, dot, key) != 0) {
      deliver();
      key.assign(name, 0, dot);
    }
    require(fields.try_emplace(name.substr(dot + 1), std::move(bytes)).second, "an extension is there twice");
  }
  deliver();
  return sum;
}

/// Rows of T behind a header.
template <class T>
Sum rows_by_hand(const std::string& name, std::size_t header) {
  Sum sum;
  Buffered file(name);
  require(file.skip(header) && file.left() % sizeof(T) == 0, "the file is truncated");
  for (T row; file.left() > 0;) {
    require(file.take(reinterpret_cast<char*>(&row), sizeof row), "a row is truncated");
    sum.add(sizeof row);
  }
  return sum;
}

/// Splits a line that has no quotes; returns whether it has as many fields.
template <std::size_t count>
bool split(std::string_view line, std::array<std::string_view, count>& fields) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t end = line.find(',');
    if ((end == std::string_view::npos) != (i + 1 == count)) return false;
    fields[i] = line.substr(0, end);
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  return true;
}

template <class Number>
void parse(std::string_view field, Number& into) {
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), into);
  require(error == std::errc() && end == field.data() + field.size(), "a field is no number");
}

/// Calls `row(fields)`. A line with a quote would need another loop, so it looks for them.
template <class Row>
void csv_by_hand(const std::string& name, const Row& row) {
  Buffered file(name);
  std::array<std::string_view, 4> fields;
  std::string_view line;
  require(file.line(line), "there is no header");
  while (file.line(line)) {
    if (line.empty()) continue;
    require(std::memchr(line.data(), '"', line.size()) == nullptr, "a field has quotes");
    require(split(line, fields), "a row has another number of fields");
    row(fields);
  }
}

}  // namespace forebay_benchmark::files

#endif  // FOREBAY_BENCHMARK_FILES_BY_HAND_HPP
